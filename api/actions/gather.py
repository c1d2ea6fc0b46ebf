"""e_gather: the structural retrievals."""

from typing import Any, Literal

from pydantic import Field

from api import replies
from api.actions.base import (
    WALKED_LABELS,
    Action,
    CountScope,
    LabelList,
    Match,
    PageArguments,
    ScopeArguments,
    SrId,
    labels_of,
    scope_of,
    terms_of,
)  # fmt: skip
from lanes.readers import Reader
from memory.gather.count import count
from memory.gather.group import group
from memory.gather.intersect import intersect
from memory.gather.labels import labels
from memory.gather.recent import recent
from memory.gather.traverse import traverse
from memory.gather.union import union

TOOL = "e_gather"


class SetArguments(PageArguments):
    match: Match
    exact_counts: bool = Field(False, description="Count beyond 10,000 exactly.")
    count_scope: CountScope = Field("readable", description="all_lanes needs the count_all_lanes permission.")


def _count_lanes(reader: Reader, given: Any) -> list[int] | None:
    """Other lanes to count in than those read, when asked for (and allowed)."""
    return None if given.count_scope == "readable" else reader.narrow(given.lanes).for_counts(given.count_scope)


class Intersect(Action):
    """Records that carry every term of match, newest first, and how many readable records carry each term."""

    tool, name = TOOL, "intersect"
    Reply = replies.IntersectReply
    examples = [
        {"match": ["client:Acme", {"label": "person", "value": "Sarah"}, "indemnity"], "limit": 20},
        {"match": [{"label": "docket"}, {"label": "status", "value": "closed", "not": True}]},
    ]

    class Arguments(SetArguments):
        action: Literal["intersect"]

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return intersect(
            scope_of(reader, given), terms_of(given.match), limit=given.limit, cursor=given.cursor,
            exact_counts=given.exact_counts, count_lanes=_count_lanes(reader, given),
        )  # fmt: skip


class Union(Action):
    """Records that carry any term of match, newest first; each says which terms it matched."""

    tool, name = TOOL, "union"
    Reply = replies.UnionReply
    examples = [
        {"match": ["client:Acme", "client:Norwick"], "lanes": ["matter-17"]},
    ]

    class Arguments(SetArguments):
        action: Literal["union"]

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return union(
            scope_of(reader, given), terms_of(given.match), limit=given.limit, cursor=given.cursor,
            exact_counts=given.exact_counts, count_lanes=_count_lanes(reader, given),
        )  # fmt: skip


class Traverse(Action):
    """Records that share an edge property with one record, those reached by the least-shared property first."""

    tool, name = TOOL, "traverse"
    Reply = replies.TraverseReply
    examples = [
        {"sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d"},
        {"sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d", "labels": ["client", "person"], "limit": 20},
    ]

    class Arguments(PageArguments):
        action: Literal["traverse"]
        sr_id: SrId
        labels: LabelList | None = WALKED_LABELS
        exact_counts: bool = Field(False, description="Count beyond 10,000 exactly.")
        count_scope: CountScope = Field("readable", description="all_lanes needs the count_all_lanes permission.")

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return traverse(
            scope_of(reader, given), given.sr_id, labels=labels_of(given.labels), limit=given.limit,
            cursor=given.cursor, exact_counts=given.exact_counts, reader_of_origin=reader,
            count_lanes=_count_lanes(reader, given),
        )  # fmt: skip


class Count(Action):
    """How many records an intersection or a union holds: always the length of the fully paged list."""

    tool, name = TOOL, "count"
    Reply = replies.CountReply
    examples = [
        {"match": ["client:Acme"]},
        {"match": ["client:Acme", "client:Norwick"], "mode": "union"},
    ]

    class Arguments(ScopeArguments):
        action: Literal["count"]
        match: Match
        mode: Literal["intersect", "union"] = Field(
            "intersect", description="intersect: records with every term. union: records with any."
        )
        count_scope: CountScope = Field("readable", description="all_lanes needs the count_all_lanes permission.")

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return count(
            scope_of(reader, given), terms_of(given.match), mode=given.mode, lanes=_count_lanes(reader, given)
        )


class Group(Action):
    """The values of one label with the number of records under each, most first."""

    tool, name = TOOL, "group"
    Reply = replies.GroupReply
    examples = [
        {"label": "client"},
        {"label": "person", "prefix": "sa", "match": ["client:Acme"]},
    ]

    class Arguments(PageArguments):
        action: Literal["group"]
        label: str = Field(description="The label whose values are listed, such as client.")
        match: Match | None = Field(None, description="Only records that carry every one of these terms.")
        prefix: str | None = Field(None, description="Only values that start so.", max_length=500)

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return group(
            scope_of(reader, given), given.label, terms=terms_of(given.match) if given.match else None,
            prefix=given.prefix, limit=given.limit, cursor=given.cursor,
        )  # fmt: skip


class Labels(Action):
    """The labels in use, with how many values and records each has: what can be asked for with match and group."""

    tool, name = TOOL, "labels"
    Reply = replies.LabelsReply
    examples = [{}, {"lanes": ["matter-17"]}]

    class Arguments(PageArguments):
        action: Literal["labels"]

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return labels(scope_of(reader, given), limit=given.limit, cursor=given.cursor)


class Recent(Action):
    """The newest records, by when they happened (or were recorded, where that is not known)."""

    tool, name = TOOL, "recent"
    Reply = replies.RecentReply
    examples = [{"limit": 10}, {"lanes": ["matter-17"], "kind": ["filing", "call"]}]

    class Arguments(PageArguments):
        action: Literal["recent"]
        kind: list[str] | None = Field(
            None, min_length=1, max_length=16, description="Only records of one of these kinds."
        )

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return recent(scope_of(reader, given), kinds=given.kind, limit=given.limit, cursor=given.cursor)


ACTIONS: list[type[Action]] = [Intersect, Union, Traverse, Count, Group, Labels, Recent]
