"""The timeline of everything in some lanes: without terms it is read in index order and counted up to a cap."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory import sql
from memory.gather import cursor as cursors
from memory.gather import paging
from memory.gather.scope import CAP, Scope, current
from memory.selectors.records import by_id, resolve

_DATED = """
select x.occurred_at, x.recorded_at, x.id from unnest(%(lanes)s::int[]) l(id) cross join lateral (
  select r.occurred_at, r.recorded_at, r.id, r.at from memory_record r
  where r.lane_id = l.id and r.occurred_at is not null and {current}
    and (%(start)s::timestamptz is null or r.at >= %(start)s) and (%(end)s::timestamptz is null or r.at < %(end)s)
    and (%(a0)s::timestamptz is null or (r.at >= %(a0)s and (r.at, r.recorded_at, r.id) > (%(a0)s, %(a1)s, %(a2)s)))
  order by r.at, r.recorded_at, r.id limit %(limit)s) x
order by x.occurred_at, x.recorded_at, x.id limit %(limit)s
""".format(current=current("r"))

_COUNT = """
select count(*) from (
  select 1 from memory_record r where r.lane_id = any(%(lanes)s) and r.occurred_at is not null and {current}
    and (%(start)s::timestamptz is null or r.at >= %(start)s) and (%(end)s::timestamptz is null or r.at < %(end)s)
  limit %(cap)s) x
""".format(current=current("r"))

_UNDATED = """
select x.id from unnest(%(lanes)s::int[]) l(id) cross join lateral (
  select r.id, r.at from memory_record r where r.lane_id = l.id and r.occurred_at is null and {current}
  order by r.at desc, r.id desc limit %(limit)s) x order by x.at desc, x.id desc limit %(limit)s
""".format(current=current("r"))

_UNDATED_COUNT = """
select count(*) from (
  select 1 from memory_record r where r.lane_id = any(%(lanes)s) and r.occurred_at is null and {current}
  limit %(cap)s) x
""".format(current=current("r"))


# The rows just before one, nearest first: the last of them is what a page that begins there begins after.
_BEFORE = """
select x.occurred_at, x.recorded_at, x.id from unnest(%(lanes)s::int[]) l(id) cross join lateral (
  select r.occurred_at, r.recorded_at, r.id, r.at from memory_record r
  where r.lane_id = l.id and r.occurred_at is not null and {current}
    and (%(start)s::timestamptz is null or r.at >= %(start)s) and (%(end)s::timestamptz is null or r.at < %(end)s)
    and r.at <= %(a0)s and (r.at, r.recorded_at, r.id) < (%(a0)s, %(a1)s, %(a2)s)
  order by r.at desc, r.recorded_at desc, r.id desc limit %(limit)s) x
order by x.occurred_at desc, x.recorded_at desc, x.id desc limit %(limit)s
""".format(current=current("r"))


@dataclass(frozen=True)
class Place:
    """Where a record stands in the timeline of everything: `cursor` of the page that begins some facts before it."""

    id: int
    occurred_at: datetime | None
    superseded: bool  # and left out for that: a scope may hold what was superseded too
    cursor: str | None


def place(
    scope: Scope, public: str, *, start: datetime | None = None, end: datetime | None = None, before: int = 100
) -> Place:
    """The place of a record of the scope; NotVisible when it is not there. `cursor` None is the first page."""
    row = resolve(scope.reader, public)
    occurred, recorded = sql.fetch(
        "select occurred_at, recorded_at from memory_record where id = %s and lane_id = any(%s)",
        (row.id, scope.lanes),
    )[0]
    ended = row.superseded_at is not None and row.superseded_at <= scope.instant
    cursor = None
    if occurred is not None:
        params = {"lanes": scope.lanes, "start": start, "end": end, **scope.params}
        rows = sql.fetch(_BEFORE, {**params, "limit": before + 1, "a0": occurred, "a1": recorded, "a2": row.id})
        if len(rows) > before:
            last = rows[-1]
            query = paging.query_of(scope, "chronology", str(start), str(end), scope.lanes)
            cursor = cursors.seal(query, [last[0].isoformat(), last[1].isoformat(), last[2]])
    return Place(row.id, occurred, ended and not scope.include_invalidated, cursor)


def everything(
    scope: Scope,
    *,
    start: datetime | None = None,
    end: datetime | None = None,
    limit: int = 200,
    cursor: str | None = None,
    undated_on_every_page: int = 200,
) -> dict[str, Any]:
    """The reply of `gather.timeline` for no terms at all; `count` and `undated_count` stop at CAP and say so in
    `count_capped` and `undated_capped`."""
    query = paging.query_of(scope, "chronology", str(start), str(end), scope.lanes)
    after = cursors.unseal(query, cursor)
    place = (datetime.fromisoformat(after[0]), datetime.fromisoformat(after[1]), after[2]) if after else (None,) * 3
    params = {"lanes": scope.lanes, "start": start, "end": end, **scope.params}
    rows = sql.fetch(_DATED, {**params, "limit": limit + 1, "a0": place[0], "a1": place[1], "a2": place[2]})
    count = sql.fetch(_COUNT, {**params, "cap": CAP + 1})[0][0]
    undated = [record for (record,) in sql.fetch(_UNDATED, {**params, "limit": undated_on_every_page})]
    without = sql.fetch(_UNDATED_COUNT, {**params, "cap": CAP + 1})[0][0]
    more, rows = len(rows) > limit, rows[:limit]
    shapes = by_id(scope.reader, [row[2] for row in rows] + undated, scope.instant)
    last = rows[-1] if rows else None
    return {
        "srs": [shapes[row[2]] for row in rows if row[2] in shapes],
        "undated": [shapes[record] for record in undated if record in shapes],
        "count": min(count, CAP),
        "count_capped": count > CAP,
        "undated_count": min(without, CAP),
        "undated_capped": without > CAP,
        "kept": [],
        "dropped": [],
        "next_cursor": cursors.seal(query, [last[0].isoformat(), last[1].isoformat(), last[2]])
        if more and last
        else None,
        "hint": None,
    }
