"""What a timeline asks first: edge properties of undated records, so that bounds narrow the range that is read, and
whether anything in a lane was superseded."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0018_edge_count")]
    operations = [
        migrations.RunSQL(
            "create index edge_undated on memory_edgeproperty (key, lane_id, at, record_id, seq, state) "
            "where state & 8 = 8",
            "drop index edge_undated",
        ),
        migrations.AddIndex(
            model_name="record",
            index=models.Index(
                condition=models.Q(("superseded_at__isnull", False)), fields=["lane"], name="record_superseded_lane"
            ),
        ),
    ]
