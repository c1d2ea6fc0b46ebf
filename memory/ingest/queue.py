"""Deferring the work that follows a write, in the transaction that writes."""

from collections.abc import Sequence


def enqueue(record_ids: Sequence[int]) -> None:
    """Defer the ingest of these records; nothing is deferred when the transaction is rolled back."""
