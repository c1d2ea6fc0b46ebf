"""How much was left out because it does not hold at the instant asked about: ended properties, superseded records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from memory import sql
from memory.gather.scope import CAP, Scope, live
from memory.gather.terms import Match

# Only rows that do not always hold are looked at, by an index that has no others: keys and lanes are asked for as sets
# so that the planner compares whole indexes and takes the small one; asked for pair by pair, one index is as good as
# another to it, and it read whole hubs. An ended interval of a value that holds again leaves nothing out; a stamp with
# a single visible member joined nothing that could be told of.
_LEFT_OUT = f"""
select count(*) from (
  select distinct e.record_id from memory_edgeproperty e
  where e.state & 5 <> 0 and e.key = any(%(keys)s::uuid[]) and e.lane_id = any(%(of)s::int[])
    and e.state & 2 = 0 and e.record_id <> all(%(without)s::bigint[])
    and exists (select 1 from unnest(%(pair_keys)s::uuid[], %(pair_lanes)s::int[]) p(key, lane)
      where p.key = e.key and p.lane = e.lane_id)
    and not {live("e")}
    and not exists (select 1 from memory_edgeproperty o
      where o.record_id = e.record_id and o.key = e.key and {live("o")})
    and (e.label not in ('e_connect', 'e_adjust') or exists (select 1 from memory_edgeproperty o
      where o.key = e.key and o.record_id <> e.record_id and o.lane_id = any(%(lanes)s)))
  limit %(cap)s) x
"""  # noqa: S608

_ANY = """
select exists (select 1 from memory_edgeproperty e
  where e.state & 5 <> 0 and e.key = any(%(keys)s::uuid[]) and e.lane_id = any(%(of)s::int[]))
"""


def _count(scope: Scope, pairs: Iterable[tuple[UUID, int]], without: Sequence[int] = ()) -> int:
    keyed = list(pairs)
    if scope.include_invalidated or not keyed:
        return 0
    params = {
        "keys": list({key for key, _ in keyed}),
        "of": list({lane for _, lane in keyed}),
        "pair_keys": [key for key, _ in keyed],
        "pair_lanes": [lane for _, lane in keyed],
        "without": list(without),
        "lanes": scope.lanes,
        "cap": CAP,
        **scope.params,
    }
    # Most tenants have hardly any such row: a look into the small index spares the statement.
    return sql.fetch(_LEFT_OUT, params)[0][0] if sql.fetch(_ANY, params)[0][0] else 0


def by_terms(match: Match) -> int:
    """How many readable records had a property a match asks for, and do not at the instant (at most CAP)."""
    scope = match.scope
    if match.dated is False:
        return 0
    pairs = [
        (key, lane)
        for bound in match.terms
        if bound.kind == "property" and not bound.term.negated
        for lane, key in zip(scope.lanes, bound.keys, strict=True)
        if key is not None
    ]
    return _count(scope, pairs)


def by_keys(scope: Scope, keys: Sequence[UUID], without: Sequence[int] = ()) -> int:
    """How many readable records other than `without` had one of these properties and do not at the instant."""
    return _count(scope, [(key, lane) for key in keys for lane in scope.lanes], without)
