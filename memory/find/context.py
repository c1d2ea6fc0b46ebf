"""What stands beside a record in time: its neighbours lend it a part of their score.

A note of a call, a turn of a conversation, a docket entry is often understood only with the one before it. A
neighbour is one of the two nearest records before or after in the same lane, both dated, sharing an edge property.
Nothing of a neighbour is stored with a record, so nothing of it is left when the neighbour is changed or deleted.
"""

from __future__ import annotations

from memory import sql
from memory.find.ask import Ask

LENDERS = 150  # best records whose neighbours are looked at
# A share for the nearest and the second nearest neighbour; the one that follows is more often the answer.
AFTER = (0.65, 0.325)
BEFORE = (0.5, 0.25)

_NEIGHBOURS = """
select c.id, n.id, n.side, n.place from unnest(%(ids)s::bigint[]) u(id)
join memory_record c on c.id = u.id and c.occurred_at is not null
cross join lateral (
  (select t.id, 1 as side, row_number() over (order by t.at, t.id) as place from (
     select t.id, t.at, t.occurred_at from memory_record t
     where t.lane_id = c.lane_id and (t.at, t.id) > (c.at, c.id) order by t.at, t.id limit 2) t
   where t.occurred_at is not null)
  union all
  (select t.id, -1, row_number() over (order by t.at desc, t.id desc) from (
     select t.id, t.at, t.occurred_at from memory_record t
     where t.lane_id = c.lane_id and (t.at, t.id) < (c.at, c.id) order by t.at desc, t.id desc limit 2) t
   where t.occurred_at is not null)) n
where exists (
  select 1 from memory_edgeproperty a join memory_edgeproperty b on b.key = a.key and b.record_id = n.id
    and b.state & 7 = 0
  where a.record_id = c.id and a.state & 7 = 0 and a.label <> 'tense')
"""
_MAY_ANSWER = "select t.id from memory_record t where t.id = any(%(ids)s) and {rows}"


def lend(ask: Ask, scores: dict[int, float]) -> dict[int, float]:
    """{record id: what its neighbours add}."""
    lenders = sorted((r for r, score in scores.items() if score > 0), key=lambda r: (-scores[r], r))[:LENDERS]
    if not lenders:
        return {}
    gains: dict[int, float] = {}
    for record, neighbour, side, place in sql.fetch(_NEIGHBOURS, {"ids": lenders}):
        share = (AFTER if side > 0 else BEFORE)[place - 1]
        gains[neighbour] = gains.get(neighbour, 0.0) + share * scores[record]
    # A neighbour lies in the same lane as the record it lends to, so without a filter there is nothing to ask.
    new = [record for record in gains if record not in scores] if ask.filters("t") else []
    if new:
        rows = sql.fetch(_MAY_ANSWER.format(rows=ask.rows("t", record="id")), {**ask.params, "ids": new})
        visible = {row[0] for row in rows}
        gains = {record: gain for record, gain in gains.items() if record in scores or record in visible}
    return gains
