"""The hot statements of the hypergraph: `lanes.sql` and what only writers need."""

from collections.abc import Iterator, Sequence
from typing import Any

from lanes.sql import Params, array, cursor_of, fetch, run

__all__ = ["array", "copy", "execute", "fetch"]


def execute(statement: str, params: Params = (), *, prepare: bool = True) -> int:
    """Run a statement; returns how many rows it touched."""
    with cursor_of() as cursor:
        run(cursor, statement, params, prepare)
        return cursor.rowcount


def copy(table: str, columns: Sequence[str], rows: Iterator[Sequence[Any]] | Sequence[Sequence[Any]]) -> None:
    """COPY rows into a table (names are the code's own, never input)."""
    with cursor_of() as cursor, cursor.copy(f"copy {table} ({', '.join(columns)}) from stdin") as sink:
        for row in rows:
            sink.write_row(row)
