"""A reader's reach: the walks of `walk.py` and `chain.py` served from the edge property table.

Every statement is limited to the reader's lanes, both where a record's properties are read and where a property's
carriers are counted, so that a walk cannot pass through a hidden record and a hub is one by readable carriers alone.
Never walked: properties skipped for the budget, and the label `tense`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from memory import sql
from memory.gather.chain import Touch
from memory.gather.scope import Scope, followed, live, told
from memory.gather.spared import Spared
from memory.gather.traverse import UNWALKED_LABEL
from memory.gather.walk import Step
from memory.selectors.records import Row

HUB_NEWEST = 300
Members = tuple[int, Iterable[tuple[int, Any]]]

# Best first, and stopped after a budget: a record with many properties costs no more than the budget says.
_OWN = """
  select f.ord, f.score, e.key, e.strength
  from unnest(%(ids)s::bigint[], %(scores)s::float8[]) with ordinality f(id, score, ord)
  join memory_edgeproperty e on e.record_id = f.id
  where {followed} and e.label <> %(unwalked)s and e.lane_id = any(%(lanes)s) {labels} and {told}
  order by f.ord, e.key limit %(budget)s + 1
"""
# A property is met once, through the record that carries it best; those passed before are sorted in and taken out. (As
# an anti-join it would be a nested loop: the planner cannot know how many there are.)
_MET = """
select key, carried, ord, score, strength from (
  select distinct on (key) key, carried, ord, score, strength, passed from (
    select key, score * coalesce(strength, 1) as carried, ord, score, coalesce(strength, 1) as strength,
      false as passed from own
    union all select p.key, null, null, null, null, true from unnest(%(passed)s::uuid[]) p(key)) u
  order by key, passed desc, carried desc, ord) d
where not passed
"""
# `lane_id = any(…)` in one index scan: the carriers of a key lie together in the index, ordered by lane.
_CARRIERS = """
select {columns} from (
  select e.record_id, e.at from memory_edgeproperty e
  where e.key = k.key and e.lane_id = any(%(lanes)s) and {followed} {once}
  limit %(cap)s + 1) z
"""
# Instants only put members in order here; as seconds they are read several times faster than as times with a zone.
_LISTED = """count(*) as n, case when count(*) <= %(cap)s then array_agg(z.record_id) end as ids,
  case when count(*) <= %(cap)s then array_agg(date_part('epoch', z.at)) end as ats"""
# With ended intervals counted too, a record that had the property more than once is still one carrier.
_ONCE = """and not exists (select 1 from memory_edgeproperty d
  where d.record_id = e.record_id and d.key = e.key and d.seq < e.seq)"""


class Reach:
    """What one reader can walk at one instant. `labels`: only properties of these labels; `types`: of connections,
    only those of these types. `ends`: the records named by the caller, which take part even where the walk is
    narrowed to lanes they are not in. `spared`: the record walked from, where it takes part although superseded."""

    def __init__(
        self,
        scope: Scope,
        *,
        ends: Sequence[Row] = (),
        labels: Sequence[str] | None = None,
        types: Sequence[str] | None = None,
        spared: Spared | None = None,
    ):
        self.scope = scope
        self.spared = spared
        self.params: dict[str, Any] = {"lanes": scope.lanes, "unwalked": UNWALKED_LABEL, **scope.params}
        self.params |= spared.params if spared else {}
        follows = spared.also(followed("e"), "e") if spared else followed("e")
        guests = [row for row in ends if row.lane_id not in scope.lanes]
        inside = ""
        if guests:
            self.params |= {
                "lanes": [*scope.lanes, *{row.lane_id for row in guests}],
                "own_lanes": scope.lanes,
                "guests": [row.id for row in guests],
            }
            inside = " and ({e}.lane_id = any(%(own_lanes)s) or {e}.record_id = any(%(guests)s))"
        limits = ""
        if labels is not None:
            limits += " and e.label = any(%(labels)s)"
            self.params["labels"] = list(labels)
        if types is not None:
            limits += " and e.type = any(%(types)s)"
            self.params["types"] = list(types)
        own = _OWN.format(followed=follows, labels=limits, told=told("e"))
        once = (_ONCE if scope.include_invalidated else "") + inside.format(e="e")
        listed = _CARRIERS.format(columns=_LISTED, followed=follows, once=once)
        counted = _CARRIERS.format(columns="count(*) as n", followed=follows, once=once)
        with_own = f"with own as materialized ({own})"
        self._touch = f"{with_own} select k.*, (select count(*) from own) as pairs from ({_MET}) k"  # noqa: S608
        self._spread = (
            f"{with_own} select k.key, k.carried, k.ord, m.n, m.ids, m.ats, (select count(*) from own) as pairs "  # noqa: S608
            f"from ({_MET}) k cross join lateral ({listed}) m where m.n > 1"
        )
        self._widen = (
            f"select k.key, m.n, m.ids, m.ats from unnest(%(keys)s::uuid[]) k(key) "  # noqa: S608
            f"cross join lateral ({listed}) m"
        )
        self._count = f"select k.key, m.n from unnest(%(keys)s::uuid[]) k(key) cross join lateral ({counted}) m"  # noqa: S608

    def holds(self, alias: str) -> str:
        """SQL: the edge property row `alias` is valid, or one of the spared record's."""
        return self.spared.also(live(alias), alias) if self.spared else live(alias)

    # -- walk.Loader

    def spread(
        self, frontier: Sequence[tuple[int, float]], passed: set[UUID], cap: int, budget: int
    ) -> tuple[list[Step], bool]:
        ids = [record for record, _ in frontier]
        params = self._frontier(frontier, passed, budget) | {"cap": cap}
        rows = sql.fetch(self._spread, params)
        steps = [
            Step(key, round(carried, 12), ids[place - 1], n, _Pairs(members, ats))
            for key, carried, place, n, members, ats, _ in rows
        ]
        return steps, bool(rows) and rows[0][6] > budget

    def widen(self, keys: Sequence[UUID], cap: int) -> dict[UUID, Members]:
        if not keys:
            return {}
        rows = sql.fetch(self._widen, {**self.params, "keys": sql.array(keys), "cap": cap})
        return {key: (n, _Pairs(members, ats)) for key, n, members, ats in rows}

    # -- chain.ChainLoader

    def touch(self, frontier: Sequence[tuple[int, float]], passed: set[UUID], budget: int) -> tuple[list[Touch], bool]:
        ids = [record for record, _ in frontier]
        rows = sql.fetch(self._touch, self._frontier(frontier, passed, budget))
        found = [Touch(key, ids[place - 1], score, strength) for key, _, place, score, strength, _ in rows]
        return found, bool(rows) and rows[0][5] > budget

    def count(self, keys: Sequence[UUID], cap: int) -> dict[UUID, int]:
        if not keys:
            return {}
        rows = sql.fetch(self._count, {**self.params, "keys": sql.array(keys), "cap": cap - 1})
        return dict(rows)

    def common(self, pairs: Sequence[tuple[UUID, UUID]], without: Sequence[int]) -> tuple[int, int] | None:
        rows = sql.fetch(
            _COMMON,
            {
                **self.params,
                "lanes": self.scope.lanes,
                "one": [one for one, _ in pairs],
                "two": [two for _, two in pairs],
                "without": list(without),
                "newest": HUB_NEWEST,
            },
        )
        return (rows[0][0] - 1, rows[0][1]) if rows else None

    # -- details

    def _frontier(self, frontier: Sequence[tuple[int, float]], passed: set[UUID], budget: int) -> dict[str, Any]:
        return {
            **self.params,
            "ids": sql.array(record for record, _ in frontier),
            "scores": sql.array(score for _, score in frontier),
            "passed": sql.array(passed),
            "budget": budget,
        }


# The newest record that carries both keys of the first pair that has one, of the newest carriers in each lane: two
# values may be on a hundred thousand records each and on none together.
_COMMON = f"""
select p.ord, x.record_id
from unnest(%(one)s::uuid[], %(two)s::uuid[]) with ordinality p(one, two, ord)
cross join lateral (
  select t.record_id, t.at from unnest(%(lanes)s::int[]) l(lane) cross join lateral (
    select t.record_id, t.at, t.lane_id from memory_edgeproperty t
    where t.key = p.one and t.lane_id = l.lane and {followed("t")}
    order by t.at desc, t.record_id desc limit %(newest)s) t
  where t.record_id <> all(%(without)s::bigint[])
    and exists (select 1 from memory_edgeproperty q where q.key = p.two and q.lane_id = t.lane_id and q.at = t.at
                and q.record_id = t.record_id and {followed("q")} offset 0)
  order by t.at desc, t.record_id desc limit 1) x
limit 1
"""  # noqa: S608


class _Pairs:
    """(record id, instant) of the carriers of a property. Most of the many that are fetched are never gone through, so
    that they are not paired before they are."""

    __slots__ = ("ats", "ids")

    def __init__(self, ids: Sequence[int] | None, ats: Sequence[float] | None) -> None:
        self.ids, self.ats = ids or (), ats or ()

    def __iter__(self) -> Iterator[tuple[int, float]]:
        return zip(self.ids, self.ats, strict=True)
