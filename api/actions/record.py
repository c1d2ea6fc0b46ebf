"""e_record: writing and reading records."""

from typing import Annotated, Any, Literal

from pydantic import Field

from api.actions.base import (
    Action,
    Arguments,
    CallArguments,
    PropertyIn,
    SrId,
    only_given,
    properties_of,
    report,
)  # fmt: skip
from lanes.errors import Invalid, LanewiseError
from lanes.readers import Reader
from memory.selectors import ingest
from memory.selectors import records as selectors
from memory.services import records

TOOL = "e_record"
MANY = 500

Precision = Literal["year", "month", "day", "time"]


class RecordFields(Arguments):
    lane: str
    text: str = ""
    title: str = ""
    occurred_at: str | None = Field(None, description="When it happened: 2026, 2026-03, 2026-03-05 or an instant.")
    date_precision: Precision | None = None
    edge_properties: list[PropertyIn] | None = None
    external_id: str | None = Field(None, description="Unique in the lane: writing it again updates.")
    source: dict[str, Any] | None = None
    kind: str = "note"
    tags: list[str] | None = None
    recorded_at: str | None = None


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

    class Arguments(RecordFields, CallArguments):
        action: Literal["write"]

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return {**_shown(reader, records.write(reader, **_fields(given))), "lane": given.lane}


class WriteMany(Action):
    """Write up to 500 records, each wholly or not at all, with a report for every one."""

    tool, name = TOOL, "write_many"
    effect = "changes"

    class Arguments(CallArguments):
        action: Literal["write_many"]
        records: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MANY)]

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        from pydantic import ValidationError

        from api.errors import invalid_from

        report_of: list[Any] = [None] * len(given.records)
        good: list[tuple[int, dict[str, Any]]] = []
        for index, item in enumerate(given.records):
            try:
                good.append((index, _fields(RecordFields.model_validate(item))))
            except ValidationError as error:
                found = invalid_from(error)
                report_of[index] = report(
                    Invalid(
                        f"records[{index}].{found.detail}",
                        {f"records[{index}].{name}": messages for name, messages in found.errors.items()},
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
        }


class Read(Action):
    """A record with its whole text."""

    tool, name = TOOL, "read"

    class Arguments(CallArguments):
        action: Literal["read"]
        sr_id: SrId

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return {"record": selectors.read(reader, given.sr_id)}


class Update(Action):
    """Change fields of a record; lane moves it. What is not named stays."""

    tool, name = TOOL, "update"
    effect = "changes"

    class Arguments(CallArguments):
        action: Literal["update"]
        sr_id: SrId
        expected_version: int | None = Field(None, description="Refuse when the record has another version.")
        lane: str | None = None
        text: str | None = None
        title: str | None = None
        kind: str | None = None
        occurred_at: str | None = None
        date_precision: Precision | None = None
        source: dict[str, Any] | None = None
        edge_properties: list[PropertyIn] | None = None
        tags: list[str] | None = None

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        fields = only_given(given, "text", "title", "kind", "source", "tags", "occurred_at", "date_precision")
        for name in ("text", "title", "kind"):
            if fields.get(name, "") is None:
                raise Invalid.field(name, "May be left out, but not null.")
        if "edge_properties" in given.model_fields_set:
            fields["edge_properties"] = properties_of(given.edge_properties)
        if not fields and given.lane is None:
            raise Invalid.field("sr_id", "Name at least one field to change.")
        written = records.update(
            reader, sr_id=given.sr_id, expected_version=given.expected_version, lane=given.lane, **fields
        )
        return _shown(reader, written)


class Delete(Action):
    """Delete a record and everything derived from it."""

    tool, name = TOOL, "delete"
    effect = "changes"

    class Arguments(CallArguments):
        action: Literal["delete"]
        sr_id: SrId

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return records.delete(reader, sr_id=given.sr_id)


class Status(Action):
    """How far the ingest of a record is."""

    tool, name = TOOL, "status"

    class Arguments(CallArguments):
        action: Literal["status"]
        sr_id: SrId

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        return ingest.status(reader, given.sr_id)


ACTIONS: list[type[Action]] = [Write, WriteMany, Read, Update, Delete, Status]
