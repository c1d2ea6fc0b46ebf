"""What e_gather and e_timeline answer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from api.replies.shapes import (
    CountedProperty,
    CountedTerm,
    CountedValue,
    Head,
    Link,
    Property,
    RecordShown,
    Reply,
    StructuralReply,
    TermShown,
)


class MatchedRecord(RecordShown):
    matched: list[TermShown]


class SharingRecord(RecordShown):
    shared: list[Property]


class WalkLeg(BaseModel):
    rank: int
    why: list[str] | None = Field(None, description="What of the question the structure leg found in it.")
    start: str | None = Field(None, alias="from", description="The sr_id the walk came from.")
    shared: Property | None = None


class FoundRecord(RecordShown):
    score: float
    highlights: list[list[int]] = Field(description="[start, end) places in snippet.")
    legs: dict[str, WalkLeg] = Field(description="The legs that found it, and at what rank.")


class LegTold(BaseModel):
    leg: str
    status: Literal["ok", "off", "failed"]
    found: int
    ms: float
    note: str | None = None


class IntersectReply(StructuralReply):
    action: Literal["intersect"]
    srs: list[RecordShown]
    counts: list[CountedTerm]


class UnionReply(StructuralReply):
    action: Literal["union"]
    srs: list[MatchedRecord]
    counts: list[CountedTerm]


class TraverseReply(StructuralReply):
    action: Literal["traverse"]
    sr_id: str
    srs: list[SharingRecord]
    origin_edges: list[CountedProperty]


class CountReply(StructuralReply):
    action: Literal["count"]
    count: int


class GroupReply(StructuralReply):
    action: Literal["group"]
    label: str
    values: list[CountedValue]


class LabelInUse(BaseModel):
    label: str
    value_count: int
    sr_count: int
    counts_capped: bool = Field(False, description="True: carried more than 10,000 times; the counts are at least so.")


class LabelsReply(Reply):
    action: Literal["labels"]
    labels: list[LabelInUse]


class RecentReply(StructuralReply):
    action: Literal["recent"]
    srs: list[RecordShown]


class FindReply(StructuralReply):
    action: Literal["find"]
    srs: list[FoundRecord]
    legs: list[LegTold]


class RadiusNode(Head):
    depth: int
    score: float
    via: Link | None = Field(description="The property that reached it.")
    start: str | None = Field(alias="from", description="The sr_id it was reached from.")


class RadiusEdge(Link):
    members: list[str] = Field(description="The sr_ids of the nodes that carry it.")


class Hub(CountedProperty):
    depth: int
    type: str | None = None
    directed: bool | None = None


class RadiusReply(StructuralReply):
    action: Literal["radius"]
    sr_id: str
    nodes: list[RadiusNode]
    edges: list[RadiusEdge]
    hubs: list[Hub] = Field(description="Properties too widely shared to be followed.")
    hubs_total: int
    truncated: bool
    cut: list[str] = Field(description="What stopped the walk early.")


class PathStep(BaseModel):
    start: str = Field(alias="from")
    to: str
    via: Link
    weight: float


class PathReply(StructuralReply):
    action: Literal["path"]
    start: str = Field(alias="from")
    to: str
    found: bool
    length: int | None
    score: float | None
    srs: list[RecordShown]
    steps: list[PathStep]
    truncated: bool


class SharedLink(Link):
    members: int


class Community(BaseModel):
    size: int
    srs: list[Head]
    shared: list[SharedLink]


class MeasureReply(StructuralReply):
    nodes: int
    truncated: bool
    cut: list[str]


class CommunitiesReply(MeasureReply):
    action: Literal["communities"]
    communities: list[Community]
    communities_total: int
    alone: int


class CentralRecord(Head):
    degree: int
    in_degree: int
    out_degree: int
    pagerank: float
    betweenness: float


class CentralReply(MeasureReply):
    action: Literal["central"]
    by: str
    betweenness_from: int | None = Field(description="Betweenness was estimated from so many records; null: from all.")
    srs: list[CentralRecord]


class Suggestion(Head):
    score: float
    why: dict[str, float]
    shared: list[Link]


class SuggestReply(Reply):
    action: Literal["suggest"]
    sr_id: str
    suggestions: list[Suggestion]


class TimelineReply(StructuralReply):
    action: Literal["intersect"]
    srs: list[RecordShown]
    undated: list[RecordShown] = Field(description="Matching records without an event time, newest first.")
    undated_count: int = Field(description="How many there are of those.")
    next_undated_cursor: str | None = Field(description="Give it as undated_cursor for the rest of undated.")
    count: int
    count_capped: bool = False
    kept: list[TermShown]
    dropped: list[TermShown]
