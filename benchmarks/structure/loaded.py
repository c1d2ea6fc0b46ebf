"""The benchmark's tenant: loaded once, found again by its size."""

import sys
import time
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import psycopg
from django.core.management import call_command
from django.db import connection

from benchmarks.structure.quick import load as load_quickly
from lanes import services
from lanes.models import AgentProfile, Lane, Tenant
from lanes.readers import Reader, reader_for_profile
from memory.demo.scale import lane_slugs, stream
from memory.services import bulk

SEED = 7
PROFILE = "benchmark"


@dataclass
class Loaded:
    """`ids`, `publics` and `ordinal` are by rank: the order of event time, then id."""

    tenant_id: int
    tenant_slug: str
    reader: Reader
    lane_slugs: list[str]
    lane_ids: list[int]
    ids: list[int]
    publics: list[str]
    instants: list[datetime]
    ordinal: np.ndarray
    load_seconds: float | None


def ensure(total: int, quick: bool = False) -> Loaded:
    """Migrate, load what is missing (by import, or the quick way) and say what is there."""
    call_command("migrate", verbosity=0)
    slug = f"benchmark-{total}"
    tenant = services.create_tenant(slug=slug)
    for name in lane_slugs():
        services.create_lane(tenant=tenant, slug=name)
    profile = services.create_profile(tenant=tenant, slug=PROFILE)
    services.grant(tenant=tenant, holder=profile, read_all=True, write_all=True)
    reader = reader_for_profile(AgentProfile.objects.select_related("tenant").get(pk=profile.pk))
    seconds = None
    there = len(_rows(tenant))
    if there < total and quick:
        lanes = dict(Lane.objects.filter(tenant=tenant).values_list("slug", "id"))
        load_quickly(connect(), tenant.pk, lanes, total, SEED, there)
    elif there < total:
        seconds = _load(reader, total)
    rows = _rows(tenant)
    if len(rows) != total:
        raise SystemExit(f"{len(rows)} records are there where {total} should be.")
    by_slug = dict(Lane.objects.filter(tenant=tenant).values_list("slug", "id"))
    return Loaded(
        tenant_id=tenant.pk,
        tenant_slug=slug,
        reader=reader,
        lane_slugs=lane_slugs(),
        lane_ids=[by_slug[name] for name in lane_slugs()],
        ids=[row[0] for row in rows],
        publics=[f"sr_{row[1].hex}" for row in rows],
        instants=[row[3] for row in rows],
        ordinal=np.array([int(row[2].rsplit("-", 1)[1]) for row in rows]),
        load_seconds=seconds,
    )


def _rows(tenant: Tenant) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(
            "select id, public_id, external_id, at from memory_record "
            "where tenant_id = %s and external_id like %s order by at, id",
            [tenant.pk, f"scale-{SEED}-%"],
        )
        return cursor.fetchall()


def _load(reader: Reader, total: int) -> float:
    print(f"loading {total:,} records", file=sys.stderr)
    start = time.perf_counter()
    report = bulk.import_items(stream(total, SEED), bulk.Lanes(reader, None, None))
    if report.refused:
        raise SystemExit(f"{len(report.refused)} records were refused: {report.refused[0].reason}")
    return time.perf_counter() - start


def connect() -> psycopg.Connection:
    """A connection of its own to the same database."""
    connection.ensure_connection()
    return psycopg.connect(**connection.connection.info.get_parameters(), autocommit=True)


def floor_is_ready(conn: psycopg.Connection, total: int) -> bool:
    found = conn.execute("select to_regclass('floor.record')").fetchone()
    if not found or found[0] is None:
        return False
    return conn.execute("select count(*) from floor.record").fetchone()[0] == total  # type: ignore[index]


def warm(conn: psycopg.Connection) -> None:
    """Statistics, visibility maps, and everything read once."""
    for table in ("memory_record", "memory_edgeproperty", "memory_lanevalue", "memory_recordtext"):
        conn.execute(f"vacuum analyze {table}")
    for table in ("memory_record", "memory_edgeproperty", "memory_lanevalue", "floor.edge", "floor.property"):
        conn.execute(f"select count(*) from {table} t where t is null")
