"""Union: the records that carry any term."""

from typing import Any

from memory import sql
from memory.gather import ended, paging, sets
from memory.gather.scope import Scope
from memory.gather.terms import Match, Term


def union(
    scope: Scope,
    terms: list[Term],
    *,
    limit: int = 50,
    cursor: str | None = None,
    exact_counts: bool = False,
    count_lanes: list[int] | None = None,
) -> dict[str, Any]:
    """{srs, counts, next_cursor, hint}: a page, newest first; each record says which terms it `matched`."""
    match = Match(scope, terms)
    query = paging.query_of(scope, "union", [str(term) for term in terms], scope.lanes)
    after = paging.place(query, cursor)
    found = sets.sizes(match, exact=exact_counts)
    rows = sets.page(match, [source for _, source in sets.any_of(match, found)], limit + 1, after)
    matched = _matched(match, [record for _, record in rows[:limit]])
    reply = paging.records(scope, query, rows, limit, matched)
    shown = found if count_lanes is None else sets.sizes_in(scope, terms, count_lanes, exact=exact_counts)
    return {
        "srs": reply["srs"],
        "counts": sets.counts_shown(match, shown),
        "next_cursor": reply["next_cursor"],
        "left_out_invalid": ended.by_terms(match),
        "hint": None if rows or after else "No readable record carries any of these terms.",
    }


def _matched(match: Match, record_ids: list[int]) -> dict[int, dict[str, Any]]:
    """Which terms each record of a page satisfies: {record id: {"matched": [terms]}}."""
    if not record_ids:
        return {}
    tests = ", ".join(match.probe(bound) for bound in match.terms)
    rows = sql.fetch(
        f"select t.record_id, {tests} from {match.lanes} "
        "join (select id as record_id, lane_id, at from memory_record where id = any(%(page)s)) t "
        "on t.lane_id = l.lane",
        {**match.params, "page": record_ids},
    )
    return {
        row[0]: {"matched": [bound.term.shown() for bound, holds in zip(match.terms, row[1:], strict=True) if holds]}
        for row in rows
    }
