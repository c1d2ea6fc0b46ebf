"""The rows that do not hold at every instant, by hyperedge and lane: what a set leaves out is counted here."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memory", "0012_find_counts_by_tenant")]
    operations = [
        migrations.RunSQL(
            "create index edge_not_always_by_key on memory_edgeproperty (key, lane_id) where state & 5 <> 0",
            "drop index edge_not_always_by_key",
        ),
    ]
