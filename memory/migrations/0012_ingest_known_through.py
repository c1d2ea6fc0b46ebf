"""Which values a record's mentions were looked for, so that only records behind are read again."""

from django.db import migrations, models

# A value that became an old spelling (or stopped being one) is sought again in all records: it gets a new id, and so
# no record knows it yet.
RENAMED = """
create or replace function memory_value_renamed() returns trigger language plpgsql as $$
begin
  new.sought := false;
  new.id := nextval('memory_lanevalue_id_seq');
  return new;
end $$
"""
BEFORE = """
create or replace function memory_value_renamed() returns trigger language plpgsql as $$
begin
  new.sought := false;
  return new;
end $$
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0012_graph_ended_members")]

    operations = [
        migrations.AddField(
            model_name="record",
            name="known_through",
            field=models.BigIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.RunSQL(RENAMED, BEFORE),
    ]
