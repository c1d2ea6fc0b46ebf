"""What intersect, union and count share: sizing terms, choosing what drives, paging newest first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory import sql
from memory.gather.scope import CAP, Scope
from memory.gather.terms import Bound, Match, Term


@dataclass(frozen=True)
class Size:
    """How many readable records carry a term: exact, or more than CAP."""

    count: int
    capped: bool = False

    def shown(self) -> dict[str, Any]:
        return {"sr_count": self.count, **({"sr_count_capped": True} if self.capped else {})}


@dataclass(frozen=True)
class Place:
    """The last row of a page."""

    at: datetime
    record_id: int


def sizes(match: Match, *, exact: bool = False, cap: int = CAP) -> list[Size]:
    """The size of every term (of what it negates, for a negated one) up to `cap`, in one statement, which also finds
    out whether anything a term asks for does not always hold (`match.dated`)."""
    most = None if exact else cap + 1
    parts = []
    for bound in match.terms:
        if bound.impossible:
            parts.append("0")
        elif bound.same_key:
            # one pass over the lanes' ranges of one key; lane by lane costs a quarter more
            parts.append(f"(select count(*) from (select 1 {match.everywhere(bound)} limit %(cap)s) y)")
        else:
            source = match.source(bound)
            parts.append(
                f"(select count(*) from (select 1 from {match.lanes} cross join lateral "
                f"(select 1 {source} limit %(cap)s) x limit %(cap)s) y)"
            )
    parts.append(match.any_dated)
    *counts, match.dated = sql.fetch(f"select {', '.join(parts)}", {**match.params, "cap": most})[0]
    return [Size(cap, True) if most and count >= most else Size(count) for count in counts]


def sizes_in(scope: Scope, terms: Sequence[Term], lanes: list[int], *, exact: bool = False) -> list[Size]:
    """The sizes of terms over other lanes than the reader's own: for one with count_all_lanes who asks for it."""
    wider = replace(scope, reader=replace(scope.reader, readable=tuple(lanes)))
    return sizes(Match(wider, terms), exact=exact)


def counts_shown(match: Match, found: Sequence[Size]) -> list[dict[str, Any]]:
    """Each term as the caller may write it, with how many readable records carry it."""
    return [{**bound.term.shown(), **size.shown()} for bound, size in zip(match.terms, found, strict=True)]


def all_of(match: Match, found: Sequence[Size]) -> str | None:
    """SQL: `from … where …` of the rows t in lane l that satisfy every term; None when none can.

    The positive term that fewest records carry drives, the others are tested; with negated terms only, every
    record of the lane is tested.
    """
    positive = [bound for bound in match.terms if not bound.term.negated]
    if any(bound.impossible or found[bound.index].count == 0 for bound in positive):
        return None
    if positive:
        driver = min(positive, key=lambda bound: (found[bound.index].count, bound.index))
        base = match.source(driver, rare=not found[driver.index].capped)
    else:
        driver, base = None, match.everything
    tests = [match.probe(bound) for bound in match.terms if bound is not driver]
    return " and ".join([base, *tests])


def any_of(match: Match, found: Sequence[Size]) -> list[tuple[Bound, str]]:
    """For every term that can match, SQL `from … where …` of the rows t in lane l that satisfy it."""
    made = []
    for bound in match.terms:
        if bound.term.negated:
            made.append((bound, f"{match.everything} and {match.probe(bound)}"))
        elif not bound.impossible and found[bound.index].count:
            made.append((bound, match.source(bound, rare=not found[bound.index].capped)))
    return made


def page(
    match: Match, sources: Sequence[str], limit: int, after: Place | None
) -> list[tuple[datetime, int, list[int]]]:
    """The newest `limit` rows (at, record id, places of the sources it is in) of the union of sources, after a place.

    A record that is among the newest `limit` of all sources is among those of each source it is in, so every source
    it is in is told.

    Every lane gives its own newest few, read in index order, and the few are merged: a flat join over all lanes
    would lose the order and read whole hubs.
    """
    if not sources:
        return []
    beyond = " and (t.at, t.record_id) < (%(at)s, %(after)s)" if after else ""
    parts = [
        f"select x.at, x.record_id, {place} as place from {match.lanes} cross join lateral "
        f"(select t.at, t.record_id {source}{beyond} order by t.at desc, t.record_id desc limit %(limit)s) x"
        for place, source in enumerate(sources)
    ]
    union = " union all ".join(parts)
    params = {**match.params, "limit": limit}
    if after:
        params |= {"at": after.at, "after": after.record_id}
    each, grouped = ("array_agg(place)", "group by 1, 2") if len(sources) > 1 else ("array[0]", "")
    return sql.fetch(
        f"select at, record_id, {each} from ({union}) p {grouped} order by 1 desc, 2 desc limit %(limit)s", params
    )


def count(match: Match, sources: Sequence[str]) -> int:
    """How many records the union of sources holds."""
    if not sources:
        return 0
    if len(sources) == 1:
        statement = (
            f"select coalesce(sum(c), 0)::bigint from {match.lanes} cross join lateral "
            f"(select count(*) as c {sources[0]}) x"
        )
    else:
        union = " union all ".join(
            f"select x.record_id from {match.lanes} cross join lateral (select t.record_id {source}) x"
            for source in sources
        )
        statement = f"select count(distinct record_id) from ({union}) u"
    return sql.fetch(statement, match.params)[0][0]
