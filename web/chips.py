"""Chips: whether what is typed into a search box is one, and which of a record's say most about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from lanes.readers import Reader
from memory.gather.scope import Scope
from memory.gather.terms import Term
from memory.selectors import values
from web import terms


def typed_chip(reader: Reader, text: str) -> Term | None:
    """The term a text is: "client:Acme", or "Client: Acme" when the reader's lanes know that label.

    "re: the seal" stays words, unless somebody uses `re` as a label.
    """
    term = terms.typed(text)
    if term is None or term.label is None:
        return None
    _, _, rest = text.partition(":")
    if rest[:1].strip() or term.label in values.offered_labels(reader):
        return term
    return None


# Carried by more records than this, values are all alike: they say little.
COMMON = 200


def rarest_first(scope: Scope, rows: Sequence[dict[str, Any]]) -> None:
    """Put the chips of every row in order: a value that few readable records carry says most. One statement."""
    keys = list({UUID(hex=chip["key"]) for row in rows for chip in row["chips"]})
    held = values.counts(scope, keys, cap=COMMON)
    for row in rows:
        row["chips"].sort(key=lambda chip: held.get(UUID(hex=chip["key"]), 0) or COMMON + 1)
