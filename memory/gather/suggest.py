"""Link suggestions: records that might be connected to one and are not.

Three reasons, each worth 0 to 1: what the two share (rare properties count most), chains of two hops between them, and
that they read alike. Together 1 − (1−shared)(1−two_hop)(1−alike). Nothing is written.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from memory import sql
from memory.gather.radius import heads, named
from memory.gather.reach import Reach
from memory.gather.scope import Scope, live
from memory.gather.walk import damping
from memory.relations.discovery import nearest
from memory.selectors.records import resolve

HUB_LIMIT, MIDDLES, CANDIDATES = 100, 100, 400
SHARED_SHARE, TWO_HOP_SHARE, ALIKE_LEAST = 0.5, 0.25, 0.5


def suggest(scope: Scope, sr_id: str, *, limit: int = 10, reader_of_origin: Any = None) -> dict[str, Any]:
    """{sr_id, suggestions, hint}: each with sr_id, title, lane, score and why."""
    origin = resolve(reader_of_origin or scope.reader, sr_id)
    reach = Reach(scope, ends=[origin])
    first, _ = reach.spread([(origin.id, 1.0)], set(), HUB_LIMIT + 1, 1_000)
    joined = _joined(scope, reach, origin.id)
    shared: dict[int, float] = {}
    via: dict[int, list[UUID]] = {}
    for step in sorted(first, key=lambda s: (s.count, s.key)):
        for member, _ in step.members:
            if member != origin.id:
                shared[member] = shared.get(member, 0.0) + SHARED_SHARE * step.carried * damping(step.count - 1)
                via.setdefault(member, []).append(step.key)
    two_hop = _two_hops(reach, origin.id, shared)
    alike = {found.record_id: found.similarity for found in nearest(scope, origin.id, least=ALIKE_LEAST)}
    scores: dict[int, tuple[float, dict[str, float]]] = {}
    for record in shared.keys() | two_hop.keys() | alike.keys():
        if record in joined or record == origin.id:
            continue
        parts = {
            "shared": min(1.0, shared.get(record, 0.0)),
            "two_hop": min(1.0, two_hop.get(record, 0.0)),
            "alike": alike.get(record, 0.0),
        }
        rest = 1.0
        for part in parts.values():
            rest *= 1 - min(part, 0.99)
        scores[record] = (round(1 - rest, 6), {name: round(part, 4) for name, part in parts.items() if part})
    best = sorted(scores, key=lambda r: (-scores[r][0], -r))[:limit]
    shown = heads(scope, best)
    names = named(reach, {key: origin.id for record in best for key in via.get(record, [])[:3]})
    return {
        "sr_id": sr_id,
        "suggestions": [
            {
                **shown[record],
                "score": scores[record][0],
                "why": scores[record][1],
                "shared": [names[key] for key in via.get(record, [])[:3] if key in names],
            }
            for record in best
            if record in shown
        ],
        "hint": None if best else "Nothing readable shares rare properties with this record or reads like it.",
    }


_JOINED = f"""
select distinct o.record_id from memory_edgeproperty e join memory_edgeproperty o on o.key = e.key
where e.record_id = %(id)s and e.label in ('e_connect', 'e_adjust') and o.record_id <> e.record_id
  and o.lane_id = any(%(lanes)s) and {live("e")} and {live("o")}
"""  # noqa: S608


def _joined(scope: Scope, reach: Reach, record_id: int) -> set[int]:
    """Records already connected to it."""
    return {other for (other,) in sql.fetch(_JOINED, {**reach.params, "id": record_id})}


def _two_hops(reach: Reach, origin: int, shared: dict[int, float]) -> dict[int, float]:
    """Chains of two hops: each middle record adds its own weight times that of its property (Adamic and Adar's idea:
    a middle that joins few says more)."""
    middles = sorted(shared, key=lambda r: (-shared[r], -r))[:MIDDLES]
    if not middles:
        return {}
    steps, _ = reach.spread([(m, min(1.0, shared[m])) for m in middles], set(), HUB_LIMIT + 1, 5_000)
    found: dict[int, float] = {}
    for step in steps:
        worth = TWO_HOP_SHARE * step.carried * damping(step.count - 1)
        for member, _ in step.members:
            if member != origin and member not in shared:
                found[member] = found.get(member, 0.0) + worth
    return dict(sorted(found.items(), key=lambda item: (-item[1], -item[0]))[:CANDIDATES])
