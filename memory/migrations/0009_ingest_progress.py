
from django.db import migrations, models


# A new version of a record whose text, title, time and lane are as before needs no new ingest, so what is up to date
# stays so; otherwise earlier failures no longer count.
CHANGED = """
create function memory_record_changed() returns trigger language plpgsql as $$
begin
  if (new.title, new.text, new.at, new.lane_id) is distinct from (old.title, old.text, old.at, old.lane_id) then
    new.ingest_error := '';
    new.ingest_attempts := 0;
  elsif new.version <> old.version then
    if old.ingested_version = old.version and new.ingested_version = old.ingested_version then
      new.ingested_version := new.version;
    end if;
    if old.enriched_version = old.version and new.enriched_version = old.enriched_version then
      new.enriched_version := new.version;
    end if;
  end if;
  return new;
end $$;
create trigger record_changed before update of version on memory_record
  for each row execute function memory_record_changed();
"""

# Known-value tags speak of the values of the lane the record was in: the reader of another lane must not see them,
# not even until the record has been ingested again.
MOVED = """
create function memory_record_moved() returns trigger language plpgsql as $$
begin
  delete from memory_tag where record_id = new.id and extractor = 'known_values';
  return null;
end $$;
create trigger record_moved after update of lane_id on memory_record
  for each row when (old.lane_id is distinct from new.lane_id) execute function memory_record_moved();
"""

# A value that is gone from a lane takes the mentions of it along; one that became an old spelling (or stopped being
# one) is sought again, so that its mentions lead to the value that is kept.
VALUES = """
create function memory_values_gone() returns trigger language plpgsql as $$
begin
  delete from memory_tag t using gone
  where t.key = gone.key and t.lane_id = gone.lane_id and t.extractor = 'known_values';
  return null;
end $$;
create trigger lane_values_gone after delete on memory_lanevalue
  referencing old table as gone for each statement execute function memory_values_gone();
create function memory_value_renamed() returns trigger language plpgsql as $$
begin
  new.sought := false;
  return new;
end $$;
create trigger lane_value_renamed before update of alias_of on memory_lanevalue
  for each row when (old.alias_of is distinct from new.alias_of) execute function memory_value_renamed();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('lanes', '0002_news_of_grants'),
        ('memory', '0009_graph_entities'),
    ]

    operations = [
        migrations.CreateModel(
            name='IngestBatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('phase', models.CharField(max_length=8)),
                ('records', models.PositiveIntegerField()),
                ('characters', models.PositiveBigIntegerField()),
                ('seconds', models.FloatField()),
                ('steps', models.JSONField(default=dict)),
            ],
            options={
                'verbose_name_plural': 'ingest batches',
            },
        ),
        migrations.AddField(
            model_name='lanevalue',
            name='sought',
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name='record',
            name='enriched_version',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name='record',
            name='ingest_attempts',
            field=models.PositiveSmallIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddIndex(
            model_name='lanevalue',
            index=models.Index(condition=models.Q(('sought', False)), fields=['lane', 'id'], name='lane_value_unsought'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(condition=models.Q(('ingested_version', models.F('version')), _negated=True), fields=['id'], name='record_ingest_pending'),
        ),
        migrations.AddIndex(
            model_name='record',
            index=models.Index(condition=models.Q(('ingest_error', ''), _negated=True), fields=['id'], name='record_ingest_failed'),
        ),
        migrations.AddIndex(
            model_name='ingestbatch',
            index=models.Index(fields=['at'], name='ingest_batch_at'),
        ),
        migrations.RunSQL(
            CHANGED, "drop trigger record_changed on memory_record; drop function memory_record_changed()"
        ),
        migrations.RunSQL(MOVED, "drop trigger record_moved on memory_record; drop function memory_record_moved()"),
        migrations.RunSQL(
            VALUES,
            "drop trigger lane_values_gone on memory_lanevalue; drop function memory_values_gone(); "
            "drop trigger lane_value_renamed on memory_lanevalue; drop function memory_value_renamed()",
        ),
    ]
