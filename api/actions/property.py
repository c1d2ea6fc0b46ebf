"""e_property: a record's edge properties, connections and adjustments."""

from typing import Annotated, Any, Literal

from pydantic import Field

from api.actions.base import Action, CallArguments, PropertyIn, SrId, properties_of
from lanes.readers import Reader
from memory.services import aliases, connections, properties

TOOL = "e_property"

Properties = Annotated[list[PropertyIn], Field(min_length=1, max_length=1000)]
Unit = Annotated[float, Field(ge=0, le=1)]


class Add(Action):
    """Add edge properties to a record; those it has already are reported."""

    tool, name = TOOL, "add"
    effect = "adds"

    class Arguments(CallArguments):
        action: Literal["add"]
        sr_id: SrId
        edge_properties: Properties

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return properties.add(reader, sr_id=given.sr_id, edge_properties=properties_of(given.edge_properties) or [])


class Remove(Action):
    """Delete edge properties of a record."""

    tool, name = TOOL, "remove"
    effect = "changes"

    class Arguments(CallArguments):
        action: Literal["remove"]
        sr_id: SrId
        edge_properties: Properties

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return properties.remove(reader, sr_id=given.sr_id, edge_properties=properties_of(given.edge_properties) or [])


class List(Action):
    """The edge properties of a record."""

    tool, name = TOOL, "list"

    class Arguments(CallArguments):
        action: Literal["list"]
        sr_id: SrId

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return properties.listed(reader, sr_id=given.sr_id)


class Connect(Action):
    """Join 2 to 100 records by a connection stamped on each; in a directed one the first is the source."""

    tool, name = TOOL, "connect"
    effect = "adds"

    class Arguments(CallArguments):
        action: Literal["connect"]
        sr_id: Annotated[list[SrId], Field(min_length=2, max_length=100)]
        hint: str = Field(description="What joins them, as a name: signed_by.")
        type: str | None = Field(None, description="similar, related, causes, part_of, opposite, or any other.")
        directed: bool = False
        strength: Unit | None = None
        confidence: Unit | None = None
        reason: str = ""
        attributes: dict[str, Any] | None = None
        valid_from: str | None = None

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return connections.connect(
            reader, sr_ids=given.sr_id, hint=given.hint, type=given.type, directed=given.directed,
            strength=given.strength, confidence=given.confidence, reason=given.reason,
            attributes=given.attributes, valid_from=given.valid_from,
        )  # fmt: skip


class Disconnect(Action):
    """Remove a connection's stamps."""

    tool, name = TOOL, "disconnect"
    effect = "changes"

    class Arguments(CallArguments):
        action: Literal["disconnect"]
        property: str = Field(description="e_connect:<hint>_<32 hex>")

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return connections.disconnect(reader, property=given.property)


class Adjust(Action):
    """Say that another record supersedes, corrects or retracts this one."""

    tool, name = TOOL, "adjust"
    effect = "changes"

    class Arguments(CallArguments):
        action: Literal["adjust"]
        sr_id: SrId
        by: SrId
        hint: Literal["supersedes", "corrects", "retracts"]
        reason: str = ""

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return connections.adjust(reader, sr_id=given.sr_id, by=given.by, hint=given.hint, reason=given.reason)


class Invalidate(Action):
    """End the validity of a connection (property), or of one property of a record; nothing is deleted."""

    tool, name = TOOL, "invalidate"
    effect = "changes"

    class Arguments(CallArguments):
        action: Literal["invalidate"]
        property: str | None = None
        sr_id: SrId | None = None
        label: str | None = None
        value: str | None = None
        at: str | None = Field(None, description="When it ceased to hold; now when left out.")
        reason: str = ""

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return connections.invalidate(
            reader, property=given.property, sr_id=given.sr_id, label=given.label, value=given.value,
            at=given.at, reason=given.reason,
        )  # fmt: skip


class Rename(Action):
    """Join two spellings of a value; the old one stays as an alias."""

    tool, name = TOOL, "rename"
    effect = "changes"

    class Arguments(CallArguments):
        action: Literal["rename"]
        label: str
        value: str
        to: str
        lanes: list[str] | None = Field(None, description="Only in these lanes; else in all that may be written.")

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return aliases.rename(reader, label=given.label, value=given.value, to=given.to, lanes=given.lanes)


ACTIONS: list[type[Action]] = [Add, Remove, List, Connect, Disconnect, Adjust, Invalidate, Rename]
