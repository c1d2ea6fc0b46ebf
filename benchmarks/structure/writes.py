"""Writing: one record beside plain INSERTs, the bulk import beside COPY, all into the same indexed tables.

The plain statements get their rows ready-made (ids, keys, word vectors); the product makes them, checks them, looks
for old spellings and for records to update, defers the ingest and announces the change.
"""

import json
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg

from benchmarks.structure.clock import Timed
from benchmarks.structure.loaded import PROFILE, connect
from benchmarks.structure.tables import TABLES
from lanes import services
from lanes.models import AgentProfile, Lane, Tenant
from lanes.readers import Reader, reader_for_profile
from memory import normal, words
from memory.demo.scale import lane_slugs, stream
from memory.services import bulk, records

TENANT = "benchmark-writes"
SINGLE, MANY, BATCH = 300, 10_000, 1_000
_WORLD = 1_000_000  # the size of the world the written records are drawn from: as skewed as the loaded ones


class Rows:
    """Ready-made rows of the four tables for records of the generator."""

    def __init__(self, conn: psycopg.Connection, tenant: int, lanes: dict[str, int]) -> None:
        self.conn, self.tenant, self.lanes = conn, tenant, lanes
        self.known: set[tuple[int, uuid.UUID]] = set()

    def make(self, items: list[dict[str, Any]]) -> dict[str, list[tuple]]:
        ids = [
            row[0]
            for row in self.conn.execute(
                "select nextval(pg_get_serial_sequence('memory_record', 'id')) from generate_series(1, %s)",
                [len(items)],
            )
        ]
        now = datetime.now(UTC)
        made: dict[str, list[tuple]] = {"record": [], "words": [], "edge": [], "value": []}
        for record, item in zip(ids, items, strict=True):
            lane = self.lanes[item["lane"]]
            occurred = datetime.fromisoformat(item["occurred_at"]).replace(tzinfo=UTC) if item["occurred_at"] else None
            at = occurred or now
            vector, length = words.vector(item["title"], item["text"])
            made["record"].append(
                (record, uuid.uuid4(), self.tenant, lane, "note", item["title"], item["text"], item["external_id"],
                 json.dumps({}), occurred, item["date_precision"], now, at, now, 1, 0, "")
            )  # fmt: skip
            made["words"].append((record, self.tenant, lane, at, length, vector))
            for held in item["edge_properties"]:
                label, value = held["label"], held["value"]
                key = normal.edge_key(label, value)
                state = 0 if occurred else 8
                made["edge"].append((self.tenant, record, lane, at, label, value, key, 0, state, "", "", "", now))
                if (lane, key) not in self.known:
                    self.known.add((lane, key))
                    folded = normal.fold(value)
                    made["value"].append(
                        (self.tenant, lane, label, value, key, folded, normal.grams(folded), normal.norm_key(value))
                    )
        return made


def _copy(conn: psycopg.Connection, made: dict[str, list[tuple]]) -> None:
    with conn.transaction(), conn.cursor() as cursor:
        for name, (table, columns) in TABLES.items():
            with cursor.copy(f"copy {table} ({columns}) from stdin") as sink:
                for row in made[name]:
                    sink.write_row(row)


def _insert(conn: psycopg.Connection, made: dict[str, list[tuple]]) -> None:
    with conn.transaction(), conn.cursor() as cursor:
        for name, (table, columns) in TABLES.items():
            if made[name]:
                width = len(made[name][0])
                marks = ", ".join("(" + ", ".join(["%s"] * width) + ")" for _ in made[name])
                flat = [value for row in made[name] for value in row]
                cursor.execute(f"insert into {table} ({columns}) values {marks}", flat, prepare=True)


def _batches(seed: int, count: int, size: int) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for item in stream(_WORLD, seed=seed, stop=count):
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []


def tenant_for_writes(slug: str) -> tuple[Tenant, Reader]:
    tenant = services.create_tenant(slug=slug)
    for lane in lane_slugs():
        services.create_lane(tenant=tenant, slug=lane)
    profile = services.create_profile(tenant=tenant, slug=PROFILE)
    services.grant(tenant=tenant, holder=profile, read_all=True, write_all=True)
    return tenant, reader_for_profile(AgentProfile.objects.get(pk=profile.pk))


def measure() -> dict[str, Any]:
    """Rates and times, in two tenants of their own; leaves nothing behind."""
    tenant, reader = tenant_for_writes(TENANT)
    plain_tenant, _ = tenant_for_writes(f"{TENANT}-plain")
    conn = connect()
    for one in (tenant, plain_tenant):
        clean(conn, one.pk)
    rows = Rows(conn, plain_tenant.pk, dict(Lane.objects.filter(tenant=plain_tenant).values_list("slug", "id")))
    lanes = bulk.Lanes(reader, None, None)
    seed = int(time.time())
    for batch in _batches(seed, MANY, BATCH):  # so that neither side meets an empty value list
        _copy(conn, rows.make(batch))
        bulk.import_items(iter(batch), lanes)

    plain, product = Timed(), Timed()
    for theirs, ours in zip(_batches(seed + 1, SINGLE, 1), _batches(seed + 1, SINGLE, 1), strict=True):
        made = rows.make(theirs)
        start = time.perf_counter()
        _insert(conn, made)
        plain.ms.append((time.perf_counter() - start) * 1000)
        start = time.perf_counter()
        records.write(reader, **ours[0])
        product.ms.append((time.perf_counter() - start) * 1000)

    copied = imported = 0.0
    for batch in _batches(seed + 2, MANY, MANY // 2):  # turn by turn, so that checkpoints meet both
        parts = [rows.make(batch[i : i + BATCH]) for i in range(0, len(batch), BATCH)]
        start = time.perf_counter()
        for made in parts:
            _copy(conn, made)
        copied += time.perf_counter() - start
        start = time.perf_counter()
        bulk.import_items(iter(batch), lanes)
        imported += time.perf_counter() - start
    for one in (tenant, plain_tenant):
        clean(conn, one.pk)
    conn.close()
    return {
        "one": {"plain": [plain.p50, plain.p95], "product": [product.p50, product.p95], "n": SINGLE},
        "bulk": {"copy": MANY / copied, "product": MANY / imported, "n": MANY},
    }


def clean_tenant(tenant: Tenant) -> None:
    conn = connect()
    clean(conn, tenant.pk)
    conn.close()


def clean(conn: psycopg.Connection, tenant: int) -> None:
    """Take the written records and their jobs away again, so that the next run starts as this one did."""
    conn.execute(
        "delete from procrastinate_jobs where status = 'todo' and exists (select 1 from memory_record r "
        "where r.tenant_id = %s and r.id = (args -> 'record_ids' ->> 0)::bigint)",
        [tenant],
    )
    for table in ("memory_record", "memory_lanevalue"):
        conn.execute(f"delete from {table} where tenant_id = %s", [tenant])
