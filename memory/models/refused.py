"""What a language model said no to, so that it is not asked again."""

from django.db import models
from django.utils import timezone

from memory.models.child import Child
from memory.models.record import Record


class RefusedPair(Child):
    """Two records that read somewhat alike and that a language model found unrelated: the older first.

    `said` and `other_said` are hashes of what was read of each: once either reads differently, the pair is a new one.
    """

    other = models.ForeignKey(
        Record, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    said = models.BigIntegerField(editable=False)
    other_said = models.BigIntegerField(editable=False)
    asked_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta(Child.Meta):
        constraints = [models.UniqueConstraint(fields=["record", "other"], name="refused_pair_once")]
        indexes = [
            models.Index(fields=["other"], name="refused_pair_other"),
            models.Index(fields=["lane", "at"], name="refused_pair_lane_at"),
        ]

    def __str__(self) -> str:
        return f"records {self.record_id} and {self.other_id}"
