"""Extensions first and alone: pgvector is the only one the product needs."""

from django.db import migrations
from pgvector.django import VectorExtension


class Migration(migrations.Migration):
    initial = True
    dependencies = [("lanes", "0001_initial")]
    operations = [VectorExtension()]
