"""Intersections of large properties: their index ranges are merged instead of looking row by row.

Looking one row up costs about as much as reading fifty in order, so once two properties are both large, merging is
faster, for a page as for a count. Only plain properties can be merged: with words, bare labels, negation or ended
intervals the general statements of `sets.py` answer, with the same result.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from memory import normal, sql
from memory.gather.scope import Scope
from memory.gather.sets import Place, Size
from memory.gather.terms import STAMPS, Match, Term

# From this many readable carriers on a property is large.
LARGE = 2_000


def applies(match: Match, found: Sequence[Size]) -> bool:
    """Whether every term is a property that is asked for, and at least two of them, all large."""
    return (
        len(match.terms) > 1
        and not match.scope.include_invalidated
        and all(b.kind == "property" and not b.term.negated and not b.impossible for b in match.terms)
        and all(size.count >= LARGE for size in found)
    )


def page(match: Match, found: Sequence[Size], limit: int, after: Place | None) -> list[tuple[datetime, int]]:
    """The newest `limit` rows (at, record id) that carry every term, after a place."""
    return sql.fetch(
        "select at, record_id from edge_meet_page(%(lanes)s::int[], %(one)s::uuid[], %(two)s::uuid[], "
        "%(others)s::uuid[], %(as_of)s, coalesce(%(at)s::timestamptz, 'infinity'), "
        "coalesce(%(after)s::bigint, 9223372036854775807), %(limit)s)",
        {
            **_params(match, found),
            "at": after.at if after else None,
            "after": after.record_id if after else None,
            "limit": limit,
        },
    )


class Counted(NamedTuple):
    """How many records carry every term, and whether any row of the terms does not always hold."""

    number: int
    dated: bool


def count_plain(scope: Scope, terms: Sequence[Term]) -> Counted | None:
    """The count of an intersection of two or more properties in one call of the server; None where one of them is an
    old spelling in some lane or the terms are of another kind: the general way answers those."""
    if len(terms) < 2 or scope.include_invalidated:
        return None
    if any(t.label is None or t.value is None or t.negated or t.label in STAMPS for t in terms):
        return None
    keys = [normal.edge_key(term.label or "", term.value or "") for term in terms]
    number, aliased, dated = sql.fetch(
        "select number, aliased, dated from edge_count(%s::int[], %s::uuid[], %s, %s::int)",
        (scope.lanes, sql.array(keys), scope.instant, LARGE),
    )[0]
    return None if aliased else Counted(number, dated)


def count(match: Match, found: Sequence[Size]) -> int:
    """How many records carry every term."""
    return sql.fetch(
        "select edge_meet_count(%(lanes)s::int[], %(one)s::uuid[], %(two)s::uuid[], %(others)s::uuid[], %(as_of)s)",
        _params(match, found),
    )[0][0]


def _params(match: Match, found: Sequence[Size]) -> dict[str, Any]:
    """The two terms that fewest records carry are merged; the others are looked up in what is left."""
    first, second, *rest = sorted(match.terms, key=lambda bound: (found[bound.index].count, bound.index))
    return {
        "lanes": match.scope.lanes,
        "one": first.keys,
        "two": second.keys,
        "others": [bound.keys[place] for place in range(len(match.scope.lanes)) for bound in rest],
        "as_of": match.scope.instant,
    }
