"""Placing and releasing holds. While one stands over a record or its lane, what is there is not changed or deleted.

Services on existing records ask `held` once they have them locked, and say in a sentence why not; the database's
triggers refuse what forgot to ask. New records may come to a held lane and new connections may join what is held: the
matter goes on, what is there stays. What is derived from a text (words, vectors, tags of extractors) is made anew as
ever.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from lanes.errors import Invalid, NotVisible
from lanes.models import Lane, User
from lanes.readers import Reader
from memory import events, normal, sql
from memory.models import Hold, HoldLane, HoldRecord
from memory.selectors.records import resolve_many
from memory.services import connections, drafts, locks

RECORDS_MAX = 500


@locks.retried
def place(
    *,
    tenant_id: int,
    name: str,
    lanes: Sequence[Lane] = (),
    reader: Reader | None = None,
    sr_ids: Sequence[str] = (),
    reason: str = "",
    by: User | None = None,
) -> Hold:
    """Place a hold over lanes of the tenant, and over records that `reader` can see.

    It holds from the moment this returns: changes that were under way have ended by then, later ones find it.
    Raises Invalid naming the field.
    """
    name = normal.check_text(name, "name").strip()
    if not 1 <= len(name) <= 200:
        raise Invalid.field("name", "Use 1 to 200 characters.")
    drafts.bounded(reason, "reason", 2_000)
    publics = list(dict.fromkeys(sr_ids))
    if not lanes and not publics:
        raise Invalid.field("lanes", "Name lanes, or records, that the hold covers.")
    if len(publics) > RECORDS_MAX:
        raise Invalid.field("sr_ids", f"At most {RECORDS_MAX} records; hold their lane instead.")
    if any(lane.tenant_id != tenant_id for lane in lanes):
        raise Invalid.field("lanes", "A lane of another tenant.")
    rows = _resolved(reader, publics)
    with transaction.atomic():
        locks.lanes({*(lane.pk for lane in lanes), *(row.lane_id for row in rows)}, alone=True)
        if {row[0] for row in locks.records(row.id for row in rows)} != {row.id for row in rows}:
            raise Invalid.field("sr_ids", "One of these records was deleted meanwhile.")
        hold = Hold.everything.create(tenant_id=tenant_id, name=name, reason=reason, placed_by=by)
        HoldLane.objects.bulk_create(HoldLane(hold=hold, lane=lane) for lane in lanes)
        HoldRecord.objects.bulk_create(HoldRecord(hold=hold, record_id=row.id) for row in rows)
        events.publish_wholesale(tenant_id=tenant_id, lane_ids=_lanes(hold))
    return hold


def _resolved(reader: Reader | None, publics: Sequence[str]) -> list[Any]:
    if not publics:
        return []
    if reader is None:
        raise Invalid.field("sr_ids", "You may not read records of this tenant.")
    try:
        return resolve_many(reader, publics)
    except NotVisible as error:
        raise Invalid.field("sr_ids", "One of these is no record, or none that you may read.") from error


def release(hold: Hold, *, reason: str = "", by: User | None = None) -> int:
    """Release a hold; returns how many records no hold stands over any more. Released again, it stays as it was."""
    return release_all([hold], reason=reason, by=by)


@locks.retried
def release_all(chosen: Sequence[Hold], *, reason: str = "", by: User | None = None) -> int:
    """The same for several holds, all of them or none."""
    drafts.bounded(reason, "reason", 2_000)
    free = 0
    with transaction.atomic():
        lanes = {lane for hold in chosen for lane in _lanes(hold)}
        locks.lanes(lanes, alone=True)
        for hold in chosen:
            standing = Hold.everything.filter(pk=hold.pk, released_at__isnull=True)
            if not standing.update(released_at=timezone.now(), released_by=by, release_reason=reason):
                continue
            free += sql.fetch(_FREED, {"hold": hold.pk})[0][0]
            connections.drop_dangling([key for (key,) in sql.fetch(_STAMPS, {"hold": hold.pk})])
            # what would have been taken out of default results meanwhile is now
            connections.settle([record for (record,) in sql.fetch(_ADJUSTED, {"hold": hold.pk})])
            events.publish_wholesale(tenant_id=hold.tenant_id, lane_ids=_lanes(hold))
    for hold in chosen:
        hold.refresh_from_db()
    return free


def covers(hold: Hold, lane_ids: Iterable[int]) -> tuple[int, int]:
    """(records in these lanes that the hold covers, those of them that nothing else holds): what a release frees."""
    return sql.fetch(_COVERS, {"hold": hold.pk, "lanes": sorted(lane_ids)})[0]


_COVERED = """
select r.id, r.lane_id from memory_record r
where r.lane_id in (select lane_id from memory_holdlane where hold_id = %(hold)s)
   or r.id in (select record_id from memory_holdrecord where hold_id = %(hold)s)
"""
_OTHERWISE = """
  exists (select 1 from memory_holdlane hl join memory_hold h on h.id = hl.hold_id
          where hl.lane_id = c.lane_id and h.released_at is null and h.id <> %(hold)s)
  or exists (select 1 from memory_holdrecord hr join memory_hold h on h.id = hr.hold_id
             where hr.record_id = c.id and h.released_at is null and h.id <> %(hold)s)
"""
_FREED = f"select count(*) from ({_COVERED}) c where not ({_OTHERWISE})"  # noqa: S608 - our own text
_COVERS = f"""
select count(*), count(*) filter (where not ({_OTHERWISE})) from ({_COVERED}) c where c.lane_id = any(%(lanes)s)
"""  # noqa: S608 - our own text
# Connections whose other members were deleted while the hold kept their stamps on what it covers.
_STAMPS = f"""
select distinct e.key from memory_edgeproperty e join ({_COVERED}) c on c.id = e.record_id
where e.label in ('e_connect', 'e_adjust')
  and not exists (select 1 from memory_edgeproperty o where o.key = e.key and o.record_id <> e.record_id)
"""  # noqa: S608 - our own text

_ADJUSTED = f"""
select distinct c.id from memory_edgeproperty e join ({_COVERED}) c on c.id = e.record_id
where e.label = 'e_adjust' and e.role = 'target'
"""  # noqa: S608 - our own text


def _lanes(hold: Hold) -> set[int]:
    found = sql.fetch(
        "select lane_id from memory_holdlane where hold_id = %(hold)s union "
        "select r.lane_id from memory_holdrecord h join memory_record r on r.id = h.record_id "
        "where h.hold_id = %(hold)s",
        {"hold": hold.pk},
    )
    return {lane for (lane,) in found}
