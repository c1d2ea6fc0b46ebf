"""Loads invented records with their edge properties, and nothing else, for measuring walks.

    python -m benchmarks.graph_data --records 1000000

Into the database of LANEWISE_DATA_DIR, which must be empty of records: tenant `scale`, 50 lanes, a profile `walker`
that reads five of them. COPY into tables without indexes, which are built after. About 8 properties a record.
"""

from __future__ import annotations

import argparse
import os
import time
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

READ_LANES = 5


def _indexes(sql: Any) -> list[tuple[str, str]]:
    return sql.fetch(
        "select indexname::text, indexdef::text from pg_indexes where tablename = 'memory_edgeproperty' "
        "and indexname not in (select conname::text from pg_constraint)",
        prepare=False,
    )


def load(records: int, hub: int = 100_000) -> None:
    """Write the records; `hub` of them carry the one value everybody knows."""
    from django.db import connection

    from lanes import services
    from memory import normal, sql
    from memory.demo import scale

    tenant = services.create_tenant(slug="scale", name="Scale")
    lanes = {slug: services.create_lane(tenant=tenant, slug=slug) for slug in scale.lane_slugs()}
    profile = services.create_profile(tenant=tenant, slug="walker")
    services.grant(tenant=tenant, holder=profile, read=list(lanes.values())[:READ_LANES])
    if sql.fetch("select 1 from memory_record limit 1", prepare=False):
        raise SystemExit("The database already holds records.")
    keys: dict[tuple[str, str], uuid.UUID] = {}
    start = time.monotonic()
    sql.execute("set synchronous_commit = off", prepare=False)
    dropped = _indexes(sql)
    sql.execute("alter table memory_edgeproperty drop constraint memory_edgeproperty_record_fk", prepare=False)
    sql.execute("alter table memory_edgeproperty drop constraint edge_record_key_once", prepare=False)
    for name, _ in dropped:
        sql.execute(f"drop index if exists {name}", prepare=False)
    now = datetime.now(UTC)
    everyone = {"label": "client", "value": "Everyone"}
    chunk = 50_000
    for low in range(0, records, chunk):
        rows: list[tuple] = []
        edges: list[tuple] = []
        for i, item in enumerate(scale.stream(records, start=low, stop=low + chunk), low + 1):
            lane = lanes[item["lane"]].pk
            at = now - timedelta(days=1)
            if item["occurred_at"]:
                at = datetime.fromisoformat(item["occurred_at"]).replace(tzinfo=UTC) + timedelta(seconds=i % 86_400)
            rows.append(
                (i, uuid.UUID(int=i * 7919 + (1 << 100)), tenant.pk, lane, "note", item["title"], "", "{}", at, "day",
                 now, at, now, 1, 0, "")
            )  # fmt: skip
            held = list(item["edge_properties"]) + ([everyone] if i <= hub else [])
            for prop in {(p["label"], p["value"]) for p in held}:
                key = keys.get(prop) or keys.setdefault(prop, normal.edge_key(*prop))
                edges.append((tenant.pk, i, lane, at, *prop, key, 0, 0, now, "", "", ""))
        sql.copy(
            "memory_record",
            ("id", "public_id", "tenant_id", "lane_id", "kind", "title", "text", "source", "occurred_at",
             "date_precision", "recorded_at", "at", "updated_at", "version", "ingested_version", "ingest_error"),
            rows,
        )  # fmt: skip
        sql.copy(
            "memory_edgeproperty",
            ("tenant_id", "record_id", "lane_id", "at", "label", "value", "key", "seq", "state", "created_at", "role",
             "type", "reason"),
            edges,
        )  # fmt: skip
        print(f"{low + len(rows):>9} records, {time.monotonic() - start:.0f} s", flush=True)
    for _, definition in dropped:
        sql.execute(definition, prepare=False)
    sql.execute(
        "alter table memory_edgeproperty add constraint edge_record_key_once unique (record_id, key, seq)",
        prepare=False,
    )
    sql.execute(
        "alter table memory_edgeproperty add constraint memory_edgeproperty_record_fk "
        "foreign key (record_id, lane_id, at) references memory_record (id, lane_id, at) "
        "on update cascade on delete cascade not valid",
        prepare=False,
    )
    with connection.cursor() as cursor:
        cursor.execute("select setval('memory_record_id_seq', %s)", [records + 1])
        cursor.execute("vacuum (analyze) memory_record")
        cursor.execute("vacuum (analyze) memory_edgeproperty")
    print(f"loaded in {time.monotonic() - start:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    args = parser.parse_args()
    import django

    django.setup()
    load(args.records)


if __name__ == "__main__":
    main()
