"""Letting go of found connections that nobody has met again: their strength halves every half life, and the weak go.

Only what discovery stamped is pruned; what a person, an agent or a text asserted is kept, and ended rather than
removed. A record under a hold keeps everything it has.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from memory import sql
from memory.relations.discovery import HINT
from memory.relations.scoring import decayed
from memory.services import connections, held, locks, touch, values

HALF_LIFE = timedelta(days=180)
BELOW = 0.3

_FOUND = """
select key, max(value) as value, coalesce(min(strength), 1), max(coalesce(last_mentioned, created_at)),
  array_agg(record_id order by record_id), array_agg(distinct lane_id)
from memory_edgeproperty
where tenant_id = %(tenant)s and label = 'e_connect' and value like %(like)s and seq = 0
group by key order by key
"""


def prune(
    tenant_id: int,
    *,
    half_life: timedelta = HALF_LIFE,
    below: float = BELOW,
    now: datetime | None = None,
) -> dict[str, Any]:
    """Remove found connections whose decayed strength is under `below`; {looked_at, dropped, held_back}.

    `held_back` counts those that stay because a hold stands over a record they join. Safe to run at any time and as
    often as one likes.
    """
    now = now or timezone.now()
    rows = sql.fetch(_FOUND, {"tenant": tenant_id, "like": f"{HINT}\\_%"}, prepare=False)
    weak = [row for row in rows if decayed(row[2], row[3], now, half_life) < below]
    dropped, held_back = [], 0
    for key, value, _, _, members, lane_ids in weak:
        try:
            if _drop(tenant_id, key, members, lane_ids):
                dropped.append(f"{connections.normal.CONNECT}:{value}")
        except held.Held:
            held_back += 1
    return {"looked_at": len(rows), "dropped": dropped, "held_back": held_back}


def _drop(tenant_id: int, key: Any, members: list[int], lane_ids: list[int]) -> bool:
    with transaction.atomic():
        locks.lanes(lane_ids, alone=True)
        locks.records(members)
        held.refuse(members)
        gone = sql.fetch(
            "delete from memory_edgeproperty where key = %s and tenant_id = %s returning record_id, lane_id",
            (key, tenant_id),
        )
        values.sweep([(lane, key) for _, lane in gone])
        touch.announce_joined(tenant_id, [record for record, _ in gone], [key])
    return bool(gone)
