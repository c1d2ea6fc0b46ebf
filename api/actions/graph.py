"""e_gather's walks and whole-graph measures: radius, path, communities, central, suggest."""

from typing import Annotated, Any, Literal

from pydantic import Field

from api import replies
from api.actions.base import (
    WALKED_LABELS,
    Action,
    LabelList,
    Limit,
    Match,
    ScopeArguments,
    SrId,
    labels_of,
    scope_of,
    terms_of,
)
from lanes.readers import Reader
from memory.gather import clusters, path, radius, suggest
from memory.services import connections

TOOL = "e_gather"


class WalkArguments(ScopeArguments):
    labels: LabelList | None = WALKED_LABELS
    edge_types: LabelList | None = Field(None, description="Walk only connections of these types (empty: all).")


def _walked(given: WalkArguments) -> dict[str, Any]:
    types = [connections.name_of(text, f"edge_types[{i}]") for i, text in enumerate(given.edge_types or ())]
    return {"labels": labels_of(given.labels), "types": types or None}


class Radius(Action):
    """The blast radius of a record: what is reached walking outward, nearest and rarest first."""

    tool, name = TOOL, "radius"
    Reply = replies.RadiusReply
    examples = [
        {"sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d", "depth": 2, "max_nodes": 100},
    ]

    class Arguments(WalkArguments):
        action: Literal["radius"]
        sr_id: SrId
        depth: int = Field(radius.DEPTH, ge=1, le=radius.DEPTH_MAX, description="How many hops to walk outward.")
        max_nodes: int = Field(radius.NODES, ge=1, le=radius.NODES_MAX, description="Records, the first included.")
        hub_limit: int = Field(
            radius.HUB_LIMIT,
            ge=1,
            le=radius.HUB_LIMIT_MAX,
            description="A property that more other records than this carry is named, not followed.",
        )

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return radius.radius(
            scope_of(reader, given), given.sr_id, depth=given.depth, max_nodes=given.max_nodes,
            hub_limit=given.hub_limit, reader_of_origin=reader, **_walked(given),
        )  # fmt: skip


class Path(Action):
    """The strongest of the shortest chains of records and shared properties between two records, or none."""

    tool, name = TOOL, "path"
    Reply = replies.PathReply
    examples = [
        {"from": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d", "to": "sr_6a1b2c3d4e5f60718293a4b5c6d7e8f9"},
    ]

    class Arguments(WalkArguments):
        action: Literal["path"]
        start: SrId = Field(alias="from", description="The sr_id of the record the chain begins with.")
        to: SrId = Field(description="The sr_id of the record it ends with.")
        max_depth: int = Field(path.DEPTH, ge=1, le=path.DEPTH_MAX, description="Hops at most.")

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return path.path(
            scope_of(reader, given), given.start, given.to, max_depth=given.max_depth, reader_of_ends=reader,
            **_walked(given),
        )  # fmt: skip


class BoundedArguments(WalkArguments):
    match: Match | None = Field(None, description="Look at the records that carry every one of these; or give sr_id.")
    sr_id: SrId | None = Field(None, description="Look at the records around this one; or give match.")
    max_nodes: int = Field(clusters.NODES, ge=2, le=clusters.NODES_MAX, description="Records looked at.")
    limit: Limit = 50


def _bounded(reader: Reader, given: BoundedArguments) -> dict[str, Any]:
    return {
        "terms": terms_of(given.match) if given.match else None,
        "sr_id": given.sr_id,
        "max_nodes": given.max_nodes,
        "limit": given.limit,
        "reader_of_origin": reader,
        **_walked(given),
    }


class Communities(Action):
    """Clusters (Leiden) of the records that match, or of those around one record."""

    tool, name = TOOL, "communities"
    Reply = replies.CommunitiesReply
    examples = [
        {"match": ["client:Acme"]},
        {"sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d", "max_nodes": 200},
    ]

    class Arguments(BoundedArguments):
        action: Literal["communities"]

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return clusters.communities(scope_of(reader, given), **_bounded(reader, given))


class Central(Action):
    """The most central of the records that match, or of those around one record."""

    tool, name = TOOL, "central"
    Reply = replies.CentralReply
    examples = [
        {"match": ["client:Acme"], "by": "betweenness", "limit": 10},
    ]

    class Arguments(BoundedArguments):
        action: Literal["central"]
        by: Literal["pagerank", "degree", "betweenness", "in_degree", "out_degree"] = Field(
            "pagerank", description="The measure: betweenness finds bridges, degree the best connected."
        )

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return clusters.central(scope_of(reader, given), by=given.by, **_bounded(reader, given))


class Suggest(Action):
    """Records that might be connected to one and are not: shared rare properties, two hops, alike in meaning."""

    tool, name = TOOL, "suggest"
    Reply = replies.SuggestReply
    examples = [
        {"sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d", "limit": 5},
    ]

    class Arguments(ScopeArguments):
        action: Literal["suggest"]
        sr_id: SrId
        limit: Annotated[int, Field(ge=1, le=50, description="At most 50 suggestions.")] = 10

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return suggest.suggest(scope_of(reader, given), given.sr_id, limit=given.limit, reader_of_origin=reader)


ACTIONS: list[type[Action]] = [Radius, Path, Communities, Central, Suggest]
