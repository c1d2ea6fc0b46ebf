"""Edge properties: one row = record, label, value. The hypergraph is this table."""

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import OpClass
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from lanes.models import AgentProfile, Lane, Tenant
from memory.models.child import Child
from memory.models.scoped import Scoped

# Bits of EdgeProperty.state, so that reads are decided in the index alone: the row has validity bounds; it is
# beyond the walking budget; its record is superseded; its record has no event time.
DATED, SKIPPED, SUPERSEDED, UNDATED = 1, 2, 4, 8


class EdgeProperty(Child):
    """A record's membership in the hyperedge (label, value).

    `key` stands for label and folded value (memory.normal.edge_key). `seq` 0 is the current interval of this
    property on this record; earlier, closed intervals have 1, 2, …, so a value can end and come back.
    """

    class Role(models.TextChoices):
        NONE = "", "–"
        SOURCE = "source", "Source"
        TARGET = "target", "Target"
        MEMBER = "member", "Member"

    label = models.CharField(max_length=63)
    value = models.CharField(max_length=500)
    key = models.UUIDField(default=uuid.uuid4, editable=False)
    seq = models.SmallIntegerField(default=0, editable=False)
    state = models.SmallIntegerField(default=0, editable=False)

    valid_from = models.DateTimeField(null=True, blank=True)
    invalidated_at = models.DateTimeField(null=True, blank=True)
    confidence = models.FloatField(null=True, blank=True)
    asserted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
    )
    asserted_profile = models.ForeignKey(
        AgentProfile, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    # Of connections and adjustments only (null costs nothing on the other rows).
    role = models.CharField(max_length=10, choices=Role.choices, default="", blank=True)
    type = models.CharField(max_length=63, default="", blank=True)
    directed = models.BooleanField(null=True, blank=True)
    strength = models.FloatField(null=True, blank=True)
    reason = models.TextField(default="", blank=True)
    attributes = models.JSONField(null=True, blank=True)
    mentions = models.IntegerField(null=True, blank=True)
    last_mentioned = models.DateTimeField(null=True, blank=True)

    class Meta(Child.Meta):
        verbose_name_plural = "edge properties"
        constraints = [
            models.UniqueConstraint(fields=["record", "key", "seq"], name="edge_record_key_once"),
            models.CheckConstraint(
                condition=Q(invalidated_at__isnull=True)
                | Q(valid_from__isnull=True)
                | Q(invalidated_at__gte=F("valid_from")),
                name="edge_interval_in_order",
            ),
        ]
        indexes = [
            # Members of a hyperedge by lane, newest first: intersect, union, count, traverse, timeline.
            models.Index(fields=["key", "lane", "at", "record", "seq", "state"], name="edge_key_lane_at"),
            # Values of a label by lane: group, "has any value".
            models.Index(fields=["lane", "label", "key", "record", "seq", "state"], name="edge_lane_label_key"),
        ]

    def __str__(self) -> str:
        return f"{self.label}: {self.value}"


class LaneValue(Scoped):
    """A value ever used in a lane: for substring search, suggestions, known values and aliases.

    Kept per lane, so that nothing it answers can come from a lane the reader may not read. It holds no counts,
    and whether a value is still in use is asked of the edge properties.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    lane = models.ForeignKey(Lane, on_delete=models.CASCADE, related_name="+", db_index=False)
    label = models.CharField(max_length=63)
    value = models.CharField(max_length=500)
    key = models.UUIDField(editable=False)
    folded = models.TextField(editable=False)
    # Of the folded value; indexed together with the lane (migration 0014).
    grams = ArrayField(models.IntegerField(), editable=False)
    norm_key = models.BigIntegerField(editable=False)
    # The same without a parenthesis at the end of the value, where there is one (memory.normal.bare_key).
    bare_key = models.BigIntegerField(null=True, editable=False)
    # An old spelling: what is written or asked under it means this value instead.
    alias_of = models.UUIDField(null=True, blank=True, editable=False)
    alias_value = models.CharField(max_length=500, null=True, blank=True, editable=False)
    # Whether the lane's earlier records have been searched for mentions of it.
    sought = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta(Scoped.Meta):
        constraints = [models.UniqueConstraint(fields=["lane", "key"], name="lane_value_once")]
        indexes = [
            models.Index(fields=["lane", "norm_key"], name="lane_value_norm"),
            models.Index(fields=["lane", "bare_key"], name="lane_value_bare", condition=Q(bare_key__isnull=False)),
            models.Index(
                F("lane"), F("label"), OpClass(F("folded"), name="text_pattern_ops"), name="lane_value_prefix"
            ),
            models.Index(fields=["key"], name="lane_value_alias", condition=Q(alias_of__isnull=False)),
            models.Index(fields=["lane", "id"], name="lane_value_unsought", condition=Q(sought=False)),
        ]

    def __str__(self) -> str:
        return f"{self.label}: {self.value}"
