"""Loading a big world quickly: the rows an import would write, by COPY into tables whose indexes are made afterwards.

For benchmarks only: no reader, no checks, no jobs, and nobody else may use the tables meanwhile. It goes on where an
earlier load stopped.
"""

import sys
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg

from benchmarks.structure.tables import TABLES
from memory import normal, words
from memory.demo.scale import stream

CHUNK = 20_000
EMPTY, NULL = "\t\t\t", r"\N"

_INDEXES = """
select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) from pg_index i
where i.indrelid = any(%s::regclass[]) and not i.indisprimary
  and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid)
"""
_CONSTRAINTS = """
select c.conrelid::regclass::text, quote_ident(c.conname), pg_get_constraintdef(c.oid), c.contype = 'f'
from pg_constraint c
where (c.conrelid = any(%(tables)s::regclass[]) or c.confrelid = any(%(tables)s::regclass[]))
  and c.contype in ('u', 'f')
"""


def load(conn: psycopg.Connection, tenant: int, lanes: dict[str, int], total: int, seed: int, done: int) -> None:
    """Write records `done` … `total` of the world."""
    tables = [table for table, _ in TABLES.values()]
    indexes = conn.execute(_INDEXES, [tables]).fetchall()
    constraints = conn.execute(_CONSTRAINTS, {"tables": tables}).fetchall()
    for table, name, _, _ in sorted(constraints, key=lambda row: not row[3]):  # foreign keys first
        conn.execute(f"alter table {table} drop constraint {name}")
    for name, _ in indexes:
        conn.execute(f"drop index {name}")
    start = time.perf_counter()
    first = conn.execute("select coalesce(max(id), 0) + 1 from memory_record").fetchone()[0]  # type: ignore[index]
    known = set(conn.execute("select lane_id, key from memory_lanevalue where tenant_id = %s", [tenant]).fetchall())
    for begin in range(done, total, CHUNK):
        lines = _lines(stream(total, seed, begin, min(total, begin + CHUNK)), tenant, lanes, known, first)
        first += CHUNK
        with conn.transaction(), conn.cursor() as cursor:
            for name, (table, columns) in TABLES.items():
                with cursor.copy(f"copy {table} ({columns}) from stdin") as sink:
                    sink.write("".join(lines[name]))
        rate = (begin + CHUNK - done) / (time.perf_counter() - start)
        print(f"{begin + CHUNK:,} of {total:,} records, {rate:,.0f}/s", file=sys.stderr)
    conn.execute("select setval(pg_get_serial_sequence('memory_record', 'id'), %s)", [first])
    conn.execute("set maintenance_work_mem = '1GB'")
    for _, definition in indexes:
        conn.execute(definition)
    for table, name, definition, _ in sorted(constraints, key=lambda row: row[3]):  # unique ones first
        conn.execute(f"alter table {table} add constraint {name} {definition}")


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _lines(
    items: Iterator[dict[str, Any]], tenant: int, lanes: dict[str, int], known: set, first: int
) -> dict[str, list[str]]:
    made: dict[str, list[str]] = {"record": [], "words": [], "edge": [], "value": []}
    now = datetime.now(UTC).isoformat()
    for record, item in enumerate(items, first):
        lane, occurred = lanes[item["lane"]], item["occurred_at"]
        at = f"{occurred}T00:00:00+00:00" if occurred else now
        title, text = item["title"], item["text"]
        vector, length = words.vector(title, text)
        made["record"].append(
            f"{record}\t{uuid.uuid4()}\t{tenant}\t{lane}\tnote\t{_escape(title)}\t{_escape(text)}\t"
            f"{item['external_id']}\t{{}}\t{at if occurred else NULL}\t{item['date_precision']}\t{now}\t{at}\t{now}\t"
            "1\t0\t\n"
        )
        made["words"].append(f"{record}\t{tenant}\t{lane}\t{at}\t{length}\t{_escape(vector)}\n")
        for held in item["edge_properties"]:
            label, value = held["label"], held["value"]
            key = normal.edge_key(label, value)
            made["edge"].append(
                f"{tenant}\t{record}\t{lane}\t{at}\t{label}\t{_escape(value)}\t{key}\t0\t{0 if occurred else 8}\t"
                f"{EMPTY}{now}\n"
            )
            if (lane, key) not in known:
                known.add((lane, key))
                folded = normal.fold(value)
                grams = ",".join(map(str, normal.grams(folded)))
                made["value"].append(
                    f"{tenant}\t{lane}\t{label}\t{_escape(value)}\t{key}\t{_escape(folded)}\t{{{grams}}}\t"
                    f"{normal.norm_key(value)}\n"
                )
    return made
