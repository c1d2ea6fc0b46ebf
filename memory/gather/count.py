"""Count: how many records an intersection or a union holds, without fetching them."""

from dataclasses import replace
from typing import Any

from memory.gather import ended, hints, meet, sets
from memory.gather.scope import Scope
from memory.gather.terms import Match, Term

# A term that so few records carry drives, whatever the others are.
FEW = 250


def count(
    scope: Scope, terms: list[Term], *, mode: str = "intersect", lanes: list[int] | None = None
) -> dict[str, Any]:
    """{count}: exact, and always the length of the fully paged list.

    `lanes` counts in other lanes than the reader's own: for one with count_all_lanes who asks for it.
    """
    asked = scope
    if lanes is not None:
        scope = replace(scope, reader=replace(scope.reader, readable=tuple(lanes)))
    if mode == "intersect" and (quick := meet.count_plain(scope, terms)):
        return {
            "count": quick.number,
            "left_out_invalid": ended.by_terms(Match(scope, terms)) if quick.dated else 0,
            "hint": None if quick.number else hints.of_labels(asked, terms),
        }
    match = Match(scope, terms)
    found = _sizes(match, mode)
    if mode == "union":
        number = sets.count(match, [source for _, source in sets.any_of(match, found)])
    elif meet.applies(match, found):
        number = meet.count(match, found)
    else:
        source = sets.all_of(match, found)
        number = sets.count(match, [source] if source else [])
    return {
        "count": number,
        "left_out_invalid": ended.by_terms(match),
        "hint": None if number else hints.of_labels(asked, terms),
    }


def _sizes(match: Match, mode: str) -> list[sets.Size]:
    """The terms sized as far as choosing the way needs: for a union, whether there is any; for an intersection, until
    one term is known to be the smallest or all are known to be large, and then which of them are the smallest two. A
    bare label needs to be known as rare or not."""
    if any(bound.kind == "label" for bound in match.terms):
        return sets.sizes(match)
    if mode == "union":
        return sets.sizes(match, cap=1)
    found = []
    for cap in (FEW, meet.LARGE, sets.CAP)[: 2 if len(match.terms) < 3 else 3]:
        found = sets.sizes(match, cap=cap)
        asked_for = [size for bound, size in zip(match.terms, found, strict=True) if not bound.term.negated]
        if not (asked_for and all(size.capped for size in asked_for)):
            break
    return found
