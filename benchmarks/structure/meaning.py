"""Vectors for the benchmark's records, quickly: a sample is really embedded, the others get mixtures of the sample's.

A mixture of two texts' vectors with a little noise lies where a text of both would, so that the index has the shape it
would have; embedding a million texts takes hours and measures the embedder. Every tenth record gets windows too.
For benchmarks only.
"""

import sys
import time

import numpy as np
import psycopg

from memory.ingest import space
from memory.ingest.embedders import configured

SEED = 11
CHUNK = 20_000
WINDOWS, EVERY = 4, 10
POSTGRES_EPOCH = 946_684_800_000_000  # 2000-01-01 in microseconds of 1970
_HEADER = b"PGCOPY\n\xff\r\n\x00" + b"\x00" * 8
_INDEX = "select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index where indexrelid = %s::regclass"


def ensure(conn: psycopg.Connection, tenant: int, sample: int) -> float | None:
    """Fill in the vectors that are missing; seconds, or None when all were there."""
    total = _one(conn, "select count(*) from memory_record where tenant_id = %s", [tenant])
    if _one(conn, "select count(*) from memory_recordvector where tenant_id = %s", [tenant]) == total:
        return None
    began = time.perf_counter()
    space.ensure(configured())
    known = _sample(conn, tenant, sample)
    conn.execute("set maintenance_work_mem = '4GB'")
    conn.execute("set max_parallel_maintenance_workers = 2")
    for table, index in (("memory_recordvector", "recordvector_hnsw"), ("memory_window", "window_hnsw")):
        definition = conn.execute(_INDEX, [index]).fetchone()[1]  # type: ignore[index]
        conn.execute(f"drop index {index}")
        conn.execute(f"delete from {table} where tenant_id = %s", [tenant])
        _fill(conn, table, tenant, known)
        print(f"{table}: filled after {time.perf_counter() - began:.0f} s; indexing", file=sys.stderr)
        conn.execute(definition)
        conn.execute(f"vacuum analyze {table}")
        print(f"{table}: indexed after {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return time.perf_counter() - began


def _one(conn: psycopg.Connection, statement: str, parameters: list) -> int:
    return conn.execute(statement, parameters).fetchone()[0]  # type: ignore[index]


def _sample(conn: psycopg.Connection, tenant: int, size: int) -> np.ndarray:
    """(size, dimension) unit vectors of records taken by chance."""
    rows = conn.execute(
        "select title || E'\\n' || text from memory_record where tenant_id = %s order by md5(id::text) limit %s",
        [tenant, size],
    ).fetchall()
    return configured().documents([text for (text,) in rows])


def _fill(conn: psycopg.Connection, table: str, tenant: int, known: np.ndarray) -> None:
    chance = np.random.default_rng(SEED)
    windows = table == "memory_window"
    rows = conn.execute(
        "select id, lane_id, (extract(epoch from at) * 1000000)::bigint from memory_record where tenant_id = %s "
        + ("and id %% 10 = 0 " if windows else "")
        + "order by id",
        [tenant],
    ).fetchall()
    records = np.array(rows, dtype=np.int64)
    if windows:
        records = np.repeat(records, WINDOWS, axis=0)
    dimension = known.shape[1]
    kind = _row(dimension, windows)
    columns = "record_id, tenant_id, lane_id, at, embedding, " + ('ordinal, start, "end", id' if windows else "whole")
    with conn.cursor() as cursor, cursor.copy(f"copy {table} ({columns}) from stdin (format binary)") as sink:
        sink.write(_HEADER)
        for begin in range(0, len(records), CHUNK):
            part = records[begin : begin + CHUNK]
            out = np.zeros(len(part), dtype=kind)
            out["fields"] = 9 if windows else 6
            for name in kind.names or ():
                if name.startswith("n_"):
                    out[name] = kind[name[2:]].itemsize
            out["record"], out["tenant"], out["lane"] = part[:, 0], tenant, part[:, 1]
            out["at"] = part[:, 2] - POSTGRES_EPOCH
            out["embedding"]["dimension"] = dimension
            out["embedding"]["values"] = _mixed(known, len(part), chance)
            if windows:
                number = np.arange(begin, begin + len(part))
                out["ordinal"], out["id"] = number % WINDOWS, number + 1
                out["start"], out["end"] = 40 * (number % WINDOWS), 40 * (number % WINDOWS) + 60
            else:
                out["whole"] = part[:, 0] % EVERY != 0
            sink.write(out.tobytes())
        sink.write(b"\xff\xff")


def _mixed(known: np.ndarray, count: int, chance: np.random.Generator) -> np.ndarray:
    one, two = chance.integers(0, len(known), (2, count))
    noise = chance.standard_normal((count, known.shape[1])).astype(np.float32) * (0.25 / np.sqrt(known.shape[1]))
    made = 0.8 * known[one] + 0.45 * known[two] + noise
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def _row(dimension: int, windows: bool) -> np.dtype:
    """One row of binary COPY: the number of fields, then each field's length and value, all big-endian."""
    vector = np.dtype([("dimension", ">i2"), ("unused", ">i2"), ("values", ">f2", (dimension,))])
    fields: list[tuple[str, object]] = [
        ("record", ">i8"), ("tenant", ">i8"), ("lane", ">i4"), ("at", ">i8"), ("embedding", vector),
    ]  # fmt: skip
    fields += [("ordinal", ">i4"), ("start", ">i4"), ("end", ">i4"), ("id", ">i8")] if windows else [("whole", "?")]
    spread: list = [("fields", ">i2")]
    for name, kind in fields:
        spread += [(f"n_{name}", ">i4"), (name, kind)]
    return np.dtype(spread)
