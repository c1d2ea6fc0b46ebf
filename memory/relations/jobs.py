"""Jobs on the graph after ingest: taking in what a text states, and joining what reads alike.

They run in transactions of their own, which lock lanes before records like every writer.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from lanes.models import Lane
from lanes.readers import LaneInfo, Reader
from memory import sql
from memory.ingest import queue
from memory.models import sr_id
from memory.relations import discovery, policy
from memory.relations.findings import Entity, Findings, Relation
from memory.services import locks

logger = logging.getLogger(__name__)
TASK = "memory.relations.take_in"
PRIORITY = -30
RECORDS_A_JOB = 64


def defer(record_ids: Iterable[int]) -> None:
    """Take these records' relations into the graph when the current transaction has committed."""
    ids = sorted(set(record_ids))
    for start in range(0, len(ids), RECORDS_A_JOB):
        take_in.configure(priority=PRIORITY).defer(record_ids=ids[start : start + RECORDS_A_JOB])


@app.task(name=TASK, queue=queue.QUEUE, retry=RetryStrategy(max_attempts=5, exponential_wait=5))
def take_in(record_ids: list[int]) -> None:
    """What the lanes' policies allow of: relations into the graph, connections by vector."""
    rows = sql.fetch(
        "select id, tenant_id, lane_id, public_id, kind, at from memory_record where id = any(%s) "
        "and superseded_at is null order by id",
        (record_ids,),
    )
    for record, tenant, lane, public_id, kind, at in rows:
        allowed = policy.of_lane(tenant, lane)
        if allowed.relations:
            _relations(_lane_reader(tenant, lane), record, sr_id(public_id), at)
        if allowed.discovery and kind != "entity":
            discovery.discover(_lane_reader(tenant, lane), [record])


def _lane_reader(tenant_id: int, lane_id: int) -> Reader:
    """Whoever works in a lane on the lane's own behalf: reads and writes it, and nothing else."""
    lane = Lane.objects.select_related("tenant").get(pk=lane_id, tenant_id=tenant_id)
    info = LaneInfo(lane.pk, lane.slug, lane.name, lane.colour)
    return Reader(tenant_id, lane.tenant.slug, (lane.pk,), (lane.pk,), (), {lane.pk: info})


_WAITING = """
select id, data from memory_tag where record_id = %s and extractor = 'relations' and not data ? 'taken'
order by id for update
"""


def _relations(reader: Reader, record: int, public: str, at: datetime) -> None:
    from memory.relations.remember import remember

    with transaction.atomic():
        locks.lanes(reader.writable)
        if not locks.records([record]):
            return
        rows = sql.fetch(_WAITING, (record,))
        if not rows:
            return
        remember(
            reader,
            text="",
            lane=reader.lanes[reader.writable[0]].slug,
            source=public,
            written_at=at,
            findings=findings_of([data for _, data in rows]),
        )
        sql.execute(
            "update memory_tag set data = data || %s::jsonb where id = any(%s)",
            (json.dumps({"taken": True}), [tag for tag, _ in rows]),
        )


def findings_of(items: list[dict[str, Any]]) -> Findings:
    """Findings from what the tags of a record hold."""
    found = Findings()
    for data in items:
        for end in ("source", "target"):
            if found.entity(data[end]) is None:
                found.entities.append(
                    Entity(data[end], data.get(f"{end}_type") or "thing", data.get(f"{end}_attributes") or {})
                )
        since = data.get("since")
        relation = Relation(
            data["source"],
            data["type"],
            data["target"],
            data.get("confidence", 0.8),
            tuple(sorted((data.get("attributes") or {}).items())),
            datetime.fromisoformat(since) if since else None,
        )
        (found.ended if data.get("ended") else found.relations).append(relation)
    return found
