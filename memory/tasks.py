"""What workers run. Procrastinate finds this module by its name and runs the tasks by theirs."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from procrastinate import BaseRetryStrategy, RetryDecision, RetryStrategy
from procrastinate.contrib.django import app
from procrastinate.exceptions import JobAborted

from memory import sql
from memory.find import frequencies
from memory.ingest import failures, pace, pipeline, policies, queue, seek, upkeep, vocabulary

logger = logging.getLogger(__name__)


class NotDone(RuntimeError):
    """Some records of a job are to be tried again."""


class BackOff(BaseRetryStrategy):
    """5 s, 20 s, 80 s, 320 s… between tries, at most an hour. Which records are given up is counted with them."""

    def get_retry_decision(self, *, exception: BaseException, job) -> RetryDecision:
        return RetryDecision(retry_in={"seconds": min(5 * 4 ** min(job.attempts, 6), 3600)})


@app.task(name=queue.FIRST, queue=queue.QUEUE, pass_context=True, retry=BackOff())
def first(context, record_ids: list[int]) -> None:
    """Windows, vectors, tags and known values of these records (and of those waiting behind them)."""
    _run(pipeline.FIRST, context, record_ids)


@app.task(name=queue.LATER, queue=queue.QUEUE, pass_context=True, retry=BackOff())
def later(context, record_ids: list[int]) -> None:
    """What makes records richer once they are findable."""
    _run(pipeline.LATER, context, record_ids)


def _run(phase: pipeline.Phase, context, record_ids: list[int]) -> None:
    """Work on these records, and on what waits behind them; stop where the worker is told to."""
    # While a slow phase or a very long text is in work, what is to become findable goes first.
    try:
        with pace.job(context.should_abort, lambda: _let_pass(context.job), slow=phase is pipeline.LATER):
            _work(phase, context.job, record_ids)
    except pace.Stopping:
        raise JobAborted from None


def _work(phase: pipeline.Phase, job, record_ids: list[int]) -> None:
    wanted = record_ids
    if job.attempts:
        # It failed before, or its worker died: by itself and one by one, so that it takes no other record along,
        # and counted beforehand, so that a record that kills workers is given up too.
        outcome = pipeline.Outcome()
        for record in failures.begin(record_ids, phase):
            one = pipeline.run(phase, [record])
            outcome.done |= one.done
            outcome.failed |= one.failed
            outcome.partly |= one.partly
            outcome.slow |= one.slow
    else:
        room = phase.at_once - len(record_ids)
        leased = queue.lease(phase.task, job.id, room) if room > 0 else []
        wanted = [*record_ids, *(record for item in leased for record in item.record_ids)]
        outcome = _with_leased(phase, wanted, leased)
    retry = failures.record(outcome.failed, phase, counted=bool(job.attempts), given_up=outcome.slow)
    if phase is pipeline.LATER and outcome.partly - retry:
        # Given up with what there is: the policies go by that.
        _defer_policies(outcome.partly - retry)
    if phase is pipeline.FIRST:
        _seek_new_values(wanted)
    if retry & set(record_ids):
        raise NotDone(f"{len(retry)} of {len(record_ids)} records failed and will be tried again")


def _with_leased(phase: pipeline.Phase, wanted: list[int], leased: list[queue.Leased]) -> pipeline.Outcome:
    """Work on records, those of leased jobs among them; each of these jobs ends with its records or is given back."""
    theirs = {item.job_id: set(item.record_ids) for item in leased}
    outcome = pipeline.Outcome()

    def on_store(done: set[int]) -> None:
        queue.finish(job_id for job_id, ids in theirs.items() if ids <= done)

    try:
        outcome = pipeline.run(phase, wanted, on_store)
        return outcome
    finally:
        ended = outcome.done | outcome.slow
        queue.finish(job_id for job_id, ids in theirs.items() if ids <= ended)
        queue.release(job_id for job_id, ids in theirs.items() if not ids <= ended)


def _let_pass(job) -> None:
    """The first phase of records that wait behind a slow job."""
    while leased := queue.lease(queue.FIRST, job.id, pipeline.FIRST.at_once, most=queue.RECORDS_A_JOB):
        wanted = [record for item in leased for record in item.record_ids]
        outcome = _with_leased(pipeline.FIRST, wanted, leased)
        failures.record(outcome.failed, pipeline.FIRST, counted=False, given_up=outcome.slow)
        _seek_new_values(wanted)


def _defer_policies(record_ids: set[int]) -> None:
    with transaction.atomic():
        policies.defer(sql.fetch("select id, lane_id from memory_record where id = any(%s)", (sorted(record_ids),)))


def _seek_new_values(record_ids: list[int]) -> None:
    lanes = sql.fetch("select distinct lane_id from memory_record where id = any(%s)", (record_ids,))
    seek.schedule([row[0] for row in lanes])


@app.task(name=queue.SEEK, queue=queue.QUEUE, retry=BackOff())
def seek_lane(lane_id: int) -> None:
    """Mentions of a lane's new values in its earlier records."""
    seek.seek(lane_id)


@app.task(name=queue.VOCABULARY, queue=queue.QUEUE, retry=BackOff())
def seek_vocabulary(tenant_id: int, after: int = 0, through: int | None = None) -> None:
    """Mentions of a tenant's new controlled values in its earlier records."""
    vocabulary.search(tenant_id, after, through)


@app.task(name=queue.AGAIN, queue=queue.QUEUE, retry=BackOff())
def known_values_again(record_ids: list[int]) -> None:
    """Mentions of known values in these records, looked up anew."""
    seek.again(record_ids)


@app.task(name=queue.POLICIES, queue=queue.QUEUE, retry=RetryStrategy(max_attempts=5, exponential_wait=5))
def apply_policies(record_ids: list[int]) -> None:
    """Edge properties and connections from what was derived, in lanes whose policy says so."""
    policies.apply(record_ids)


@app.periodic(cron="* * * * *", periodic_id="ingest")
@app.task(name="memory.ingest.upkeep", queue=queue.QUEUE, queueing_lock="upkeep", priority=10)
def keep_up(timestamp: int) -> None:
    """Every minute: jobs of workers that died, records without a job, lanes with values not yet sought."""
    upkeep.run()
    with transaction.atomic():
        old = timezone.now() - timedelta(days=settings.LANEWISE_INGEST_KEEP_DAYS)
        sql.execute("delete from memory_ingestbatch where at < %s", (old,))


@app.periodic(cron="*/5 * * * *", periodic_id="words")
@app.task(name="memory.find.count_words", queue=queue.QUEUE, queueing_lock="count_words")
def count_words(timestamp: int) -> None:
    """Every five minutes: count the words of lanes that have changed noticeably since they were counted."""
    frequencies.refresh_stale()
