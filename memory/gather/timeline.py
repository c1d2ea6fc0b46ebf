"""Timeline: the records that match terms by substring or tag, in the order of their events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory import normal, sql
from memory.gather import cursor as cursors
from memory.gather import left_out, paging
from memory.gather.scope import Scope, current, live
from memory.gather.terms import STAMPS, Term
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
) -> dict[str, Any]:
    """{srs, undated, count, kept, dropped, next_cursor, left_out_invalid, hint}: ordered by event time, then record
    time.

    With require "any" a record matches when it carries every time and duration term and at least one of the
    others; while more than 200 match, the most widely shared of the others is dropped. With "all" it must carry
    every term. Negated terms exclude in either case. `undated` are matching records without an event time.
    """
    needles = [_needle(index, term, scope.instant) for index, term in enumerate(terms)]
    finder = _Finder(scope, needles, bounds)
    kept, dropped = finder.keep(needles) if require == "any" else (needles, [])
    query = paging.query_of(scope, "timeline", [str(term) for term in terms], str(bounds), require, scope.lanes)
    rows, count = finder.page(kept, require, limit + 1, cursors.unseal(query, cursor))
    more, rows = len(rows) > limit, rows[:limit]
    undated = finder.undated(kept, require)
    shapes = by_id(scope.reader, [row[2] for row in rows] + undated, scope.instant)
    return {
        "srs": [shapes[row[2]] for row in rows if row[2] in shapes],
        "undated": [shapes[record] for record in undated if record in shapes],
        "count": count,
        "kept": [needle.term.shown() for needle in kept],
        "dropped": [needle.term.shown() for needle in dropped],
        "next_cursor": cursors.seal(query, [rows[-1][0].isoformat(), rows[-1][1].isoformat(), rows[-1][2]])
        if more
        else None,
        "left_out_invalid": left_out.of_timeline(scope, finder.sought(kept), bounds.start, bounds.end),
        "hint": _hint(kept, dropped, count, len(undated)),
    }


def _needle(index: int, term: Term, now: datetime) -> Needle:
    span = parse_term(term.value, now) if term.label is None and term.value is not None else None
    return Needle(term, index, normal.fold(term.value or ""), span)


def _hint(kept: list[Needle], dropped: list[Needle], count: int, undated: int) -> str | None:
    said = []
    if dropped:
        said.append(
            f"More than {MATCHES_MAX} records matched: kept {', '.join(str(needle.term) for needle in kept)}; "
            f"dropped {', '.join(str(needle.term) for needle in dropped)}."
        )
    if not count and not undated:
        said.append("No readable record matches.")
    if undated:
        said.append(f"{undated} matching {'record has' if undated == 1 else 'records have'} no date; see undated.")
    return " ".join(said) or None


class _Finder:
    """Runs the statements of one timeline: every needle is a set of record ids, combined in SQL."""

    def __init__(self, scope: Scope, needles: list[Needle], bounds: Bounds) -> None:
        self.scope = scope
        self.params: dict[str, Any] = {
            "lanes": scope.lanes, "start": bounds.start, "end": bounds.end, "cap": None, **scope.params,
        }  # fmt: skip
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
        grams = normal.needle_grams(needle.folded)
        pairs = sql.fetch(
            "select lane_id, key from memory_lanevalue where grams @> %s::int[] and strpos(folded, %s) > 0 "
            "and lane_id = any(%s) and alias_of is null and (%s::text is null or label = %s) limit %s",
            (grams, needle.folded, self.scope.lanes, needle.term.label, needle.term.label, VALUES_MAX + 1),
        )
        pairs += self._aliased(needle, grams)
        self.few[i] = len(pairs) <= VALUES_MAX
        pairs = self._visible(needle, pairs)
        self.params |= {f"l{i}": [lane for lane, _ in pairs], f"k{i}": [key for _, key in pairs]}

    def _aliased(self, needle: Needle, grams: list[int]) -> list[tuple[int, UUID]]:
        """An old spelling that contains the needle leads to the value it means now."""
        return sql.fetch(
            "select lane_id, alias_of from memory_lanevalue where grams @> %s::int[] and strpos(folded, %s) > 0 "
            "and lane_id = any(%s) and alias_of is not null and (%s::text is null or label = %s)",
            (grams, needle.folded, self.scope.lanes, needle.term.label, needle.term.label),
        )

    def _visible(self, needle: Needle, pairs: list[tuple[int, UUID]]) -> list[tuple[int, UUID]]:
        """Stamps count only where two of their members are visible."""
        if needle.term.label is not None and needle.term.label not in STAMPS:
            return pairs
        hidden = set(
            sql.fetch(
                "select v.lane_id, v.key from unnest(%s::int[], %s::uuid[]) u(l, k) "
                "join memory_lanevalue v on v.lane_id = u.l and v.key = u.k and v.label in ('e_connect', 'e_adjust') "
                "where (select count(distinct e.record_id) from memory_edgeproperty e where e.key = v.key "
                "and e.lane_id = any(%s)) < 2",
                ([lane for lane, _ in pairs], [key for _, key in pairs], self.scope.lanes),
            )
        )
        return [pair for pair in pairs if pair not in hidden]

    def _rows(self, needle: Needle, dated: bool) -> str:
        """SQL: the record ids that carry the needle; within the bounds, or without an event time."""
        i = needle.index
        when = (
            "{a}.state & 8 = 0 and (%(start)s::timestamptz is null or {a}.at >= %(start)s) "
            "and (%(end)s::timestamptz is null or {a}.at < %(end)s)"
            if dated
            else "{a}.state & 8 = 8"
        ).format(a="e")
        if self.few[i]:
            edges = (
                f"select e.record_id from unnest(%(l{i})s::int[], %(k{i})s::uuid[]) q(lane, key) cross join lateral ("
                f"select e.record_id from memory_edgeproperty e where e.key = q.key and e.lane_id = q.lane "
                f"and {when} and {live('e')}) e"
            )
        else:
            edges = (
                "select e.record_id from memory_edgeproperty e where e.lane_id = any(%(lanes)s) "
                f"and (%(label{i})s::text is null or e.label = %(label{i})s) and {when} and {live('e')} "
                "and e.label not in ('e_connect', 'e_adjust')"
            )
            if needle.term.value is not None:
                # `is true` keeps it a set that is made once and looked in; as a join each row looked its value up.
                edges += (
                    " and (e.key in (select key from memory_lanevalue where lane_id = any(%(lanes)s) "
                    f"and strpos(folded, %(needle{i})s) > 0)) is true"
                )
        value = "" if needle.term.value is None else f" and ({self._tagged(needle)})"
        return (
            f"{edges} union select t.record_id from memory_tag t join memory_record r on r.id = t.record_id "
            f"where t.lane_id = any(%(lanes)s) and (%(label{i})s::text is null or t.label = %(label{i})s){value} "
            f"and {self._tag_when(dated)} and {current('r')}"
        )

    def _tagged(self, needle: Needle) -> str:
        """SQL: the tag t is the needle: the same value, or for a time, one within its span."""
        i, span = needle.index, needle.span
        same = f"t.folded = %(needle{i})s"
        if span is None:
            return same
        self.params |= {f"begins{i}": span.begins, f"ends{i}": span.ends, f"normal{i}": normal.fold(span.value)}
        if span.kind == "duration":
            return f"{same} or t.label = 'duration' and t.folded = %(normal{i})s"
        return f"{same} or t.label = 'time' and t.begins >= %(begins{i})s and t.ends <= %(ends{i})s"

    def sought(self, kept: list[Needle]) -> list[left_out.Sought]:
        """What is looked for, for counting what is left out of it."""
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
        return made

    @staticmethod
    def _tag_when(dated: bool) -> str:
        if not dated:
            return "r.occurred_at is null"
        return (
            "r.occurred_at is not null and (%(start)s::timestamptz is null or t.at >= %(start)s) "
            "and (%(end)s::timestamptz is null or t.at < %(end)s)"
        )

    def _set(self, kept: list[Needle], require: str, dated: bool) -> str:
        """SQL: the record ids of the timeline."""
        negated = [needle for needle in kept if needle.term.negated]
        must = [n for n in kept if not n.term.negated and (n.timed or require == "all")]
        either = [n for n in kept if not n.term.negated and n not in must]
        parts = [f"({self._rows(needle, dated)})" for needle in must]
        if either:
            parts.append("(" + " union ".join(f"({self._rows(needle, dated)})" for needle in either) + ")")
        if not parts:
            parts.append(self._everything(dated))
        found = " intersect ".join(parts)
        for needle in negated:
            found += f" except ({self._rows(needle, dated)})"
        return found

    @staticmethod
    def _everything(dated: bool) -> str:
        when = (
            "r.occurred_at is not null and (%(start)s::timestamptz is null or r.at >= %(start)s) "
            "and (%(end)s::timestamptz is null or r.at < %(end)s)"
            if dated
            else "r.occurred_at is null"
        )
        return f"(select r.id from memory_record r where r.lane_id = any(%(lanes)s) and {when} and {current('r')})"

    def count(self, kept: list[Needle], require: str, dated: bool) -> int:
        return sql.fetch(f"select count(*) from ({self._set(kept, require, dated)}) s", self.params)[0][0]

    def keep(self, needles: list[Needle]) -> tuple[list[Needle], list[Needle]]:
        """Drop the most widely shared of the alternatives until few enough records match, or one is left."""
        kept = list(needles)
        dropped: list[Needle] = []
        droppable = [needle for needle in needles if not needle.timed and not needle.term.negated]
        if len(droppable) < 2:
            return kept, dropped
        if self._matches(kept) <= MATCHES_MAX:
            return kept, dropped
        width = {needle.index: self._matches([needle]) for needle in droppable}
        for needle in sorted(droppable, key=lambda n: (-width[n.index], n.index))[: len(droppable) - 1]:
            kept.remove(needle)
            dropped.append(needle)
            if self._matches(kept) <= MATCHES_MAX:
                break
        return kept, dropped

    def _matches(self, kept: list[Needle]) -> int:
        return self.count(kept, "any", True) + self.count(kept, "any", False)

    def page(
        self, kept: list[Needle], require: str, limit: int, after: list | None
    ) -> tuple[list[tuple[datetime, datetime, int]], int]:
        """Up to `limit` (event time, record time, record id) after a place, and how many there are in all."""
        params = {**self.params, "limit": limit}
        beyond = ""
        if after:
            beyond = "where (r.occurred_at, r.recorded_at, r.id) > (%(a0)s, %(a1)s, %(a2)s)"
            params |= {
                "a0": datetime.fromisoformat(after[0]), "a1": datetime.fromisoformat(after[1]), "a2": after[2],
            }  # fmt: skip
        rows = sql.fetch(
            f"with found(record_id) as materialized ({self._set(kept, require, True)}), "
            "total as (select count(*) n from found) "
            "select r.occurred_at, r.recorded_at, r.id, total.n from found join memory_record r "
            f"on r.id = found.record_id cross join total {beyond} order by 1, 2, 3 limit %(limit)s",
            params,
        )
        count = rows[0][3] if rows else self.count(kept, require, True)
        return [row[:3] for row in rows], count

    def undated(self, kept: list[Needle], require: str) -> list[int]:
        """Matching records without an event time, newest first, at most MATCHES_MAX."""
        rows = sql.fetch(
            f"select r.id from ({self._set(kept, require, False)}) s(record_id) "
            "join memory_record r on r.id = s.record_id order by r.recorded_at desc, r.id desc limit %(limit)s",
            {**self.params, "limit": MATCHES_MAX},
        )
        return [record for (record,) in rows]
