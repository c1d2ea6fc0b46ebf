"""Timeline: the records that match terms by substring or tag, in the order of their events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from lanes.errors import Invalid
from memory import normal, sql
from memory.gather import cursor as cursors
from memory.gather import left_out, paging
from memory.gather.scope import Scope, current, live
from memory.gather.terms import Term
from memory.ingest.times.spans import Span
from memory.ingest.timeterms import parse_term
from memory.selectors.records import by_id

# With require="any", terms are dropped while more records than this match.
MATCHES_MAX = 200
# A needle that more values contain than this is found by one pass over the lanes' rows instead of value by value.
VALUES_MAX = 5_000


@dataclass(frozen=True)
class Needle:
    """A term of the timeline: its text is looked for inside values; one that is a time or a duration has a span."""

    term: Term
    index: int
    folded: str
    span: Span | None = None

    @property
    def timed(self) -> bool:
        """Time and duration terms are never dropped."""
        return self.span is not None and not self.term.negated


@dataclass(frozen=True)
class Bounds:
    """Half-open event time."""

    start: datetime | None = None
    end: datetime | None = None


def timeline(
    scope: Scope,
    terms: list[Term],
    *,
    bounds: Bounds,
    require: str = "any",
    limit: int = 50,
    cursor: str | None = None,
    undated_cursor: str | None = None,
    undated_on_every_page: int | None = None,
) -> dict[str, Any]:
    """{srs, undated, count, undated_count, kept, dropped, next_cursor, next_undated_cursor, left_out_invalid, hint}:
    ordered by event time, then record time.

    With require "any" a record matches when it carries every time and duration term and at least one of the
    others; while more than 200 match, the most widely shared of the others is dropped. With "all" it must carry
    every term. Negated terms exclude in either case. The terms kept on the first page are kept on all.

    `undated` are matching records without an event time, newest first: up to 200 on the first page, the rest on pages
    of their own (`undated_cursor`, which leave `srs` empty), or as many as `undated_on_every_page` says.
    """
    if cursor is not None and undated_cursor is not None:
        raise Invalid.field("undated_cursor", "Either this or cursor.")
    needles = [_needle(index, term, scope.instant) for index, term in enumerate(terms)]
    finder = _Finder(scope, needles, bounds)
    query = paging.query_of(scope, "timeline", [str(term) for term in terms], str(bounds), require, scope.lanes)
    after = cursors.unseal(query, cursor)
    undated_after = cursors.unseal(["undated", *query], undated_cursor, "undated_cursor")
    if held := after or undated_after:
        kept = [needle for needle in needles if needle.index in held[0]]
        dropped = [needle for needle in needles if needle not in kept]
    else:
        kept, dropped = finder.keep(needles) if require == "any" else (needles, [])
    indexes = [needle.index for needle in kept]
    most = undated_on_every_page if undated_on_every_page is not None else 0 if after else MATCHES_MAX
    limit = 0 if undated_after else limit
    found = finder.page(kept, require, limit + 1, after, most + 1 if most else 0, undated_after)
    more, rows = bool(limit) and len(found.rows) > limit, found.rows[:limit]
    more_undated, undated = len(found.undated) > most, found.undated[:most]
    shapes = by_id(scope.reader, [row[2] for row in rows] + [record for _, record in undated], scope.instant)
    return {
        "srs": [shapes[row[2]] for row in rows if row[2] in shapes],
        "undated": [shapes[record] for _, record in undated if record in shapes],
        "count": found.count,
        "undated_count": found.undated_count,
        "kept": [needle.term.shown() for needle in kept],
        "dropped": [needle.term.shown() for needle in dropped],
        "next_cursor": cursors.seal(query, [indexes, rows[-1][0].isoformat(), rows[-1][1].isoformat(), rows[-1][2]])
        if more
        else None,
        "next_undated_cursor": cursors.seal(["undated", *query], [indexes, undated[-1][0].isoformat(), undated[-1][1]])
        if more_undated and undated
        else None,
        "left_out_invalid": finder.left_out(kept),
        "hint": _hint(kept, dropped, found, None if after else len(undated), undated_after is not None),
    }


def _needle(index: int, term: Term, now: datetime) -> Needle:
    span = parse_term(term.value, now) if term.label is None and term.value is not None else None
    return Needle(term, index, normal.fold(term.value or ""), span)


@dataclass
class Found:
    """A page: (event time, record time, record id) of dated records, (record time, record id) of undated ones, and how
    many of each match."""

    rows: list[tuple[datetime, datetime, int]]
    undated: list[tuple[datetime, int]]
    count: int = 0
    undated_count: int = 0


def _hint(kept: list[Needle], dropped: list[Needle], found: Found, undated: int | None, later: bool) -> str | None:
    """`undated`: how many undated records are here, None on a page that holds none; `later`: on one of theirs."""
    said = []
    if dropped:
        said.append(
            f"More than {MATCHES_MAX} records matched: kept {', '.join(str(needle.term) for needle in kept)}; "
            f"dropped {', '.join(str(needle.term) for needle in dropped)}."
        )
    count = found.undated_count
    if not found.count and not count:
        said.append("No readable record matches.")
    if undated is not None and count:
        without = f"{count} matching {'record has' if count == 1 else 'records have'} no date"
        if later:
            said.append(f"{without}; these are {undated} of them.")
        elif undated < count:
            said.append(f"{without}; undated holds the newest {undated}, next_undated_cursor leads to the others.")
        else:
            said.append(f"{without}; see undated.")
    return " ".join(said) or None


class _Finder:
    """Runs the statements of one timeline: every needle is a set of (record id, time), dated or undated records apart,
    and sets are combined in SQL."""

    def __init__(self, scope: Scope, needles: list[Needle], bounds: Bounds) -> None:
        self.scope = scope
        self.params: dict[str, Any] = {"lanes": scope.lanes, "start": bounds.start, "end": bounds.end, **scope.params}
        self.any_undated, self.any_left_out = sql.fetch(_ANY, self.params)[0]
        self.few: dict[int, bool] = {}
        for needle in needles:
            self._load(needle)

    def _load(self, needle: Needle) -> None:
        """Find the values that contain the needle, in the reader's lanes, as (lane, key) pairs."""
        i = needle.index
        self.params |= {f"needle{i}": needle.folded, f"label{i}": needle.term.label}
        if needle.term.value is None:
            self.few[i] = False
            return
        if span := needle.span:
            self.params |= {f"begins{i}": span.begins, f"ends{i}": span.ends, f"normal{i}": normal.fold(span.value)}
        self.params[f"grams{i}"] = normal.needle_grams(needle.folded)
        pairs = sql.fetch(
            f"select v.lane_id, v.key from {_values(i)} limit %(most)s",
            {**self.params, "most": VALUES_MAX + 1},
        )
        self.few[i] = len(pairs) <= VALUES_MAX
        self.params |= {f"l{i}": [lane for lane, _ in pairs], f"k{i}": [key for _, key in pairs]}

    def _within(self, alias: str) -> str:
        """SQL: the row's event time is within the bounds."""
        parts = [] if self.params["start"] is None else [f"{alias}.at >= %(start)s"]
        parts += [] if self.params["end"] is None else [f"{alias}.at < %(end)s"]
        return " and ".join(parts) or "true"

    def _when(self, alias: str, is_undated: str, undated: bool) -> str:
        """SQL: the row is of a record without an event time, or of one with an event time within the bounds."""
        if undated:
            return is_undated
        return f"not ({is_undated}) and {self._within(alias)}" if self.any_undated else self._within(alias)

    def _collected(self, needle: Needle) -> str:
        """SQL: rows of edge properties that are found in one pass, dated or not (see `rows{i}` in `_with`)."""
        i = needle.index
        columns = "e.record_id, e.at, e.state & 8 = 8 as undated"
        when = live("e")
        if self.any_undated:
            when += f" and (e.state & 8 = 8 or {self._within('e')})"
        else:
            when += f" and {self._within('e')}"
        if needle.term.value is None:
            return (
                f"select {columns} from memory_edgeproperty e where e.lane_id = any(%(lanes)s) "
                f"and e.label = %(label{i})s and {when} and e.label not in ('e_connect', 'e_adjust')"
            )
        # The values are found again in the statement: sending very many of them costs more.
        return (
            f"select e.* from {_values(i)} cross join lateral ("
            f"select {columns} from memory_edgeproperty e where e.key = v.key and e.lane_id = v.lane_id "
            f"and {when} offset 0) e"
        )

    def _rows(self, needle: Needle, undated: bool) -> str:
        """SQL: record id and time of what carries the needle (more than once where a record carries it so)."""
        i = needle.index
        if self.few[i]:
            # undated rows have an index of their own, so that the bounds may narrow the range that is read
            edges = (
                f"select e.* from unnest(%(l{i})s::int[], %(k{i})s::uuid[]) q(lane, key) cross join lateral ("
                f"select e.record_id, e.at from memory_edgeproperty e where e.key = q.key and e.lane_id = q.lane "
                f"and {self._when('e', 'e.state & 8 = 8', undated)} and {live('e')}) e"
            )
        else:
            edges = f"select record_id, at from rows{i} where {'' if undated else 'not '}undated"
        value = "" if needle.term.value is None else f" and ({self._tagged(needle)})"
        return (
            f"{edges} union all select t.record_id, t.at from memory_tag t join memory_record r on r.id = t.record_id "
            f"where t.lane_id = any(%(lanes)s) and (%(label{i})s::text is null or t.label = %(label{i})s){value} "
            f"and {self._when('t', 'r.occurred_at is null', undated)} and {current('r')}"
        )

    def _tagged(self, needle: Needle) -> str:
        """SQL: the tag t is the needle: the same value, or for a time, one within its span."""
        i, span = needle.index, needle.span
        same = f"t.folded = %(needle{i})s"
        if span is None:
            return same
        if span.kind == "duration":
            return f"{same} or t.label = 'duration' and t.folded = %(normal{i})s"
        return f"{same} or t.label = 'time' and t.begins >= %(begins{i})s and t.ends <= %(ends{i})s"

    def left_out(self, kept: list[Needle]) -> int:
        """How many records are left out because what is looked for ended or they were superseded."""
        if self.scope.include_invalidated or not self.any_left_out:
            return 0
        made = []
        for needle in kept:
            i, tagged = needle.index, "true"
            pairs: list[tuple[UUID, int]] | None = None
            if needle.term.negated:
                continue
            if self.few[i]:
                pairs = list(zip(self.params[f"k{i}"], self.params[f"l{i}"], strict=True))
            if needle.term.value is not None:
                tagged = self._tagged(needle)
            named = (f"needle{i}", f"begins{i}", f"ends{i}", f"normal{i}")
            params = {name: self.params[name] for name in named if name in self.params}
            made.append(left_out.Sought(needle.term.label, needle.folded or None, pairs, tagged, params))
        return left_out.of_timeline(self.scope, made, self.params["start"], self.params["end"])

    def _with(self, kept: list[Needle]) -> str:
        """SQL: what goes before a statement of `_set`: the rows of those needles that are collected once."""
        parts = [f"rows{n.index} as materialized ({self._collected(n)})" for n in kept if not self.few[n.index]]
        return f"with {', '.join(parts)}" if parts else ""

    def _set(self, kept: list[Needle], require: str, undated: bool) -> str:
        """SQL: the (record id, time) of the timeline's dated or undated records, each once."""
        rows = {n.index: f"({self._rows(n, undated)})" for n in kept}
        asked_for = [n for n in kept if not n.term.negated]
        needed = [rows[n.index] for n in asked_for if n.timed or require == "all"]
        either = [rows[n.index] for n in asked_for if not n.timed and require != "all"]
        if either:
            needed.append(f"({' union all '.join(either)})")
        if not needed:
            needed.append(
                "(select r.id as record_id, r.at from memory_record r where r.lane_id = any(%(lanes)s) "
                f"and {self._when('r', 'r.occurred_at is null', undated)} and {current('r')})"
            )
        found = " intersect ".join(needed) if len(needed) > 1 else f"select distinct record_id, at from {needed[0]} s"
        excluded = [rows[n.index] for n in kept if n.term.negated]
        return f"({found}) except ({' union all '.join(excluded)})" if excluded else found

    def keep(self, needles: list[Needle]) -> tuple[list[Needle], list[Needle]]:
        """Drop the most widely shared of the alternatives until few enough records match, or one is left."""
        kept = list(needles)
        dropped: list[Needle] = []
        droppable = [needle for needle in needles if not needle.timed and not needle.term.negated]
        if len(droppable) < 2:
            return kept, dropped
        width = {needle.index: self._matches([needle]) for needle in droppable}

        def fits() -> bool:
            # alternatives alone match at least what the widest of them does: no need to unite them to know
            alone = len([n for n in kept if n in droppable]) == len(kept)
            return not (alone and max(width[n.index] for n in kept) > MATCHES_MAX) and (
                self._matches(kept) <= MATCHES_MAX
            )

        for needle in sorted(droppable, key=lambda n: (-width[n.index], n.index))[: len(droppable) - 1]:
            if fits():
                break
            kept.remove(needle)
            dropped.append(needle)
        return kept, dropped

    def _matches(self, kept: list[Needle]) -> int:
        counted = f"(select count(*) from ({self._set(kept, 'any', False)}) d)"
        if self.any_undated:
            counted += f" + (select count(*) from ({self._set(kept, 'any', True)}) u)"
        return sql.fetch(f"{self._with(kept)} select {counted}", self.params)[0][0]

    def page(
        self, kept: list[Needle], require: str, limit: int, after: list | None, most: int, undated_after: list | None
    ) -> Found:
        """Up to `limit` dated records after a place, up to `most` undated ones, newest first, after theirs."""
        params = {**self.params, "limit": limit, "most": most}
        near, beyond, where = "", "", ""
        if after:
            near, beyond = "at >= %(a0)s and", "where at > %(a0)s"
            where = "where (r.occurred_at, r.recorded_at, r.id) > (%(a0)s, %(a1)s, %(a2)s)"
            params |= {
                "a0": datetime.fromisoformat(after[1]), "a1": datetime.fromisoformat(after[2]), "a2": after[3],
            }  # fmt: skip
        older = ""
        if undated_after:
            older = "where (at, record_id) < (%(u0)s, %(u1)s)"
            params |= {"u0": datetime.fromisoformat(undated_after[1]), "u1": undated_after[2]}
        undated = f", undated(record_id, at) as materialized ({self._set(kept, require, True)})"
        statement = _TIMELINE.format(
            before=f"{self._with(kept)}," if self._with(kept) else "with",
            found=self._set(kept, require, False), near=near, beyond=beyond, where=where,
            undated=undated if self.any_undated else "",
        )  # fmt: skip
        if self.any_undated:
            statement += _UNDATED.format(older=older)
        found = Found([], [])
        for place, occurred, recorded, record in sql.fetch(statement, params):
            if place == 0:
                found.count = record
            elif place == 1:
                found.rows.append((occurred, recorded, record))
            elif place == 2:
                found.undated_count = record
            else:
                found.undated.append((recorded, record))
        found.rows.sort()
        found.undated.sort(reverse=True)
        return found


def _values(i: int) -> str:
    return _VALUES.format(i=i, says=left_out.says("w", f"needle{i}"))


# The values (v) that contain a needle, lane by lane; an old spelling stands for what it means now, and a stamp counts
# where two of its members are visible. `+ 0` keeps the planner from also reading all values of the lane to cross them
# with the few that the grams lead to.
_VALUES = """unnest(%(lanes)s::int[]) l(lane) cross join lateral (
  select w.lane_id, coalesce(w.alias_of, w.key) as key from memory_lanevalue w
  where lane_grams(w.lane_id, w.grams) @> lane_grams(l.lane, %(grams{i})s::int[]) and w.lane_id + 0 = l.lane
    and {says} and (%(label{i})s::text is null or w.label = %(label{i})s)
    and (w.label not in ('e_connect', 'e_adjust') or (select count(*) from (select distinct m.record_id
      from memory_edgeproperty m where m.key = w.key and m.lane_id = any(%(lanes)s) limit 2) x) = 2) offset 0) v"""
_ANY = f"""
select exists (select 1 from memory_record r where r.lane_id = any(%(lanes)s::int[]) and r.occurred_at is null),
  {left_out.ANYTHING}
"""  # noqa: S608
# How many matches there are, and the page. Only the page's records are looked up: an edge property knows its record's
# time, and only records of one time need more to be put in order. (The latest time of a page is found by keeping the
# first few; "with ties" would sort everything.)
_TIMELINE = """
{before} found(record_id, at) as materialized ({found}),
near as (select record_id from found where {near} at <= coalesce(
  (select max(at) from (select at from found {beyond} order by at limit %(limit)s) first), 'infinity')){undated}
select 0, null::timestamptz, null::timestamptz, (select count(*) from found)
union all
(select 1, r.occurred_at, r.recorded_at, r.id from near join memory_record r on r.id = near.record_id {where}
  order by 2, 3, 4 limit %(limit)s)
"""
# An undated record's time in its edge properties is that of its recording.
_UNDATED = """
union all
select 2, null, null, (select count(*) from undated)
union all
(select 3, null, at, record_id from undated {older} order by at desc, record_id desc limit %(most)s)
"""
