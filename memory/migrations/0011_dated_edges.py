"""The few edge property rows that do not hold at every instant, by record."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memory", "0011_find_forget_tags")]
    operations = [
        migrations.RunSQL(
            "create index edge_dated on memory_edgeproperty (record_id) where state & 5 <> 0",
            "drop index edge_dated",
        ),
    ]
