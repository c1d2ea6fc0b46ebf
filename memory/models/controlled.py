"""The tenant's vocabulary: values that everyone in it may know, whatever lanes they read."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import OpClass
from django.db import models
from django.db.models import F, Q

from lanes.models import Tenant
from memory.models.scoped import OfTenant


class ControlledValue(OfTenant):
    """A value that the tenant controls, with the other ways it is written.

    It says nothing about use: whether any record carries it is asked of the reader's own lanes.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    label = models.CharField(max_length=63)
    value = models.CharField(max_length=500)
    key = models.UUIDField(editable=False)
    folded = models.TextField(editable=False)
    aliases = ArrayField(
        models.CharField(max_length=500), default=list, blank=True, help_text="Other ways it is written in texts."
    )
    # Grows with every change of any value, so that a search knows which changes it has seen.
    revision = models.BigIntegerField(editable=False)
    # Whether the tenant's earlier records have been searched for mentions of it.
    sought = models.BooleanField(default=False, db_default=False, editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta(OfTenant.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant", "key"], name="controlled_value_once")]
        indexes = [
            models.Index(
                F("tenant"), F("label"), OpClass(F("folded"), name="text_pattern_ops"), name="controlled_value_prefix"
            ),
            models.Index(fields=["tenant", "revision"], name="controlled_value_unsought", condition=Q(sought=False)),
        ]

    def __str__(self) -> str:
        return f"{self.label}: {self.value}"


class ControlledSpelling(OfTenant):
    """One way a controlled value is written: itself, without the parenthesis at its end, or an alias. Derived."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+", db_index=False)
    of = models.ForeignKey(ControlledValue, on_delete=models.CASCADE, related_name="spellings")
    label = models.CharField(max_length=63)
    written = models.CharField(max_length=500)
    folded = models.TextField()
    norm_key = models.BigIntegerField()
    bare = models.BooleanField(default=False)

    class Meta(OfTenant.Meta):
        indexes = [
            models.Index(fields=["tenant", "norm_key"], name="controlled_spelling_norm"),
            models.Index(
                F("tenant"),
                F("label"),
                OpClass(F("folded"), name="text_pattern_ops"),
                name="controlled_spelling_prefix",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.label}: {self.written}"
