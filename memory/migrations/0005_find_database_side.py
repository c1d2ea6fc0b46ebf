"""Composite foreign keys of the vector tables, and vectors stored in the row: read where they lie."""

from django.db import migrations

from memory.models.child import composite_key

# Whoever changes a text, and by whatever road, takes its vectors with it: no search answers from old wording.
# The writer of vectors locks the record FOR SHARE, so it either sees the new version or is seen by this delete.
FORGET = """
create function memory_forget_meaning() returns trigger language plpgsql as $$
begin
  delete from memory_recordvector where record_id = new.id;
  delete from memory_window where record_id = new.id;
  return null;
end $$;
create trigger memory_forget_meaning after update of title, text on memory_record for each row
when (old.title is distinct from new.title or old.text is distinct from new.text)
execute function memory_forget_meaning();
"""


def plain(table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"alter table {table} alter column embedding set storage plain",
        f"alter table {table} alter column embedding set storage external",
    )


class Migration(migrations.Migration):
    dependencies = [("memory", "0004_find_vectors")]
    operations = [
        migrations.RunSQL(*composite_key("memory_recordvector")),
        migrations.RunSQL(*composite_key("memory_window")),
        plain("memory_recordvector"),
        plain("memory_window"),
        migrations.RunSQL(FORGET, "drop function memory_forget_meaning() cascade"),
    ]
