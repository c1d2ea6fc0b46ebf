"""Approximate indexes of the vectors, made without holding up writers. On a new database they are made empty."""

from django.db import migrations


def hnsw(table: str) -> migrations.RunSQL:
    name = f"{table.removeprefix('memory_')}_hnsw"
    return migrations.RunSQL(
        f"create index concurrently if not exists {name} on {table} "
        "using hnsw (embedding halfvec_cosine_ops) with (m = 16, ef_construction = 64)",
        f"drop index concurrently if exists {name}",
    )


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memory", "0005_find_database_side")]
    operations = [hnsw("memory_recordvector"), hnsw("memory_window")]
