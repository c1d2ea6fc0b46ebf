"""Mentions of new values in earlier records.

A record is ingested once, but values come into use later: a text that names "Quay Harbour" before anyone writes
`client: Quay Harbour` must get its tag when that happens. Each lane's new values are sought together, either by the
words they consist of (few values) or by reading the lane's records again (many).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from django.db import transaction

from memory import normal, sql, words
from memory.ingest import policies, queue
from memory.ingest.extractors.known_values import COMMON
from memory.ingest.steps import Batch, Item, KnownValues

VALUES_A_RUN = 2_000
# A value mentioned in more records of a lane than this says little; its later mentions are still tagged.
RECORDS_A_VALUE = 5_000
_CHUNK = 200
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
# What looking up one value's words costs, in records read again: measured at 20,000 records.
_VALUE_COST = 8


def unsought(lane_ids: Sequence[int]) -> list[int]:
    """Those of the lanes that have values whose mentions have not been sought."""
    rows = sql.fetch(
        "select distinct lane_id from memory_lanevalue where not sought and lane_id = any(%s)", (list(lane_ids),)
    )
    return [row[0] for row in rows]


def seek(lane_id: int) -> bool:
    """Tag the mentions of up to 2,000 new values of a lane; returns whether there may be more.

    Values are marked as sought only after every record has been looked at, so a run that is cut off is repeated.
    """
    values = sql.fetch(
        "select id, label, value from memory_lanevalue where lane_id = %s and not sought order by id limit %s",
        (lane_id, VALUES_A_RUN),
    )
    wanted = {value for _, label, value in values if _worth_seeking(label, value)}
    records = _records(lane_id)
    if wanted and records:
        if len(wanted) * _VALUE_COST < records:
            found: set[int] = set()
            for value in sorted(wanted):
                found.update(_mentioning(lane_id, value))
            _again(sorted(found))
        else:
            for chunk in _all(lane_id):
                _again(chunk)
    sql.execute("update memory_lanevalue set sought = true where id = any(%s)", ([row[0] for row in values],))
    return len(values) == VALUES_A_RUN


def _worth_seeking(label: str, value: str) -> bool:
    tokens = normal.norm_tokens(value)
    return not label.startswith("e_") and bool(tokens) and not all(token in COMMON for token in tokens)


def _records(lane_id: int) -> int:
    return sql.fetch("select count(*) from memory_record where lane_id = %s", (lane_id,))[0][0]


def _mentioning(lane_id: int, value: str) -> list[int]:
    """Records of the lane with all words of a value, by the word index; the extractor then decides."""
    found = set()
    for spelling in {value, _QUALIFIER.sub("", value)}:
        query = words.tsquery_all(spelling)
        lexemes = words.required(spelling)
        if query is None or not lexemes:
            continue
        found.update(
            row[0]
            for row in sql.fetch(
                "select record_id from memory_recordtext where lane_terms(lane_id, tsv) @> "
                "(select array_agg(hashtextextended(x, %(lane)s)) from unnest(%(lexemes)s::text[]) x) "
                "and tsv @@ %(query)s::tsquery and lane_id = %(lane)s limit %(limit)s",
                {"lane": lane_id, "lexemes": lexemes, "query": query, "limit": RECORDS_A_VALUE},
            )
        )
    return sorted(found)


def _all(lane_id: int) -> Iterable[list[int]]:
    last = 0
    while True:
        rows = sql.fetch(
            "select id from memory_record where lane_id = %s and id > %s order by id limit %s", (lane_id, last, _CHUNK)
        )
        if not rows:
            return
        yield [row[0] for row in rows]
        last = rows[-1][0]


def _again(record_ids: Sequence[int]) -> None:
    """Known values of these records anew. Records still to be ingested find the values by themselves."""
    step = KnownValues()
    for start in range(0, len(record_ids), _CHUNK):
        ids = list(record_ids[start : start + _CHUNK])
        rows = sql.fetch(
            "select id, tenant_id, lane_id, public_id, version, title, text, at from memory_record "
            "where id = any(%s) and ingested_version = version order by id",
            (ids,),
        )
        items = [Item(*row) for row in rows]
        store = step.run(Batch(items))
        with transaction.atomic():
            now = {
                row[0]: row[1:]
                for row in sql.fetch(
                    "select id, version, lane_id from memory_record where id = any(%s) order by id for no key update",
                    ([item.record_id for item in items],),
                )
            }
            same = [item for item in items if now.get(item.record_id) == (item.version, item.lane_id)]
            store(same)
            governed = policies.acting_lanes({item.lane_id for item in same})
            queue.defer(queue.POLICIES, [item.record_id for item in same if item.lane_id in governed])


def schedule(lane_ids: Sequence[int]) -> None:
    """Defer a search for each of these lanes that has new values."""
    queue.defer_seek(unsought(lane_ids))
