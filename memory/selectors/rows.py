"""Records for pages: SPEC's shape plus who wrote them, and one record in full. Statements do not grow with rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from lanes.readers import Reader
from memory import sql
from memory.models import parse_sr_id, sr_id
from memory.selectors.records import Row, hydrate

# A person's name is shown to whoever may read what they wrote or changed; nothing else of their account is.
_PEOPLE = """
select r.public_id, coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username), p.name,
       coalesce(nullif(trim(cu.first_name || ' ' || cu.last_name), ''), cu.username), cp.name,
       exists (select 1 from memory_under_hold(array[r.id]))
from memory_record r
left join lanes_user u on u.id = r.written_by_id
left join lanes_agentprofile p on p.id = r.profile_id
left join lanes_user cu on cu.id = r.changed_by_id
left join lanes_agentprofile cp on cp.id = r.changed_profile_id
where r.public_id = any(%s) and r.lane_id = any(%s)
"""
_CHANGED = """
select r.public_id, r.version from memory_record r where r.lane_id = any(%(lanes)s) and r.updated_at > %(since)s
  and (%(all)s or r.public_id = any(%(ids)s) or exists (
    select 1 from memory_edgeproperty e where e.record_id = r.id and e.key = any(%(keys)s)))
order by r.updated_at desc limit %(limit)s
"""
CHANGED_MAX = 100
UNKNOWN = {"name": "", "agent": False, "for_name": ""}  # imported, or written by somebody who is gone


def changed_since(
    reader: Reader, since: datetime, publics: Sequence[str], keys: Sequence[str], everything: bool = False
) -> list[tuple[str, int]]:
    """(sr_id, version) of readable records that are watched, or carry a watched property (keys as hex), and changed
    since; the newest CHANGED_MAX."""
    ids = [parse_sr_id(public) for public in publics]
    params = {
        "lanes": reader.lane_list, "since": since, "ids": ids, "keys": [UUID(hex=key) for key in keys],
        "all": everything, "limit": CHANGED_MAX,
    }  # fmt: skip
    return [(sr_id(public), version) for public, version in sql.fetch(_CHANGED, params)]


def rows(reader: Reader, record_ids: Sequence[int], as_of: datetime | None = None) -> list[dict[str, Any]]:
    """Records in SPEC's shape with `author`, `changer` and `on_hold`, in the order of the ids. Three statements,
    however many; those not in the reader's lanes are left out."""
    return signed(reader, hydrate(reader, record_ids, as_of))


def signed(reader: Reader, shapes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Record shapes with `author` and `changer`: {name, agent, for_name}; `changer` is None where nobody is known to
    have changed the record since it was written; and whether a hold stands over it. One statement."""
    found = people(reader, [shape["sr_id"] for shape in shapes])
    return [
        {**shape, "author": author, "changer": changer, "on_hold": on_hold}
        for shape in shapes
        for author, changer, on_hold in [found.get(shape["sr_id"], (UNKNOWN, None, False))]
    ]


def people(reader: Reader, publics: Sequence[str]) -> dict[str, tuple[dict[str, Any], dict[str, Any] | None, bool]]:
    """Who wrote each record, who changed it last (an agent profile, for a person, or a person) and whether it is under
    a hold, by sr_id."""
    if not publics:
        return {}
    rows = sql.fetch(_PEOPLE, ([parse_sr_id(p) for p in publics], reader.lane_list))
    return {
        sr_id(public): (named(writer, agent) or UNKNOWN, named(changer, changing_agent), on_hold)
        for public, writer, agent, changer, changing_agent, on_hold in rows
    }


def named(person: str | None, profile: str | None) -> dict[str, Any] | None:
    """{name, agent, for_name} of whoever acted, or None where nobody is known."""
    if profile:
        return {"name": profile, "agent": True, "for_name": person or ""}
    return {"name": person, "agent": False, "for_name": ""} if person else None


def ids_of(reader: Reader, publics: Sequence[str]) -> dict[str, int]:
    """Primary keys of the readable ones among public ids; what is not readable is simply not there."""
    wanted = [parse_sr_id(public) for public in publics]
    found = sql.fetch(
        "select public_id, id from memory_record where public_id = any(%s) and lane_id = any(%s)",
        (wanted, reader.lane_list),
    )
    return {sr_id(public): record for public, record in found}


_FULL = "select text, source, ingested_version, ingest_error from memory_record where id = %s and lane_id = any(%s)"
_TAGS = """
select label, value, extractor, start, "end" from memory_tag
where record_id = %s and lane_id = any(%s) and label <> 'tense' order by start nulls last, id limit %s
"""
# Closed intervals of properties, so that what has ended stays visible.
_ENDED = """
select label, value, valid_from, invalidated_at, reason from memory_edgeproperty
where record_id = %s and lane_id = any(%s) and invalidated_at is not null and invalidated_at <= now()
  and left(label, 2) <> 'e_' order by invalidated_at desc limit 50
"""
# Other readable members of the record's connections and adjustments (valid ones).
_STAMPS = """
select e.label, e.value, e.key, e.type, e.reason, e.role, e.strength, o.role, o.record_id, e.created_at,
       coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username), p.name
from memory_edgeproperty e
join memory_edgeproperty o on o.key = e.key and o.record_id <> e.record_id and o.lane_id = any(%(lanes)s)
  and o.seq = 0 and (o.invalidated_at is null or o.invalidated_at > now())
left join lanes_user u on u.id = e.asserted_by_id
left join lanes_agentprofile p on p.id = e.asserted_profile_id
where e.record_id = %(record)s and e.lane_id = any(%(lanes)s) and e.seq = 0 and e.label in ('e_connect', 'e_adjust')
  and (e.invalidated_at is null or e.invalidated_at > now())
order by e.strength desc nulls last, e.id, o.id limit 500
"""


def detail(reader: Reader, row: Row, *, tags: int = 300) -> dict[str, Any]:
    """What a record's own page shows beside its shape: text, source, tags, ended properties, stamps.

    `row` comes from `resolve`, so the reader can see it; stamps name only members the reader can see.
    """
    text, source, ingested, error = sql.fetch(_FULL, (row.id, reader.lane_list))[0]
    return {
        "text": text,
        "source": source or {},
        "ingested_version": ingested,
        "ingest_failed": bool(error),
        "tags": [
            {"label": label, "value": value, "extractor": extractor, "start": start, "end": end}
            for label, value, extractor, start, end in sql.fetch(_TAGS, (row.id, reader.lane_list, tags))
        ],
        "ended": [
            {"label": label, "value": value, "valid_from": start, "invalidated_at": end, "reason": reason}
            for label, value, start, end, reason in sql.fetch(_ENDED, (row.id, reader.lane_list))
        ],
        "stamps": [
            {
                "label": label, "value": value, "key": key, "type": kind, "reason": reason, "role": role,
                "strength": strength, "other_role": other_role, "record_id": other, "at": at,
                "by": profile or person or "",
            }
            for label, value, key, kind, reason, role, strength, other_role, other, at, person, profile in sql.fetch(
                _STAMPS, {"record": row.id, "lanes": reader.lane_list}
            )
        ],
    }  # fmt: skip
