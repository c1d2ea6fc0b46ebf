"""Count: how many records an intersection or a union holds, without fetching them."""

from dataclasses import replace
from typing import Any

from memory.gather import ended, meet, sets
from memory.gather.scope import Scope
from memory.gather.terms import Match, Term


def count(
    scope: Scope, terms: list[Term], *, mode: str = "intersect", lanes: list[int] | None = None
) -> dict[str, Any]:
    """{count}: exact, and always the length of the fully paged list.

    `lanes` counts in other lanes than the reader's own: for one with count_all_lanes who asks for it.
    """
    if lanes is not None:
        scope = replace(scope, reader=replace(scope.reader, readable=tuple(lanes)))
    match = Match(scope, terms)
    found = sets.sizes(match, cap=_looked_at(match, mode))
    if mode == "union":
        number = sets.count(match, [source for _, source in sets.any_of(match, found)])
    elif meet.applies(match, found):
        number = meet.count(match, found)
    else:
        source = sets.all_of(match, found)
        number = sets.count(match, [source] if source else [])
    return {"count": number, "left_out_invalid": ended.by_terms(match)}


def _looked_at(match: Match, mode: str) -> int:
    """How far terms are sized, which only chooses the way here: between two properties it is enough to know whether
    both are large, for a union whether there is any; a bare label needs to be known as rare or not."""
    if any(bound.kind == "label" for bound in match.terms) or (mode != "union" and len(match.terms) > 2):
        return sets.CAP
    return 1 if mode == "union" else meet.LARGE
