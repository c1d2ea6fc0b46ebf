"""Running the hot statements: bound by the server, prepared once a connection, planned generically.

The ORM binds in the client and never prepares; these statements are run thousands of times with other arrays, and
planning them costs more than running them (PERF.md). Everything else uses the ORM.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
from django.db import connection
from django.db.models import Model

Params = Mapping[str, Any] | Sequence[Any]


@contextmanager
def cursor_of() -> Iterator[psycopg.Cursor]:
    """A cursor of psycopg's own on Django's connection, whose errors are Django's."""
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        yield cursor


def run(cursor: psycopg.Cursor, statement: str, params: Params, prepare: bool) -> None:
    """Execute, and tell Django's query log where it is on."""
    start = time.monotonic()
    try:
        cursor.execute(statement, params, prepare=prepare, binary=True)
    finally:
        if connection.queries_logged:  # so that tests can count these queries like Django's own
            connection.queries_log.append({"sql": statement, "time": f"{time.monotonic() - start:.3f}"})


def fetch(statement: str, params: Params = (), *, prepare: bool = True) -> list[tuple]:
    """All rows of a statement. Arrays go in as Python lists; uuids and times come out as Python's."""
    with cursor_of() as cursor:
        run(cursor, statement, params, prepare)
        return cursor.fetchall()


def array(values: Iterable[int | float | UUID | None]) -> str:
    """Numbers or uuids as Postgres writes an array, for a parameter with a cast: a fraction of the time that adapting
    each of thousands takes."""
    return "{" + ",".join(["null" if value is None else str(value) for value in values]) + "}"


def loader(model: type[Model], alias: str) -> tuple[str, int, Callable[[Sequence[Any]], Any]]:
    """(SQL of all the model's columns, how many they are, a function that makes an instance of a row of them)."""
    fields = model._meta.concrete_fields
    names = [field.attname for field in fields]
    columns = ", ".join(f"{alias}.{field.column}" for field in fields)
    return columns, len(fields), lambda row: model.from_db("default", names, row)
