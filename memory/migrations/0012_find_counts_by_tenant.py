"""Word counts belong to a tenant like every other row. They are counted anew, so those there are need not be kept."""

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('lanes', '0004_admin_names'),
        ('memory', '0011_graph_ended_rows'),
    ]

    operations = [
        migrations.RunSQL('truncate memory_lanestat, memory_termfrequency', migrations.RunSQL.noop),
        migrations.AlterModelOptions(
            name='lanestat',
            options={'base_manager_name': 'everything', 'default_manager_name': 'everything'},
        ),
        migrations.AlterModelOptions(
            name='termfrequency',
            options={'base_manager_name': 'everything', 'default_manager_name': 'everything', 'verbose_name_plural': 'term frequencies'},
        ),
        migrations.AlterModelManagers(
            name='lanestat',
            managers=[
                ('everything', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AlterModelManagers(
            name='termfrequency',
            managers=[
                ('everything', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name='lanestat',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lanes.tenant'),
        ),
        migrations.AddField(
            model_name='termfrequency',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='lanes.tenant'),
        ),
    ]
