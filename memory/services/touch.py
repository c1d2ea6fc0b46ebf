"""What services on an existing record share: may it be changed, and telling that it was."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from lanes.errors import NotVisible, Refused
from lanes.readers import Reader
from memory import events, sql
from memory.models import sr_id
from memory.selectors.records import Row, resolve_many
from memory.services import locks


def writable(reader: Reader, *publics: str) -> list[Row]:
    """Visible records the reader may write; NotVisible or Refused for the first that is not."""
    rows = resolve_many(reader, publics)
    if not all(reader.can_write(row.lane_id) for row in rows):
        raise Refused("You may read this record but not change it.")
    return rows


def lock(rows: Sequence[Row]) -> dict[int, tuple]:
    """Lock resolved records; NotVisible when one was deleted, or moved to another lane, since it was resolved."""
    locked = {row[0]: row for row in locks.records([row.id for row in rows])}
    if any(row.id not in locked or locked[row.id][1] != row.lane_id for row in rows):
        raise NotVisible()
    return locked


def announce(reader: Reader, record_ids: Iterable[int], keys: Iterable[UUID]) -> dict[int, int]:
    """Give locked records a new version and tell open pages; returns {record id: version}."""
    rows = sql.fetch(
        "update memory_record set version = version + 1, updated_at = clock_timestamp() where id = any(%s) "
        "returning id, lane_id, public_id, version",
        (sorted(set(record_ids)),),
    )
    touched = list(keys)
    for lane_id in sorted({row[1] for row in rows}):
        events.publish(
            tenant_id=reader.tenant_id,
            lane_id=lane_id,
            records=[(sr_id(public), version) for _, lane, public, version in rows if lane == lane_id],
            keys=touched,
            kind="update",
        )
    return {row[0]: row[3] for row in rows}
