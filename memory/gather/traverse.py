"""Traverse: the records that share an edge property with one record, least shared property first."""

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any
from uuid import UUID

from memory import normal, sql
from memory.gather import cursor as cursors
from memory.gather import ended, paging
from memory.gather.scope import CAP, Scope, followed
from memory.selectors.records import Row, by_id, resolve

# Never walked: the tense of a text says nothing about what it concerns.
UNWALKED_LABEL = "tense"


@dataclass(frozen=True)
class Origin:
    """An edge property of the record that is walked from, and how many other readable records share it."""

    label: str
    value: str
    key: UUID
    count: int
    capped: bool

    def shown(self) -> dict[str, Any]:
        shape: dict[str, Any] = {"label": self.label, "value": self.value, "sr_count": self.count}
        return {**shape, "sr_count_capped": True} if self.capped else shape


def traverse(
    scope: Scope,
    origin: str,
    *,
    labels: list[str] | None = None,
    limit: int = 50,
    cursor: str | None = None,
    exact_counts: bool = False,
    reader_of_origin: Any = None,
    count_lanes: list[int] | None = None,
) -> dict[str, Any]:
    """{sr_id, srs, origin_edges, next_cursor, hint} of the record `origin`.

    Neighbours come in the order of the least-shared property that reaches them, then those that share more
    properties, then the newest, then by sr_id. The properties and their sizes that the first page went by are sealed
    in the cursor: what is written meanwhile moves no neighbour that stayed as it was to another page. The origin may
    lie in any lane of `reader_of_origin` (the reader before it was narrowed to the lanes asked for).
    """
    row = resolve(reader_of_origin or scope.reader, origin)
    edges = origin_edges(scope, row, labels=labels, exact=exact_counts)
    query = paging.query_of(scope, "traverse", origin, labels, scope.lanes, exact_counts)
    after, keys = cursors.opened(query, cursor)
    walked = _sealed(after[4], keys) if after else [edge for edge in edges if edge.count]
    rows = _page(scope, row, walked, limit + 1, after)
    more, rows = len(rows) > limit, rows[:limit]
    last = rows[-1] if rows else None
    srs = _shapes(scope, edges, [found.record_id for found in rows])
    if after:  # what only a property leads to that the record has lost meanwhile
        srs = [shape for shape in srs if shape["shared"]]
    shown = edges
    if count_lanes is not None:
        shown = _recount(scope, row, edges, count_lanes, exact_counts)
    return {
        "sr_id": origin,
        "srs": srs,
        "origin_edges": [edge.shown() for edge in shown],
        "next_cursor": _seal(query, last, walked) if more and last else None,
        "left_out_invalid": ended.by_keys(scope, [edge.key for edge in edges], [row.id]),
        "hint": None if rows or cursor else alone(labels),
    }


def alone(*filters: Any) -> str:
    """What is said where a walk found no other record, and whether it was narrowed."""
    those = " of those asked for" if any(filters) else ""
    return f"No other readable record shares an edge property{those} with this one."


_OWN = """
select label, value, key from memory_edgeproperty
where record_id = %(origin)s and state & 2 = 0 and label <> %(unwalked)s
  and (%(labels)s::text[] is null or label = any(%(labels)s))
  and (%(ended)s or state & 1 = 0 or ((valid_from is null or valid_from <= %(as_of)s)
       and (invalidated_at is null or invalidated_at > %(as_of)s)))
order by id
"""

_SIZES = f"""
select q.n, (select count(*) from (
  select 1 from memory_edgeproperty t where t.key = q.key and t.lane_id = any(%(lanes)s::int[]) and {followed("t")}
    and t.record_id <> %(origin)s {{once}} limit %(cap)s) x)
from unnest(%(keys)s::uuid[]) with ordinality q(key, n)
"""
# With ended intervals counted too, a record that had the property more than once is still one neighbour.
_ONCE = """and not exists (select 1 from memory_edgeproperty d
    where d.record_id = t.record_id and d.key = t.key and d.seq < t.seq and d.state & 2 = 0)"""


def origin_edges(scope: Scope, row: Row, *, labels: list[str] | None = None, exact: bool = False) -> list[Origin]:
    """The walked properties of a record, least shared first; a stamp that joins nothing visible is left out."""
    params = {"origin": row.id, "lanes": scope.lanes, "unwalked": UNWALKED_LABEL, "labels": labels, **scope.params}
    own = {key: (label, value) for label, value, key in sql.fetch(_OWN, params)}
    counts = _sizes(scope, params, list(own), exact)
    edges = [
        Origin(label, value, key, min(count, CAP) if not exact else count, not exact and count > CAP)
        for (key, (label, value)), count in zip(own.items(), counts, strict=True)
        if count or not label.startswith(normal.RESERVED_PREFIX)
    ]
    return sorted(edges, key=lambda edge: (edge.count, edge.label, normal.fold(edge.value)))


def _sizes(scope: Scope, params: dict[str, Any], keys: list[UUID], exact: bool) -> list[int]:
    statement = _SIZES.format(once=_ONCE if scope.include_invalidated else "")
    rows = sql.fetch(statement, {**params, "keys": keys, "cap": None if exact else CAP + 1}) if keys else []
    return [count for _, count in sorted(rows)]


def _recount(scope: Scope, row: Row, edges: list[Origin], lanes: list[int], exact: bool) -> list[Origin]:
    """The same edges counted over other lanes: for one with count_all_lanes who asks for it."""
    params = {"origin": row.id, "lanes": lanes, **scope.params}
    counts = _sizes(scope, params, [edge.key for edge in edges], exact)
    made = [
        Origin(edge.label, edge.value, edge.key, count if exact else min(count, CAP), not exact and count > CAP)
        for edge, count in zip(edges, counts, strict=True)
    ]
    return sorted(made, key=lambda edge: (edge.count, edge.label, normal.fold(edge.value)))


@dataclass(frozen=True)
class Found:
    """A neighbour: the size of the least-shared property that reaches it, how many it shares, time, ids."""

    count: int
    shared: int
    at: datetime
    record_id: int
    public_id: UUID


def _seal(query: list, last: Found, walked: list[Origin]) -> str:
    place = [last.count, last.shared, last.at.isoformat(), last.public_id.hex]
    sizes = [-edge.count if edge.capped else edge.count for edge in walked]
    return cursors.seal(query, [*place, sizes], b"".join(edge.key.bytes for edge in walked))


def _sealed(sizes: list[int], keys: bytes) -> list[Origin]:
    """The properties a first page went by, in its order, as its cursor holds them."""
    parts = [UUID(bytes=keys[at : at + 16]) for at in range(0, len(keys), 16)]
    return [Origin("", "", key, abs(size), size < 0) for key, size in zip(parts, sizes, strict=True)]


def _page(scope: Scope, row: Row, walked: list[Origin], limit: int, after: list | None) -> list[Found]:
    """Neighbours batch by batch, a batch being properties next to each other in size; what is before the cursor is
    over."""
    start = next((i for i, edge in enumerate(walked) if not after or edge.count >= after[0]), len(walked))
    found: list[Found] = []
    while start < len(walked) and len(found) < limit:
        stop = _batch_end(walked, start, 2 * (limit - len(found)))
        rows = _batch(scope, row.id, walked, start, stop, limit - len(found), after)
        found += [Found(*values) for values in rows]
        start = stop
    return found


def _batch_end(walked: list[Origin], start: int, room: int) -> int:
    """Where the batch that begins at `start` ends: all of one size, and more sizes while few records carry them."""
    stop = total = 0
    for size, members in groupby(walked[start:], key=lambda edge: edge.count):
        count = len(list(members))
        total += size * count
        if stop and total > room:
            break
        stop += count
    return start + stop


# Few members: read them all, probe what each shares.
_MEMBERS = f"""
select m.record_id, m.at, m.size, (select count(distinct s.key) from memory_edgeproperty s
    where s.record_id = m.record_id and s.key = any(%(later)s) and {followed("s")}) as shared
from (select t.record_id, t.at, min(k.size) as size from unnest(%(lanes)s::int[]) l(lane)
  cross join unnest(%(group)s::uuid[], %(sizes)s::int[]) k(key, size)
  cross join lateral (select t.record_id, t.at from memory_edgeproperty t where t.key = k.key and t.lane_id = l.lane
    and t.record_id <> %(origin)s and {followed("t")}) t
  group by t.record_id, t.at) m
"""
# Many: go through the rows of all properties and keep the members'. `is true` leaves the test a look-up in a hash of
# the members; as a join the planner, which thinks that there are few, would go through all of them for every row.
_MANY = f"""
with reached as materialized (select t.record_id from unnest(%(group)s::uuid[]) k(key) cross join lateral (
  select t.record_id from memory_edgeproperty t where t.key = k.key and t.lane_id = any(%(lanes)s::int[])
    and t.record_id <> %(origin)s and {followed("t")}) t)
select t.record_id, t.at, min(k.size) as size, count({{keys}}) as shared
from unnest(%(later)s::uuid[], %(later_sizes)s::int[]) k(key, size)
cross join lateral (select t.record_id, t.at, t.key from memory_edgeproperty t where t.key = k.key
  and t.lane_id = any(%(lanes)s::int[]) and {followed("t")}
  and (t.record_id in (select r.record_id from reached r)) is true) t
group by t.record_id, t.at
"""
# What probing a member costs in rows gone through.
PROBE = 40
_PAGE = """
select f.size, f.shared, f.at, f.record_id, r.public_id from (
  select m.size, m.shared, m.at, m.record_id from ({members}) m
  where not exists (select 1 from memory_edgeproperty b where b.record_id = m.record_id and b.key = any(%(earlier)s)
      and {followed}) {beyond}
  order by m.size, m.shared desc, m.at desc fetch first %(limit)s rows with ties) f
join memory_record r on r.id = f.record_id
order by 1, 2 desc, 3 desc, 5 limit %(limit)s
"""
_BEYOND = """and (m.size > %(c_size)s or m.size = %(c_size)s and (m.shared < %(c_shared)s or m.shared = %(c_shared)s
  and (m.at < %(c_at)s or m.at = %(c_at)s
    and (select r.public_id from memory_record r where r.id = m.record_id) > %(c_public)s)))"""


def _batch(
    scope: Scope, origin: int, walked: list[Origin], start: int, stop: int, limit: int, after: list | None
) -> list[tuple]:
    group, later = walked[start:stop], walked[start:]
    params: dict[str, Any] = {
        "lanes": scope.lanes,
        "origin": origin,
        "group": [edge.key for edge in group],
        "sizes": [edge.count for edge in group],
        "earlier": [edge.key for edge in walked[:start]],
        "later": [edge.key for edge in later],
        "later_sizes": [edge.count if edge in group else None for edge in later],
        "limit": limit,
        **scope.params,
    }
    if after:
        params |= {
            "c_size": after[0],
            "c_shared": after[1],
            "c_at": datetime.fromisoformat(after[2]),
            "c_public": UUID(hex=after[3]),
        }
    reached = sum(edge.count for edge in group)
    # A capped property has more rows than were counted.
    rows = sum(3 * edge.count if edge.capped else edge.count for edge in later)
    # With ended intervals counted too, a record may have a property more than once.
    many = _MANY.format(keys="distinct t.key" if scope.include_invalidated else "*")
    members = _MEMBERS if PROBE * reached <= rows else many
    return sql.fetch(_PAGE.format(members=members, followed=followed("b"), beyond=_BEYOND if after else ""), params)


def _shapes(scope: Scope, edges: list[Origin], record_ids: list[int]) -> list[dict[str, Any]]:
    """The neighbours hydrated, each with the properties it shares, least shared first."""
    named = {edge.key: (order, edge) for order, edge in enumerate(edges)}
    # Record by record: with both arrays in one condition the generic plan compares every pair.
    rows = sql.fetch(
        "select distinct s.record_id, s.key from unnest(%(page)s::bigint[]) p(id) cross join lateral ("
        "select s.record_id, s.key from memory_edgeproperty s where s.record_id = p.id and s.key = any(%(keys)s) "
        f"and {followed('s')} offset 0) s",
        {"page": record_ids, "keys": list(named), **scope.params},
    )
    shared: dict[int, list[tuple[int, Origin]]] = {}
    for record, key in rows:
        shared.setdefault(record, []).append(named[key])
    shapes = by_id(scope.reader, record_ids, scope.instant)
    for record, shape in shapes.items():
        ranked = sorted(shared.get(record, []), key=lambda pair: pair[0])
        shape["shared"] = [{"label": edge.label, "value": edge.value} for _, edge in ranked]
    return [shapes[record] for record in record_ids if record in shapes]
