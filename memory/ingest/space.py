"""Whose vectors are being searched, and the rule that vectors of two embedders are never compared."""

from __future__ import annotations

from django.core.checks import Error, Tags, register

from memory import sql
from memory.ingest.embedders import Embedder, configured


class WrongEmbedder(RuntimeError):
    """This process has another embedder than the one whose vectors are stored."""


def serving() -> tuple[str, int] | None:
    """(name, dimension) of the embedder whose vectors are searched; None before the first vector."""
    rows = sql.fetch("select name, dimension from memory_embeddingspace where role = 'serving'")
    return rows[0] if rows else None


def column_dimension(column: str = "embedding") -> int:
    """The dimension the vector columns have in this database."""
    rows = sql.fetch(
        "select atttypmod from pg_attribute where attrelid = 'memory_recordvector'::regclass and attname = %s",
        (column,),
    )
    return rows[0][0] if rows else 0


def explain(embedder: Embedder, stored: tuple[str, int]) -> str:
    """The sentence for whoever starts a process with another embedder than the stored vectors'."""
    return (
        f"The stored vectors were made by {stored[0]} ({stored[1]} numbers each), but EMBEDDER is {embedder.name} "
        f"({embedder.dimension}). Either set EMBEDDER back, or run 'manage.py reembed' with the new setting: it makes "
        "new vectors while the old ones serve, and says when to restart."
    )


def ensure(embedder: Embedder) -> None:
    """Claim an empty database for this embedder; WrongEmbedder (with what to do) when it is not its own.

    The column of a new database has the built-in embedder's dimension and is remade for another one while no
    vector is stored.
    """
    stored = serving()
    if stored == (embedder.name, embedder.dimension):
        return
    if stored is None:
        if column_dimension() != embedder.dimension:
            from memory.ingest.reembed import remake_empty_columns

            remake_empty_columns(embedder.dimension)
        sql.execute(
            "insert into memory_embeddingspace (role, name, dimension, started_at) values ('serving', %s, %s, now()) "
            "on conflict (role) do nothing",
            (embedder.name, embedder.dimension),
        )
        stored = serving()
    if stored != (embedder.name, embedder.dimension):
        raise WrongEmbedder(explain(embedder, stored or ("", 0)))


@register(Tags.database)
def check_embedder(app_configs=None, databases=None, **kwargs) -> list[Error]:
    """`manage.py check --database default`, which every start runs: refuse another embedder than the stored one."""
    if not databases:
        return []
    from django.db import DatabaseError

    embedder = configured()
    try:
        stored = serving()
    except DatabaseError:  # before the first migrate there is nothing to disagree with
        return []
    if stored is None or stored == (embedder.name, embedder.dimension):
        return []
    return [Error(explain(embedder, stored), id="memory.E001")]
