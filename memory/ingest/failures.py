"""Records whose ingest failed: counted, shown, tried again, given up, started over."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from django.conf import settings
from django.db import transaction

from memory import sql
from memory.ingest import queue
from memory.ingest.pipeline import FIRST, Phase

_DIED = "The worker stopped while it was working on this record."


def begin(record_ids: Sequence[int], phase: Phase) -> list[int]:
    """Count a try of these records before it is made; returns those that are still to be tried.

    Committed at once: should the worker die in the try, it has been counted.
    """
    rows = sql.fetch(
        "update memory_record set ingest_attempts = ingest_attempts + 1, "
        "ingest_error = case when ingest_error = '' then %s else ingest_error end "
        f"where id = any(%s) and {phase.column} <> version and ingest_attempts < %s returning id",  # noqa: S608
        (_DIED, list(record_ids), settings.LANEWISE_INGEST_ATTEMPTS),
    )
    return sorted(row[0] for row in rows)


def record(failed: dict[int, str], phase: Phase, counted: bool, given_up: Collection[int] = ()) -> set[int]:
    """Keep the reasons with the records; returns the ids that are to be tried again. Those `given_up` are not."""
    if not failed:
        return set()
    rows = sql.fetch(
        "update memory_record r set ingest_error = u.error, "
        "ingest_attempts = case when r.id = any(%s) then greatest(%s, ingest_attempts) else ingest_attempts + %s end "
        "from unnest(%s::bigint[], %s::text[]) u(id, error) "
        f"where r.id = u.id and r.{phase.column} <> r.version returning r.id, r.ingest_attempts",  # noqa: S608
        (
            list(given_up), settings.LANEWISE_INGEST_ATTEMPTS, 0 if counted else 1,
            list(failed), list(failed.values()),
        ),
    )  # fmt: skip
    return {record_id for record_id, attempts in rows if attempts < settings.LANEWISE_INGEST_ATTEMPTS}


def start_over(record_ids: Iterable[int] | None = None) -> int:
    """Forget earlier failures of these records (None: of all that failed) and defer them again; returns how many."""
    with transaction.atomic():
        rows = sql.fetch(
            "update memory_record set ingest_error = '', ingest_attempts = 0 "
            "where ingest_error <> '' and (%s::bigint[] is null or id = any(%s::bigint[])) "
            "returning id, ingested_version = version",
            (None if record_ids is None else list(record_ids),) * 2,
        )
        queue.defer(FIRST.task, [record_id for record_id, first_done in rows if not first_done])
        queue.defer(queue.LATER, [record_id for record_id, first_done in rows if first_done])
    return len(rows)


def redo(tenant: str | None = None, lane: str | None = None) -> int:
    """Defer all steps again for the records of a tenant or a lane (by slug): after a change of the steps.

    What was derived before serves until it is replaced. Returns how many records.
    """
    with transaction.atomic():
        rows = sql.fetch(
            "update memory_record r set ingested_version = 0, enriched_version = 0, ingest_error = '', "
            "ingest_attempts = 0 from lanes_lane l join lanes_tenant t on t.id = l.tenant_id "
            "where l.id = r.lane_id and (%s::text is null or t.slug = %s) and (%s::text is null or l.slug = %s) "
            "returning r.id",
            (tenant, tenant, lane, lane),
        )
        queue.defer(FIRST.task, [row[0] for row in rows])
    return len(rows)
