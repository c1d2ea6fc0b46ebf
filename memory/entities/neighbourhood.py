"""Walking from entity to entity along relationships, and what is told of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memory import sql
from memory.entities import relationships, vertices
from memory.entities.relationships import Relation
from memory.entities.vertices import Vertex
from memory.gather.radius import left_out
from memory.gather.scope import Scope
from memory.gather.walk import product
from memory.models import sr_id

NODES_MAX = 500


@dataclass
class Neighbourhood:
    """Vertices and relationships around a start, each vertex with its distance and the strength of the way there."""

    vertices: dict[UUID, Vertex] = field(default_factory=dict)
    of_record: dict[int, UUID] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    sr_ids: dict[int, str] = field(default_factory=dict)
    depth: dict[UUID, int] = field(default_factory=dict)
    reach: dict[UUID, float] = field(default_factory=dict)
    relations: list[tuple[int, Relation]] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)
    truncated: bool = False

    def ends(self, relation: Relation) -> set[UUID]:
        return {self.of_record[record] for record in relation.members if record in self.of_record}

    def told(self, scope: Scope, relation: Relation, depth: int) -> dict[str, Any]:
        shape = relationships.told(scope, relation, self.names)
        source, target = relation.ends
        return {**shape, "from_sr_id": self.sr_ids.get(source), "to_sr_id": self.sr_ids.get(target), "depth": depth}


def around(
    scope: Scope,
    start: list[Vertex],
    *,
    depth: int,
    types: list[str] | None = None,
    min_confidence: float | None = None,
    max_nodes: int = NODES_MAX,
) -> Neighbourhood:
    """Breadth first along relationships, strongest first, at most `max_nodes` vertices.

    The reach of a vertex is the greatest product of strengths (else confidences, else 1) along a way of least length.
    A record that is no entity may be an end of a relationship: it is named by its title and not walked from.
    """
    found = Neighbourhood()
    for vertex in start:
        _take(found, vertex, 0, 1.0)
    frontier, met = list(found.vertices), set()
    for hop in range(1, depth + 1):
        ids = [record for key in frontier for record in found.vertices[key].records]
        fresh = relationships.of(scope, ids, types=types, min_confidence=min_confidence)
        fresh = [r for r in fresh if (r.key, r.valid_from) not in met]
        met |= {(r.key, r.valid_from) for r in fresh}
        _name(scope, found, fresh)
        fresh = [relation for relation in fresh if not found.gone & set(relation.members)]
        gained: dict[UUID, float] = {}
        for relation in fresh:
            worth = relation.strength if relation.strength is not None else relation.confidence
            inside = [found.reach[key] for key in found.ends(relation) if key in found.reach]
            for key in found.ends(relation):
                if key not in found.depth and inside:
                    gained[key] = max(gained.get(key, 0.0), product(max(inside), 1.0 if worth is None else worth))
        ranked = sorted(gained, key=lambda key: (-gained[key], key))
        room = max_nodes - len(found.depth)
        found.truncated |= len(ranked) > room
        frontier = ranked[:room]
        for key in frontier:
            found.depth[key], found.reach[key] = hop, gained[key]
        for relation in fresh:
            ends = found.ends(relation)
            if all(key in found.depth for key in ends):
                found.relations.append((hop, relation))
        if not frontier:
            break
    found.vertices = {key: found.vertices[key] for key in found.depth}
    found.relations.sort(key=lambda item: (item[0], item[1].type, str(item[1].key)))
    return found


def _take(found: Neighbourhood, vertex: Vertex, depth: int, reach: float) -> None:
    found.vertices[vertex.key] = vertex
    found.depth[vertex.key], found.reach[vertex.key] = depth, reach
    for record, public in zip(vertex.records, vertex.sr_ids, strict=True):
        found.of_record[record], found.names[record], found.sr_ids[record] = vertex.key, vertex.name, public


def _name(scope: Scope, found: Neighbourhood, relations: list[Relation]) -> None:
    """Learn who the members of relations are: entities become vertices, other records only have a name."""
    new = {record for relation in relations for record in relation.members} - found.names.keys()
    if not new:
        return
    keys = list(vertices.load(scope, new))
    for vertex in vertices.by_keys(scope, keys).values():
        found.vertices.setdefault(vertex.key, vertex)
        for record, public in zip(vertex.records, vertex.sr_ids, strict=True):
            found.of_record[record], found.names[record], found.sr_ids[record] = vertex.key, vertex.name, public
    rows = sql.fetch(
        "select id, public_id, title, kind from memory_record where id = any(%s) and lane_id = any(%s)",
        (list(new), scope.lanes),
    )
    for record, public_id, title, kind in rows:
        if kind == vertices.KIND and record not in found.of_record:
            found.gone.add(record)  # an entity that does not hold at this instant
        found.names.setdefault(record, title or sr_id(public_id))
        found.sr_ids.setdefault(record, sr_id(public_id))


def traverse_entity(
    scope: Scope,
    entity: str,
    *,
    depth: int = 1,
    types: list[str] | None = None,
    min_confidence: float | None = None,
) -> dict[str, Any]:
    """{node, edges, nodes, truncated, hint}: an entity and the relationships walked from it, nearest first."""
    start = vertices.find(scope, entity)
    found = around(scope, [start], depth=depth, types=types, min_confidence=min_confidence)
    return {
        "node": start.name,
        "entity": start.shown(),
        "edges": [found.told(scope, relation, hop) for hop, relation in found.relations],
        "nodes": [
            {**found.vertices[key].shown(), "depth": found.depth[key], "score": round(found.reach[key], 6)}
            for key in sorted(found.depth, key=lambda k: (found.depth[k], -found.reach[k], k))
        ],
        "truncated": found.truncated,
        "left_out_invalid": ended(scope, list(found.of_record)),
        "hint": None if found.relations else "No relationship that holds leads on from this entity.",
    }


def ended(scope: Scope, record_ids: list[int]) -> int:
    """How many relationships of these entities were left out because they do not hold at the instant asked about."""
    if scope.include_invalidated:
        return 0
    return left_out(scope, record_ids, connections_only=True)
