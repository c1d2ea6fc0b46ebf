"""The graph in Python: entities and relationships through one object, as one reader, in one lane for what is written.

store = GraphStore(reader, lane="raj-team")
store.add_edge("Raj", "Frontend Team", "MEMBER_OF", source_type="person", target_type="team")
store.traverse("Raj", depth=2)
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from lanes.readers import Reader
from memory.entities import ask, neighbourhood, relationships, vertices
from memory.gather.scope import Scope
from memory.services import connections


class GraphStore:
    """What the reader may read is the graph; what is added goes into `lane`."""

    def __init__(
        self,
        reader: Reader,
        lane: str,
        *,
        as_of: datetime | None = None,
        include_invalidated: bool = False,
    ):
        self.reader, self.lane = reader, lane
        self.as_of, self.include_invalidated = as_of, include_invalidated

    @property
    def scope(self) -> Scope:
        return Scope(self.reader, self.as_of, self.include_invalidated)

    def add_node(
        self,
        name: str,
        type: str | None = None,
        attributes: dict[str, Any] | None = None,
        *,
        confidence: float | None = None,
        valid_from: str | None = None,
    ) -> str:
        """Add an entity, or reinforce it; returns its sr_id."""
        return vertices.mention(
            self.reader, name=name, type=type, lane=self.lane, attributes=attributes, confidence=confidence,
            valid_from=valid_from,
        )  # fmt: skip

    def add_edge(
        self,
        source: str,
        target: str,
        type: str,
        attributes: dict[str, Any] | None = None,
        *,
        source_type: str | None = None,
        target_type: str | None = None,
        valid_from: str | None = None,
        confidence: float | None = None,
        single_valued: bool | None = None,
    ) -> dict[str, Any]:
        """Add a relationship, or reinforce it; a single-valued type ends the one before."""
        return relationships.add(
            self.reader, source=source, target=target, type=type, lane=self.lane, attributes=attributes,
            valid_from=valid_from, confidence=confidence, single_valued=single_valued, source_type=source_type,
            target_type=target_type,
        )  # fmt: skip

    def query(
        self, text: str, *, max_nodes: int = 10, edge_types: Sequence[str] | None = None
    ) -> list[dict[str, Any]]:
        """Entities a text is about, best first, with their relationships."""
        types = [relationships.type_name(kind) for kind in edge_types] if edge_types else None
        return ask.query_graph(self.scope, text, max_nodes=max_nodes, types=types)["nodes"]

    def traverse(self, entity: str, *, depth: int = 1, edge_types: Sequence[str] | None = None) -> dict[str, Any]:
        """An entity and the relationships walked from it."""
        types = [relationships.type_name(kind) for kind in edge_types] if edge_types else None
        return neighbourhood.traverse_entity(self.scope, entity, depth=depth, types=types)

    def build_context(self, text: str, **options: Any) -> dict[str, Any]:
        """A block of text for a prompt; see `ask.build_context`."""
        return ask.build_context(self.scope, text, **options)

    def invalidate_node(self, name: str, *, at: str | None = None, reason: str = "") -> list[str]:
        """End an entity: it and its relationships leave default results and stay in the past. Returns its sr_ids."""
        vertex = vertices.find(Scope(self.reader), name)
        for public in vertex.sr_ids:
            connections.invalidate(
                self.reader, sr_id=public, label=vertex.type, value=vertex.name, at=at, reason=reason
            )
        return vertex.sr_ids

    def invalidate_edge(
        self, source: str, target: str, type: str, *, at: str | None = None, reason: str = ""
    ) -> dict[str, Any]:
        """End a relationship."""
        return relationships.end(self.reader, source=source, target=target, type=type, at=at, reason=reason)
