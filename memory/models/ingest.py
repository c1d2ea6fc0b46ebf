"""What ingest did, and what it may do in a lane."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from lanes.models import Lane, Tenant
from memory.models.scoped import Scoped


class IngestBatch(models.Model):
    """One batch of records worked by a worker, for whoever runs the server; kept for a week.

    Holds no content and no tenant: only counts and times.
    """

    at = models.DateTimeField(auto_now_add=True)
    phase = models.CharField(max_length=8)
    records = models.PositiveIntegerField()
    characters = models.PositiveBigIntegerField()
    seconds = models.FloatField()
    # Seconds of each step by name, and of storing.
    steps = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["at"], name="ingest_batch_at")]
        verbose_name_plural = "ingest batches"

    def __str__(self) -> str:
        return f"{self.records} records in {self.seconds:.1f} s ({self.phase})"


class IngestPolicy(Scoped):
    """What ingest may do in one lane beyond tagging. A lane without a row allows nothing."""

    lane = models.OneToOneField(Lane, on_delete=models.CASCADE, primary_key=True, related_name="ingest_policy")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    promote = models.BooleanField(
        default=False, help_text="Mentions of values in use become edge properties of the record that mentions them."
    )
    promote_labels = ArrayField(
        models.CharField(max_length=63), default=list, blank=True, help_text="Only these labels; empty: all."
    )
    relations = models.BooleanField(
        default=False, help_text="Relationships that texts state become entities and typed connections."
    )
    discover = models.BooleanField(default=False, help_text="Records that read alike are connected.")
    language_model = models.BooleanField(
        default=False,
        help_text="Texts may be sent to the configured language model, for tags, relations and doubtful connections.",
    )

    class Meta(Scoped.Meta):
        verbose_name_plural = "ingest policies"

    def __str__(self) -> str:
        return f"ingest policy of lane {self.lane_id}"
