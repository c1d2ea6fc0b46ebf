"""Fixtures of the ingest tests: writing records and working the queue."""

from __future__ import annotations

import pytest

from memory.ingest import pipeline
from memory.models import Record, Tag, parse_sr_id


def record_of(sr_id: str) -> Record:
    return Record.everything.get(public_id=parse_sr_id(sr_id))


def ingest(*sr_ids: str, phase=pipeline.FIRST) -> pipeline.Outcome:
    """Bring records up to date in this connection, without a queue."""
    return pipeline.run(phase, [record_of(sr_id).pk for sr_id in sr_ids])


def tags_of(sr_id: str, extractor: str | None = None) -> list[tuple[str, str]]:
    rows = Tag.everything.filter(record=record_of(sr_id)).exclude(extractor="writer")
    if extractor:
        rows = rows.filter(extractor=extractor)
    return sorted(rows.values_list("label", "value"))


@pytest.fixture
def live(transactional_db):
    """The personas, committed."""
    from tests.conftest import make_world

    return make_world()
