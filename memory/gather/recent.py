"""Recent: the newest records of the lanes, whatever they carry."""

from typing import Any

from memory import sql
from memory.gather import paging
from memory.gather.scope import CAP, Scope, current


def recent(
    scope: Scope, *, kinds: list[str] | None = None, limit: int = 50, cursor: str | None = None
) -> dict[str, Any]:
    """{srs, next_cursor, left_out_invalid, hint}: a page, newest first, each lane read from its newest record on."""
    query = paging.query_of(scope, "recent", kinds, scope.lanes)
    after = paging.place(query, cursor)
    params = {**scope.params, "lanes": scope.lanes, "kinds": kinds, "limit": limit + 1}
    where = [current("r")]
    if kinds:
        where.append("r.kind = any(%(kinds)s)")
    if after:
        where.append("(r.at, r.id) < (%(at)s, %(id)s)")
        params |= {"at": after.at, "id": after.record_id}
    rows = sql.fetch(
        "select t.at, t.id from unnest(%(lanes)s::int[]) as l(lane) cross join lateral ("
        f"select r.at, r.id from memory_record r where r.lane_id = l.lane and {' and '.join(where)} "
        "order by r.at desc, r.id desc limit %(limit)s) t order by t.at desc, t.id desc limit %(limit)s",
        params,
    )
    reply = paging.records(scope, query, rows, limit)
    return {
        **reply,
        "left_out_invalid": _superseded(scope, kinds),
        "hint": None if rows or after else "No readable record is of that kind." if kinds else "Nothing is readable.",
    }


def _superseded(scope: Scope, kinds: list[str] | None) -> int:
    """Readable records, at most 10,000, that are superseded at the instant."""
    if scope.include_invalidated:
        return 0
    return sql.fetch(
        "select count(*) from (select 1 from memory_record r where r.lane_id = any(%(lanes)s::int[]) "
        "and r.superseded_at <= %(as_of)s and (%(kinds)s::text[] is null or r.kind = any(%(kinds)s::text[])) "
        "limit %(cap)s) x",
        {"lanes": scope.lanes, "as_of": scope.instant, "kinds": kinds, "cap": CAP},
    )[0][0]
