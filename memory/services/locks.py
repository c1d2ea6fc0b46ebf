"""The order in which writers lock, the same everywhere, so that none can wait in a ring.

First the lanes (ascending), then lanes' entities where some are made, then the subjects of relationships, then the
records (ascending), each once and all at a time. Writers share a lane; whoever removes values from a lane's value list
has it alone, so that no value disappears under a writer that relies on it.

What must be locked is found before it is locked. Where it has become more meanwhile, `Again` begins the transaction
anew; `retried` does so, and where the database found a ring all the same.
"""

import random
import time
from collections.abc import Callable, Iterable
from functools import wraps
from typing import ParamSpec, TypeVar
from uuid import UUID

import psycopg.errors
from django.db import OperationalError, connection

from lanes.errors import Busy
from memory import sql

LANES = 7301  # our corner of the advisory lock space
VOCABULARY = 7302
ENTITIES = 7303
SUBJECTS = 7304
TRIES = 6
PAUSE_S = 0.02  # before the second try at most; twice as long before each one after

P = ParamSpec("P")
T = TypeVar("T")


class Again(Exception):
    """What is locked is not all that must be any more."""


def retried(work: Callable[P, T]) -> Callable[P, T]:
    """A service that is tried again, from the start of its transaction, when others were in the way; Busy when they
    were each time. Within a transaction of the caller's it is the caller's to try again."""

    @wraps(work)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        if connection.in_atomic_block:
            return work(*args, **kwargs)
        for turn in range(TRIES):
            try:
                return work(*args, **kwargs)
            except Again:
                pass
            except OperationalError as error:
                if not isinstance(error.__cause__, psycopg.errors.DeadlockDetected):
                    raise
            time.sleep(random.uniform(0, PAUSE_S * 2**turn))  # noqa: S311 - so that two do not meet again
        raise Busy()

    return run


def lanes(lane_ids: Iterable[int], *, alone: bool = False) -> None:
    """Hold lanes until the transaction ends: with other writers, or alone."""
    function = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
    sql.execute(
        f"select {function}({LANES}, lane) from (select unnest(%s::int[]) lane order by 1) l",
        (sorted(set(lane_ids)),),
    )


def entities(lane_ids: Iterable[int]) -> None:
    """Hold the making of entities in lanes, alone, until the transaction ends: one that is missing stays so until it
    is made here."""
    sql.execute(
        f"select pg_advisory_xact_lock({ENTITIES}, lane) from (select unnest(%s::int[]) lane order by 1) l",
        (sorted(set(lane_ids)),),
    )


def subjects(keys: Iterable[UUID]) -> None:
    """Hold entities as subjects of relationships, alone, until the transaction ends: what they have of a type stays as
    it is found."""
    folded = sorted({int.from_bytes(key.bytes[:4], "big", signed=True) for key in keys})
    sql.execute(
        f"select pg_advisory_xact_lock({SUBJECTS}, one) from (select unnest(%s::int[]) one order by 1) l", (folded,)
    )


def vocabulary(tenant_ids: Iterable[int], *, alone: bool = False) -> None:
    """Hold tenants' controlled values until the transaction ends: with others who look them up, or alone to change
    them. Held after records; whoever has them alone waits for no record."""
    function = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
    sql.execute(
        f"select {function}({VOCABULARY}, tenant) from (select unnest(%s::int[]) tenant order by 1) t",
        (sorted(set(tenant_ids)),),
    )


def records(record_ids: Iterable[int]) -> list[tuple]:
    """Lock records against other writers; returns (id, lane_id, at, public_id, version, tenant_id), ascending."""
    return sql.fetch(
        "select id, lane_id, at, public_id, version, tenant_id from memory_record "
        "where id = any(%s) order by id for update",
        (sorted(set(record_ids)),),
    )
