"""What no single job can see to: dead workers' jobs, records without a job, values not yet sought."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db import transaction

from memory import sql
from memory.ingest import queue, seek, vocabulary

logger = logging.getLogger(__name__)

STALLED_SECONDS = 30

# A job is stalled when its worker has sent no heartbeat for half a minute, or is not known any more.
_STALLED = """
select j.id from procrastinate_jobs j left join procrastinate_workers w on w.id = j.worker_id
where j.status = 'doing' and (w.id is null or w.last_heartbeat < now() - make_interval(secs => %s))
order by j.id for update of j skip locked
"""


def run(stalled_seconds: float = STALLED_SECONDS) -> dict[str, int]:
    """Put everything that was left lying back into the queue; returns what was found, by kind."""
    found = {
        "stalled": recover_stalled(stalled_seconds),
        "released": queue.release_orphans(),
        "orphans": defer_orphans(),
    }
    seek.schedule([row[0] for row in sql.fetch("select distinct lane_id from memory_lanevalue where not sought")])
    vocabulary.schedule()
    if any(found.values()):
        logger.warning("ingest upkeep: %s", found)
    return found


def recover_stalled(stalled_seconds: float = STALLED_SECONDS) -> int:
    """Jobs of workers that are gone go back into the queue and count as tried once more."""
    with transaction.atomic():
        jobs = [row[0] for row in sql.fetch(_STALLED, (float(stalled_seconds),))]
        for job in jobs:
            sql.fetch("select procrastinate_retry_job_v2(%s, now(), null, null, null)", (job,))
    return len(jobs)


def defer_orphans() -> int:
    """Records that are behind although no job of theirs can be waiting: defer them again.

    Jobs are deferred with the record, so there should be none; whoever restores a backup or clears the queue makes
    some. Only an empty queue proves that a record has no job, so only then is anything done.
    """
    waiting = sql.fetch(
        "select 1 from procrastinate_jobs where queue_name = %s and status in ('todo', 'doing') "
        "and task_name = any(%s) limit 1",
        (queue.QUEUE, [queue.FIRST, queue.LATER]),
    )
    if waiting:
        return 0
    with transaction.atomic():
        first = sql.fetch(
            "select id from memory_record where ingested_version <> version and ingest_attempts < %s "
            "order by id limit 10000",
            (settings.LANEWISE_INGEST_ATTEMPTS,),
        )
        queue.defer(queue.FIRST, [row[0] for row in first])
    return len(first)
