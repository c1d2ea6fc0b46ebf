"""The job queue as ingest uses it: deferring in the writing transaction, and taking many small jobs at once.

Jobs are procrastinate's. Everything here runs on Django's own connection, so a job that is deferred in a transaction
exists exactly when that transaction commits, in a web process and in a worker alike.

A record's job may be *leased* by a worker that is busy with another one, so that texts go through the embedder in
batches: its start is put off while the lease holds and it is deleted in the transaction that stores the record's
results. A worker that dies leaves the lease to be released (`release_orphans`), and nothing is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memory import sql

QUEUE = "ingest"
FIRST, LATER, SEEK = "memory.ingest.first", "memory.ingest.later", "memory.ingest.seek"
POLICIES = "memory.ingest.policies"
# Known values of records anew, and mentions of a tenant's new controlled values.
AGAIN, VOCABULARY = "memory.ingest.known_values", "memory.ingest.vocabulary"
# What makes a record findable comes before what makes it richer.
PRIORITY = {FIRST: 0, SEEK: -10, AGAIN: -10, VOCABULARY: -10, LATER: -20, POLICIES: -30}
RECORDS_A_JOB = 64
SMALL = 8  # records of a job that is taken along by the worker of another one
LEASE_SECONDS = 600

_DEFER = """
select procrastinate_defer_jobs_v1(array_agg(
  row(%s, %s, %s, null, null, args::jsonb, now() + make_interval(secs => %s))::procrastinate_job_to_defer_v1))
from unnest(%s::text[]) args
"""


def enqueue(record_ids: Sequence[int]) -> None:
    """Defer the ingest of these records; nothing is deferred when the transaction is rolled back."""
    defer(FIRST, record_ids)


def defer(task: str, record_ids: Iterable[int]) -> None:
    """One job for every 64 records."""
    ids = sorted(set(record_ids))
    chunks = [ids[i : i + RECORDS_A_JOB] for i in range(0, len(ids), RECORDS_A_JOB)]
    if chunks:
        _defer(task, [{"record_ids": chunk} for chunk in chunks])


def _defer(task: str, arguments: list[dict], delay: float = 0) -> None:
    sql.fetch(_DEFER, (QUEUE, task, PRIORITY[task], float(delay), [json.dumps(a) for a in arguments]))


def defer_seek(lane_ids: Iterable[int], delay: float = 2) -> None:
    """A search for mentions of each lane's new values, at most one waiting for each lane.

    The delay lets records that are being stored right now become visible to it.
    """
    for lane_id in sorted(set(lane_ids)):
        sql.execute(
            "insert into procrastinate_jobs "
            "(queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at) "
            "values (%s, %s, %s, %s, %s, jsonb_build_object('lane_id', %s::int), now() + make_interval(secs => %s)) "
            "on conflict (queueing_lock) where status = 'todo' do nothing",
            (QUEUE, SEEK, PRIORITY[SEEK], f"seek:{lane_id}", f"seek:{lane_id}", lane_id, float(delay)),
        )


def defer_vocabulary(tenant_id: int, delay: float = 2, **further: int) -> None:
    """A search for mentions of a tenant's new controlled values, at most one waiting; `further` says how far an
    earlier part of it came."""
    sql.execute(
        "insert into procrastinate_jobs (queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at) "
        "values (%s, %s, %s, %s, %s, %s::jsonb, now() + make_interval(secs => %s)) "
        "on conflict (queueing_lock) where status = 'todo' do nothing",
        (
            QUEUE, VOCABULARY, PRIORITY[VOCABULARY], f"vocabulary:{tenant_id}", f"vocabulary:{tenant_id}",
            json.dumps({"tenant_id": tenant_id, **further}), float(delay),
        ),
    )  # fmt: skip


class Leased(NamedTuple):
    """A job taken along by the worker of another one."""

    job_id: int
    record_ids: list[int]


def lease(task: str, leader: int, limit: int, most: int = SMALL) -> list[Leased]:
    """Up to `limit` untried jobs of a task that are due, of at most `most` records each, put off for everyone else.

    `leader` is the job whose worker takes them: while it runs, the lease stands.
    """
    rows = sql.fetch(
        "update procrastinate_jobs set scheduled_at = now() + make_interval(secs => %s), "
        "queueing_lock = 'leased:' || %s || ':' || id "
        "where id in (select id from procrastinate_jobs where status = 'todo' and queue_name = %s and task_name = %s "
        "  and priority = %s and attempts = 0 and (scheduled_at is null or scheduled_at <= now()) "
        "  and jsonb_array_length(args->'record_ids') <= %s "
        "  order by priority desc, id limit %s for update skip locked) returning id, args",
        (float(LEASE_SECONDS), str(leader), QUEUE, task, PRIORITY[task], most, limit),
    )
    return [Leased(job, args["record_ids"]) for job, args in rows]


def finish(jobs: Iterable[int]) -> None:
    """Delete leased jobs whose records are done. Called in the transaction that stores their results."""
    ids = sorted(set(jobs))
    if ids:
        sql.execute("delete from procrastinate_jobs where id = any(%s) and status = 'todo'", (ids,))


def release(jobs: Iterable[int]) -> None:
    """Give leased jobs back, to be run by themselves: they are not leased again."""
    ids = sorted(set(jobs))
    if ids:
        sql.execute(
            "update procrastinate_jobs set scheduled_at = null, queueing_lock = null, priority = priority - 1 "
            "where id = any(%s) and status = 'todo'",
            (ids,),
        )


def release_orphans() -> int:
    """Release the leases whose leader is not running (any more); returns how many."""
    return sql.execute(
        "update procrastinate_jobs j set scheduled_at = null, queueing_lock = null "
        "where j.status = 'todo' and j.queueing_lock like 'leased:%%' and not exists (select 1 "
        "from procrastinate_jobs l where l.id = split_part(j.queueing_lock, ':', 2)::bigint and l.status = 'doing')"
    )


def hasten() -> int:
    """Make jobs that wait for another try due now; returns how many."""
    return sql.execute(
        "update procrastinate_jobs set scheduled_at = null where status = 'todo' and queue_name = %s "
        "and scheduled_at > now() and (queueing_lock is null or queueing_lock not like 'leased:%%')",
        (QUEUE,),
    )


def waiting() -> dict[str, int]:
    """Jobs of every queue by state: due, put off (leased or to be tried again), running.

    Jobs other parts of the product have put off to a later hour are not counted.
    """
    rows = sql.fetch(
        "select case when status = 'doing' then 'running' when scheduled_at > now() then 'put_off' else 'due' end, "
        "count(*) from procrastinate_jobs where status in ('todo', 'doing') "
        "and (queue_name = %s or status = 'doing' or scheduled_at is null or scheduled_at <= now()) group by 1",
        (QUEUE,),
    )
    return {"due": 0, "put_off": 0, "running": 0, **dict(rows)}
