"""What meaning is searched by: a vector a record, a vector a window, and who made them. Also the word counts of a
lane, which scores are computed from."""

from django.db import models
from pgvector.django import HalfVectorField

from lanes.models import Lane, Tenant
from memory.models.child import Child
from memory.models.record import Record
from memory.models.scoped import Scoped

# Of the built-in embedder. Another embedder's dimension is put in place by `manage.py reembed`.
DIMENSION = 384


class RecordVector(Scoped):
    """The vector of a record: of its title and the head of its text.

    `whole`: the vector stands for all of the text, so the record has no windows of its own.
    """

    record = models.OneToOneField(
        Record, on_delete=models.DO_NOTHING, related_name="vector", db_constraint=False, primary_key=True
    )
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    lane = models.ForeignKey(Lane, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False)
    at = models.DateTimeField(editable=False)
    whole = models.BooleanField(default=True)
    embedding = HalfVectorField(dimensions=DIMENSION)

    class Meta(Scoped.Meta):
        indexes = [models.Index(fields=["lane", "at"], name="recordvector_lane_at")]

    def __str__(self) -> str:
        return f"vector of record {self.record_id}"


class Window(Child):
    """A slice of a record's text (memory.ingest.windows) with its own vector; only of texts of two or more."""

    ordinal = models.IntegerField()
    # Character offsets in the text.
    start = models.IntegerField()
    end = models.IntegerField()
    embedding = HalfVectorField(dimensions=DIMENSION)

    class Meta(Child.Meta):
        constraints = [models.UniqueConstraint(fields=["record", "ordinal"], name="window_once")]
        indexes = [models.Index(fields=["lane", "at"], name="window_lane_at")]

    def __str__(self) -> str:
        return f"window {self.ordinal} of record {self.record_id}"


class EmbeddingSpace(models.Model):
    """Which embedder made the vectors that are searched (`serving`), and the one being prepared (`next`).

    Vectors of two embedders are never compared: whoever asks or writes checks its embedder against this.
    """

    class Role(models.TextChoices):
        SERVING = "serving", "Serving"
        NEXT = "next", "Being prepared"

    role = models.CharField(max_length=8, choices=Role.choices, primary_key=True)
    name = models.CharField(max_length=200)
    dimension = models.IntegerField()
    started_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.name} ({self.dimension}), {self.get_role_display().lower()}"


class LaneStat(Scoped):
    """How many records and lexemes a lane had when its words were last counted. No other lane's count enters."""

    lane = models.OneToOneField(Lane, on_delete=models.CASCADE, primary_key=True, related_name="+")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    records = models.IntegerField()
    lexemes = models.BigIntegerField()
    counted_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"lane {self.lane_id}: {self.records} records"


class TermFrequency(Scoped):
    """In how many records of one lane a lexeme (its 64-bit hash) occurs, as last counted."""

    pk = models.CompositePrimaryKey("term", "lane_id")
    term = models.BigIntegerField()
    lane = models.ForeignKey(Lane, on_delete=models.CASCADE, related_name="+", db_index=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    records = models.IntegerField()

    class Meta(Scoped.Meta):
        indexes = [models.Index(fields=["lane"], name="termfrequency_lane")]
        verbose_name_plural = "term frequencies"

    def __str__(self) -> str:
        return f"lane {self.lane_id}: {self.records}"
