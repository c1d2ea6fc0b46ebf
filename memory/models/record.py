"""Records: text in a lane, with times, a public id and a version."""

import uuid
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from lanes.errors import NotVisible
from lanes.models import AgentProfile, Lane, Tenant
from memory.models.scoped import Scoped

SR_PREFIX = "sr_"


def sr_id(public_id: UUID) -> str:
    """`sr_` and 32 lower-case hex digits."""
    return SR_PREFIX + public_id.hex


def parse_sr_id(text: str) -> UUID:
    """The uuid of a public id. What is not one names no record, so it is NotVisible, not Invalid."""
    digits = text.removeprefix(SR_PREFIX)
    if len(digits) != 32 or text == digits or not all(c in "0123456789abcdef" for c in digits):
        raise NotVisible()
    return UUID(hex=digits)


class Record(Scoped):
    """A vertex of the hypergraph."""

    class Precision(models.TextChoices):
        UNDATED = "", "Undated"
        YEAR = "year", "Year"
        MONTH = "month", "Month"
        DAY = "day", "Day"
        TIME = "time", "Time"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="+", db_index=False)
    lane = models.ForeignKey(Lane, on_delete=models.PROTECT, related_name="records", db_index=False)
    kind = models.CharField(max_length=40, default="note")
    title = models.TextField(blank=True)
    text = models.TextField(blank=True)
    external_id = models.TextField(null=True, blank=True)
    # Where it came from, as the writer said it: any JSON object.
    source = models.JSONField(default=dict, blank=True)

    occurred_at = models.DateTimeField(null=True, blank=True)
    date_precision = models.CharField(max_length=8, choices=Precision.choices, default="", blank=True)
    recorded_at = models.DateTimeField(default=timezone.now)
    # The event time, or the record time where there is none: the one time that lists are ordered by. It is a
    # column (and not computed) because the child tables carry it in their foreign key.
    at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)
    version = models.PositiveIntegerField(default=1, editable=False)

    written_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    profile = models.ForeignKey(AgentProfile, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    # Who made the newest version. Empty for a first version (whoever wrote it), for what the engine changed by itself,
    # and where naming somebody would tell of another lane (memory.services.touch).
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, on_delete=models.SET_NULL, related_name="+",
        db_index=False,
    )  # fmt: skip
    changed_profile = models.ForeignKey(
        AgentProfile, null=True, editable=False, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    # Set when an adjustment says another record takes this one's place.
    superseded_at = models.DateTimeField(null=True, editable=False)
    # The version whose vectors and tags are in place; 0 when none are.
    ingested_version = models.PositiveIntegerField(default=0, editable=False)
    ingest_error = models.TextField(blank=True, editable=False)
    # Failed attempts on this version, and the version whose later steps (names, language model) are done.
    ingest_attempts = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
    enriched_version = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    # Mentions of every value of the lane up to this id (of LaneValue) have been looked for in the text.
    known_through = models.BigIntegerField(default=0, db_default=0, editable=False)

    class Meta(Scoped.Meta):
        constraints = [
            models.UniqueConstraint(fields=["lane", "external_id"], name="record_external_id_once"),
            # What the child tables' foreign keys point at: a move or a new date reaches them by cascade.
            models.UniqueConstraint(fields=["id", "lane", "at"], name="record_id_lane_at"),
            models.CheckConstraint(
                condition=Q(at=Coalesce(F("occurred_at"), F("recorded_at"))), name="record_at_is_its_time"
            ),
        ]
        indexes = [
            models.Index(fields=["lane", "-at", "-id"], name="record_lane_newest"),
            # What was recorded last in a lane, whatever its date of event.
            models.Index(fields=["lane", "-recorded_at", "-id"], name="record_lane_recorded"),
            # What changed last in a lane, and what changed since somebody looked.
            models.Index(fields=["lane", "-updated_at", "-id"], name="record_lane_changed"),
            # Few records are superseded: asking "is it one of them" by this index costs next to nothing.
            models.Index(fields=["id"], name="record_superseded", condition=Q(superseded_at__isnull=False)),
            models.Index(fields=["lane"], name="record_superseded_lane", condition=Q(superseded_at__isnull=False)),
            # The entities of a lane among very many other records.
            models.Index(fields=["lane", "-at", "-id"], name="record_entities", condition=Q(kind="entity")),
            # What forgetting a person or a profile has to find; most records were never changed.
            models.Index(fields=["changed_by"], name="record_changed_by", condition=Q(changed_by__isnull=False)),
            models.Index(
                fields=["changed_profile"], name="record_changed_profile", condition=Q(changed_profile__isnull=False)
            ),
            # Whether a lane has any record without an event time.
            models.Index(fields=["lane"], name="record_undated", condition=Q(occurred_at__isnull=True)),
            # The backlog and what failed: few rows, so counting them costs nothing.
            models.Index(fields=["id"], name="record_ingest_pending", condition=~Q(ingested_version=F("version"))),
            models.Index(fields=["id"], name="record_ingest_failed", condition=~Q(ingest_error="")),
        ]

    def __str__(self) -> str:
        return self.title or self.sr_id

    @property
    def sr_id(self) -> str:
        return sr_id(self.public_id)
