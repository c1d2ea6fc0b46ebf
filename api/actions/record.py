"""e_record: writing and reading records."""

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from api import replies
from api.actions.base import (
    Action,
    Arguments,
    CallArguments,
    PropertyIn,
    ScopeArguments,
    SrId,
    only_given,
    properties_of,
    report,
    scope_of,
)  # fmt: skip
from lanes.errors import Invalid, LanewiseError
from lanes.readers import Reader
from memory import strict_json
from memory.selectors import ingest
from memory.selectors import records as selectors
from memory.selectors.properties import details
from memory.services import records, stamps

TOOL = "e_record"
MANY = 500

Precision = Literal["year", "month", "day", "time"]


Kind = Annotated[str, Field(description="What sort of record it is: note, filing, call, e_mail, …")]
Text = Annotated[str, Field(description="The text, which is searched, read by extractors and shown. Text or title.")]
Title = Annotated[str, Field(description="What it is called in lists.")]
Occurred = Annotated[str, Field(description="When it happened: 2026, 2026-03, 2026-03-05 or an instant.")]
Exactly = Annotated[Precision, Field(description="How exactly occurred_at is known, where its form does not say it.")]
Source = Annotated[dict[str, Any], Field(description="Where it is from, as a JSON object of your own.")]
Properties = Annotated[
    list[PropertyIn],
    Field(description='Edge properties, "client:Acme" or an object each. Given, they replace those of an update.'),
]
Tags = Annotated[list[str], Field(description='Found by search, never walked; "label:value" or a word each.')]


class RecordFields(Arguments):
    """A record to write."""

    lane: str = Field(description="Slug of the lane it is kept in; you must be allowed to write there.")
    text: Text = ""
    title: Title = ""
    occurred_at: Occurred | None = None
    date_precision: Exactly | None = None
    edge_properties: Properties | None = None
    external_id: str | None = Field(None, description="Your own id, unique in the lane: writing it again updates.")
    source: Source | None = None
    kind: Kind = "note"
    tags: Tags | None = None
    recorded_at: str | None = Field(None, description="When it was written down, where that was earlier than now.")


class _ShownAs:
    """Takes anything, and is described as a record: items are checked one by one, so that each has its own report."""

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return handler(RecordFields.__pydantic_core_schema__)


_FIELDS = (
    "lane", "text", "title", "occurred_at", "date_precision", "external_id", "source", "kind", "tags", "recorded_at",
)  # fmt: skip


def _fields(given: RecordFields) -> dict[str, Any]:
    fields = {name: getattr(given, name) for name in _FIELDS}
    return {**fields, "edge_properties": properties_of(given.edge_properties)}


def _shown(reader: Reader, written: records.Written) -> dict[str, Any]:
    named = lambda items: [{"label": item.label, "value": item.value} for item in items]  # noqa: E731
    return {
        "sr_id": written.sr_id,
        "created": written.created,
        "changed": written.changed,
        "version": written.version,
        "kept": named(written.kept),
        "skipped": named(written.skipped),
        "tags": selectors.tags_of(reader, written.id),
    }


class Write(Action):
    """Write a record; with the external_id of one in the lane, update that one."""

    tool, name = TOOL, "write"
    effect = "changes"
    Reply = replies.WriteReply
    examples = [
        {
            "lane": "matter-17",
            "title": "Call with Sarah",
            "text": "Sarah accepts the indemnity cap.",
            "occurred_at": "2026-03-05",
            "kind": "call",
            "edge_properties": ["client:Acme", "person:Sarah"],
            "external_id": "call-2026-03-05",
        },
    ]

    class Arguments(RecordFields, CallArguments):
        action: Literal["write"]

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        written = records.write(reader, **_fields(given))
        return {**_shown(reader, written), "lane": given.lane, "hint": stamps.hint(skipped=len(written.skipped))}


class WriteMany(Action):
    """Write up to 500 records, each wholly or not at all, with a report for every one."""

    tool, name = TOOL, "write_many"
    effect = "changes"
    checks_items_of = frozenset({"records"})
    Reply = replies.WriteManyReply
    examples = [
        {
            "records": [
                {"lane": "matter-17", "text": "Lease signed.", "edge_properties": ["client:Acme"]},
                {"lane": "matter-17", "title": "Invoice 12", "text": "USD 4,000 due in May 2026."},
            ]
        },
    ]

    class Arguments(CallArguments):
        action: Literal["write_many"]
        records: Annotated[
            list[Annotated[Any, _ShownAs()]],
            Field(min_length=1, max_length=MANY, description="The records, as write takes them; each is reported on."),
        ]

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        from api.errors import invalid_from

        report_of: list[Any] = [None] * len(given.records)
        good: list[tuple[int, dict[str, Any]]] = []
        for index, item in enumerate(given.records):
            place = f"records[{index}]"
            try:
                strict_json.check(item, place)
                if not isinstance(item, dict):
                    raise Invalid.field(place, "Must be a JSON object.")
                good.append((index, _fields(RecordFields.model_validate(item))))
            except Invalid as error:
                report_of[index] = report(error)
            except ValidationError as error:
                found = invalid_from(error)
                report_of[index] = report(
                    Invalid(
                        f"{place}.{found.detail}",
                        {f"{place}.{name}": messages for name, messages in found.errors.items()},
                    )
                )
        written = records.write_many(reader, [fields for _, fields in good], [index for index, _ in good])
        for (index, _), result in zip(good, written, strict=True):
            report_of[index] = (
                {"error": report(result)} if isinstance(result, LanewiseError) else _shown(reader, result)
            )
        report_of = [{"error": item} if item and "code" in item else item for item in report_of]
        return {
            "results": report_of,
            "written": sum("sr_id" in item for item in report_of),
            "refused": sum("error" in item for item in report_of),
            "hint": stamps.hint(skipped=sum(len(item.get("skipped", ())) for item in report_of)),
        }


class NamedArguments(CallArguments):
    """A record by its sr_id, or by lane and external_id."""

    sr_id: SrId | None = Field(None, description="The record's public id; or give lane and external_id.")
    lane: str | None = Field(None, description="With external_id: slug of the lane it is in.")
    external_id: str | None = Field(None, description="Your own id of the record, instead of sr_id.")


def _sr_id(reader: Reader, given: Any) -> str:
    """Which record is meant; exactly one way to say so must be used."""
    if given.external_id is None:
        if given.sr_id is None:
            raise Invalid.field("sr_id", "Required, or lane and external_id instead.")
        return given.sr_id
    if given.sr_id is not None:
        raise Invalid.field("external_id", "Give sr_id, or lane and external_id, not both.")
    if given.lane is None:
        raise Invalid.field("lane", "Required with external_id: it is unique in its lane only.")
    return selectors.public_of(reader, given.lane, given.external_id)


def _read_of(reader: Reader, given: NamedArguments) -> str:
    if given.lane is not None and given.external_id is None:
        raise Invalid.field("lane", "Goes with external_id.")
    return _sr_id(reader, given)


class Read(Action):
    """A record with its whole text; its edge properties as they hold, or held at as_of, with what is said of them."""

    tool, name = TOOL, "read"
    Reply = replies.ReadReply
    examples = [
        {"sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d"},
    ]

    class Arguments(NamedArguments, ScopeArguments):
        action: Literal["read"]

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        scope = scope_of(reader, given)
        record, shape = selectors.read(reader, _read_of(reader, given), scope.as_of)
        return {"record": {**shape, "edge_properties": details(reader, record, scope)}}


class Update(Action):
    """Change fields of a record; lane moves it. What is not named stays."""

    tool, name = TOOL, "update"
    effect = "changes"
    Reply = replies.UpdateReply
    examples = [
        {"sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d", "title": "Call with Sarah and Tom", "expected_version": 1},
    ]

    class Arguments(CallArguments):
        action: Literal["update"]
        sr_id: SrId | None = Field(None, description="The record's public id; or give lane and external_id.")
        external_id: str | None = Field(None, description="Your own id of the record, instead of sr_id.")
        expected_version: int | None = Field(None, description="Refuse when the record has another version.")
        lane: str | None = Field(
            None, description="Slug of the lane to move it to; with external_id: of the lane it is in."
        )
        text: Text | None = None
        title: Title | None = None
        kind: Kind | None = None
        occurred_at: Occurred | None = None
        date_precision: Exactly | None = None
        source: Source | None = None
        edge_properties: Properties | None = None
        tags: Tags | None = None

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        fields = only_given(given, "text", "title", "kind", "source", "tags", "occurred_at", "date_precision")
        for name in ("text", "title", "kind"):
            if fields.get(name, "") is None:
                raise Invalid.field(name, "May be left out, but not null.")
        if "edge_properties" in given.model_fields_set:
            fields["edge_properties"] = properties_of(given.edge_properties)
        lane = given.lane if given.external_id is None else None
        if not fields and lane is None:
            raise Invalid("Name at least one field to change.")
        written = records.update(
            reader, sr_id=_sr_id(reader, given), expected_version=given.expected_version, lane=lane, **fields
        )
        return {**_shown(reader, written), "hint": stamps.hint(skipped=len(written.skipped))}


class Delete(Action):
    """Delete a record and everything derived from it."""

    tool, name = TOOL, "delete"
    effect = "changes"
    Reply = replies.DeleteReply
    examples = [
        {"sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d"},
    ]

    class Arguments(NamedArguments):
        action: Literal["delete"]

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return records.delete(reader, sr_id=_read_of(reader, given))


class Status(Action):
    """How far the ingest of a record is."""

    tool, name = TOOL, "status"
    Reply = replies.StatusReply
    examples = [
        {"sr_id": "sr_0f8c2d1e4b7a49c3a6d5e8f7091b2c3d"},
    ]

    class Arguments(NamedArguments):
        action: Literal["status"]

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return ingest.status(reader, _read_of(reader, given))


ACTIONS: list[type[Action]] = [Write, WriteMany, Read, Update, Delete, Status]
