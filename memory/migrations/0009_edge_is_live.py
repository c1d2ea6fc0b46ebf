"""Whether a dated or superseded edge property row holds at an instant."""

from django.db import migrations

# plpgsql on purpose: it is not inlined. Inlined (or written as a subquery) its two look-ups are set up by every
# statement that mentions it, though hardly any row needs them; that took longer than the rest of a short query.
EDGE_IS_LIVE = """
create function edge_is_live(record bigint, hyperedge uuid, interval_no smallint, instant timestamptz)
returns boolean language plpgsql stable strict parallel safe as $$
begin
  return exists (
    select 1 from memory_edgeproperty v join memory_record r on r.id = v.record_id
    where v.record_id = record and v.key = hyperedge and v.seq = interval_no
      and (v.valid_from is null or v.valid_from <= instant)
      and (v.invalidated_at is null or v.invalidated_at > instant)
      and (r.superseded_at is null or r.superseded_at > instant));
end $$
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0009_ingest_progress")]
    operations = [
        migrations.RunSQL(EDGE_IS_LIVE, "drop function edge_is_live(bigint, uuid, smallint, timestamptz)"),
    ]
