"""Reads of records for replies and pages: by public id, and hydrated in SPEC's shape."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from lanes.errors import NotVisible
from lanes.readers import Reader
from memory import sql, times
from memory.models import parse_sr_id, sr_id

SNIPPET = 240  # characters


@dataclass(frozen=True)
class Row:
    """A record a reader can see, as far as finding it goes."""

    id: int
    lane_id: int
    at: datetime
    public_id: UUID
    superseded_at: datetime | None


def resolve(reader: Reader, public: str) -> Row:
    """The record with that public id; NotVisible when there is none in the reader's lanes."""
    return resolve_many(reader, [public])[0]


def resolve_many(reader: Reader, publics: Sequence[str]) -> list[Row]:
    """Records by public id, in the order given; NotVisible when any is not there for this reader."""
    wanted = [parse_sr_id(public) for public in publics]
    rows = sql.fetch(
        "select id, lane_id, at, public_id, superseded_at from memory_record "
        "where public_id = any(%s) and lane_id = any(%s)",
        (wanted, reader.lane_list),
    )
    found = {row[3]: Row(*row) for row in rows}
    if any(public not in found for public in wanted):
        raise NotVisible()
    return [found[public] for public in wanted]


def public_of(reader: Reader, lane: str, external_id: str) -> str:
    """The sr_id of the record with that external_id in a lane; NotVisible when there is none for this reader."""
    rows = sql.fetch(
        "select public_id from memory_record where lane_id = %s and external_id = %s",
        (reader.lane_id(lane), external_id),
    )
    if not rows:
        raise NotVisible()
    return sr_id(rows[0][0])


_RECORDS = """
select id, public_id, external_id, lane_id, title, kind, occurred_at, date_precision, recorded_at, updated_at, version,
       superseded_at, left(text, %s), length(text)
from memory_record where id = any(%s) and lane_id = any(%s)
"""

# The engine's own stamps are shown only when another member of theirs is in the reader's lanes, so that a
# connection never tells of a record the reader cannot see.
_PROPERTIES = """
select e.record_id, e.label, e.value, e.state, e.valid_from, e.invalidated_at
from memory_edgeproperty e
where e.record_id = any(%(ids)s)
  and (e.state & 1 = 0 or ((e.valid_from is null or e.valid_from <= %(as_of)s)
       and (e.invalidated_at is null or e.invalidated_at > %(as_of)s)))
  and (e.label not in ('e_connect', 'e_adjust') or exists (
       select 1 from memory_edgeproperty o where o.key = e.key and o.lane_id = any(%(lanes)s)
       and o.record_id <> e.record_id and (o.state & 1 = 0 or (
         (o.valid_from is null or o.valid_from <= %(as_of)s)
         and (o.invalidated_at is null or o.invalidated_at > %(as_of)s)))))
order by e.record_id, e.id
"""


def hydrate(reader: Reader, record_ids: Sequence[int], as_of: datetime | None = None) -> list[dict[str, Any]]:
    """Records in SPEC's shape, in the order of the ids; those not in the reader's lanes are left out."""
    found = by_id(reader, record_ids, as_of)
    return [found[record] for record in record_ids if record in found]


def by_id(reader: Reader, record_ids: Sequence[int], as_of: datetime | None = None) -> dict[int, dict[str, Any]]:
    """The same as {record id: shape}. Two statements, however many records."""
    if not record_ids:
        return {}
    rows = {row[0]: row for row in sql.fetch(_RECORDS, (SNIPPET + 1, list(record_ids), reader.lane_list))}
    held = properties_of(reader, list(rows), as_of)
    return {record: _shape(reader, row, held.get(record, [])) for record, row in rows.items()}


def properties_of(
    reader: Reader, record_ids: Sequence[int], as_of: datetime | None = None
) -> dict[int, list[dict[str, Any]]]:
    """The valid edge properties of records the caller has found visible: {record id: [{label, value, …}]}."""
    now = as_of or datetime.now().astimezone()
    held: dict[int, list[dict[str, Any]]] = {}
    for record, label, value, state, valid_from, invalidated_at in sql.fetch(
        _PROPERTIES, {"ids": list(record_ids), "lanes": reader.lane_list, "as_of": now}
    ):
        item: dict[str, Any] = {"label": label, "value": value}
        if valid_from:
            item["valid_from"] = valid_from.isoformat()
        if invalidated_at:
            item["invalidated_at"] = invalidated_at.isoformat()
        if state & 2:
            item["skipped"] = True
        held.setdefault(record, []).append(item)
    return held


def _shape(reader: Reader, row: tuple, properties: list[dict[str, Any]]) -> dict[str, Any]:
    (_, public, external_id, lane_id, title, kind, occurred_at, precision, recorded_at, updated_at, version,
     superseded_at, head, length) = row  # fmt: skip
    shape = {
        "sr_id": sr_id(public),
        "external_id": external_id,
        "lane": reader.lanes[lane_id].slug,
        "title": title,
        "kind": kind,
        "occurred_at": occurred_at.isoformat() if occurred_at else None,
        "occurred_on": times.shown(occurred_at, precision if precision != "time" else "day") if occurred_at else None,
        "date_precision": precision or None,
        "recorded_at": recorded_at.isoformat(),
        "updated_at": updated_at.isoformat(),
        "version": version,
        "snippet": head if length <= SNIPPET else head[:SNIPPET].rsplit(" ", 1)[0] + "…",
        "edge_properties": properties,
    }
    if superseded_at:
        shape["superseded_at"] = superseded_at.isoformat()
    return shape


def tags_of(reader: Reader, record_id: int) -> list[dict[str, Any]]:
    """The tags of a record: what its writer gave and what the extractors found."""
    return [
        {"label": label, "value": value, **({"extractor": extractor} if extractor else {})}
        for label, value, extractor in sql.fetch(
            "select distinct label, value, extractor from memory_tag where record_id = %s and lane_id = any(%s) "
            "order by label, value",
            (record_id, reader.lane_list),
        )
    ]


def read(reader: Reader, public: str, as_of: datetime | None = None) -> tuple[int, dict[str, Any]]:
    """(id, a record with its whole text, its source, its tags, whether a hold stands over it, who wrote it and who
    changed it last: None, not known)."""
    row = resolve(reader, public)
    shape = hydrate(reader, [row.id], as_of)[0]
    text, source, held, user, profile, changer, changing = sql.fetch(
        "select r.text, r.source, exists (select 1 from memory_under_hold(array[r.id])), u.username, p.slug, "
        "cu.username, cp.slug from memory_record r "
        "left join lanes_user u on u.id = r.written_by_id left join lanes_agentprofile p on p.id = r.profile_id "
        "left join lanes_user cu on cu.id = r.changed_by_id "
        "left join lanes_agentprofile cp on cp.id = r.changed_profile_id where r.id = %s",
        (row.id,),
    )[0]
    return row.id, {
        **shape, "text": text, "source": source, "on_hold": held, "tags": tags_of(reader, row.id),
        "written_by": {"user": user, "agent_profile": profile},
        "changed_by": {"user": changer, "agent_profile": changing} if changer or changing else None,
    }  # fmt: skip
