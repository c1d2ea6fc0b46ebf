"""What makes way for a new connection of a record that holds as many as it may."""

from collections.abc import Mapping
from uuid import UUID

from django.conf import settings

from memory import sql
from memory.services import audience, held


class TooWeak(Exception):
    """A new connection is the weakest of more than a record may hold, or nothing may make way for it."""


_CROWDED = """
select record_id from memory_edgeproperty
where record_id = any(%s) and label = 'e_connect' and seq = 0 and invalidated_at is null
group by record_id having count(*) >= %s
"""
_HELD = """
select e.record_id, e.key, e.value, coalesce(e.strength, 1), e.id, array_agg(o.record_id), array_agg(o.lane_id)
from memory_edgeproperty e
join memory_edgeproperty o on o.key = e.key and o.seq = 0 and o.lane_id = any(%(lanes)s)
where e.record_id = any(%(ids)s) and e.label = 'e_connect' and e.seq = 0 and e.invalidated_at is null
  and e.key <> %(new)s
group by e.id having count(*) > 1
"""


def weakest(lanes: Mapping[int, int], new: UUID, strength: float | None = None) -> dict[UUID, tuple[str, list[int]]]:
    """What makes way for a new connection of records ({id: lane}): {key: (value, the members that lose it)}; TooWeak
    where the new one, of that strength, is weaker than all that would have to. What joins a record under a hold stays.

    Only connections that exactly those see who see the new one are counted and dropped: else the number, or the
    choice, would tell of hidden ones. So a record holds LANEWISE_CONNECTION_CAP for each circle of readers.
    """
    cap = settings.LANEWISE_CONNECTION_CAP
    full = [record for (record,) in sql.fetch(_CROWDED, (sorted(lanes), cap))]
    if not full:
        return {}
    seen_by = audience.of(lanes.values())
    rivals: dict[int, list[tuple]] = {}
    given = {"ids": full, "lanes": sorted(set(lanes.values())), "new": new}
    for record, key, value, worth, age, members, member_lanes in sql.fetch(_HELD, given):
        if audience.of(member_lanes) == seen_by:
            rivals.setdefault(record, []).append((worth, age, key, value, members))
    kept = held.standing(member for found in rivals.values() for *_, members in found for member in members)
    drop: dict[UUID, tuple[str, list[int]]] = {}
    for _, found in sorted(rivals.items()):
        left = [item for item in found if item[2] not in drop]
        excess = max(0, len(left) + 1 - cap)
        free = sorted(item for item in left if kept.isdisjoint(item[-1]))
        if excess and (excess > len(free) or (strength is not None and strength < free[excess - 1][0])):
            raise TooWeak
        drop |= {key: (value, members) for _, _, key, value, members in free[:excess]}
    return drop
