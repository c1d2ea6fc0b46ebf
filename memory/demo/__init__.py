"""The demo tenant as data, and a generator of any number of records for load work."""

from collections.abc import Iterator
from typing import Any

from memory.demo.cast import LANES
from memory.demo.matters import MATTERS
from memory.demo.shape import Item, LaneSpec, as_import


def items() -> Iterator[tuple[LaneSpec, Item]]:
    """Every record of the demo tenant with its lane, lane by lane."""
    for lane in LANES:
        for item in MATTERS[lane.slug]:
            yield lane, item


def records() -> Iterator[dict[str, Any]]:
    """The same in the import format."""
    for lane, item in items():
        yield as_import(lane, item)
