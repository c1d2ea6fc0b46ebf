"""Facets of a list of hits: how they spread over lanes, kinds and values. Counted over the ids given, nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory import sql
from memory.gather.scope import Scope, live

_BY_ROW = """
select lane_id, kind, profile_id is not null, count(*) from memory_record
where id = any(%s) and lane_id = any(%s) group by 1, 2, 3
"""

_BY_VALUE = """
select label, value, key, n, labelled, different from (
  select *, row_number() over (partition by label order by n desc, value) as place,
         sum(n) over (partition by label) as labelled, count(*) over (partition by label) as different
  from (select e.label, min(e.value) as value, e.key, count(*) as n from memory_edgeproperty e
        where e.record_id = any(%(ids)s) and e.lane_id = any(%(lanes)s) and left(e.label, 2) <> 'e_' and {live}
        group by e.label, e.key) y) x
where place <= %(each)s order by labelled desc, label, place
""".format(live=live("e"))


def facets(scope: Scope, record_ids: Sequence[int], each: int = 5, most: int = 8) -> dict[str, Any]:
    """{"lanes": {lane_id: n}, "kinds": {kind: n}, "by": {"people": n, "agents": n}, "labels": [{label, different,
    values: [{value, key, count}]}]}.

    The labels that say most about the hits come first; two statements, however many hits.
    """
    ids = list(record_ids)
    lanes: dict[int, int] = {}
    kinds: dict[str, int] = {}
    by = {"people": 0, "agents": 0}
    groups: dict[str, dict[str, Any]] = {}
    if ids:
        for lane, kind, agent, n in sql.fetch(_BY_ROW, (ids, scope.lanes)):
            lanes[lane] = lanes.get(lane, 0) + n
            kinds[kind] = kinds.get(kind, 0) + n
            by["agents" if agent else "people"] += n
        for label, value, key, n, _, different in sql.fetch(
            _BY_VALUE, {"ids": ids, "lanes": scope.lanes, "each": each, **scope.params}
        ):
            group = groups.setdefault(label, {"label": label, "different": different, "values": []})
            group["values"].append({"value": value, "key": key, "count": n})
    # A label whose values are all different (a docket number, an e-mail address) narrows to one record each.
    useful = [g for g in groups.values() if g["values"][0]["count"] > 1 or g["different"] < 4]
    return {"lanes": lanes, "kinds": kinds, "by": by, "labels": useful[:most]}
