"""Pairs of records that a language model found unrelated; they go with either record."""

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
from django.db import migrations, models

from memory.models.child import composite_key


class Migration(migrations.Migration):

    dependencies = [
        ('lanes', '0004_admin_names'),
        ('memory', '0013_graph_ended_labels'),
    ]

    operations = [
        migrations.AlterField(
            model_name='ingestpolicy',
            name='language_model',
            field=models.BooleanField(default=False, help_text='Texts may be sent to the configured language model, for tags, relations and doubtful connections.'),
        ),
        migrations.CreateModel(
            name='RefusedPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(editable=False)),
                ('said', models.BigIntegerField(editable=False)),
                ('other_said', models.BigIntegerField(editable=False)),
                ('asked_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('lane', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='lanes.lane')),
                ('other', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.record')),
                ('record', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='%(class)s_set', to='memory.record')),
                ('tenant', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='lanes.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'everything',
                'default_manager_name': 'everything',
                'indexes': [models.Index(fields=['other'], name='refused_pair_other'), models.Index(fields=['lane', 'at'], name='refused_pair_lane_at')],
                'constraints': [models.UniqueConstraint(fields=('record', 'other'), name='refused_pair_once')],
            },
            managers=[
                ('everything', django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(*composite_key("memory_refusedpair")),
        migrations.RunSQL(
            "alter table memory_refusedpair add constraint memory_refusedpair_other_fk foreign key (other_id) "
            "references memory_record (id) on delete cascade",
            "alter table memory_refusedpair drop constraint memory_refusedpair_other_fk",
        ),
    ]
