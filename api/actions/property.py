"""e_property: a record's edge properties, connections and adjustments."""

from typing import Annotated, Any, Literal

from pydantic import Field

from api import replies
from api.actions.base import (
    Action,
    CallArguments,
    PropertyIn,
    Reason,
    ScopeArguments,
    SrId,
    Unit,
    properties_of,
    scope_of,
)  # fmt: skip
from lanes.readers import Reader
from memory.services import aliases, connections, properties

TOOL = "e_property"

Properties = Annotated[
    list[PropertyIn],
    Field(
        min_length=1,
        max_length=1000,
        description='Edge properties: "client:Acme", or {"label": "client", "value": "Acme"} with more about it.',
    ),
]
Stamp = Annotated[str, Field(description="A connection's property, as connect returns it: e_connect:<hint>_<32 hex>.")]


class Add(Action):
    """Add edge properties to a record; those it has already are reported."""

    tool, name = TOOL, "add"
    effect = "adds"
    Reply = replies.AddReply
    examples = [
        {
            "sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d",
            "edge_properties": ["client:Acme", {"label": "status", "value": "open", "valid_from": "2026-03-05"}],
        },
    ]

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
    Reply = replies.RemoveReply
    examples = [
        {"sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d", "edge_properties": ["status:open"]},
    ]

    class Arguments(CallArguments):
        action: Literal["remove"]
        sr_id: SrId
        edge_properties: Properties

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return properties.remove(reader, sr_id=given.sr_id, edge_properties=properties_of(given.edge_properties) or [])


class List(Action):
    """The edge properties of a record, with what is said of each: its interval, and what a connection carries."""

    tool, name = TOOL, "list"
    Reply = replies.ListReply
    examples = [
        {"sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d"},
    ]

    class Arguments(ScopeArguments):
        action: Literal["list"]
        sr_id: SrId

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return properties.listed(reader, sr_id=given.sr_id, scope=scope_of(reader, given))


class Connect(Action):
    """Join 2 to 100 records by a connection stamped on each; in a directed one the first is the source."""

    tool, name = TOOL, "connect"
    effect = "adds"
    Reply = replies.ConnectReply
    examples = [
        {
            "sr_id": ["sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d", "sr_6a1b2c3d4e5f60718293a4b5c6d7e8f9"],
            "hint": "signed_by",
            "type": "related",
            "directed": True,
            "confidence": 0.9,
            "reason": "Clause 12 names the signatory.",
            "valid_from": "2026-03-05",
        },
    ]

    class Arguments(CallArguments):
        action: Literal["connect"]
        sr_id: Annotated[
            list[SrId], Field(min_length=2, max_length=100, description="The records to join: 2 to 100 sr_ids.")
        ]
        hint: str = Field(description="What joins them, as a name: signed_by.")
        type: str | None = Field(None, description="similar, related, causes, part_of, opposite, or any other.")
        directed: bool = Field(False, description="True: from the first record to each of the others.")
        strength: Unit | None = Field(None, description="How close they are, 0 to 1.")
        confidence: Unit | None = Field(None, description="How sure it is, 0 to 1.")
        reason: Reason = ""
        attributes: dict[str, Any] | None = Field(None, description="Anything more about it, as a JSON object.")
        valid_from: str | None = Field(None, description="When it began to hold: 2026-03-05 or an instant.")

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
    Reply = replies.DisconnectReply
    examples = [
        {"property": "e_connect:signed_by_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d"},
    ]

    class Arguments(CallArguments):
        action: Literal["disconnect"]
        property: Stamp

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return connections.disconnect(reader, property=given.property)


class Adjust(Action):
    """Say that another record supersedes, corrects or retracts this one. Superseded or retracted by a record of its
    own lane, it leaves default results."""

    tool, name = TOOL, "adjust"
    effect = "changes"
    Reply = replies.AdjustReply
    examples = [
        {
            "sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d",
            "by": "sr_6a1b2c3d4e5f60718293a4b5c6d7e8f9",
            "hint": "supersedes",
            "reason": "Amended complaint.",
        },
    ]

    class Arguments(CallArguments):
        action: Literal["adjust"]
        sr_id: SrId
        by: SrId = Field(description="The sr_id of the record that does it.")
        hint: Literal["supersedes", "corrects", "retracts"] = Field(
            description="What it does: supersedes and retracts take this record out of results."
        )
        reason: Reason = ""

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return connections.adjust(reader, sr_id=given.sr_id, by=given.by, hint=given.hint, reason=given.reason)


class Invalidate(Action):
    """End the validity of a connection (property), or of one property of a record; nothing is deleted."""

    tool, name = TOOL, "invalidate"
    effect = "changes"
    Reply = replies.InvalidateReply
    examples = [
        {"property": "e_connect:signed_by_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d", "at": "2026-06-01"},
        {
            "sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d",
            "label": "status",
            "value": "open",
            "reason": "The matter was closed.",
        },
    ]

    class Arguments(CallArguments):
        action: Literal["invalidate"]
        property: Stamp | None = Field(None, description="The connection to end; or give sr_id, label and value.")
        sr_id: SrId | None = Field(None, description="The record one of whose properties ends.")
        label: str | None = Field(None, description="That property's label.")
        value: str | None = Field(None, description="That property's value.")
        at: str | None = Field(None, description="When it ceased to hold; now when left out.")
        reason: Reason = ""

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return connections.invalidate(
            reader, property=given.property, sr_id=given.sr_id, label=given.label, value=given.value,
            at=given.at, reason=given.reason,
        )  # fmt: skip


class Rename(Action):
    """Join two spellings of a value; the old one stays as an alias."""

    tool, name = TOOL, "rename"
    effect = "changes"
    Reply = replies.RenameReply
    examples = [
        {"label": "client", "value": "ACME Inc", "to": "Acme"},
    ]

    class Arguments(CallArguments):
        action: Literal["rename"]
        label: str = Field(description="The label of the value.")
        value: str = Field(description="The spelling to give up.")
        to: str = Field(description="The spelling to keep.")
        lanes: list[str] | None = Field(None, description="Only in these lanes; else in all that may be written.")

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return aliases.rename(reader, label=given.label, value=given.value, to=given.to, lanes=given.lanes)


ACTIONS: list[type[Action]] = [Add, Remove, List, Connect, Disconnect, Adjust, Invalidate, Rename]
