"""Which of some records share what: the edges and knots of a picture whose nodes a walk has chosen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memory import sql
from memory.gather.scope import Scope, followed, live, told
from memory.gather.spared import Spared
from memory.models import sr_id


def _holding(condition: str, alias: str, spared: Spared | None) -> str:
    return spared.also(condition, alias) if spared else condition


def _params(scope: Scope, spared: Spared | None) -> dict[str, Any]:
    return {"lanes": scope.lanes, **scope.params, **(spared.params if spared else {})}


_SHARED = """
select e.label, min(e.value), e.key, array_agg(e.record_id order by e.record_id)
from memory_edgeproperty e
where e.record_id = any(%(ids)s) and e.lane_id = any(%(lanes)s) and e.label <> 'tense' and {followed}
group by e.label, e.key having count(*) > 1 order by count(*), e.label, e.key
"""


def shared(scope: Scope, record_ids: Sequence[int], spared: Spared | None = None) -> list[dict[str, Any]]:
    """Properties that at least two of the records carry: [{label, value, key, records: [id]}], rarest first."""
    if len(record_ids) < 2:
        return []
    statement = _SHARED.format(followed=_holding(followed("e"), "e", spared))
    rows = sql.fetch(statement, {"ids": list(record_ids), **_params(scope, spared)})
    return [{"label": label, "value": value, "key": key, "records": ids} for label, value, key, ids in rows]


_NODES = """
select r.id, r.public_id, r.lane_id, r.kind, r.title, left(r.text, 80), r.occurred_at, r.date_precision, r.at,
       r.version,
       r.superseded_at is not null and r.superseded_at <= %(as_of)s, r.profile_id is not null,
       exists (select 1 from memory_edgeproperty e where e.record_id = r.id and e.label in ('privilege', 'privileged')
               and lower(e.value) not in ('no', 'none', 'false', 'not privileged') and {live})
from memory_record r where r.id = any(%(ids)s) and r.lane_id = any(%(lanes)s)
""".format(live=live("e"))


def nodes(scope: Scope, record_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """What a node of a picture shows, by record id; records outside the scope are left out. One statement."""
    if not record_ids:
        return {}
    rows = sql.fetch(_NODES, {"ids": list(record_ids), "lanes": scope.lanes, **scope.params})
    found = {}
    for (
        record,
        public,
        lane,
        kind,
        title,
        head,
        occurred,
        precision,
        at,
        version,
        superseded,
        agent,
        privileged,
    ) in rows:
        found[record] = {
            "sr_id": sr_id(public), "lane_id": lane, "kind": kind, "title": title or head.strip() or "Untitled",
            "occurred_at": occurred, "date_precision": precision, "at": at, "version": version,
            "superseded": superseded, "agent": agent, "privileged": privileged,
        }  # fmt: skip
    return found


_SPAN = "select min(at), max(at) from memory_record where id = any(%s) and lane_id = any(%s)"


def span(scope: Scope, record_ids: Sequence[int]) -> tuple[datetime | None, datetime | None]:
    """The earliest and latest time among records of the scope."""
    return sql.fetch(_SPAN, (list(record_ids), scope.lanes))[0]


_KEYS = """
select distinct e.key from memory_edgeproperty e
where e.record_id = %(record)s and e.lane_id = any(%(lanes)s) and e.label <> 'tense' and {live}
  and {told}
"""


def keys_of(scope: Scope, record_id: int, spared: Spared | None = None) -> list[UUID]:
    """Keys of the properties a record carries: what a page about it listens for. A connection only where another
    member of it can be seen: the page holds the keys, and their number."""
    statement = _KEYS.format(live=_holding(live("e"), "e", spared), told=told("e"))
    return [key for (key,) in sql.fetch(statement, {"record": record_id, **_params(scope, spared)})]


# Labels of the record itself and of what shares a property with it, as far as a few hundred neighbours tell.
_NEAR = """
with own as (
  select e.key, e.label from memory_edgeproperty e
  where e.record_id = %(record)s and e.lane_id = any(%(lanes)s) and e.label <> 'tense' and {own}
), near as (
  select distinct x.record_id from own cross join unnest(%(lanes)s::int[]) l(id) cross join lateral (
    select o.record_id from memory_edgeproperty o where o.key = own.key and o.lane_id = l.id
    order by o.at desc limit 5) x
  limit 300
)
select distinct label from (
  select label from own
  union all select e.label from memory_edgeproperty e join near on near.record_id = e.record_id
  where e.lane_id = any(%(lanes)s) and e.label <> 'tense' and {e}
) x where left(label, 2) <> 'e_' order by label
"""


def labels_near(scope: Scope, record_id: int, spared: Spared | None = None) -> list[str]:
    """Labels that a walk from the record can go along."""
    statement = _NEAR.format(own=_holding(live("e"), "e", spared), e=live("e"))
    return [label for (label,) in sql.fetch(statement, {"record": record_id, **_params(scope, spared)})]


# What took a record's place: whoever cannot read it is not told that there is one.
_REPLACED = """
select o.record_id, e.type from memory_edgeproperty e
join memory_edgeproperty o on o.key = e.key and o.record_id <> e.record_id and o.lane_id = any(%(lanes)s)
  and o.seq = 0 and o.role = 'source' and (o.invalidated_at is null or o.invalidated_at > %(as_of)s)
where e.record_id = %(record)s and e.lane_id = any(%(lanes)s) and e.label = 'e_adjust' and e.seq = 0
  and e.role = 'target' and e.type in ('supersedes', 'retracts')
  and (e.invalidated_at is null or e.invalidated_at > %(as_of)s)
order by e.created_at desc, o.record_id limit 5
"""


def replacements(scope: Scope, spared: Spared | None) -> list[tuple[str, dict[str, Any]]]:
    """(how, record as `nodes` shows it) of the readable records that superseded or retracted one, newest first."""
    if spared is None:
        return []
    rows = sql.fetch(_REPLACED, {"record": spared.record, "lanes": scope.lanes, "as_of": scope.instant})
    read = nodes(scope, [record for record, _ in rows])
    return [(how, read[record]) for record, how in rows if record in read]


# The newest carriers of each hub, so that a record that shares only a hub with another is still seen to arrive.
_NEWEST = """
select k.key, x.record_id from unnest(%(keys)s::uuid[]) k(key) cross join lateral (
  select y.record_id, y.at from unnest(%(lanes)s::int[]) l(id) cross join lateral (
    select e.record_id, e.at from memory_edgeproperty e where e.key = k.key and e.lane_id = l.id
      and e.record_id <> %(origin)s and {live} order by e.at desc, e.record_id desc limit %(each)s) y
  order by y.at desc, y.record_id desc limit %(each)s) x
""".format(live=live("e"))


def newest(scope: Scope, keys: Sequence[UUID], origin: int, each: int) -> dict[str, list[dict[str, Any]]]:
    """The newest records carrying each property, as `nodes` shows them, by the key's hex digits. Two statements."""
    if not keys:
        return {}
    rows = sql.fetch(
        _NEWEST, {"keys": list(keys), "lanes": scope.lanes, "origin": origin, "each": each, **scope.params}
    )
    read = nodes(scope, [record for _, record in rows])
    found: dict[str, list[dict[str, Any]]] = {}
    for key, record in rows:
        if record in read:
            found.setdefault(key.hex, []).append(read[record])
    return found
