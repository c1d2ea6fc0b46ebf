"""What e_property and e_record answer."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from api.replies.shapes import DetailedProperty, Property, RecordShown, Reply, Stamp


class AddReply(Reply):
    action: Literal["add"]
    sr_id: str
    added: list[Property]
    present: list[Property]
    skipped: list[Property]


class RemoveReply(Reply):
    action: Literal["remove"]
    sr_id: str
    removed: list[Property]
    absent: list[Property]


class ListReply(Reply):
    action: Literal["list"]
    sr_id: str
    edge_properties: list[DetailedProperty]


class ConnectReply(Reply):
    action: Literal["connect"]
    property: str = Stamp
    members: list[str]
    stamped: list[str]
    dropped: list[str] = Field(description="Weaker connections that gave way.")


class DisconnectReply(Reply):
    action: Literal["disconnect"]
    property: str = Stamp
    members: list[str]


class AdjustReply(Reply):
    action: Literal["adjust"]
    property: str = Stamp
    members: list[str]
    stamped: list[str]


class InvalidateReply(Reply):
    action: Literal["invalidate"]
    property: str
    invalidated_at: str
    records: int


class RenameReply(Reply):
    action: Literal["rename"]
    label: str
    value: str
    to: str
    records: int
    lanes: list[str]


class TagShown(Property):
    extractor: str | None = None


class Written(BaseModel):
    sr_id: str
    created: bool
    changed: bool
    version: int
    kept: list[Property]
    skipped: list[Property] = Field(description="Properties beyond the budget of what is walked.")
    tags: list[TagShown]


class WriteReply(Written, Reply):
    action: Literal["write"]
    lane: str


class UpdateReply(Written, Reply):
    action: Literal["update"]


class Refusal(BaseModel):
    detail: str
    code: str
    errors: dict[str, list[str]]


class Refused(BaseModel):
    error: Refusal


class WriteManyReply(Reply):
    action: Literal["write_many"]
    results: list[Written | Refused] = Field(description="One for each record, in order.")
    written: int
    refused: int


class Author(BaseModel):
    user: str | None
    agent_profile: str | None


class WholeRecord(RecordShown):
    edge_properties: list[DetailedProperty]  # type: ignore[assignment]
    text: str
    source: dict[str, Any] | None
    tags: list[TagShown]
    on_hold: bool = Field(description="A hold stands over it: nothing that is there is changed or deleted.")
    written_by: Author
    changed_by: Author | None


class ReadReply(Reply):
    action: Literal["read"]
    record: WholeRecord


class DeleteReply(Reply):
    action: Literal["delete"]
    sr_id: str
    deleted: bool


class StatusSteps(BaseModel):
    words: bool
    vectors: bool
    tags: bool
    names: bool


class StatusReply(Reply):
    action: Literal["status"]
    sr_id: str
    version: int
    ingested_version: int
    status: Literal["done", "pending", "retrying", "failed"]
    steps: StatusSteps
    tags: int
    windows: int
    attempts: int
    error: str | None
    note: str | None
