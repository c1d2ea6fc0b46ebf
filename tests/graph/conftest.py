"""An invented firm with three lanes; anna reads two of them, the scribe writes all."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from lanes import services as lane_services
from lanes.readers import Reader, reader_for_profile
from memory import normal, sql
from memory.gather.scope import Scope
from memory.services import records

START = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass
class Firm:
    tenant: object
    lanes: dict[str, int]
    anna: Reader  # reads alpha and beta
    scribe: Reader  # reads and writes every lane
    ids: dict[str, int] = field(default_factory=dict)

    def write(self, name: str, lane: str = "alpha", **fields) -> str:
        """Write a record with a title; returns its sr_id."""
        made = records.write(self.scribe, lane=lane, title=name, text=fields.pop("text", name), **fields)
        self.ids[name] = made.id
        return made.sr_id

    def scope(self, reader: Reader | None = None, **more) -> Scope:
        return Scope(reader or self.anna, **more)


@pytest.fixture
def firm(db) -> Firm:
    return make_firm()


def make_firm(slug: str = "ferris") -> Firm:
    tenant = lane_services.create_tenant(slug=slug)
    lanes = {name: lane_services.create_lane(tenant=tenant, slug=name) for name in ("alpha", "beta", "hidden")}
    anna = lane_services.create_profile(tenant=tenant, slug="anna")
    lane_services.grant(tenant=tenant, holder=anna, read=[lanes["alpha"], lanes["beta"]], write=[lanes["alpha"]])
    scribe = lane_services.create_profile(tenant=tenant, slug="scribe")
    lane_services.grant(tenant=tenant, holder=scribe, read=list(lanes.values()), write=list(lanes.values()))
    return Firm(
        tenant,
        {name: lane.pk for name, lane in lanes.items()},
        reader_for_profile(anna),
        reader_for_profile(scribe),
    )


@dataclass(frozen=True)
class Span:
    """A property's validity in days after START; None is open."""

    begins: int | None = None
    ends: int | None = None

    def holds(self, day: int) -> bool:
        return (self.begins is None or self.begins <= day) and (self.ends is None or day < self.ends)


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def plant(firm: Firm, rows: list[tuple[int, str, Span, float | None]]) -> None:
    """Replace every edge property of the firm by rows (record id, key name, span, strength)."""
    sql.execute("delete from memory_edgeproperty where tenant_id = %s", (firm.tenant.pk,))
    for record, name, span, strength in rows:
        dated = 1 if span.begins is not None or span.ends is not None else 0
        sql.execute(
            "insert into memory_edgeproperty (tenant_id, record_id, lane_id, at, label, value, key, seq, state, "
            "valid_from, invalidated_at, created_at, role, type, strength, reason) "
            "select r.tenant_id, r.id, r.lane_id, r.at, 'topic', %s, %s, 0, %s, %s, %s, now(), '', '', %s, '' "
            "from memory_record r where r.id = %s",
            (
                name,
                normal.edge_key("topic", name),
                dated,
                day(span.begins) if span.begins is not None else None,
                day(span.ends) if span.ends is not None else None,
                strength,
                record,
            ),
        )


def key_of(name: str) -> uuid.UUID:
    return normal.edge_key("topic", name)
