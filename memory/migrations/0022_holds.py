"""Holds, and the database's own refusal: whatever way a change of something held is tried, it fails."""

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

# Which of some records stand under a hold, by themselves or with their lane.
HELD = """
create function memory_under_hold(ids bigint[]) returns setof bigint language sql stable as $$
  select r.id from memory_record r where r.id = any(ids) and (
    exists (select 1 from memory_holdlane hl join memory_hold h on h.id = hl.hold_id
            where hl.lane_id = r.lane_id and h.released_at is null)
    or exists (select 1 from memory_holdrecord hr join memory_hold h on h.id = hr.hold_id
               where hr.record_id = r.id and h.released_at is null))
$$
"""
# What services, forgetting, cascades and bare SQL have in common is that they end here. What is derived (superseded,
# undated, walked, ingested) and who wrote (a person may be forgotten) is no part of what a hold keeps.
REFUSE = """
create function {table}_refuse_held() returns trigger language plpgsql as $$
begin
  if exists (select 1 from memory_hold where released_at is null)
      and exists (select 1 from memory_under_hold(array[old.{id}])) then
    raise exception 'record % is under a hold', old.{id} using errcode = 'restrict_violation';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$
"""
KEPT = {
    "memory_record": "public_id, tenant_id, lane_id, title, text, kind, external_id, source, occurred_at, date_precision, "
    "recorded_at",
    "memory_edgeproperty": "record_id, label, value, key, valid_from, invalidated_at, type, role, directed, strength, "
    "reason",
}
# Tags are kept where they are the writer's own.
TAGS = "label, value"
# An entity's own property is written first and marked as mentioned after, within the same change.
SAID = "confidence, attributes"
FIRST = "old.mentions is null and new.mentions is not null"


def _changed(columns):
    old, new = (", ".join(f"{row}.{name.strip()}" for name in columns.split(",")) for row in ("old", "new"))
    return f"({old}) is distinct from ({new})"


def _refusals():
    for table, columns in KEPT.items():
        name, changed = "id", _changed(columns)
        if table == "memory_edgeproperty":
            name, changed = "record_id", f"{changed} or ({_changed(SAID)} and not ({FIRST}))"
            columns = f"{columns}, {SAID}"
        yield REFUSE.format(table=table, id=name), f"drop function {table}_refuse_held"
        yield (
            f"create trigger {table}_held_delete before delete on {table} for each row "
            f"execute function {table}_refuse_held()",
            f"drop trigger {table}_held_delete on {table}",
        )
        yield (
            f"create trigger {table}_held_update before update of {columns} on {table} for each row "
            f"when ({changed}) execute function {table}_refuse_held()",
            f"drop trigger {table}_held_update on {table}",
        )


def _tags():
    yield REFUSE.format(table="memory_tag", id="record_id"), "drop function memory_tag_refuse_held"
    for moment, when in (("delete", "true"), (f"update of {TAGS}", _changed(TAGS))):
        name = f"memory_tag_held_{moment.split()[0]}"
        yield (
            f"create trigger {name} before {moment} on memory_tag for each row "
            f"when (old.extractor = 'writer' and {when}) execute function memory_tag_refuse_held()",
            f"drop trigger {name} on memory_tag",
        )


# A hold is released, not deleted: whoever could would leave no trace of it.
STANDS = """
create function memory_hold_stands() returns trigger language plpgsql as $$
begin
  raise exception 'a hold is released, not deleted' using errcode = 'restrict_violation';
end $$
"""
GUARD = "create trigger memory_hold_stays before delete on memory_hold for each row execute function memory_hold_stands()"
LANES = """
create trigger memory_holdlane_stays before delete on memory_holdlane for each row
execute function memory_hold_stands()
"""


class Migration(migrations.Migration):
    dependencies = [
        ("lanes", "0004_admin_names"),
        ("memory", "0021_walls_superseded_in_lane"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Hold",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("reason", models.TextField(blank=True)),
                ("placed_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("released_at", models.DateTimeField(editable=False, null=True)),
                ("release_reason", models.TextField(blank=True, editable=False)),
                (
                    "placed_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "released_by",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="lanes.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ["-placed_at", "-pk"],
                "abstract": False,
                "base_manager_name": "everything",
                "default_manager_name": "everything",
            },
            managers=[
                ("everything", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="HoldLane",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "hold",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memory.hold"),
                ),
                (
                    "lane",
                    models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="lanes.lane"),
                ),
            ],
        ),
        migrations.AddField(
            model_name="hold",
            name="lanes",
            field=models.ManyToManyField(related_name="+", through="memory.HoldLane", to="lanes.lane"),
        ),
        migrations.CreateModel(
            name="HoldRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "hold",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="records", to="memory.hold"
                    ),
                ),
                (
                    "record",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memory.record",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="holdlane",
            constraint=models.UniqueConstraint(fields=("hold", "lane"), name="hold_lane_once"),
        ),
        migrations.AddIndex(
            model_name="hold",
            index=models.Index(fields=["tenant", "-placed_at"], name="hold_newest"),
        ),
        migrations.AddIndex(
            model_name="hold",
            index=models.Index(condition=models.Q(("released_at__isnull", True)), fields=["id"], name="hold_standing"),
        ),
        migrations.AddConstraint(
            model_name="holdrecord",
            constraint=models.UniqueConstraint(fields=("hold", "record"), name="hold_record_once"),
        ),
        migrations.RunSQL(
            "alter table memory_holdrecord add constraint memory_holdrecord_record_fk foreign key (record_id) "
            "references memory_record (id) on delete cascade",
            "alter table memory_holdrecord drop constraint memory_holdrecord_record_fk",
        ),
        migrations.RunSQL(HELD, "drop function memory_under_hold"),
        *(migrations.RunSQL(*pair) for pair in (*_refusals(), *_tags())),
        migrations.RunSQL(STANDS, "drop function memory_hold_stands"),
        migrations.RunSQL(GUARD, "drop trigger memory_hold_stays on memory_hold"),
        migrations.RunSQL(LANES, "drop trigger memory_holdlane_stays on memory_holdlane"),
    ]
