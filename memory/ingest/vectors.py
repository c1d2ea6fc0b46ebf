"""The vectors of records: made outside any transaction, stored only for the text they were made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db import transaction

from memory import sql
from memory.ingest import space
from memory.ingest.embedders import Embedder, configured
from memory.ingest.windows import TARGET, Window, windows

HEAD = 1_600  # characters of the text after the title: more than the built-in model reads at once


@dataclass(frozen=True)
class Source:
    """A record as it was read for embedding."""

    id: int
    version: int
    title: str
    text: str


@dataclass(frozen=True)
class Plan:
    """What is to be embedded for one record: its head, and its windows when the text needs several."""

    source: Source
    head: str
    parts: list[Window]

    @property
    def texts(self) -> list[str]:
        return [self.head, *(self.source.text[part.start : part.end] for part in self.parts)]


def plan(source: Source) -> Plan:
    """The texts to embed. A text of one window has no windows of its own: the record's vector stands for it."""
    title = source.title.strip()
    head = f"{title}\n{source.text[:HEAD]}".strip()
    # A text that goes into the head whole is read whole.
    parts = windows(source.text) if len(source.text) > TARGET else []
    return Plan(source, head, parts if len(parts) > 1 else [])


def literal(vector: np.ndarray) -> str:
    """A vector as pgvector reads it."""
    # One format of all numbers: a third of the time of one for each.
    return f"[{','.join(['%.6g'] * len(vector))}]" % tuple(vector.tolist())


_RECORDS = """
insert into memory_recordvector (record_id, tenant_id, lane_id, at, whole, embedding)
select r.id, r.tenant_id, r.lane_id, r.at, u.whole, u.embedding::halfvec
from unnest(%(ids)s::bigint[], %(wholes)s::bool[], %(vectors)s::text[]) u(id, whole, embedding)
join memory_record r on r.id = u.id
on conflict (record_id) do update set whole = excluded.whole, embedding = excluded.embedding
"""
_WINDOWS = """
insert into memory_window (record_id, tenant_id, lane_id, at, ordinal, start, "end", embedding)
select r.id, r.tenant_id, r.lane_id, r.at, u.ordinal, u.start, u.stop, u.embedding::halfvec
from unnest(%(ids)s::bigint[], %(ordinals)s::int[], %(starts)s::int[], %(ends)s::int[], %(vectors)s::text[])
  u(id, ordinal, start, stop, embedding)
join memory_record r on r.id = u.id
"""


def embed(sources: Sequence[Source], embedder: Embedder | None = None) -> set[int]:
    """Make and store the vectors of these records; returns the ids whose vectors are now in place.

    A record that was changed or deleted meanwhile is left out (its own change has its own job). Raises
    WrongEmbedder when the stored vectors are another embedder's.
    """
    embedder = embedder or configured()
    space.ensure(embedder)
    plans = [plan(source) for source in sources]
    texts = [text for item in plans for text in item.texts]
    if not texts:
        return set()
    made = embedder.documents(texts)
    vectors: dict[int, np.ndarray] = {}
    offset = 0
    for item in plans:
        count = len(item.texts)
        vectors[item.source.id] = made[offset : offset + count]
        offset += count
    return store(plans, vectors)


def store(plans: Sequence[Plan], vectors: dict[int, np.ndarray]) -> set[int]:
    """Replace the vectors of records that still have the version they were read at.

    FOR SHARE waits for a writer in progress and then sees its version, so old wording is never stored late.
    """
    with transaction.atomic():
        rows = sql.fetch(
            "select r.id from memory_record r join unnest(%s::bigint[], %s::int[]) u(id, version) "
            "on u.id = r.id and u.version = r.version order by r.id for share of r",
            ([p.source.id for p in plans], [p.source.version for p in plans]),
        )
        current = {row[0] for row in rows}
        kept = [p for p in plans if p.source.id in current]
        if not kept:
            return set()
        sql.execute("delete from memory_window where record_id = any(%s)", ([p.source.id for p in kept],))
        sql.execute(
            _RECORDS,
            {
                "ids": [p.source.id for p in kept],
                "wholes": [not p.parts for p in kept],
                "vectors": [literal(vectors[p.source.id][0]) for p in kept],
            },
        )
        parts = [(p.source.id, part, vectors[p.source.id][1 + i]) for p in kept for i, part in enumerate(p.parts)]
        if parts:
            sql.execute(
                _WINDOWS,
                {
                    "ids": [record for record, _, _ in parts],
                    "ordinals": [part.ordinal for _, part, _ in parts],
                    "starts": [part.start for _, part, _ in parts],
                    "ends": [part.end for _, part, _ in parts],
                    "vectors": [literal(vector) for _, _, vector in parts],
                },
            )
    return current


def read(record_ids: Sequence[int]) -> list[Source]:
    """The records as they are now, for `embed`."""
    rows = sql.fetch(
        "select id, version, title, text from memory_record where id = any(%s) order by id", (list(record_ids),)
    )
    return [Source(*row) for row in rows]
