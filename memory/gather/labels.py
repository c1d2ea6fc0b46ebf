"""Labels: which are in use in the readable lanes, and how much."""

from typing import Any

from memory import sql
from memory.gather import cursor as cursors
from memory.gather import paging
from memory.gather.scope import CAP, Scope, live

# From label to label along the index of the lanes' values, without reading the values.
_LABELS = """
with recursive used(lane, label) as (
  select lane, (select min(v.label) from memory_lanevalue v where v.lane_id = lane and v.label > %(after)s)
  from unnest(%(lanes)s::int[]) as l(lane)
  union all
  select lane, (select min(v.label) from memory_lanevalue v where v.lane_id = used.lane and v.label > used.label)
  from used where label is not null)
select distinct label from used where label is not null and left(label, 2) <> 'e_' order by label limit %(limit)s
"""
# Bounded: so many properties of each label are looked at.
_COUNTS = f"""
select x.label, c.keys, c.records, c.carried from unnest(%(labels)s::text[]) as x(label) cross join lateral (
  select count(distinct s.key) as keys, count(distinct s.record_id) as records, count(*) as carried from (
    select e.key, e.record_id from memory_edgeproperty e
    where e.lane_id = any(%(lanes)s::int[]) and e.label = x.label and {live("e")} limit %(cap)s) s) c
where c.carried > 0 order by x.label
"""  # noqa: S608


def in_use(scope: Scope, limit: int, after: str = "") -> list[str]:
    """Labels of the readable lanes, in the order of the alphabet."""
    rows = sql.fetch(_LABELS, {"lanes": scope.lanes, "after": after, "limit": limit})
    return [label for (label,) in rows]


def labels(scope: Scope, *, limit: int = 50, cursor: str | None = None) -> dict[str, Any]:
    """{labels: [{label, value_count, sr_count}], next_cursor, hint}: in the order of the alphabet, counts of readable
    records. Of a label carried more than 10,000 times the counts are what so many properties show, and say so."""
    query = paging.query_of(scope, "labels", scope.lanes)
    after = cursors.unseal(query, cursor)
    found = in_use(scope, limit + 1, after[0] if after else "")
    more, found = len(found) > limit, found[:limit]
    rows = sql.fetch(_COUNTS, {**scope.params, "lanes": scope.lanes, "labels": found, "cap": CAP + 1})
    return {
        "labels": [
            {
                "label": label,
                "value_count": values,
                "sr_count": records,
                **({"counts_capped": True} if carried > CAP else {}),
            }
            for label, values, records, carried in rows
        ],
        "next_cursor": cursors.seal(query, [found[-1]]) if more else None,
        "hint": None if rows or after or more else "No readable record carries an edge property.",
    }
