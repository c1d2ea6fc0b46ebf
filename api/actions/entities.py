"""The entity and relationship tools: tools of their own, without an action."""

from typing import Annotated, Any

from pydantic import Field

from api.actions.base import Action, CallArguments, ScopeArguments, scope_of
from lanes.readers import Reader
from memory.entities import ask, neighbourhood, relationships

Unit = Annotated[float, Field(ge=0, le=1)]
Types = Annotated[list[str], Field(max_length=100)]
Name = Annotated[str, Field(min_length=1, max_length=500, description="A name, type:name, or an sr_id.")]


def _types(given: Any) -> list[str] | None:
    if not given.edge_types:
        return None
    return [relationships.type_name(kind, f"edge_types[{i}]") for i, kind in enumerate(given.edge_types)]


class QueryGraph(Action):
    """Entities and relationships that a question is about, best first: "who works on checkout"."""

    tool, name = "query_graph", None

    class Arguments(ScopeArguments):
        query: Annotated[str, Field(min_length=1, max_length=4_000)]
        max_nodes: int = Field(10, ge=1, le=100)
        edge_types: Types | None = None
        min_confidence: Unit | None = None

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return ask.query_graph(
            scope_of(reader, given), given.query, max_nodes=given.max_nodes, types=_types(given),
            min_confidence=given.min_confidence,
        )  # fmt: skip


class TraverseEntity(Action):
    """Walk outward from an entity along its relationships."""

    tool, name = "traverse_entity", None

    class Arguments(ScopeArguments):
        entity: Name
        depth: int = Field(1, ge=1, le=8)
        edge_types: Types | None = None
        min_confidence: Unit | None = None

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return neighbourhood.traverse_entity(
            scope_of(reader, given), given.entity, depth=given.depth, types=_types(given),
            min_confidence=given.min_confidence,
        )  # fmt: skip


class AddRelationship(Action):
    """Relate two entities, made when missing; asserted again it is reinforced, and a single-valued type has one target
    at a time."""

    tool, name = "add_relationship", None
    effect = "changes"

    class Arguments(CallArguments):
        source: Name = Field(alias="from")
        target: Name = Field(alias="to")
        type: Annotated[str, Field(min_length=1, max_length=63, description="WORKS_ON, MEMBER_OF, signed by, …")]
        lane: str = Field(description="Where the entities and the relationship are kept.")
        attributes: dict[str, Any] | None = None
        valid_from: str | None = Field(None, description="When it began to hold; now when left out.")
        confidence: Unit | None = None
        single_valued: bool | None = Field(
            None, description="True: ends the other relationship of this type. Left out: as the type usually is."
        )
        from_type: str | None = Field(None, description="What the first entity is (person, team, …), if it is new.")
        to_type: str | None = Field(None, description="What the second entity is, if it is new.")

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return relationships.add(
            reader, source=given.source, target=given.target, type=given.type, lane=given.lane,
            attributes=given.attributes, valid_from=given.valid_from, confidence=given.confidence,
            single_valued=given.single_valued, source_type=given.from_type, target_type=given.to_type,
        )  # fmt: skip


class InvalidateRelationship(Action):
    """End a relationship; nothing is deleted, and as_of before still shows it."""

    tool, name = "invalidate_relationship", None
    effect = "changes"

    class Arguments(CallArguments):
        source: Name = Field(alias="from")
        target: Name = Field(alias="to")
        type: Annotated[str, Field(min_length=1, max_length=63)]
        at: str | None = Field(None, description="When it ceased to hold; now when left out.")
        reason: str = Field("", max_length=2_000)

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return relationships.end(
            reader, source=given.source, target=given.target, type=given.type, at=given.at, reason=given.reason
        )


class BuildContext(Action):
    """A block of text for a prompt: what the graph knows about a text, within a budget of tokens, with its sources."""

    tool, name = "build_context", None

    class Arguments(ScopeArguments):
        text: Annotated[str, Field(min_length=1, max_length=20_000)]
        max_nodes: int = Field(15, ge=1, le=200)
        max_depth: int = Field(2, ge=1, le=8)
        edge_types: Types | None = None
        min_confidence: Unit | None = 0.3
        token_budget: int = Field(ask.TOKEN_BUDGET, ge=16, le=ask.TOKEN_BUDGET_MAX)

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return ask.build_context(
            scope_of(reader, given), given.text, max_nodes=given.max_nodes, max_depth=given.max_depth,
            types=_types(given), min_confidence=given.min_confidence, token_budget=given.token_budget,
        )  # fmt: skip


ACTIONS: list[type[Action]] = [QueryGraph, TraverseEntity, AddRelationship, InvalidateRelationship, BuildContext]
