"""The walk leg (`graph: true`): from the best hits along rare shared properties and mentions of known values.

A record reached has at least its own score plus a share of the score it was reached from: the larger, the fewer
records share the value, and the larger still when the value is the reached record's own title (the text of one
record names another). Guided by each record's own similarity, this finds the second half of a question in two
hops; a plain spread of rank over the graph does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from uuid import UUID

from memory import normal, sql
from memory.find.ask import Ask
from memory.gather.scope import followed, told

SEEDS = 4
HUB = 30  # a value of more records says too little to be followed
NAMED, SHARED = 1.2, 0.5  # shares of the seed's score: the value is the reached record's title, or is not
MENTIONS = "known_values"  # the extractor whose tags are mentions of values in use
LINKS_MAX = 256  # values of a seed that are followed


@dataclass(frozen=True)
class Step:
    """How a record was reached: from which record, along which value, for how much."""

    source: int
    label: str
    value: str
    gain: float


_LINKS = f"""
select distinct on (x.record_id, x.key) x.record_id, x.label, x.value, x.key from (
  select t.record_id, t.label, t.value, t.key from memory_edgeproperty t
  where t.record_id = any(%(seeds)s) and t.label <> 'tense' and {{rows}} and {followed("t")}
    and {told("t")}
  union all
  select t.record_id, t.label, t.value, t.key from memory_tag t
  where t.record_id = any(%(seeds)s) and t.extractor = '{MENTIONS}' and {{rows}}) x
order by x.record_id, x.key
"""
# The first HUB + 1 records of a value: whether there are more is all that needs to be known of a hub.
_HOLDERS = f"""
select q.i, x.record_id, left(r.title, 500) from unnest(%(keys)s::uuid[]) with ordinality q(key, i)
cross join lateral (
  select record_id from (
    (select t.record_id from memory_edgeproperty t where t.key = q.key and {{rows}} and {followed("t")}
     limit %(cap)s)
    union
    (select distinct t.record_id from memory_tag t where t.key = q.key and t.extractor = '{MENTIONS}' and {{rows}}
     limit %(cap)s)) u limit %(cap)s) x
join memory_record r on r.id = x.record_id
"""


def search(ask: Ask, scores: dict[int, float]) -> dict[int, tuple[float, Step]]:
    """{record id: (score, how it was reached)} for every record that the walk lifts above its own score."""
    seeds = sorted((r for r, score in scores.items() if score > 0), key=lambda r: (-scores[r], r))[:SEEDS]
    if not seeds:
        return {}
    rows = ask.rows("t")
    links: dict[int, list[tuple[str, str, UUID]]] = {}
    for record, label, value, key in sql.fetch(
        _LINKS.format(rows=rows), {**ask.params, **ask.scope.params, "seeds": seeds}
    ):
        mine = links.setdefault(record, [])
        if len(mine) < LINKS_MAX:
            mine.append((label, value, key))
    keys = list({key for mine in links.values() for _, _, key in mine})
    if not keys:
        return {}
    holders: dict[UUID, dict[int, str]] = {}
    for i, record, title in sql.fetch(
        _HOLDERS.format(rows=rows), {**ask.params, **ask.scope.params, "keys": keys, "cap": HUB + 1}
    ):
        holders.setdefault(keys[i - 1], {})[record] = title
    reached: dict[int, tuple[float, Step]] = {}
    for seed in seeds:
        for label, value, key in links.get(seed, []):
            members = holders.get(key, {})
            if not 2 <= len(members) <= HUB:
                continue
            name = normal.norm_tokens(value)
            for record, title in members.items():
                if record == seed:
                    continue
                share = NAMED if name and normal.norm_tokens(title) == name else SHARED
                gain = scores[seed] * share / math.log2(1 + len(members))
                score = scores.get(record, 0.0) + gain
                if record not in reached or score > reached[record][0]:
                    reached[record] = (score, Step(seed, label, value, gain))
    return reached
