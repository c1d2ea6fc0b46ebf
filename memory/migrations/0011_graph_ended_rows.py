"""The few rows that do not hold at every instant, by record: what a walk says it left out is looked up here."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memory", "0011_find_forget_tags")]
    operations = [
        migrations.RunSQL(
            "create index edge_not_always on memory_edgeproperty (record_id) where state & 5 <> 0",
            "drop index edge_not_always",
        ),
    ]
