"""Values and labels a reader may see: suggestions, a value's own page. Every list comes from the reader's lanes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from lanes.readers import Reader
from memory import normal, sql
from memory.gather.scope import CAP, Scope, live

# The distinct labels of each lane by jumping from one to the next in the index, not by reading every value.
_LABELS = """
with recursive step as (
  select l.id as lane, (select min(v.label) from memory_lanevalue v where v.lane_id = l.id) as label
  from unnest(%s::int[]) l(id)
  union all
  select s.lane, (select min(v.label) from memory_lanevalue v where v.lane_id = s.lane and v.label > s.label)
  from step s where s.label is not null
)
select label, count(*) from step where label is not null and left(label, 2) <> 'e_' group by label order by label
"""


def labels(reader: Reader) -> list[str]:
    """Every label used in the reader's lanes, in alphabetical order."""
    return [label for label, _ in sql.fetch(_LABELS, (reader.lane_list,))]


# The same of the tenant's vocabulary, which every member of the tenant may know.
_VOCABULARY_LABELS = """
with recursive step as (
  select (select min(v.label) from memory_controlledvalue v where v.tenant_id = %(tenant)s) as label
  union all
  select (select min(v.label) from memory_controlledvalue v where v.tenant_id = %(tenant)s and v.label > s.label)
  from step s where s.label is not null
)
select label from step where label is not null
"""


def vocabulary_labels(tenant_id: int) -> list[str]:
    """Every label of a tenant's controlled values, in alphabetical order."""
    return [label for (label,) in sql.fetch(_VOCABULARY_LABELS, {"tenant": tenant_id})]


def offered_labels(reader: Reader) -> list[str]:
    """Every label that can be suggested: used in the reader's lanes, or of the tenant's vocabulary."""
    return sorted({*labels(reader), *vocabulary_labels(reader.tenant_id)})


_SUGGEST = """
select v.label, min(v.value), v.key from unnest(%(lanes)s::int[]) l(id)
cross join lateral (select label, value, key, folded from memory_lanevalue v
  where v.lane_id = l.id and v.label = any(%(labels)s) and v.folded like %(prefix)s and v.alias_of is null
  order by v.label, v.folded limit %(limit)s) v
group by v.label, v.key, v.folded order by v.folded, v.label limit %(limit)s
"""


# By bounds instead of a pattern, which a generic plan could not read an index by.
_CONTROLLED = """
select v.label, v.value, v.key from unnest(%(labels)s::text[]) l(label)
cross join lateral (select s.of_id, s.folded from memory_controlledspelling s
  where s.tenant_id = %(tenant)s and s.label = l.label and s.folded ~>=~ %(start)s and s.folded ~<~ %(end)s
  order by s.folded using ~<~ limit %(limit)s) s
join memory_controlledvalue v on v.id = s.of_id
order by s.folded, v.label limit %(limit)s
"""


def suggest(reader: Reader, labels_: Sequence[str], prefix: str, limit: int = 8) -> list[dict[str, Any]]:
    """Values of these labels that start with a text, case ignored: [{label, value, key, controlled}].

    Those of the tenant's vocabulary come too, also by their aliases, whether the reader's lanes use them or not.
    """
    found = {value["key"]: value for value in _used(reader, labels_, prefix, limit)}
    start = normal.fold(prefix)
    for label, value, key in sql.fetch(
        _CONTROLLED,
        {
            "tenant": reader.tenant_id, "labels": list(labels_), "start": start, "end": start + "\U0010ffff",
            "limit": limit,
        },
    ):  # fmt: skip
        found[key] = {"label": label, "value": value, "key": key, "controlled": True}
    return sorted(found.values(), key=lambda item: (normal.fold(item["value"]), item["label"]))[:limit]


def _used(reader: Reader, labels_: Sequence[str], prefix: str, limit: int) -> list[dict[str, Any]]:
    like = normal.fold(prefix).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    rows = sql.fetch(
        _SUGGEST, {"lanes": reader.lane_list, "labels": list(labels_), "prefix": like, "limit": limit}, prepare=False
    )
    return [{"label": label, "value": value, "key": key, "controlled": False} for label, value, key in rows]


_COUNTS = """
select k.key, (select count(*) from (select 1 from memory_edgeproperty e
  where e.key = k.key and e.lane_id = any(%(lanes)s) and {live} limit %(cap)s) x)
from unnest(%(keys)s::uuid[]) k(key)
""".format(live=live("e"))


def counts(scope: Scope, keys: Sequence[UUID], cap: int = CAP) -> dict[UUID, int]:
    """How many records in the scope carry each property; counting stops at cap + 1."""
    if not keys:
        return {}
    rows = sql.fetch(_COUNTS, {"lanes": scope.lanes, "keys": list(keys), "cap": cap + 1, **scope.params})
    return dict(rows)


# The spelling shown: as most lately written in the reader's lanes; an alias leads to the value it was joined to.
_FIND = """
select v.label, v.value, v.key, v.alias_of, v.alias_value from memory_lanevalue v
where v.lane_id = any(%s) and v.key = %s order by v.alias_of nulls first, v.id limit 1
"""


def find(reader: Reader, label: str, value: str) -> dict[str, Any] | None:
    """The value as the reader's lanes write it, or None when none of them ever used it."""
    found = sql.fetch(_FIND, (reader.lane_list, normal.edge_key(label, value)))
    if not found:
        return None
    label, value, key, alias_of, alias_value = found[0]
    return {"label": label, "value": value, "key": key, "alias_value": alias_value if alias_of else None}


_ALIASES = (
    "select distinct value from memory_lanevalue where lane_id = any(%s) and alias_of = %s order by value limit 20"
)


def aliases(reader: Reader, key: UUID) -> list[str]:
    """Spellings that were joined to this value, in the reader's lanes."""
    return [value for (value,) in sql.fetch(_ALIASES, (reader.lane_list, key))]


# The newest carriers; what a page says about a value's company and its months is counted over these.
_CARRIERS = """
select x.record_id, x.lane_id, x.at from unnest(%(lanes)s::int[]) l(id)
cross join lateral (select e.record_id, e.lane_id, e.at from memory_edgeproperty e
  where e.key = %(key)s and e.lane_id = l.id and {live} order by e.at desc, e.record_id desc limit %(limit)s) x
order by x.at desc, x.record_id desc limit %(limit)s
""".format(live=live("e"))

# The first and the last of some records that have a date of event, with how exact it is.
_ENDS = """
(select occurred_at, date_precision from memory_record where id = any(%(ids)s) and occurred_at is not null
 order by occurred_at, id limit 1)
union all
(select occurred_at, date_precision from memory_record where id = any(%(ids)s) and occurred_at is not null
 order by occurred_at desc, id desc limit 1)
"""
_MONTHS = """
select r.lane_id, date_trunc(%(unit)s, r.occurred_at at time zone 'UTC'), count(*)
from memory_record r where r.id = any(%(ids)s) group by 1, 2
"""


def over_time(scope: Scope, key: UUID, limit: int = CAP) -> dict[str, Any]:
    """The newest carriers by month of event (by year, decade or century when they span many years) and by lane.

    Returns {unit, buckets: [(start, {lane_id: n})], undated, first, last, counted, lanes, ids}: a bucket for every
    period between the first and the last event, empty ones included; first and last are (instant, precision) of
    events, None where no record has a date of event.
    """
    carriers = sql.fetch(_CARRIERS, {"lanes": scope.lanes, "key": key, "limit": limit, **scope.params})
    ids = [record for record, _, _ in carriers]
    ends = sql.fetch(_ENDS, {"ids": ids}) if ids else []
    first, last = (ends[0], ends[-1]) if ends else (None, None)
    unit = "month"
    buckets: dict[datetime, dict[int, int]] = {}
    undated = 0 if ends else len(ids)
    if first and last:
        unit = _unit(first[0], last[0])
        for lane, start, n in sql.fetch(_MONTHS, {"ids": ids, "unit": unit}):
            if start is None:
                undated += n
            else:
                buckets.setdefault(start, {})[lane] = n
    return {
        "unit": unit, "buckets": _filled(buckets, unit), "undated": undated, "first": first, "last": last,
        "counted": len(ids), "ids": ids,
        "lanes": len({lane for _, lane, _ in carriers}),
    }  # fmt: skip


def _unit(first: datetime, last: datetime) -> str:
    """The period that bars stand for, so that there are at most about sixty."""
    years = (last - first).days / 365.25
    return "month" if years <= 4 else "year" if years <= 60 else "decade" if years <= 600 else "century"


_YEARS = {"year": 1, "decade": 10, "century": 100}


def _filled(buckets: dict[datetime, dict[int, int]], unit: str) -> list[tuple[datetime, dict[int, int]]]:
    """Every period from the first to the last, in order; where nothing happened, an empty one."""
    made: list[tuple[datetime, dict[int, int]]] = []
    at, end = min(buckets, default=None), max(buckets, default=None)
    while at is not None and end is not None and at <= end:
        made.append((at, buckets.get(at, {})))
        if unit == "month":
            year, month = at.year + at.month // 12, at.month % 12 + 1
        else:
            year, month = at.year + _YEARS[unit], 1
        at = at.replace(year=year, month=month) if year <= 9999 else None
    return made


_COMPANY = """
select label, value, key, n from (
  select e.label, min(e.value) as value, e.key, count(*) as n,
         row_number() over (partition by e.label order by count(*) desc, min(e.value)) as place
  from memory_edgeproperty e
  where e.record_id = any(%(ids)s) and e.key <> %(key)s and left(e.label, 2) <> 'e_' and e.label <> 'tense' and {live}
  group by e.label, e.key) x
where place <= %(each)s order by n desc, label, place
""".format(live=live("e"))


def company(scope: Scope, key: UUID, record_ids: Sequence[int], each: int = 5) -> list[dict[str, Any]]:
    """Values on the same records, most shared first, a few of each label: [{label, value, key, count}].

    The caller took the ids from this scope.
    """
    if not record_ids:
        return []
    rows = sql.fetch(_COMPANY, {"ids": list(record_ids), "key": key, "each": each, **scope.params})
    return [{"label": label, "value": value, "key": found, "count": n} for label, value, found, n in rows]


_NEAR = """
select distinct on (v.key) v.value, v.key from memory_lanevalue v
where v.lane_id = any(%(lanes)s) and v.norm_key = %(norm)s and v.label = %(label)s and v.key <> %(key)s
  and v.alias_of is null order by v.key limit 5
"""


def similar(reader: Reader, label: str, value: str, key: UUID) -> list[dict[str, Any]]:
    """Other values of the label made of the same words (punctuation aside), in the reader's lanes."""
    rows = sql.fetch(_NEAR, {"lanes": reader.lane_list, "norm": normal.norm_key(value), "label": label, "key": key})
    return [{"value": found, "key": other} for found, other in rows]
