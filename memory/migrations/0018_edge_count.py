"""Counting an intersection of plain properties in one call: sized as far as choosing needs, then merged or looked up.

Sizes only choose the way, so they are taken without asking which rows hold. Merging two ranges of the index reads a row
about fifteen times as fast as looking one up in the other: it pays while the larger is not many times the smaller, and
with both past `few` there is no telling without counting further than merging would cost.
"""

from django.db import migrations

_HOLDS = """({a}.state = 0 or {a}.state = 8 or {a}.state & 5 = 0
      or edge_is_live({a}.record_id, {a}.key, {a}.seq, as_of))"""
_DRIVER = f"""
    select count(*) into number from memory_edgeproperty t
    where t.key = k[1] and t.lane_id = any(lanes) and {_HOLDS.format(a="t")}"""
_CARRIES = f"""select 1 from memory_edgeproperty p where p.key = {{key}} and p.lane_id = t.lane_id
      and p.at = t.at and p.record_id = t.record_id and {_HOLDS.format(a="p")} offset 0"""

EDGE_COUNT = f"""
create function edge_count(lanes int[], keys uuid[], as_of timestamptz, few int)
returns table(number bigint, aliased boolean, dated boolean)
language plpgsql stable set plan_cache_mode = force_generic_plan as $$
declare
  least_size int := few + 1;
  n int;
  sizes int[];
  k uuid[];
begin
  aliased := exists (select 1 from memory_lanevalue v
    where v.key = any(keys) and v.alias_of is not null and v.lane_id = any(lanes));
  if aliased then
    return next;
    return;
  end if;
  dated := exists (select 1 from memory_edgeproperty e
    where e.state & 5 <> 0 and e.key = any(keys) and e.lane_id = any(lanes));
  for i in 1..cardinality(keys) loop
    select count(*) into n from (
      select 1 from memory_edgeproperty t where t.key = keys[i] and t.lane_id = any(lanes) limit least_size) y;
    sizes[i] := n;
    least_size := least(least_size, n);
    if n = 0 then
      number := 0;
      return next;
      return;
    end if;
  end loop;
  select array_agg(u.k order by u.s, u.o) into k from unnest(keys, sizes) with ordinality u(k, s, o);
  if cardinality(keys) = 2 and least_size between few / 8 and few then
    select count(*) into n from (
      select 1 from memory_edgeproperty t where t.key = k[2] and t.lane_id = any(lanes) limit 6 * least_size + 1) y;
    if n <= 6 * least_size then
      least_size := few + 1;
    end if;
  end if;
  if least_size > few then
    number := edge_meet_count(
      lanes, array_fill(k[1], array[cardinality(lanes)]), array_fill(k[2], array[cardinality(lanes)]),
      (select coalesce(array_agg(x.key), '{{}}') from unnest(lanes) l cross join unnest(k[3:]) x(key)), as_of);
  elsif cardinality(keys) = 2 then
    {_DRIVER.strip()}
      and exists ({_CARRIES.format(key="k[2]")});
  else
    {_DRIVER.strip()}
      and not exists (select 1 from unnest(k[2:]) x(key) where not exists ({_CARRIES.format(key="x.key")}) offset 0);
  end if;
  return next;
end $$
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0017_edge_meet_states")]
    operations = [migrations.RunSQL(EDGE_COUNT, "drop function edge_count(int[], uuid[], timestamptz, int)")]
