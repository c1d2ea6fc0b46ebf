"""Running the hot statements: bound by the server, prepared once a connection, planned generically.

The ORM binds in the client and never prepares; these statements are run thousands of times with other arrays, and
planning them costs more than running them (PERF.md). Everything else uses the ORM.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection

Params = Mapping[str, Any] | Sequence[Any]


@contextmanager
def _cursor() -> Iterator[psycopg.Cursor]:
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        yield cursor


def _run(cursor: psycopg.Cursor, statement: str, params: Params, prepare: bool) -> None:
    start = time.monotonic()
    try:
        cursor.execute(statement, params, prepare=prepare, binary=True)
    finally:
        if connection.queries_logged:  # so that tests can count these queries like Django's own
            connection.queries_log.append({"sql": statement, "time": f"{time.monotonic() - start:.3f}"})


def fetch(statement: str, params: Params = (), *, prepare: bool = True) -> list[tuple]:
    """All rows of a statement. Arrays go in as Python lists; uuids and times come out as Python's."""
    with _cursor() as cursor:
        _run(cursor, statement, params, prepare)
        return cursor.fetchall()


def execute(statement: str, params: Params = (), *, prepare: bool = True) -> int:
    """Run a statement; returns how many rows it touched."""
    with _cursor() as cursor:
        _run(cursor, statement, params, prepare)
        return cursor.rowcount


def copy(table: str, columns: Sequence[str], rows: Iterator[Sequence[Any]] | Sequence[Sequence[Any]]) -> None:
    """COPY rows into a table (names are the code's own, never input)."""
    with _cursor() as cursor, cursor.copy(f"copy {table} ({', '.join(columns)}) from stdin") as sink:
        for row in rows:
            sink.write_row(row)
