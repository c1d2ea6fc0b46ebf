"""Rows that belong to a record and carry its lane and time.

`(record, lane, at)` is one composite foreign key with ON UPDATE CASCADE ON DELETE CASCADE (made in the migration:
Django knows no composite ones), so the database itself moves and deletes them with the record, at once.
"""

from django.db import models

from lanes.models import Lane, Tenant
from memory.models.record import Record
from memory.models.scoped import Scoped


class Child(Scoped):
    record = models.ForeignKey(
        Record, on_delete=models.DO_NOTHING, related_name="%(class)s_set", db_constraint=False, db_index=False
    )
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    lane = models.ForeignKey(Lane, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False)
    at = models.DateTimeField(editable=False)

    class Meta(Scoped.Meta):
        abstract = True


def composite_key(table: str) -> tuple[str, str]:
    """SQL to add and to drop the composite foreign key of a child table (for a migration)."""
    return (
        f"alter table {table} add constraint {table}_record_fk foreign key (record_id, lane_id, at) "
        "references memory_record (id, lane_id, at) on update cascade on delete cascade",
        f"alter table {table} drop constraint {table}_record_fk",
    )
