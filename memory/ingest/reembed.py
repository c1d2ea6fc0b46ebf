"""Another embedder: new vectors beside the old ones, which serve until the new ones are all there.

The new vectors stand in a second column, so whatever happens to a record meanwhile (moved, changed, deleted)
happens to both, and a row without a new vector is simply one still to be done.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection, transaction

from memory import sql
from memory.ingest import space
from memory.ingest.embedders import Embedder
from memory.ingest.vectors import HEAD, literal

TABLES = ("memory_recordvector", "memory_window")
BATCH = 64

# (the text to embed for a row of each table, in the shape `vectors.plan` makes)
_PENDING = {
    "memory_recordvector": (
        "select v.record_id, v.xmin::text, btrim(r.title) || E'\\n' || left(r.text, {head}) "
        "from memory_recordvector v join memory_record r on r.id = v.record_id "
        "where v.embedding_next is null and v.record_id > %s order by v.record_id limit {batch}"
    ),
    "memory_window": (
        'select v.id, v.xmin::text, substr(r.text, v.start + 1, v."end" - v.start) '
        "from memory_window v join memory_record r on r.id = v.record_id "
        "where v.embedding_next is null and v.id > %s order by v.id limit {batch}"
    ),
}
_KEY = {"memory_recordvector": "record_id", "memory_window": "id"}


def _ddl(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _index(table: str, column: str) -> str:
    return f"{table.removeprefix('memory_')}_{'hnsw' if column == 'embedding' else 'hnsw_next'}"


def remake_empty_columns(dimension: int) -> None:
    """Give the vector columns another dimension while they hold nothing (refused by Postgres otherwise)."""
    with transaction.atomic():
        for table in TABLES:
            _ddl(f"lock table {table} in access exclusive mode")
            if sql.fetch(f"select 1 from {table} limit 1", prepare=False):  # noqa: S608 - a fixed name
                raise space.WrongEmbedder("Vectors are stored already: run 'manage.py reembed'.")
            _ddl(f"drop index if exists {_index(table, 'embedding')}")
            _ddl(f"alter table {table} alter column embedding type halfvec({int(dimension)})")
            _ddl(
                f"create index {_index(table, 'embedding')} on {table} using hnsw "
                "(embedding halfvec_cosine_ops) with (m = 16, ef_construction = 64)"
            )


def progress() -> dict[str, int | str] | None:
    """How far a re-embedding is: {name, done, total}; None when there is none."""
    rows = sql.fetch("select name from memory_embeddingspace where role = 'next'")
    if not rows:
        return None
    done = total = 0
    for table in TABLES:
        (counted, filled), *_ = sql.fetch(
            f"select count(*), count(embedding_next) from {table}",  # noqa: S608 - a fixed name
            prepare=False,
        )
        total, done = total + counted, done + filled
    return {"name": rows[0][0], "done": done, "total": total}


def start(embedder: Embedder) -> None:
    """Make room for the new vectors. Continuing one that was broken off is the same call; another model's
    unfinished work is thrown away."""
    stored = sql.fetch("select name, dimension from memory_embeddingspace where role = 'next'")
    fresh = not stored or stored[0] != (embedder.name, embedder.dimension)
    with transaction.atomic():
        for table in TABLES:
            if fresh:
                _ddl(f"alter table {table} drop column if exists embedding_next")
            _ddl(f"alter table {table} add column if not exists embedding_next halfvec({int(embedder.dimension)})")
            _ddl(f"alter table {table} alter column embedding_next set storage plain")
        sql.execute(
            "insert into memory_embeddingspace (role, name, dimension, started_at) values ('next', %s, %s, now()) "
            "on conflict (role) do update set name = excluded.name, dimension = excluded.dimension",
            (embedder.name, embedder.dimension),
        )


def fill(embedder: Embedder, told: Callable[[int], None] = lambda done: None) -> int:
    """Embed every row that has no new vector yet; returns how many were filled.

    Each batch is its own transaction. A row that was replaced while it was embedded has another xmin, is left
    for the next round, and so never gets the vector of its old text.
    """
    filled = 0
    for table in TABLES:
        last = 0
        pending = _PENDING[table].format(head=HEAD, batch=BATCH)
        while True:
            rows = sql.fetch(pending, (last,), prepare=False)
            if not rows:
                break
            vectors = embedder.documents([text.strip() or " " for _, _, text in rows])
            key = _KEY[table]
            with transaction.atomic():
                sql.execute(
                    f"update {table} t set embedding_next = u.v::halfvec "  # noqa: S608 - fixed names
                    f"from unnest(%s::bigint[], %s::text[], %s::text[]) u(id, seen, v) "
                    f"where t.{key} = u.id and t.xmin::text = u.seen",
                    ([row[0] for row in rows], [row[1] for row in rows], [literal(v) for v in vectors]),
                    prepare=False,
                )
            last = rows[-1][0]
            filled += len(rows)
            told(len(rows))
    return filled


def index() -> None:
    """Index the new vectors without holding up writers (outside any transaction)."""
    for table in TABLES:
        name = _index(table, "embedding_next")
        _ddl(f"drop index concurrently if exists {name}")
        _ddl(
            f"create index concurrently {name} on {table} using hnsw (embedding_next halfvec_cosine_ops) "
            "with (m = 16, ef_construction = 64)"
        )


def swap(embedder: Embedder) -> None:
    """In one transaction: finish what came in meanwhile, and let the new vectors serve."""
    with transaction.atomic():
        for table in TABLES:
            _ddl(f"lock table {table} in access exclusive mode")
        fill(embedder)
        for table in TABLES:
            _ddl(f"drop index if exists {_index(table, 'embedding')}")
            _ddl(f"alter table {table} drop column embedding")
            _ddl(f"alter table {table} rename column embedding_next to embedding")
            _ddl(f"alter table {table} alter column embedding set not null")
            _ddl(f"alter index if exists {_index(table, 'embedding_next')} rename to {_index(table, 'embedding')}")
        sql.execute("delete from memory_embeddingspace where role = 'serving'")
        sql.execute("update memory_embeddingspace set role = 'serving' where role = 'next'")
