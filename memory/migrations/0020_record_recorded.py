"""What was recorded last in a lane, whatever its date of event: what home shows as recent."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memory", "0019_timeline_indexes")]
    operations = [
        AddIndexConcurrently(
            model_name="record",
            index=models.Index(fields=["lane", "-recorded_at", "-id"], name="record_lane_recorded"),
        ),
    ]
