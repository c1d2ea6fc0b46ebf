"""Records that carry two large properties, by merging their index ranges.

The planner's estimate for "rows of one key in one lane" is a handful, so between two hubs it may choose a nested loop
that compares every row of one with every row of the other. In a function that has nested loops and hashing switched
off, the two ranges, which the index holds in the same order, are always merged, newest first, and reading stops when
the page is full.

`one` and `two` hold a key for each lane; `others` the further keys, lane by lane, which are looked up row by row.
"""

from django.db import migrations

_MET = """
    select t.at, t.record_id from memory_edgeproperty t
    where t.key = l.k0 and t.lane_id = l.lane
      and (t.state & 5 = 0 or edge_is_live(t.record_id, t.key, t.seq, as_of)){beyond}
      and exists (select 1 from memory_edgeproperty p
        where p.key = l.k1 and p.lane_id = l.lane and p.at = t.at and p.record_id = t.record_id
          and (p.state & 5 = 0 or edge_is_live(p.record_id, p.key, p.seq, as_of)))
      and (each = 0 or not exists (
        select 1 from unnest(others[(l.n - 1) * each + 1 : l.n * each]) k(key)
        where not exists (select 1 from memory_edgeproperty q
          where q.key = k.key and q.lane_id = l.lane and q.at = t.at and q.record_id = t.record_id
            and (q.state & 5 = 0 or edge_is_live(q.record_id, q.key, q.seq, as_of)) offset 0) offset 0))
"""
_BEYOND = " and (t.at, t.record_id) < (before_at, before_id)"
_LANES = "unnest(lanes, one, two) with ordinality l(lane, k0, k1, n)"
_HEAD = """language plpgsql stable
set enable_nestloop = off set enable_hashjoin = off set plan_cache_mode = force_generic_plan as $$
declare each int := coalesce(cardinality(others), 0) / greatest(cardinality(lanes), 1);
begin
"""

PAGE = f"""
create function edge_meet_page(lanes int[], one uuid[], two uuid[], others uuid[], as_of timestamptz,
  before_at timestamptz, before_id bigint, most int)
returns table(at timestamptz, record_id bigint) {_HEAD}
  return query select x.at, x.record_id from {_LANES} cross join lateral (
    {_MET.format(beyond=_BEYOND)} order by t.at desc, t.record_id desc limit most) x
  order by 1 desc, 2 desc limit most;
end $$
"""
COUNT = f"""
create function edge_meet_count(lanes int[], one uuid[], two uuid[], others uuid[], as_of timestamptz)
returns bigint {_HEAD}
  return (select coalesce(sum(x.c), 0)::bigint from {_LANES} cross join lateral (
    select count(*) as c from ({_MET.format(beyond="")}) m) x);
end $$
"""


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0012_find_counts_by_tenant"),
        ("memory", "0012_graph_ended_members"),
        ("memory", "0012_ingest_known_through"),
    ]
    operations = [
        migrations.RunSQL(
            PAGE,
            "drop function edge_meet_page(int[], uuid[], uuid[], uuid[], timestamptz, timestamptz, bigint, int)",
        ),
        migrations.RunSQL(COUNT, "drop function edge_meet_count(int[], uuid[], uuid[], uuid[], timestamptz)"),
    ]
