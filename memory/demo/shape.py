"""The words the demo tenant is written in: lanes, people, profiles, walls, records, links.

Plain dataclasses, no Django, so that the data beside this module can be read, tested and turned into the
import format without a database.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

KINDS = (
    "note",
    "call",
    "email",
    "letter",
    "filing",
    "order",
    "contract",
    "memo",
    "minutes",
    "fact",
    "decision",
    "agent_note",
    "entity",
)


@dataclass(frozen=True)
class LaneSpec:
    """A lane, its colour (1 to 8), and the edge properties most of its records carry."""

    slug: str
    name: str
    colour: int
    description: str
    carries: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Person:
    """Someone who can log in. `read` and `write` are lane slugs; "*" is every lane, later ones included."""

    username: str
    name: str
    title: str
    read: tuple[str, ...]
    write: tuple[str, ...] = ()
    manage: tuple[str, ...] = ()
    admin: bool = False


@dataclass(frozen=True)
class Profile:
    """An agent profile; `act_as` names the people who may act as it in the browser."""

    slug: str
    name: str
    read: tuple[str, ...]
    write: tuple[str, ...] = ()
    act_as: tuple[str, ...] = ()


@dataclass(frozen=True)
class WallSpec:
    """Lanes closed to people and profiles, whatever they were granted."""

    name: str
    lanes: tuple[str, ...]
    people: tuple[str, ...]
    profiles: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class HoldSpec:
    """Lanes that stay as they are."""

    name: str
    lanes: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Item:
    """A record before it is written. `when` is ISO: a year, a month, a day, a time with offset, or ""."""

    id: str
    kind: str
    when: str
    title: str
    text: str
    properties: tuple[tuple[str, str], ...]
    by: str | None = None


@dataclass(frozen=True)
class Connection:
    """A typed connection between records, named by their `Item.id`; the first member is the source."""

    members: tuple[str, ...]
    hint: str
    type: str
    directed: bool = True
    strength: float | None = None
    confidence: float | None = None
    reason: str = ""
    attributes: dict[str, Any] | None = None
    valid_from: str | None = None
    invalidated_at: str | None = None


@dataclass(frozen=True)
class Adjustment:
    """`by` corrects, supersedes or retracts `record`."""

    record: str
    by: str
    hint: str
    reason: str


@dataclass(frozen=True)
class Ended:
    """An edge property of one record that stopped being true."""

    record: str
    label: str
    value: str
    at: str
    reason: str


def record(id: str, kind: str, when: str, title: str, text: str, by: str | None = None, **labels: Any) -> Item:
    """An `Item` whose keyword arguments are its labels; a tuple gives one label several values."""
    properties = tuple(
        (label, value)
        for label, given in labels.items()
        for value in ((given,) if isinstance(given, str) else given or ())
    )
    dropped = tuple((label, "") for label, given in labels.items() if given is None)
    return Item(id, kind, when, title, " ".join(text.split()), properties + dropped, by)


def precision(when: str) -> str:
    """'' for no date, else 'year', 'month', 'day' or 'time', from the form of the ISO string."""
    return {0: "", 4: "year", 7: "month", 10: "day"}.get(len(when), "time")


def occurred_at(when: str) -> str | None:
    """The start of the year, month or day as an ISO string; times are passed on; None for no date."""
    return {"": None, "year": f"{when}-01-01", "month": f"{when}-01"}.get(precision(when), when)


def properties(lane: LaneSpec, item: Item) -> Iterator[tuple[str, str]]:
    """What the lane's records carry, then the item's own. A label given as None leaves the lane's out."""
    own = {label for label, _ in item.properties}
    yield from ((label, value) for label, value in lane.carries.items() if label not in own)
    yield from ((label, value) for label, value in item.properties if value)


def as_import(lane: LaneSpec, item: Item) -> dict[str, Any]:
    """The record in the import format (external_id, lane, title, text, occurred_at, edge_properties, …)."""
    return {
        "external_id": item.id,
        "lane": lane.slug,
        "kind": item.kind,
        "title": item.title,
        "text": item.text,
        "occurred_at": occurred_at(item.when),
        "date_precision": precision(item.when),
        "edge_properties": [{"label": label, "value": value} for label, value in properties(lane, item)],
        "source": {"system": "Demo data"},
    }
