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


_CHANGED = """
update memory_record r set version = r.version + 1, updated_at = clock_timestamp(),
  changed_by_id = case when u.named then %(user)s::bigint end,
  changed_profile_id = case when u.named then %(profile)s::bigint end
from (select id, not %(together)s or count(*) over (partition by lane_id) > 1 as named
      from memory_record where id = any(%(ids)s)) u
where r.id = u.id returning r.id, r.lane_id, r.public_id, r.version
"""


def announce(
    reader: Reader, record_ids: Iterable[int], keys: Iterable[UUID], *, together: bool = False
) -> dict[int, int]:
    """Give locked records a new version and tell open pages; returns {record id: version}.

    `together` says that the change is what joins the records. Whoever reads only one of them does not see it, so
    nobody is named as having changed a record that is the only one of them in its lane.
    """
    rows = sql.fetch(
        _CHANGED,
        {
            "ids": sorted(set(record_ids)), "user": reader.user_id, "profile": reader.profile_id,
            "together": together,
        },
    )  # fmt: skip
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
