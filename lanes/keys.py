"""API keys: made once, shown once, kept as a hash."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.utils import timezone

from lanes.models import AgentProfile, ApiKey, Tenant, User

_USED_EVERY = timedelta(minutes=1)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def issue(
    *,
    tenant: Tenant,
    name: str,
    profiles: Iterable[AgentProfile] = (),
    user: User | None = None,
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """Make a key; returns its row and the key itself, which nothing can show again."""
    prefix = "lw_" + secrets.token_hex(4)
    key = f"{prefix}_{secrets.token_urlsafe(32)}"
    row = ApiKey.objects.create(
        tenant=tenant, name=name, prefix=prefix, digest=_digest(key), user=user, expires_at=expires_at
    )
    row.profiles.set(profiles)
    return row, key


def authenticate(key: str) -> ApiKey | None:
    """The live key row for a bearer token, or None. Expired, revoked and unknown keys are told apart by nobody."""
    prefix = key[:11]
    row = ApiKey.objects.select_related("tenant", "user").filter(prefix=prefix).first() if "\x00" not in key else None
    now = timezone.now()
    # Compared even when the prefix is unknown, so that the answer takes as long.
    matches = secrets.compare_digest(_digest(key.encode("utf-8", "replace").decode()), row.digest if row else "0" * 64)
    if row is None or not matches or row.revoked_at or (row.expires_at and row.expires_at <= now):
        return None
    if not row.tenant.is_active or (row.user and not row.user.is_active):
        return None
    if row.last_used_at is None or now - row.last_used_at > _USED_EVERY:
        ApiKey.objects.filter(pk=row.pk).update(last_used_at=now)
    return row
