"""How far ingest is: of one record, of the lanes a reader may read, and of the whole queue (for who runs it)."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from lanes.readers import Reader
from memory import sql
from memory.ingest import queue, slices
from memory.selectors.records import resolve

_STATE = """
select version, ingested_version, enriched_version, ingest_error, ingest_attempts,
  (select count(*) from memory_tag t where t.record_id = r.id and t.extractor <> 'writer'),
  (select count(*) from memory_window w where w.record_id = r.id),
  exists (select 1 from memory_recordvector v where v.record_id = r.id), length(r.text)
from memory_record r where r.id = %s
"""


def state_of(version: int, ingested: int, error: str, attempts: int) -> str:
    """done, pending, retrying (failed, and will be tried again) or failed (given up until somebody asks again)."""
    if error:
        return "failed" if attempts >= settings.LANEWISE_INGEST_ATTEMPTS else "retrying"
    return "done" if ingested == version else "pending"


def status(reader: Reader, sr_id: str) -> dict[str, Any]:
    """How far the ingest of one record is; NotVisible when the reader cannot see it.

    `steps` says by which means it can be found already: words at once, vectors and tags when it is done, names
    (people, organisations, places; a language model where a lane allows it) a little later. `note` tells what of a
    long text is not read for names.
    """
    row = resolve(reader, sr_id)
    version, ingested, enriched, error, attempts, tags, windows, vector, length = sql.fetch(_STATE, (row.id,))[0]
    return {
        "sr_id": sr_id,
        "version": version,
        "ingested_version": ingested,
        "status": state_of(version, ingested, error, attempts),
        "steps": {
            "words": True,
            "vectors": vector and ingested == version,
            "tags": ingested == version,
            "names": enriched == version,
        },
        "tags": tags,
        "windows": windows,
        "attempts": attempts,
        "error": error or None,
        "note": _note(length),
    }


def _note(length: int) -> str | None:
    """What of a text was left unread, if anything was."""
    read = slices.budget()
    if length <= read:
        return None
    return (
        f"Names and relations are read in the first {read:,} of {length:,} characters; words, vectors and the other "
        "tags cover the whole text."
    )


def backlog(reader: Reader) -> dict[str, int]:
    """Pending and failed records in the lanes the reader may read."""
    rows = sql.fetch(
        "select count(*) filter (where ingested_version <> version and ingest_attempts < %(max)s), "
        "count(*) filter (where ingest_attempts >= %(max)s) from memory_record "
        "where (ingested_version <> version or ingest_error <> '') and lane_id = any(%(lanes)s)",
        {"max": settings.LANEWISE_INGEST_ATTEMPTS, "lanes": reader.lane_list},
    )
    return {"pending": rows[0][0], "failed": rows[0][1]}


def overall() -> dict[str, Any]:
    """The whole queue, all tenants: for who runs the server, never for a reader. Numbers only."""
    pending, oldest, failed = sql.fetch(
        "select count(*) filter (where ingested_version <> version and ingest_attempts < %(max)s), "
        "extract(epoch from now() - min(updated_at) filter (where ingested_version <> version "
        "and ingest_attempts < %(max)s))::float8, count(*) filter (where ingest_attempts >= %(max)s) "
        "from memory_record where ingested_version <> version or ingest_error <> ''",
        {"max": settings.LANEWISE_INGEST_ATTEMPTS},
    )[0]
    rates = {}
    for phase, records, characters, seconds, span in sql.fetch(
        "select phase, sum(records)::int8, sum(characters)::int8, sum(seconds)::float8, "
        "extract(epoch from max(at) - min(at) + make_interval(secs => max(seconds)))::float8 "
        "from memory_ingestbatch where at > now() - interval '10 minutes' group by phase"
    ):
        rates[phase] = {
            "records": records,
            "characters": characters,
            "records_a_second": round(records / max(span, 0.001), 2),
            "busy_records_a_second": round(records / max(seconds, 0.001), 2),
        }
    steps = dict(
        sql.fetch(
            "select key, round(1000 * sum(value::numeric) / greatest(sum(records), 1), 3)::float8 "
            "from memory_ingestbatch, jsonb_each_text(steps) where at > now() - interval '10 minutes' group by key"
        )
    )
    workers = sql.fetch("select count(*) from procrastinate_workers where last_heartbeat > now() - interval '30 s'")
    return {
        "pending": pending,
        "oldest_pending_seconds": None if oldest is None else round(oldest, 1),
        "failed": failed,
        "jobs": queue.waiting(),
        "workers": workers[0][0],
        "last_10_minutes": rates,
        "milliseconds_a_record": steps,
    }
