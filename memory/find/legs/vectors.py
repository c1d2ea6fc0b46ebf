"""The two legs of meaning: records by their vector, and records by their best window's.

Few readable rows (up to EXACT · √N of N) are compared one by one: exact, and faster than an approximate index
that walks past rows the reader may not read. More go through HNSW with an iterative scan whose relaxed order is
sorted again; when the scan gives up before it has enough, the readable rows are compared after all, so a small
lane is never starved by the lanes around it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from memory import sql
from memory.find.ask import Ask
from memory.ingest import space
from memory.ingest.embedders import Embedder
from memory.ingest.vectors import literal

EXACT = 15.0
EXACT_LEAST = 2_000
RESCUE = 60_000  # readable rows up to which a scan that gave up is done again one by one
WINDOWS_A_RECORD = 4  # windows fetched for each record wanted: the best few often lie in one text


@dataclass(frozen=True)
class Hit:
    """`start` and `end` are the best window's place in the text; None for a record's own vector."""

    record_id: int
    similarity: float
    start: int | None = None
    end: int | None = None


def embed(ask: Ask, embedder: Embedder) -> None:
    """Make the question's vector, unless the stored vectors are another embedder's (WrongEmbedder)."""
    stored = space.serving()
    if stored is not None and stored != (embedder.name, embedder.dimension):
        raise space.WrongEmbedder(space.explain(embedder, stored))
    ask.vector = embedder.query(ask.question)


def records(ask: Ask) -> list[Hit]:
    """The records nearest by their own vectors, nearest first."""
    rows = _nearest(ask, "memory_recordvector", "v.record_id", ask.depth)
    return [Hit(record, similarity) for record, similarity in rows]


def windows(ask: Ask) -> list[Hit]:
    """The records nearest by their best window, nearest first. Only texts of several windows have any."""
    rows = _nearest(ask, "memory_window", 'v.record_id, v.start, v."end"', WINDOWS_A_RECORD * ask.depth)
    best: dict[int, Hit] = {}
    for record, start, end, similarity in rows:
        if record not in best:
            best[record] = Hit(record, similarity, start, end)
    return list(best.values())[: ask.depth]


def whole(ask: Ask, record_ids: list[int]) -> set[int]:
    """Which of these records are one window as a whole."""
    rows = sql.fetch(
        f"select v.record_id from memory_recordvector v where v.record_id = any(%(ids)s) and v.whole "
        f"and {ask.rows('v')}",
        {**ask.params, "ids": record_ids},
    )
    return {row[0] for row in rows}


def best_windows(ask: Ask, record_ids: list[int]) -> dict[int, tuple[int, int]]:
    """The place of each record's best window, for the records that have windows."""
    if ask.vector is None:
        return {}
    rows = sql.fetch(
        'select distinct on (v.record_id) v.record_id, v.start, v."end" from memory_window v '
        "where v.record_id = any(%(ids)s) and v.lane_id + 0 = any(%(lanes)s) "
        "order by v.record_id, (v.embedding <=> %(vector)s::halfvec) + 0",
        {"ids": record_ids, "lanes": ask.lanes, "vector": literal(ask.vector)},
    )
    return {record: (start, end) for record, start, end in rows}


def few(table: str) -> int:
    """How many rows of a table are compared one by one sooner than the approximate index is asked."""
    total = sql.fetch("select reltuples::float8 from pg_class where oid = %s::regclass", (table,))[0][0]
    return int(max(EXACT_LEAST, EXACT * math.sqrt(max(total, 0.0))))


def _nearest(ask: Ask, table: str, columns: str, count: int) -> list[tuple]:
    """(columns…, similarity) of the nearest readable rows."""
    if ask.vector is None:
        return []
    params = {**ask.params, "vector": literal(ask.vector), "count": count}
    limit = few(table)
    allowed = ask.allowed is not None and len(ask.allowed) <= limit
    if allowed or _count(ask, table, limit + 1) <= limit:
        return _exact(ask, table, columns, params)
    rows = _approximate(ask, table, columns, params)
    if len(rows) < count and _count(ask, table, RESCUE + 1) <= RESCUE:
        return _exact(ask, table, columns, params)
    return rows


def _count(ask: Ask, table: str, cap: int) -> int:
    where = ask.rows("v", driven=ask.allowed is not None)
    rows = sql.fetch(
        f"select count(*) from (select 1 from {table} v where {where} limit %(cap)s) x",
        {**ask.params, "cap": cap},
    )
    return rows[0][0]


def _exact(ask: Ask, table: str, columns: str, params: dict) -> list[tuple]:
    where = ask.rows("v", driven=ask.allowed is not None)
    # "+ 0" so that the approximate index cannot answer the order.
    return sql.fetch(
        f"select {columns}, 1 - (v.embedding <=> %(vector)s::halfvec) from {table} v "
        f"where {where} order by (v.embedding <=> %(vector)s::halfvec) + 0, 1 limit %(count)s",
        params,
    )


def _approximate(ask: Ask, table: str, columns: str, params: dict) -> list[tuple]:
    # Relaxed order finds more at the same cost; what it returns is sorted here. The settings end with the
    # transaction that every leg runs in.
    sql.fetch(
        "select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '200', true), "
        "set_config('hnsw.max_scan_tuples', '10000', true), set_config('enable_seqscan', 'off', true), "
        "set_config('enable_sort', 'off', true)"
    )
    rows = sql.fetch(
        f"select {columns}, 1 - (v.embedding <=> %(vector)s::halfvec) from {table} v "
        f"where {ask.rows('v', lane_index=False)} order by v.embedding <=> %(vector)s::halfvec limit %(count)s",
        params,
    )
    sql.fetch("select set_config('enable_seqscan', 'on', true), set_config('enable_sort', 'on', true)")
    return sorted(rows, key=lambda row: (-row[-1], row[0]))
