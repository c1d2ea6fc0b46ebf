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

# A value mentioned in more records of a lane than this says little; its later mentions are still tagged.
RECORDS_A_VALUE = 5_000
_CHUNK = 200
# What looking up one value's words costs, in records read again.
_VALUE_COST = 8
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")


def unsought(lane_ids: Sequence[int]) -> list[int]:
    """Those of the lanes that have values whose mentions have not been sought."""
    rows = sql.fetch(
        "select distinct lane_id from memory_lanevalue where not sought and lane_id = any(%s)", (list(lane_ids),)
    )
    return [row[0] for row in rows]


def seek(lane_id: int) -> int:
    """Tag the mentions of a lane's new values in the records that were ingested before; returns how many records.

    Values are marked as sought only after every record has been looked at, so a run that is cut off is repeated.
    """
    values = sql.fetch(
        "select id, label, value from memory_lanevalue where lane_id = %s and not sought order by id", (lane_id,)
    )
    if not values:
        return 0
    newest = values[-1][0]
    wanted = {value for _, label, value in values if worth_seeking(label, value)}
    looked_at = 0
    if wanted and _behind(lane_id, newest, _VALUE_COST * len(wanted)) > _VALUE_COST * len(wanted):
        found: set[int] = set()
        for value in sorted(wanted):
            found.update(_mentioning(lane_id, value, newest))
        looked_at += again(sorted(found))
    elif wanted:
        for chunk in _all_behind(lane_id, newest):
            looked_at += again(chunk)
    ids = [row[0] for row in values]
    sql.execute("update memory_lanevalue set sought = true where id = any(%s) and not sought", (ids,))
    return looked_at


def worth_seeking(label: str, value: str) -> bool:
    """Whether a value could be mentioned at all: it is not the engine's own, and not made of common words."""
    tokens = normal.norm_tokens(value)
    return not label.startswith("e_") and bool(tokens) and not all(token in COMMON for token in tokens)


def _behind(lane_id: int, newest: int, enough: int) -> int:
    """How many records of the lane may not know the newest value; counted up to one more than enough."""
    return sql.fetch(
        "select count(*) from (select 1 from memory_record where lane_id = %s and known_through < %s limit %s) r",
        (lane_id, newest, int(min(enough, 1e9)) + 1),
    )[0][0]


def _mentioning(lane_id: int, value: str, newest: int) -> list[int]:
    """Records of the lane with all words of a value, by the word index; the extractor then decides."""
    found: set[int] = set()
    for spelling in {value, _QUALIFIER.sub("", value)}:
        query = words.tsquery_all(spelling)
        lexemes = words.required(spelling)
        if query is None or not lexemes:
            continue
        found.update(
            row[0]
            for row in sql.fetch(
                "select t.record_id from memory_recordtext t join memory_record r on r.id = t.record_id "
                "where lane_terms(t.lane_id, t.tsv) @> "
                "(select array_agg(hashtextextended(x, %(lane)s)) from unnest(%(lexemes)s::text[]) x) "
                "and t.tsv @@ %(query)s::tsquery and t.lane_id = %(lane)s and r.known_through < %(newest)s "
                "limit %(limit)s",
                {"lane": lane_id, "lexemes": lexemes, "query": query, "newest": newest, "limit": RECORDS_A_VALUE},
            )
        )
    return sorted(found)


def _all_behind(lane_id: int, newest: int) -> Iterable[list[int]]:
    last = 0
    while True:
        rows = sql.fetch(
            "select id from memory_record where lane_id = %s and known_through < %s and id > %s order by id limit %s",
            (lane_id, newest, last, _CHUNK),
        )
        if not rows:
            return
        yield [row[0] for row in rows]
        last = rows[-1][0]


def again(record_ids: Sequence[int]) -> int:
    """Known values of these records anew; returns how many. Records still to be ingested find them by themselves."""
    step = KnownValues()
    count = 0
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
        count += len(same)
    return count


def schedule(lane_ids: Sequence[int]) -> None:
    """Defer a search for each of these lanes that has new values."""
    queue.defer_seek(unsought(lane_ids))
