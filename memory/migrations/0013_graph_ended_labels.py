"""The rows that do not hold at every instant, by lane and label: what a grouping leaves out is counted here."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memory", "0012_ingest_known_through")]
    operations = [
        migrations.RunSQL(
            "create index edge_not_always_by_label on memory_edgeproperty (lane_id, label) where state & 5 <> 0",
            "drop index edge_not_always_by_label",
        ),
    ]
