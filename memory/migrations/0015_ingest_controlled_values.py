"""The tenant's vocabulary, its spellings, and what keeps mentions of it when a lane stops using a value."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models

REVISION = "create sequence memory_controlledvalue_revision"
# A value that is gone from a lane takes its mentions along, unless the tenant controls it.
GONE = """
create or replace function memory_values_gone() returns trigger language plpgsql as $$
begin
  delete from memory_tag t using gone
  where t.key = gone.key and t.lane_id = gone.lane_id and t.extractor = 'known_values'
    and not exists (select 1 from memory_controlledvalue c where c.tenant_id = gone.tenant_id and c.key = gone.key);
  return null;
end $$
"""
BEFORE = """
create or replace function memory_values_gone() returns trigger language plpgsql as $$
begin
  delete from memory_tag t using gone
  where t.key = gone.key and t.lane_id = gone.lane_id and t.extractor = 'known_values';
  return null;
end $$
"""


class Migration(migrations.Migration):

    dependencies = [
        ('lanes', '0004_admin_names'),
        ('memory', '0014_relations_refused_pairs'),
        ('memory', '0014_lane_value_grams'),
    ]

    operations = [
        migrations.CreateModel(
            name='ControlledValue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('label', models.CharField(max_length=63)),
                ('value', models.CharField(max_length=500)),
                ('key', models.UUIDField(editable=False)),
                ('folded', models.TextField(editable=False)),
                ('aliases', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=500), blank=True, default=list, help_text='Other ways it is written in texts.', size=None)),
                ('revision', models.BigIntegerField(editable=False)),
                ('sought', models.BooleanField(db_default=False, default=False, editable=False)),
                ('updated_at', models.DateTimeField(editable=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lanes.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'everything',
                'default_manager_name': 'everything',
            },
            managers=[
                ('everything', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='ControlledSpelling',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('label', models.CharField(max_length=63)),
                ('written', models.CharField(max_length=500)),
                ('folded', models.TextField()),
                ('norm_key', models.BigIntegerField()),
                ('bare', models.BooleanField(default=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lanes.tenant')),
                ('of', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='spellings', to='memory.controlledvalue')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'everything',
                'default_manager_name': 'everything',
            },
            managers=[
                ('everything', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name='controlledvalue',
            index=models.Index(models.F('tenant'), models.F('label'), django.contrib.postgres.indexes.OpClass(models.F('folded'), name='text_pattern_ops'), name='controlled_value_prefix'),
        ),
        migrations.AddIndex(
            model_name='controlledvalue',
            index=models.Index(condition=models.Q(('sought', False)), fields=['tenant', 'revision'], name='controlled_value_unsought'),
        ),
        migrations.AddConstraint(
            model_name='controlledvalue',
            constraint=models.UniqueConstraint(fields=('tenant', 'key'), name='controlled_value_once'),
        ),
        migrations.AddIndex(
            model_name='controlledspelling',
            index=models.Index(fields=['tenant', 'norm_key'], name='controlled_spelling_norm'),
        ),
        migrations.AddIndex(
            model_name='controlledspelling',
            index=models.Index(models.F('tenant'), models.F('label'), django.contrib.postgres.indexes.OpClass(models.F('folded'), name='text_pattern_ops'), name='controlled_spelling_prefix'),
        ),
        migrations.RunSQL(REVISION, "drop sequence memory_controlledvalue_revision"),
        migrations.RunSQL(GONE, BEFORE),
    ]
