"""What a writer hands in, checked and normalised before any table is touched."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any
from uuid import UUID

from django.utils import timezone

from lanes.errors import Invalid
from memory import normal, strict_json, times, words

TEXT_MAX = 2_000_000
TITLE_MAX = 2_000
KIND_MAX = 40
EXTERNAL_ID_MAX = 500
PROPERTIES_MAX = 5_000


@dataclass(frozen=True)
class Property:
    """An edge property to write."""

    label: str
    value: str
    key: UUID
    valid_from: datetime | None = None
    invalidated_at: datetime | None = None
    confidence: float | None = None


@dataclass
class Draft:
    """A record to write. `properties` or `tags` None means: leave those of an existing record as they are."""

    lane_id: int
    text: str = ""
    title: str = ""
    kind: str = "note"
    external_id: str | None = None
    source: dict[str, Any] = field(default_factory=dict)
    occurred_at: datetime | None = None
    date_precision: str = ""
    recorded_at: datetime | None = None
    properties: list[Property] | None = None
    tags: list[str] | None = None

    @cached_property
    def words(self) -> tuple[str, int]:
        """The full-text vector of title and text, and how many lexemes it holds."""
        return words.vector(self.title, self.text)


def split_term(text: str, where: str) -> tuple[str, str]:
    """("client", "Acme") for "client:Acme"; Invalid when there is no label before the colon."""
    label, colon, value = text.partition(":")
    if not colon:
        raise Invalid.field(where, "Write label:value.")
    return label, value


def property_from(raw: str | Mapping[str, Any], where: str, *, reserved: bool = False) -> Property:
    """One edge property from {"label", "value", …} or "label:value"; reserved labels are refused."""
    item = dict(zip(("label", "value"), split_term(raw, where), strict=True)) if isinstance(raw, str) else dict(raw)
    inside = f"{where}." if where else ""
    for name in ("label", "value"):
        if not isinstance(item.get(name), str):
            raise Invalid.field(f"{inside}{name}", "Required, and must be a string.")
    label = normal.label(item["label"], f"{inside}label")
    if label.startswith(normal.RESERVED_PREFIX) and not reserved:
        raise Invalid.field(f"{inside}label", f'The label "{label}" is reserved.')
    value = normal.value(item["value"], f"{inside}value")
    begins, ends = _time(item, "valid_from", where), _time(item, "invalidated_at", where)
    if begins and ends and ends <= begins:
        raise Invalid.field(f"{where}.invalidated_at", "Must be later than valid_from: it would never hold.")
    confidence = item.get("confidence")
    if confidence is not None:
        if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
            raise Invalid.field(f"{where}.confidence", "A number from 0 to 1.")
        confidence = float(confidence)  # rows go to the database in arrays of one type
    return Property(label, value, normal.edge_key(label, value), begins, ends, confidence)


def _time(item: Mapping[str, Any], name: str, where: str) -> datetime | None:
    raw = item.get(name)
    if raw is None or isinstance(raw, datetime):
        return raw
    if not isinstance(raw, str):
        raise Invalid.field(f"{where}.{name}", "A time, written as a string.")
    if name == "invalidated_at" and times.end_of(raw, f"{where}.{name}") is None:
        return None
    return times.parse(raw, f"{where}.{name}")[0]


def properties_from(raw: Iterable[str | Mapping[str, Any]] | None, where: str) -> list[Property] | None:
    """Edge properties in the order given, the same one once."""
    if raw is None:
        return None
    items = list(raw)
    if len(items) > PROPERTIES_MAX:
        raise Invalid.field(where, f"At most {PROPERTIES_MAX} edge properties.")
    found: dict[UUID, Property] = {}
    for index, item in enumerate(items):
        made = property_from(item, f"{where}[{index}]")
        found.setdefault(made.key, made)
    return list(found.values())


def bounded(text: str, name: str, limit: int) -> str:
    """A text that Postgres can store and that is not longer than it may be."""
    if len(text) > limit:
        raise Invalid.field(name, f"At most {limit:,} characters; this has {len(text):,}.")
    return normal.check_text(text, name)


def draft(
    *,
    lane_id: int,
    text: str = "",
    title: str = "",
    kind: str = "note",
    external_id: str | None = None,
    source: dict[str, Any] | None = None,
    occurred_at: str | None = None,
    date_precision: str | None = None,
    recorded_at: str | None = None,
    edge_properties: Iterable[str | Mapping[str, Any]] | None = None,
    tags: Iterable[str] | None = None,
    where: str = "",
) -> Draft:
    """A checked draft; `where` prefixes the field names in errors (`items[3].`)."""
    if not text.strip() and not title.strip():
        raise Invalid.field(f"{where}text", "A record needs a text or a title.")
    kind = bounded(kind, f"{where}kind", KIND_MAX).strip().lower() or "note"
    if external_id is not None:
        external_id = bounded(external_id, f"{where}external_id", EXTERNAL_ID_MAX)
        if not external_id.strip():
            raise Invalid.field(f"{where}external_id", "May not be empty; leave it out.")
    strict_json.check(source or {}, f"{where}source")
    when, precision = event_time(occurred_at, date_precision, where)
    return Draft(
        lane_id=lane_id,
        text=bounded(text, f"{where}text", TEXT_MAX),
        title=bounded(title, f"{where}title", TITLE_MAX),
        kind=kind,
        external_id=external_id,
        source=source or {},
        occurred_at=when,
        date_precision=precision,
        recorded_at=_recorded(recorded_at, f"{where}recorded_at") if recorded_at else None,
        properties=properties_from(edge_properties, f"{where}edge_properties"),
        tags=tags_from(tags, f"{where}tags"),
    )


def event_time(occurred_at: str | None, precision: str | None, where: str = "") -> tuple[datetime | None, str]:
    """When it happened and how exactly that is known. A stated precision may only be coarser than the writing."""
    if occurred_at is None:
        if precision:
            raise Invalid.field(f"{where}date_precision", "There is no occurred_at that it could describe.")
        return None, ""
    when, written = times.parse(occurred_at, f"{where}occurred_at")
    if not precision or precision == written:
        return when, written
    order = ("year", "month", "day", "time")
    if precision not in order:
        raise Invalid.field(f"{where}date_precision", f"One of {', '.join(order)}.")
    if order.index(precision) > order.index(written):
        raise Invalid.field(f"{where}date_precision", f"occurred_at is only known to the {written}.")
    if written == "time":  # the day it was where it was written, not the day it was in UTC
        when = datetime.fromisoformat(occurred_at.strip()).replace(tzinfo=UTC)
    day = when.replace(hour=0, minute=0, second=0, microsecond=0)
    start = {"day": day, "month": day.replace(day=1), "year": day.replace(month=1, day=1)}[precision]
    return start, precision


def tags_from(raw: Iterable[str] | None, where: str) -> list[str] | None:
    """The writer's own tags, each once."""
    if raw is None:
        return None
    return list(dict.fromkeys(normal.value(item, f"{where}[{index}]") for index, item in enumerate(raw)))


def _recorded(given: str, field_name: str) -> datetime:
    """When a record was made elsewhere: at most a day from now, as clocks and zones differ."""
    at = times.parse(given, field_name)[0]
    if at > timezone.now() + timedelta(days=1):
        raise Invalid.field(field_name, "That is in the future: name when it was recorded.")
    return at
