"""What the pages keep about a person: saved searches, when they last looked, failed sign-ins. No record content."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from lanes.models import Tenant


class SavedSearch(models.Model):
    """A search a person named. It holds the address only; what it finds is decided when it is run."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_searches")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=120)
    query = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "saved searches"
        constraints = [models.UniqueConstraint(fields=["user", "tenant", "name"], name="saved_search_name_once")]

    def __str__(self) -> str:
        return self.name


class LastLook(models.Model):
    """When a person last looked at a tenant's home page.

    `visited_at` moves with every visit; `seen_at`, which "what changed" counts from, takes its value when a visit
    starts after a pause, so that the numbers stand still while the page is in use.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="+")
    seen_at = models.DateTimeField(null=True)
    visited_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "tenant"], name="last_look_once")]

    def __str__(self) -> str:
        return f"{self.user} at {self.visited_at:%Y-%m-%d %H:%M}"


class SignInFailure(models.Model):
    """A sign-in that failed, so that the next ones can be slowed down. Names are kept as hashes."""

    name_hash = models.CharField(max_length=64)
    address = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["name_hash", "at"], name="sign_in_name_at"),
            models.Index(fields=["address", "at"], name="sign_in_address_at"),
        ]

    def __str__(self) -> str:
        return f"{self.address} at {self.at:%Y-%m-%d %H:%M}"
