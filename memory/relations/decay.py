"""Letting go of found connections that nobody has met again: their strength halves every half life, and the weak go.

Only what discovery stamped is pruned; what a person, an agent or a text asserted is kept, and ended rather than
removed. A record under a hold keeps everything it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from memory import sql
from memory.relations.discovery import HINT
from memory.relations.scoring import decayed
from memory.services import connections, locks, touch, values

HALF_LIFE = timedelta(days=180)
BELOW = 0.3

Held = Callable[[Sequence[int]], Iterable[int]]

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
    held: Held | None = None,
) -> dict[str, Any]:
    """Remove found connections whose decayed strength is under `below`; {looked_at, dropped, held_back}.

    `held` names those of some records that stand under a hold. Safe to run at any time and as often as one likes.
    """
    now = now or timezone.now()
    rows = sql.fetch(_FOUND, {"tenant": tenant_id, "like": f"{HINT}\\_%"}, prepare=False)
    weak = [row for row in rows if decayed(row[2], row[3], now, half_life) < below]
    kept = set(held(sorted({record for row in weak for record in row[4]}))) if held and weak else set()
    dropped, held_back = [], 0
    for key, value, _, _, members, lane_ids in weak:
        if kept & set(members):
            held_back += 1
            continue
        if _drop(tenant_id, key, members, lane_ids):
            dropped.append(f"{connections.normal.CONNECT}:{value}")
    return {"looked_at": len(rows), "dropped": dropped, "held_back": held_back}


def _drop(tenant_id: int, key: Any, members: list[int], lane_ids: list[int]) -> bool:
    with transaction.atomic():
        locks.lanes(lane_ids, alone=True)
        locks.records(members)
        gone = sql.fetch(
            "delete from memory_edgeproperty where key = %s and tenant_id = %s returning record_id, lane_id",
            (key, tenant_id),
        )
        values.sweep([(lane, key) for _, lane in gone])
        touch.announce_joined(tenant_id, [record for record, _ in gone], [key])
    return bool(gone)
