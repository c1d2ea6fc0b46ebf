"""What is derived from a record's text: its words and its tags."""

from django.contrib.postgres.search import SearchVectorField
from django.db import models

from lanes.models import Lane, Tenant
from memory.models.child import Child
from memory.models.record import Record
from memory.models.scoped import Scoped


class RecordText(Scoped):
    """A record's words (memory.words) beside it, so that scoring them never reads the text itself."""

    record = models.OneToOneField(
        Record, on_delete=models.DO_NOTHING, related_name="words", db_constraint=False, primary_key=True
    )
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    lane = models.ForeignKey(Lane, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False)
    at = models.DateTimeField(editable=False)
    # Document length in lexemes, for BM25.
    dl = models.IntegerField()
    tsv = SearchVectorField()

    class Meta(Scoped.Meta):
        indexes = [models.Index(fields=["lane", "-at", "-record"], name="recordtext_lane_newest")]


class Tag(Child):
    """What an extractor (or the writer) derived: searchable, never walked."""

    label = models.CharField(max_length=63, default="tag")
    value = models.CharField(max_length=500)
    key = models.UUIDField(editable=False)
    folded = models.TextField(editable=False)
    extractor = models.CharField(max_length=40, default="", blank=True)
    # Character offsets of the mention in the text, where there is one.
    start = models.IntegerField(null=True, blank=True)
    end = models.IntegerField(null=True, blank=True)
    # The half-open span that a time term means.
    begins = models.DateTimeField(null=True, blank=True)
    ends = models.DateTimeField(null=True, blank=True)
    data = models.JSONField(null=True, blank=True)

    class Meta(Child.Meta):
        indexes = [
            models.Index(fields=["key", "lane", "at", "record"], name="tag_key_lane_at"),
            models.Index(fields=["record", "extractor"], name="tag_record"),
            models.Index(fields=["lane", "label", "key", "record"], name="tag_lane_label_key"),
        ]

    def __str__(self) -> str:
        return f"{self.label}: {self.value}"
