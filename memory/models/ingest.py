"""What the workers did, for whoever runs them. Holds no content and no tenant: only counts and times."""

from django.db import models


class IngestBatch(models.Model):
    """One batch of records worked by a worker. Kept for a week."""

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
