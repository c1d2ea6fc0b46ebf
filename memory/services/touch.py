"""What services on an existing record share: may it be changed, and telling that it was."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from lanes.errors import NotVisible, Refused
from lanes.readers import Reader
from memory import events, sql
from memory.models import sr_id
from memory.selectors.records import Row, resolve_many
from memory.services import held, locks


def writable(reader: Reader, *publics: str) -> list[Row]:
    """Visible records the reader may write; NotVisible or Refused for the first that is not."""
    rows = resolve_many(reader, publics)
    if not all(reader.can_write(row.lane_id) for row in rows):
        raise Refused("You may read this record but not change it.")
    return rows


def lock(rows: Sequence[Row], also: Iterable[int] = (), *, adds: bool = False) -> dict[int, tuple]:
    """Lock resolved records to change them, and others by id; NotVisible when a resolved one was deleted, or moved to
    another lane, since it was resolved; Held when a hold stands over one, unless a connection is all that `adds`."""
    locked = {row[0]: row for row in locks.records([*(row.id for row in rows), *also])}
    if any(row.id not in locked or locked[row.id][1] != row.lane_id for row in rows):
        raise NotVisible()
    if not adds:
        held.refuse(row.id for row in rows)
    return locked


_CHANGED = """
update memory_record r set version = r.version + 1, updated_at = clock_timestamp(),
  changed_by_id = %(user)s::bigint, changed_profile_id = %(profile)s::bigint
from (select id, not %(together)s or count(*) over (partition by lane_id) > 1 as seen
      from memory_record where id = any(%(ids)s)) u
where r.id = u.id and u.seen returning r.id, r.lane_id, r.public_id, r.version
"""


def announce(reader: Reader, record_ids: Iterable[int], keys: Iterable[UUID]) -> None:
    """Give locked records a new version and tell open pages."""
    _announce(reader.tenant_id, reader, record_ids, keys, together=False)


def announce_joined(
    tenant_id: int,
    record_ids: Iterable[int],
    keys: Iterable[UUID],
    *,
    by: Reader | None = None,
    members: Iterable[int] | None = None,
) -> None:
    """What joins these locked records changed; `members` are all it joins, where they are more.

    A version counts what every reader of a record's lane can see. So only records that are joined within their own
    lane have a new one; a record that is the only one of its lane stays as it is, for most who read it see no change.
    Pages that show two members, of whichever lanes, look again.
    """
    ids, touched = set(record_ids), list(keys)
    _announce(tenant_id, by, ids, touched, together=True)
    rows = sql.fetch(
        "select public_id, lane_id from memory_record where id = any(%s) order by lane_id, id",
        (sorted(ids | set(members or ())),),
    )
    if len({lane for _, lane in rows}) > 1:
        events.publish_joined(
            tenant_id=tenant_id, members=[(sr_id(public), lane) for public, lane in rows], keys=touched
        )


def _announce(
    tenant_id: int, by: Reader | None, record_ids: Iterable[int], keys: Iterable[UUID], *, together: bool
) -> None:
    given = {
        "ids": sorted(set(record_ids)), "together": together,
        "user": by.user_id if by else None, "profile": by.profile_id if by else None,
    }  # fmt: skip
    rows, touched = sql.fetch(_CHANGED, given), list(keys)
    for lane_id in sorted({row[1] for row in rows}):
        events.publish(
            tenant_id=tenant_id,
            lane_id=lane_id,
            records=[(sr_id(public), version) for _, lane, public, version in rows if lane == lane_id],
            keys=touched,
            kind="update",
        )
