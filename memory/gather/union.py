"""Union: the records that carry any term."""

from typing import Any

from memory.gather import ended, hints, paging, sets
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
    sources = sets.any_of(match, found)
    rows = sets.page(match, [source for _, source in sources], limit + 1, after)
    matched = {
        record: {"matched": [sources[place][0].term.shown() for place in sorted(places)]}
        for _, record, places in rows[:limit]
    }
    reply = paging.records(scope, query, rows, limit, matched)
    shown = found if count_lanes is None else sets.sizes_in(scope, terms, count_lanes, exact=exact_counts)
    return {
        "srs": reply["srs"],
        "counts": sets.counts_shown(match, shown),
        "next_cursor": reply["next_cursor"],
        "left_out_invalid": ended.by_terms(match),
        "hint": _hint(scope, terms, found, bool(rows or after)),
    }


def _hint(scope: Scope, terms: list[Term], found: list[sets.Size], any_found: bool) -> str | None:
    """Why there is nothing; and of a term that nothing carries, what it may have been meant as."""
    nothing = [term for term, size in zip(terms, found, strict=True) if not size.count]
    none = None if any_found else "No readable record carries any of these terms."
    return hints.joined(none, hints.of_labels(scope, nothing) if nothing else None)
