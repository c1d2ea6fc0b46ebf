"""What Django's models cannot say: composite foreign keys with cascades, the lane-hashed word index."""

from django.db import migrations

from memory.models.child import composite_key

# A word of a lane as one number, so that the index of a word holds only rows of the lanes that are asked for
# and reading it never walks past what the reader may not see. A collision only adds a candidate; the tsvector
# itself decides.
LANE_TERMS = """
create function lane_terms(lane int, words tsvector) returns bigint[]
language sql immutable strict parallel safe as
$$ select coalesce(array_agg(hashtextextended(word, lane)), '{}') from unnest(tsvector_to_array(words)) word $$
"""


def keys(*tables: str) -> list[migrations.RunSQL]:
    return [migrations.RunSQL(*composite_key(table)) for table in tables]


class Migration(migrations.Migration):
    dependencies = [("memory", "0002_tables")]
    operations = [
        *keys("memory_edgeproperty", "memory_recordtext", "memory_tag"),
        migrations.RunSQL(LANE_TERMS, "drop function lane_terms(int, tsvector)"),
        # fastupdate off: a pending list is read linearly by every search (SEARCH.md measured 2 ms becoming 18).
        migrations.RunSQL(
            "create index recordtext_lane_terms on memory_recordtext using gin (lane_terms(lane_id, tsv)) "
            "with (fastupdate = off)",
            "drop index recordtext_lane_terms",
        ),
        migrations.RunSQL(
            "create index recordtext_tsv on memory_recordtext using gin (tsv) with (fastupdate = off)",
            "drop index recordtext_tsv",
        ),
    ]
