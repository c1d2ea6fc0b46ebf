"""Who calls: a bearer key, or a browser session. And as whom they read."""

from dataclasses import dataclass
from typing import Any

from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.request import Request

from lanes import keys
from lanes.errors import Invalid, NotVisible
from lanes.models import AgentProfile, ApiKey, Tenant
from lanes.readers import Reader, choose_profile, may_act_as, reader_for_profile, reader_for_user

TENANT_HEADER = "X-Lanewise-Tenant"


NOT_VALID = "The key is not valid, or no longer."


@dataclass(frozen=True)
class KeyHolder:
    """What stands in for a user when a key calls."""

    key: ApiKey
    is_authenticated: bool = True
    is_active: bool = True
    is_anonymous: bool = False

    @property
    def pk(self) -> str:
        return f"key:{self.key.pk}"


def is_bearer(header: bytes) -> bool:
    """Whether an Authorization header is meant for us."""
    parts = header.split(maxsplit=1)
    return bool(parts) and parts[0].lower() == b"bearer"


def key_of(header: bytes) -> ApiKey | None:
    """The live key that an Authorization header names."""
    parts = header.split()
    if len(parts) != 2 or not is_bearer(header):
        return keys.authenticate("")
    try:
        return keys.authenticate(parts[1].decode("ascii"))
    except UnicodeDecodeError:
        return keys.authenticate("")


class KeyAuthentication(BaseAuthentication):
    """Authorization: Bearer <key>."""

    def authenticate(self, request: Request) -> tuple[KeyHolder, ApiKey] | None:
        header = get_authorization_header(request)
        if not is_bearer(header):
            return None
        key = key_of(header)
        if key is None:
            raise exceptions.AuthenticationFailed(NOT_VALID)
        return KeyHolder(key), key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class TenantSessionAuthentication(SessionAuthentication):
    """A browser session, with Django's CSRF check."""

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def tenant_of(request: Request) -> Tenant:
    """The tenant of a session's call: the header's, or the only one the person belongs to."""
    slug = request.headers.get(TENANT_HEADER)
    tenants = Tenant.objects.filter(memberships__user=request.user, is_active=True)
    if slug is not None:
        tenant = tenants.filter(slug=slug).first()
        if tenant is None:
            raise NotVisible()
        return tenant
    found = list(tenants[:2])
    if len(found) != 1:
        raise Invalid.field(TENANT_HEADER, "Name the tenant: you belong to more than one, or to none.")
    return found[0]


def reader_of_key(key: ApiKey, tenant: str | None, agent_profile: str | None) -> Reader:
    """Who reads with a key. `tenant`: what the caller's header says, if anything."""
    if tenant is not None and tenant != key.tenant.slug:
        raise NotVisible()  # the key says which tenant it is; another one is none of its business
    profiles = keys.profiles_of(key)
    if key.user is not None and not profiles and agent_profile is None:
        return reader_for_user(key.user, key.tenant, key)
    return reader_for_profile(choose_profile(profiles, agent_profile), user=key.user, key=key)


def reader_of(request: Request, agent_profile: str | None) -> Reader:
    """The reader of a call, resolved anew each time."""
    if isinstance(request.auth, ApiKey):
        return reader_of_key(request.auth, request.headers.get(TENANT_HEADER), agent_profile)
    tenant = tenant_of(request)
    user: Any = request.user
    if agent_profile is None:
        return reader_for_user(user, tenant)
    candidates = [
        profile
        for profile in AgentProfile.objects.filter(tenant=tenant, is_active=True, slug=agent_profile)
        if may_act_as(user, profile)
    ]
    return reader_for_profile(choose_profile(candidates, agent_profile), user=user)
