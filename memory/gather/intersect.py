"""Intersect: the records that carry every term."""

from collections.abc import Sequence
from typing import Any

from memory.gather import ended, hints, meet, paging, sets
from memory.gather.scope import Scope
from memory.gather.terms import Match, Term


def intersect(
    scope: Scope,
    terms: list[Term],
    *,
    limit: int = 50,
    cursor: str | None = None,
    exact_counts: bool = False,
    count_lanes: list[int] | None = None,
) -> dict[str, Any]:
    """{srs, counts, next_cursor, left_out_invalid, hint}: a page, newest first, and how many readable records carry
    each term."""
    match = Match(scope, terms)
    query = paging.query_of(scope, "intersect", [str(term) for term in terms], scope.lanes)
    after = paging.place(query, cursor)
    found = sets.sizes(match, exact=exact_counts)
    rows: Sequence[tuple]
    if meet.applies(match, found):
        rows = meet.page(match, found, limit + 1, after)
    else:
        source = sets.all_of(match, found)
        rows = sets.page(match, [source] if source else [], limit + 1, after)
    reply = paging.records(scope, query, rows, limit)
    shown = found if count_lanes is None else sets.sizes_in(scope, terms, count_lanes, exact=exact_counts)
    return {
        "srs": reply["srs"],
        "counts": sets.counts_shown(match, shown),
        "next_cursor": reply["next_cursor"],
        "left_out_invalid": ended.by_terms(match),
        "hint": None if rows or after else hints.joined(_why_none(match, found), hints.of_labels(scope, terms)),
    }


def _why_none(match: Match, found: list[sets.Size]) -> str:
    for bound in match.terms:
        if bound.kind == "words" and bound.query is None:
            return f'"{bound.term.value}" has only words too common to search for.'
    missing = [
        str(b.term) for b, size in zip(match.terms, found, strict=True) if not b.term.negated and not size.count
    ]
    if missing:
        return f"No readable record carries {' or '.join(missing)}."
    return "Each term is carried by some readable record, but none carries them all."
