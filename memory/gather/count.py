"""Count: how many records an intersection or a union holds, without fetching them."""

from dataclasses import replace
from typing import Any

from memory.gather import sets
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
        return {"count": sets.count(match, [source for _, source in sets.any_of(match, found)])}
    source = sets.all_of(match, found)
    return {"count": sets.count(match, [source] if source else [])}
