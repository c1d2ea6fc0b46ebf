"""One batch of records through the steps: read, work, store.

Reading and working hold no locks. Storing is one transaction: it locks the records, drops the results of those that
changed, moved or were deleted meanwhile, replaces the derived rows of the others and marks their version as done. So
a batch can be cut off at any point, or run twice, and the tables look as if it had run once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.db import InterfaceError, InternalError, OperationalError, ProgrammingError, transaction

from memory import events, sql
from memory.ingest import policies, queue
from memory.ingest.errors import Unavailable
from memory.ingest.pace import TooSlow
from memory.ingest.steps import Batch, Item, Step, Store, load
from memory.models import IngestBatch, sr_id

logger = logging.getLogger(__name__)

BATCH_CHARACTERS = 120_000
# Nothing is embedded while the last batch is stored, so the last of several is small.
LAST_RECORDS = 16
_ERROR_LENGTH = 500
# A database that is restarting, out of locks or a migration behind: no record is at fault.
_NOT_THE_RECORDS = (OperationalError, ProgrammingError, InterfaceError, InternalError)


@dataclass(frozen=True, slots=True)
class Phase:
    """A set of steps and the column that says for which version of a record they are done.

    A worker takes `at_once` records in batches of `batch`: several of the first phase, so that one is stored while the
    next is embedded; few of the later one, which is slow and should not hold up what is to become findable.
    """

    name: str
    task: str
    column: str
    setting: str
    batch: int
    at_once: int

    def steps(self) -> list[Step]:
        return load(getattr(settings, self.setting))


FIRST = Phase("first", queue.FIRST, "ingested_version", "LANEWISE_INGEST_STEPS", batch=128, at_once=256)
LATER = Phase("later", queue.LATER, "enriched_version", "LANEWISE_INGEST_LATER_STEPS", batch=64, at_once=64)
PHASES = {phase.task: phase for phase in (FIRST, LATER)}


@dataclass(slots=True)
class Outcome:
    """Which records are in place now (or gone), and why the others are not. `partly`: those of the failed whose
    results are in place as far as they go; `slow`: those that took too long, which another try would not change."""

    done: set[int] = field(default_factory=set)
    failed: dict[int, str] = field(default_factory=dict)
    partly: set[int] = field(default_factory=set)
    slow: set[int] = field(default_factory=set)


def run(phase: Phase, record_ids: Sequence[int], on_store: Callable[[set[int]], None] | None = None) -> Outcome:
    """Bring these records up to date in one phase.

    `on_store(done)` is called inside each storing transaction. A record that changes while it is worked on is read
    and worked on again, up to three times; after that the job of its newest version will do it.
    """
    outcome = Outcome()
    steps = phase.steps()
    left = list(dict.fromkeys(record_ids))
    for _ in range(3):
        lengths = _pending(phase, left)
        outcome.done |= set(left) - lengths.keys()
        stale: set[int] = set()
        # One batch ahead: while a batch is stored, the embedder is at the next one already.
        ahead: _Prepared | None = None
        for chunk in _chunks(lengths, phase.batch):
            ready, ahead = ahead, _prepare(steps, chunk)
            if ready is not None:
                stale |= _settle(phase, steps, ready, outcome, on_store)
        if ahead is not None:
            stale |= _settle(phase, steps, ahead, outcome, on_store)
        left = sorted(stale)
        if not left:
            break
    return outcome


def _pending(phase: Phase, record_ids: Sequence[int]) -> dict[int, int]:
    """{record id: characters} of those that exist and are not up to date."""
    return dict(
        sql.fetch(
            f"select id, length(text) from memory_record where id = any(%s) and {phase.column} <> version",  # noqa: S608
            (list(record_ids),),
        )
    )


def _chunks(lengths: dict[int, int], most: int) -> list[list[int]]:
    chunks: list[list[int]] = []
    size = 0
    for record, length in sorted(lengths.items()):
        if not chunks or len(chunks[-1]) >= most or size + length > BATCH_CHARACTERS:
            chunks.append([])
            size = 0
        chunks[-1].append(record)
        size += length
    if len(chunks) > 1 and len(chunks[-1]) > LAST_RECORDS:
        chunks[-1:] = [chunks[-1][:-LAST_RECORDS], chunks[-1][-LAST_RECORDS:]]
    return chunks


def _read(record_ids: Sequence[int]) -> list[Item]:
    return [
        Item(*row)
        for row in sql.fetch(
            "select id, tenant_id, lane_id, public_id, version, title, text, at from memory_record "
            "where id = any(%s) order by id",
            (list(record_ids),),
        )
    ]


@dataclass(slots=True)
class _Prepared:
    """A batch that was read and worked on, not stored yet; or what went wrong with it."""

    record_ids: Sequence[int]
    batch: Batch = field(default_factory=lambda: Batch([]))
    stores: list[tuple[str, Store]] = field(default_factory=list)
    spent: dict[str, float] = field(default_factory=dict)
    error: Exception | None = None


def _prepare(steps: Sequence[Step], record_ids: Sequence[int]) -> _Prepared:
    made = _Prepared(record_ids, Batch(_read(record_ids)))
    try:
        for step in steps if made.batch.items else ():
            start = time.perf_counter()
            made.stores.append((step.name, step.run(made.batch)))
            made.spent[step.name] = round(time.perf_counter() - start, 4)
    except Exception as error:  # dealt with in turn, when the batch is settled
        made.error = error
    return made


def _settle(
    phase: Phase,
    steps: Sequence[Step],
    made: _Prepared,
    outcome: Outcome,
    on_store: Callable[[set[int]], None] | None,
) -> set[int]:
    """Store one batch, halving it when it fails, so that one bad record costs itself only. Returns stale ones."""
    batch = made.batch
    if not batch.items:
        return set()
    try:
        if made.error is not None:
            raise made.error
        return _store(phase, made, outcome, on_store)
    except (Unavailable, *_NOT_THE_RECORDS) as error:
        outcome.failed |= dict.fromkeys((item.record_id for item in batch.items), _said(error))
        return set()
    except Exception as error:  # any fault of a step on a text; it is kept with the record
        if len(batch.items) == 1:
            logger.warning("ingest of record %s failed", batch.items[0].record_id, exc_info=True)
            outcome.failed[batch.items[0].record_id] = _said(error)
            return set()
    middle = len(made.record_ids) // 2
    halves = (made.record_ids[:middle], made.record_ids[middle:])
    return set().union(*(_settle(phase, steps, _prepare(steps, half), outcome, on_store) for half in halves))


def _store(phase: Phase, made: _Prepared, outcome: Outcome, on_store: Callable[[set[int]], None] | None) -> set[int]:
    batch, stores, spent = made.batch, made.stores, made.spent
    for name, store in stores:
        if hasattr(store, "ready"):
            start = time.perf_counter()
            store.ready()
            spent[name] = round(spent[name] + time.perf_counter() - start, 4)
    outcome.failed |= {record: _said(error) for record, error in {**batch.notes, **batch.failures}.items()}
    outcome.slow |= {record for record, error in batch.notes.items() if isinstance(error, TooSlow)}
    items = [item for item in batch.items if item.record_id not in batch.failures]
    start = time.perf_counter()
    with transaction.atomic():
        now = {
            row[0]: row[1:]
            for row in sql.fetch(
                "select id, version, lane_id, at from memory_record where id = any(%s) order by id for no key update",
                ([item.record_id for item in items],),
            )
        }
        same = [item for item in items if now.get(item.record_id) == (item.version, item.lane_id, item.at)]
        for _, store in stores:
            store(same)
        whole = [item for item in same if item.record_id not in batch.notes]
        _mark_done(phase, whole)
        _tell(same)
        done = {item.record_id for item in whole} | {i.record_id for i in items if i.record_id not in now}
        if on_store is not None:
            on_store(outcome.done | done)
        spent["store"] = round(time.perf_counter() - start, 4)
        IngestBatch.objects.create(
            phase=phase.name,
            records=len(same),
            characters=sum(len(item.text) for item in same),
            seconds=round(sum(spent.values()), 4),
            steps=spent,
        )
    outcome.done |= done
    outcome.partly |= {item.record_id for item in same} - done
    return {item.record_id for item in items} - done - outcome.partly


def _mark_done(phase: Phase, items: Sequence[Item]) -> None:
    if not items:
        return
    sql.execute(
        f"update memory_record r set {phase.column} = u.version, ingest_error = '', ingest_attempts = 0 "  # noqa: S608
        "from unnest(%s::bigint[], %s::int[]) u(id, version) where r.id = u.id",
        (sql.array(item.record_id for item in items), sql.array(item.version for item in items)),
    )
    if phase is FIRST and LATER.steps():
        queue.defer(queue.LATER, [item.record_id for item in items])
    if phase is LATER or not LATER.steps():
        policies.defer((item.record_id, item.lane_id) for item in items)


def _tell(items: Sequence[Item]) -> None:
    for tenant_id, lane_id in sorted({(item.tenant_id, item.lane_id) for item in items}):
        events.publish(
            tenant_id=tenant_id,
            lane_id=lane_id,
            records=[(sr_id(item.public_id), item.version) for item in items if item.lane_id == lane_id],
            kind="ingested",
        )


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".replace("\x00", "")[:_ERROR_LENGTH]
