"""Joins the two lines of migrations before it."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memory", "0015_ingest_controlled_values"), ("memory", "0015_ui_changed_by")]
    operations: list = []
