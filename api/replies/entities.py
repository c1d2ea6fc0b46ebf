"""What the entity and relationship tools answer."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from api.replies.shapes import Reply, Stamp, StructuralReply


class Interval(BaseModel):
    mentions: int | None
    valid_from: str | None
    invalidated_at: str | None
    last_mentioned: str | None


class EntityShown(Interval):
    name: str
    type: str
    attributes: dict[str, Any]
    sr_ids: list[str]
    lanes: list[str]
    confidence: float | None


class Relationship(Interval):
    type: str
    source: str
    target: str
    directed: bool
    confidence: float | None
    strength: float | None
    attributes: dict[str, Any]
    property: str = Stamp
    sources: list[str]
    from_sr_id: str
    to_sr_id: str
    depth: int


class QueriedEntity(EntityShown):
    score: float
    relationships: list[Relationship]


class QueryGraphReply(StructuralReply):
    nodes: list[QueriedEntity]
    edges: list[Relationship]


class ReachedEntity(EntityShown):
    depth: int
    score: float


class TraverseEntityReply(StructuralReply):
    node: str
    entity: EntityShown
    edges: list[Relationship]
    nodes: list[ReachedEntity]
    truncated: bool


class AddRelationshipReply(Reply):
    property: str = Stamp
    type: str
    source: str
    target: str
    created: bool
    superseded: list[str]
    dropped: list[str]


class InvalidateRelationshipReply(Reply):
    type: str
    ended: list[str]
    invalidated_at: str


class ContextNode(BaseModel):
    name: str
    type: str
    score: float
    sr_ids: list[str]


class ContextEdge(BaseModel):
    source: str
    type: str
    target: str


class ContextSource(BaseModel):
    sr_id: str
    title: str
    lane: str


class BuildContextReply(StructuralReply):
    context: str
    nodes: list[ContextNode]
    edges: list[ContextEdge]
    sources: list[ContextSource]
    tokens: int
    token_budget: int
    left_out: int
