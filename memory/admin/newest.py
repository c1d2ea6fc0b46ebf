"""The newest rows of many lanes, fast whatever the size of the table.

A plain `lane_id = any(…) order by at desc limit n` sorts everything that the lanes hold. Here each lane gives its own
first rows from an index that is in that order, and only those are merged.
"""

from collections.abc import Sequence
from uuid import UUID

from memory import sql

_RECORDS = """
select x.id from unnest(%(lanes)s::int[]) l(id)
cross join lateral (select id, at from memory_record r
  where r.lane_id = l.id order by r.at desc, r.id desc limit %(limit)s) x
order by x.at desc, x.id desc limit %(limit)s
"""


def records(lanes: Sequence[int], limit: int) -> list[int]:
    """Ids of the newest records of these lanes, newest first."""
    return [row[0] for row in sql.fetch(_RECORDS, {"lanes": list(lanes), "limit": limit})]


_CARRYING = """
select x.id from unnest(%(lanes)s::int[]) l(id)
cross join lateral (select id, at from {table} e
  where e.key = %(key)s and e.lane_id = l.id order by e.at desc limit %(limit)s) x
order by x.at desc, x.id desc limit %(limit)s
"""


def carrying(table: str, lanes: Sequence[int], key: UUID, limit: int) -> list[int]:
    """Ids of the newest rows of memory_edgeproperty or memory_tag that stand for one label and value."""
    found = sql.fetch(_CARRYING.format(table=table), {"lanes": list(lanes), "key": key, "limit": limit})
    return [row[0] for row in found]


_LABELLED = """
select x.id from unnest(%(lanes)s::int[]) l(id)
cross join lateral (select id from {table} e where e.lane_id = l.id and e.label = %(label)s limit %(limit)s) x
limit %(limit)s
"""


def labelled(table: str, lanes: Sequence[int], label: str, limit: int) -> list[int]:
    """Ids of some rows of memory_edgeproperty or memory_tag with that label."""
    found = sql.fetch(_LABELLED.format(table=table), {"lanes": list(lanes), "label": label, "limit": limit})
    return [row[0] for row in found]


_TITLED = """
select r.record_id from memory_recordtext r
where r.tsv @@ %(query)s::tsquery and r.lane_id = any(%(lanes)s) order by r.at desc, r.record_id desc limit %(limit)s
"""


def titled(lanes: Sequence[int], query: str, limit: int) -> list[int]:
    """Ids of the newest records of these lanes whose words match a tsquery."""
    return [row[0] for row in sql.fetch(_TITLED, {"lanes": list(lanes), "query": query, "limit": limit})]


_NAMED = "select id from memory_record where lane_id = any(%(lanes)s) and external_id = %(name)s limit %(limit)s"


def named(lanes: Sequence[int], name: str, limit: int) -> list[int]:
    """Ids of the records with that external_id in these lanes."""
    return [row[0] for row in sql.fetch(_NAMED, {"lanes": list(lanes), "name": name, "limit": limit})]
