"""How many records group, timeline and find leave out because something ended or was superseded before the instant.

Counted outward from the few rows that do not always hold, by indexes that have no others: where nothing has ended in
the readable lanes this costs a look into an empty index, however many records there are. A record counts once, when it
had what was asked for and does not at the instant; what cannot be seen is neither a row nor a reason here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memory import sql
from memory.gather.scope import CAP, Scope, live
from memory.gather.terms import STAMPS, Match, Term

# The rows are taken from their small index behind a fence (`offset 0`): planned as one with the tests that follow,
# which cost the same whatever index the rows come from, the planner read whole hubs and labels instead. The row itself
# says whether it holds, and only of a superseded record when that was is looked up: `live` would look up every row.
# An ended interval of a value that holds again leaves nothing out; a stamp with a single visible member joined nothing
# that could be told of.
_ENDED = f"""
select e.record_id, e.lane_id, e.at from (
  select e.record_id, e.lane_id, e.at, e.key, e.seq, e.label, e.state, e.valid_from, e.invalidated_at
  from memory_edgeproperty e
  where e.state & 5 <> 0 and e.state & 2 = 0 and e.lane_id = any(%(lanes)s::int[]) and {{which}} offset 0) e
where {{only}} and (e.valid_from > %(as_of)s or e.invalidated_at <= %(as_of)s or e.state & 4 <> 0 and exists (
    select 1 from memory_record r where r.id = e.record_id and r.superseded_at <= %(as_of)s))
  and not exists (select 1 from memory_edgeproperty o
    where o.record_id = e.record_id and o.key = e.key and o.seq <> e.seq and {live("o")})
  and (e.label not in ('e_connect', 'e_adjust') or exists (select 1 from memory_edgeproperty o
    where o.key = e.key and o.record_id <> e.record_id and o.lane_id = any(%(lanes)s::int[])))
"""  # noqa: S608


# SQL: anything in the readable lanes ended, has yet to begin or was superseded. Two looks into small indexes.
ANYTHING = """
(exists (select 1 from memory_edgeproperty e where e.state & 5 <> 0 and e.lane_id = any(%(lanes)s::int[]))
  or exists (select 1 from memory_record r where r.superseded_at is not null and r.lane_id = any(%(lanes)s::int[])))
"""


class Candidates:
    """Where records that were left out are looked for: SQL for rows (record_id, lane_id, at), with its parameters."""

    def __init__(self, scope: Scope) -> None:
        self.parts: list[str] = []
        self.params: dict[str, Any] = {"lanes": scope.lanes, "cap": CAP, **scope.params}

    def add(self, statement: str, **params: Any) -> None:
        """More rows; the names of parameters are the caller's to keep apart."""
        self.parts.append(statement)
        self.params |= params

    def pairs(self, pairs: Iterable[tuple[UUID, int]], *, only: str = "true") -> None:
        """Rows that had one of these values, each in its lane; `only` is SQL about the row `e`."""
        given = list(pairs)
        if not given:
            return
        n = len(self.parts)
        listed = (
            f"exists (select 1 from unnest(%(pair_keys_{n})s::uuid[], %(pair_lanes_{n})s::int[]) p(key, lane) "
            "where p.key = e.key and p.lane = e.lane_id)"
        )
        keys = [key for key, _ in given]
        self.add(
            _ENDED.format(which=f"e.key = any(%(keys_{n})s::uuid[])", only=f"{only} and {listed}"),
            **{f"keys_{n}": list(set(keys)), f"pair_keys_{n}": keys, f"pair_lanes_{n}": [lane for _, lane in given]},
        )

    def keyed(self, keys: Sequence[UUID]) -> None:
        """Rows that had one of these values, in any of the lanes."""
        if keys:
            n = len(self.parts)
            self.add(
                _ENDED.format(which=f"e.key = any(%(keys_{n})s::uuid[])", only="true"), **{f"keys_{n}": list(keys)}
            )

    def labelled(self, label: str | None, *, only: str = "true") -> None:
        """Rows that had a value of the label (None: of any but the engine's own)."""
        n = len(self.parts)
        which = f"e.label = %(label_{n})s" if label else "e.label not in ('e_connect', 'e_adjust')"
        self.add(_ENDED.format(which=which, only=only), **({f"label_{n}": label} if label else {}))

    def count(self, match: Match | None = None, tests: Sequence[str] = ()) -> int:
        """How many records (at most CAP) are among them, carry or carried every term of the match (see `bind`), and
        pass the tests about `t`."""
        return sql.fetch(self.statement(match, tests), self.params)[0][0] if self.parts else 0

    def statement(self, match: Match | None = None, tests: Sequence[str] = ()) -> str:
        """SQL that counts; its parameters are made whole."""
        lanes, where = "unnest(%(lanes)s::int[]) as l(lane)", list(tests)
        if match is not None:
            lanes = match.lanes
            self.params = {**match.params, **self.params}
            # What was asked for may have ended; what was asked not to be there counts as long as it holds.
            where += [
                match.probe(bound).replace("%(ended)s", "false" if bound.term.negated else "true")
                for bound in match.terms
            ]
        return (
            f"select count(*) from (select distinct t.record_id from ({' union all '.join(self.parts)}) t "
            f"join {lanes} on l.lane = t.lane_id {'where ' + ' and '.join(where) if where else ''} "
            "limit %(cap)s) x"
        )


def bind(scope: Scope, terms: Sequence[Term]) -> Match | None:
    """Terms bound where ended things count too; None when there are none."""
    return Match(replace(scope, include_invalidated=True), terms) if terms else None


def add_terms(found: Candidates, match: Match | None) -> None:
    """Records that had what a match asks for."""
    for bound in match.terms if match else ():
        if bound.term.negated:
            continue
        if bound.kind == "property":
            lanes = found.params["lanes"]
            found.pairs((key, lane) for lane, key in zip(lanes, bound.keys, strict=True) if key is not None)
        elif bound.kind == "label":
            found.labelled(bound.term.label)


def of_group(scope: Scope, label: str, terms: Sequence[Term] | None, prefix: str | None) -> int:
    """Records that had a value of the label (or a term they were to carry) and do not at the instant.

    `prefix` is a pattern for `like` over folded values.
    """
    if scope.include_invalidated:
        return 0
    found = Candidates(scope)
    starts = "true"
    if prefix is not None:
        found.params["prefix"] = prefix
        starts = (
            "exists (select 1 from memory_lanevalue v where v.lane_id = {a}.lane_id and v.key = {a}.key "
            "and v.folded like %(prefix)s)"
        )
    found.labelled(label, only=starts.format(a="e"))
    match = bind(scope, terms or ())
    if match is None:
        return found.count()
    add_terms(found, match)
    visible = ""
    if label in STAMPS:
        visible = (
            " and exists (select 1 from memory_edgeproperty o where o.key = g.key and o.record_id <> g.record_id "
            "and o.lane_id = any(%(lanes)s))"
        )
    found.params["group_label"] = label
    valued = (
        "exists (select 1 from memory_edgeproperty g where g.record_id = t.record_id and g.label = %(group_label)s "
        f"and {starts.format(a='g')}{visible})"
    )
    return found.count(match, [valued])


# How many characters of a stamp's value are not its hint: an underscore and the digits.
STAMP_DIGITS = 33


@dataclass(frozen=True)
class Sought:
    """One thing a timeline asks for. `pairs`: the values (key, lane) that contain its text; None where they are too
    many to list, or any value of the label will do. `tagged`: SQL for "the tag t is it", with its parameters."""

    label: str | None
    folded: str | None
    pairs: Sequence[tuple[UUID, int]] | None
    tagged: str
    params: Mapping[str, Any]


def says(alias: str, needle: str) -> str:
    """SQL: the value `alias` of a lane contains a needle. Of a stamp only the hint says something, not its digits; a
    stamp may also be named whole."""
    inside = f"strpos({alias}.folded, %({needle})s) > 0"
    return (
        f"{inside} and ({alias}.label not in ('e_connect', 'e_adjust') or {alias}.folded = %({needle})s "
        f"or strpos(left({alias}.folded, -{STAMP_DIGITS}), %({needle})s) > 0)"
    )


_SUPERSEDED_TAGGED = """
select t.record_id, t.lane_id, t.at from memory_record r join memory_tag t on t.record_id = r.id
where r.superseded_at is not null and r.superseded_at <= %(as_of)s and r.lane_id = any(%(lanes)s::int[])
  and {which} and {when}
"""


def of_timeline(scope: Scope, sought: Sequence[Sought], start: datetime | None, end: datetime | None) -> int:
    """Records that had a value some term is looked for in, or its tag, and do not at the instant: those of the bounds,
    and undated ones."""
    found = Candidates(scope)
    found.params |= {"start": start, "end": end}
    inside = _within(start, end)
    rows = f"(e.state & 8 = 8 or {inside.format(a='e')})"
    undated = f"(r.occurred_at is null or {inside.format(a='r')})"
    for one in sought:
        n = len(found.parts)
        if one.pairs is not None:
            found.pairs(one.pairs, only=rows)
        else:
            having = rows
            if one.folded is not None:
                found.params[f"text_{n}"] = one.folded
                having += (
                    " and exists (select 1 from memory_lanevalue v where v.lane_id = e.lane_id and v.key = e.key "
                    f"and {says('v', f'text_{n}')})"
                )
            if one.label not in STAMPS:
                found.labelled(one.label, only=having)
        found.params[f"tag_label_{n}"] = one.label
        which = f"(%(tag_label_{n})s::text is null or t.label = %(tag_label_{n})s) and ({one.tagged})"
        found.add(_SUPERSEDED_TAGGED.format(which=which, when=undated), **one.params)
    return found.count()


def _within(start: datetime | None, end: datetime | None) -> str:
    """SQL: the row's time lies in the half-open bounds %(start)s and %(end)s."""
    parts = ["{a}.at >= %(start)s"] if start is not None else []
    parts += ["{a}.at < %(end)s"] if end is not None else []
    return f"({' and '.join(parts)})" if parts else "true"


# The words of superseded records are looked at only where there are such records.
_SUPERSEDED_SAYING = """
select r.id as record_id, r.lane_id, r.at from memory_record r join memory_recordtext w on w.record_id = r.id
where r.id = any(%(superseded)s::bigint[]) and r.lane_id = any(%(lanes)s::int[]) and w.tsv @@ %(saying)s::tsquery
"""


def of_find(
    scope: Scope,
    terms: Sequence[Term],
    *,
    named: Sequence[UUID],
    superseded: Sequence[int],
    saying: str | None,
    tests: Sequence[str] = (),
    params: Mapping[str, Any] | None = None,
) -> int:
    """Records that had a value the question names, or what its match asks for, or have all its words, and are left
    out because that ended or they were superseded.

    `named`: keys of the values; `saying`: a tsquery of all words; `tests` and `params`: SQL about `t` that filters.
    """
    if scope.include_invalidated:
        return 0
    found = Candidates(scope)
    found.params |= params or {}
    found.keyed(named)
    match = bind(scope, terms)
    add_terms(found, match)
    if superseded and saying:
        found.add(_SUPERSEDED_SAYING, superseded=list(superseded), saying=saying)
    return found.count(match, tests)
