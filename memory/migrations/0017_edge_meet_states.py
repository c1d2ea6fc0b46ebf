"""The merging functions of 0013, with the commonest case first: comparing a row's state costs less than masking it.

Nothing is undone backwards: what the functions answer is the same.
"""

from django.db import migrations

_MET = """
    select t.at, t.record_id from memory_edgeproperty t
    where t.key = l.k0 and t.lane_id = l.lane
      and (t.state = 0 or t.state = 8 or t.state & 5 = 0 or edge_is_live(t.record_id, t.key, t.seq, as_of)){beyond}
      and exists (select 1 from memory_edgeproperty p
        where p.key = l.k1 and p.lane_id = l.lane and p.at = t.at and p.record_id = t.record_id
          and (p.state = 0 or p.state = 8 or p.state & 5 = 0
              or edge_is_live(p.record_id, p.key, p.seq, as_of)))
      and (each = 0 or not exists (
        select 1 from unnest(others[(l.n - 1) * each + 1 : l.n * each]) k(key)
        where not exists (select 1 from memory_edgeproperty q
          where q.key = k.key and q.lane_id = l.lane and q.at = t.at and q.record_id = t.record_id
            and (q.state = 0 or q.state = 8 or q.state & 5 = 0
              or edge_is_live(q.record_id, q.key, q.seq, as_of)) offset 0) offset 0))
"""
_BEYOND = " and (t.at, t.record_id) < (before_at, before_id)"
_LANES = "unnest(lanes, one, two) with ordinality l(lane, k0, k1, n)"
_HEAD = """language plpgsql stable
set enable_nestloop = off set enable_hashjoin = off set plan_cache_mode = force_generic_plan as $$
declare each int := coalesce(cardinality(others), 0) / greatest(cardinality(lanes), 1);
begin
"""

PAGE = f"""
create or replace function edge_meet_page(lanes int[], one uuid[], two uuid[], others uuid[], as_of timestamptz,
  before_at timestamptz, before_id bigint, most int)
returns table(at timestamptz, record_id bigint) {_HEAD}
  return query select x.at, x.record_id from {_LANES} cross join lateral (
    {_MET.format(beyond=_BEYOND)} order by t.at desc, t.record_id desc limit most) x
  order by 1 desc, 2 desc limit most;
end $$
"""
COUNT = f"""
create or replace function edge_meet_count(lanes int[], one uuid[], two uuid[], others uuid[], as_of timestamptz)
returns bigint {_HEAD}
  return (select coalesce(sum(x.c), 0)::bigint from {_LANES} cross join lateral (
    select count(*) as c from ({_MET.format(beyond="")}) m) x);
end $$
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0016_join")]
    operations = [
        migrations.RunSQL(PAGE, migrations.RunSQL.noop),
        migrations.RunSQL(COUNT, migrations.RunSQL.noop),
    ]
