"""What a caller may have meant, where a label of theirs is in use in none of the readable lanes."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from memory import sql
from memory.gather.labels import in_use
from memory.gather.scope import Scope
from memory.gather.terms import STAMPS, Term

LOOKED_AT = 500  # labels that a misspelt one is compared with
CLOSE = 0.75  # of difflib's ratio: "clinet" and "client" have 0.83


def of_labels(scope: Scope, terms: Sequence[Term]) -> str | None:
    """A sentence about the first term whose label no readable lane uses: the label that is close to it, or that the
    term was meant as words. Only labels of readable lanes are looked at."""
    asked = [term for term in terms if term.label is not None and term.label not in STAMPS]
    if not asked:
        return None
    used = {
        label
        for (label,) in sql.fetch(
            "select label from unnest(%(labels)s::text[]) as x(label) where exists (select 1 from memory_lanevalue v "
            "where v.lane_id = any(%(lanes)s::int[]) and v.label = x.label)",
            {"labels": sorted({term.label for term in asked if term.label}), "lanes": scope.lanes},
        )
    }
    unknown = next((term for term in asked if term.label not in used), None)
    if unknown is None or unknown.label is None:
        return None
    near = get_close_matches(unknown.label, in_use(scope, LOOKED_AT), 1, CLOSE)
    if near:
        return f'No readable record has the label "{unknown.label}"; did you mean "{near[0]}"?'
    if unknown.written:
        return (
            f'"{unknown.written}" was read as the label "{unknown.label}", which no readable record has; '
            f'for words, write {{"value": …}}.'
        )
    return None


def joined(*hints: str | None) -> str | None:
    """Those that are there, as one hint."""
    return " ".join(hint for hint in hints if hint) or None
