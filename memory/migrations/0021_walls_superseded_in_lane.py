"""A record is superseded by records of its own lane only, and values that rewrites left behind leave the value lists."""

from django.db import migrations

FREE = """
with free as (
  update memory_record r set superseded_at = null where superseded_at is not null and not exists (
    select 1 from memory_edgeproperty e
    join memory_edgeproperty o on o.key = e.key and o.role = 'source' and o.seq = 0 and o.lane_id = e.lane_id
    where e.record_id = r.id and e.label = 'e_adjust' and e.role = 'target' and e.type in ('supersedes', 'retracts')
      and e.seq = 0 and (e.invalidated_at is null or e.invalidated_at > now()))
  returning r.id)
update memory_edgeproperty e set state = state & ~4 from free where e.record_id = free.id and state & 4 = 4
"""
SWEEP = """
delete from memory_lanevalue v where v.alias_of is null
  and not exists (select 1 from memory_edgeproperty e where e.key = v.key and e.lane_id = v.lane_id)
  and not exists (select 1 from memory_lanevalue a where a.lane_id = v.lane_id and a.alias_of = v.key)
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0020_record_recorded")]
    operations = [
        migrations.RunSQL(FREE, migrations.RunSQL.noop),
        migrations.RunSQL(SWEEP, migrations.RunSQL.noop),
    ]
