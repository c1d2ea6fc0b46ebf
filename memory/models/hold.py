"""Holds: what must stay as it is, whoever wants it changed."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from lanes.models import Lane, Tenant
from memory.models.record import Record
from memory.models.scoped import OfAdmins


class Hold(OfAdmins):
    """Lanes and records of which nothing that is there is changed or deleted while the hold stands.

    Several may cover one record: it is free when the last of them is released. A hold is released, never deleted, so
    that it can be told later what stood when. See memory.services.holds.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    name = models.CharField(max_length=200)
    reason = models.TextField(blank=True)
    # A lane that is or was under a hold is not deleted: the hold would say nothing any more.
    lanes = models.ManyToManyField(Lane, through="HoldLane", related_name="+")
    placed_at = models.DateTimeField(default=timezone.now, editable=False)
    placed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    released_at = models.DateTimeField(null=True, editable=False)
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    release_reason = models.TextField(blank=True, editable=False)

    class Meta(OfAdmins.Meta):
        ordering = ["-placed_at", "-pk"]
        indexes = [
            models.Index(fields=["tenant", "-placed_at"], name="hold_newest"),
            # Few stand at a time; every change of a record asks for them.
            models.Index(fields=["id"], name="hold_standing", condition=models.Q(released_at__isnull=True)),
        ]

    def __str__(self) -> str:
        return self.name


class HoldLane(models.Model):
    """A lane that a hold covers, with the records that come into it later."""

    hold = models.ForeignKey(Hold, on_delete=models.CASCADE, related_name="+")
    lane = models.ForeignKey(Lane, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["hold", "lane"], name="hold_lane_once")]

    def __str__(self) -> str:
        return f"lane {self.lane_id} under hold {self.hold_id}"


class HoldRecord(models.Model):
    """A single record that a hold covers. Once free and deleted, it takes this row with it (by the database)."""

    hold = models.ForeignKey(Hold, on_delete=models.CASCADE, related_name="records")
    record = models.ForeignKey(Record, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["hold", "record"], name="hold_record_once")]

    def __str__(self) -> str:
        return f"record {self.record_id} under hold {self.hold_id}"
