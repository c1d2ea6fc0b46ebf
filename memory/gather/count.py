"""Count: how many records an intersection or a union holds, without fetching them."""

from dataclasses import replace
from typing import Any

from memory.gather import ended, sets
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
    found = sets.sizes(match)
    if mode == "union":
        sources = [source for _, source in sets.any_of(match, found)]
    else:
        source = sets.all_of(match, found)
        sources = [source] if source else []
    return {"count": sets.count(match, sources), "left_out_invalid": ended.by_terms(match)}
