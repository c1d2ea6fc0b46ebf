"""The order in which writers lock, the same everywhere, so that none can wait in a ring.

First the lanes (ascending), then the records (ascending). Writers share a lane; whoever removes values from a
lane's value list has it alone, so that no value disappears under a writer that relies on it.
"""

from collections.abc import Iterable

from memory import sql

LANES = 7301  # our corner of the advisory lock space
VOCABULARY = 7302


def lanes(lane_ids: Iterable[int], *, alone: bool = False) -> None:
    """Hold lanes until the transaction ends: with other writers, or alone."""
    function = "pg_advisory_xact_lock" if alone else "pg_advisory_xact_lock_shared"
    sql.execute(
        f"select {function}({LANES}, lane) from (select unnest(%s::int[]) lane order by 1) l",
        (sorted(set(lane_ids)),),
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
