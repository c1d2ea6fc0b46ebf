"""A changed text takes the tags that were read out of it along with its vectors."""

from django.db import migrations

FUNCTION = """
create or replace function memory_forget_meaning() returns trigger language plpgsql as $$
begin
  delete from memory_recordvector where record_id = new.id;
  delete from memory_window where record_id = new.id;
  {tags}
  return null;
end $$
"""
# What the writer gave ("writer", or no extractor) stays: it did not come from the text.
TAGS = "delete from memory_tag where record_id = new.id and extractor not in ('', 'writer');"


class Migration(migrations.Migration):
    dependencies = [("memory", "0010_ui_changed_records")]
    operations = [migrations.RunSQL(FUNCTION.format(tags=TAGS), FUNCTION.format(tags=""))]
