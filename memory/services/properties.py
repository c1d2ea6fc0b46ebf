"""A record's own edge properties: add, remove, list."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from lanes.errors import Invalid
from lanes.readers import Reader
from memory import sql
from memory.gather.scope import Scope
from memory.ingest import queue
from memory.selectors.properties import details
from memory.selectors.records import resolve
from memory.services import drafts, locks, stamps, touch, values

Raw = Sequence[str | Mapping[str, Any]]


@locks.retried
def add(reader: Reader, *, sr_id: str, edge_properties: Raw) -> dict[str, Any]:
    """Add properties to a record. Those it has already are reported, not doubled; none is taken away."""
    wanted = drafts.properties_from(edge_properties, "edge_properties") or []
    (row,) = touch.writable(reader, sr_id)
    with transaction.atomic():
        locks.lanes([row.lane_id])
        touch.lock([row])
        items = list(
            {item.key: item for item in values.apply_aliases([(row.lane_id, item) for item in wanted])}.values()
        )
        ended = stamps.reopen([row.id], [item.key for item in items])
        items = [_after(item, ended.get((row.id, item.key))) for item in items]
        current = "select key from memory_edgeproperty where record_id = %s and seq = 0"
        held = {key for (key,) in sql.fetch(current, (row.id,))}
        new = [item for item in items if item.key not in held]
        skipped = set(stamps.beyond_budget(stamps.walked(row.id), len(new)))
        stamps.insert(reader, [(row.id, row.lane_id, item) for item in new], skipped)
        if new:
            touch.announce(reader, [row.id], [item.key for item in new])
            queue.enqueue([row.id])
    return {
        "sr_id": sr_id,
        "added": [_named(item) for index, item in enumerate(new) if index not in skipped],
        "present": [_named(item) for item in items if item.key in held],
        "skipped": [_named(new[index]) for index in sorted(skipped)],
        "hint": stamps.hint(skipped=len(skipped)),
    }


@locks.retried
def remove(reader: Reader, *, sr_id: str, edge_properties: Raw) -> dict[str, Any]:
    """Delete properties of a record, their history included. Those it does not have are reported."""
    wanted = drafts.properties_from(edge_properties, "edge_properties") or []
    (row,) = touch.writable(reader, sr_id)
    with transaction.atomic():
        locks.lanes([row.lane_id], alone=True)
        touch.lock([row])
        items = list(
            {item.key: item for item in values.apply_aliases([(row.lane_id, item) for item in wanted])}.values()
        )
        gone = {
            key
            for (key,) in sql.fetch(
                "delete from memory_edgeproperty where record_id = %s and key = any(%s) returning key",
                (row.id, [item.key for item in items]),
            )
        }
        if gone:
            stamps.walk_skipped(row.id)
            values.sweep((row.lane_id, key) for key in gone)
            touch.announce(reader, [row.id], gone)
            queue.enqueue([row.id])
    return {
        "sr_id": sr_id,
        "removed": [_named(item) for item in items if item.key in gone],
        "absent": [_named(item) for item in items if item.key not in gone],
    }


def listed(reader: Reader, *, sr_id: str, scope: Scope) -> dict[str, Any]:
    """The record's properties that hold in the scope, in the order they were written; the engine's stamps where
    visible."""
    row = resolve(reader, sr_id)
    return {"sr_id": sr_id, "edge_properties": details(reader, row.id, scope)}


def _after(item: drafts.Property, ended: datetime | None) -> drafts.Property:
    """A property that had ended begins anew: now, or when its writer says, but not before it had ended."""
    if ended is None:
        return item
    begins = item.valid_from or timezone.now()
    if begins < ended:
        raise Invalid.field("edge_properties", f"{item.label}: {item.value} was valid until {ended.isoformat()}.")
    return replace(item, valid_from=begins)


def _named(item: drafts.Property) -> dict[str, str]:
    return {"label": item.label, "value": item.value}
