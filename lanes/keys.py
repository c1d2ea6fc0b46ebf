"""API keys: made once, shown once, kept as a hash."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.utils import timezone

from lanes import sql
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


_KEY, _KEY_WIDTH, _key = sql.loader(ApiKey, "k")
_TENANT, _TENANT_WIDTH, _tenant = sql.loader(Tenant, "t")
_USER, _, _user = sql.loader(User, "u")
_BY_PREFIX = f"""
select {_KEY}, {_TENANT}, {_USER} from lanes_apikey k join lanes_tenant t on t.id = k.tenant_id
left join lanes_user u on u.id = k.user_id
where k.prefix = %s and (k.user_id is null or exists (
  select 1 from lanes_membership m where m.user_id = k.user_id and m.tenant_id = k.tenant_id))
"""
_PROFILE, _, _profile = sql.loader(AgentProfile, "p")
_PROFILES = f"""
select {_PROFILE} from lanes_apikey_profiles x join lanes_agentprofile p on p.id = x.agentprofile_id
where x.apikey_id = %s and p.tenant_id = %s and p.is_active order by p.id
"""


def _by_prefix(prefix: str) -> ApiKey | None:
    """The key with its tenant and user, in one prepared statement: every call of an agent begins with it. None where
    the person it speaks for has left the tenant."""
    rows = sql.fetch(_BY_PREFIX, (prefix,))
    if not rows:
        return None
    row: ApiKey = _key(rows[0][:_KEY_WIDTH])
    row.tenant = _tenant(rows[0][_KEY_WIDTH : _KEY_WIDTH + _TENANT_WIDTH])
    row.user = _user(rows[0][_KEY_WIDTH + _TENANT_WIDTH :]) if row.user_id else None
    return row


def profiles_of(key: ApiKey) -> list[AgentProfile]:
    """The active profiles of its own tenant that a key may act as."""
    found = [_profile(row) for row in sql.fetch(_PROFILES, (key.pk, key.tenant_id))]
    for profile in found:
        profile.tenant = key.tenant
    return found


def authenticate(key: str) -> ApiKey | None:
    """The live key row for a bearer token, or None. Expired, revoked and unknown keys are told apart by nobody."""
    prefix = key[:11]
    row = _by_prefix(prefix) if "\x00" not in key else None
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
