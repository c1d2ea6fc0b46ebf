"""Which tenant a browser session is in, and as whom it reads. Asked of the database on every request."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest

from lanes.models import Membership, Tenant, User
from lanes.readers import Reader, reader_for_user

SESSION_KEY = "tenant"


@dataclass(frozen=True)
class Seat:
    """A person's place in a tenant for one request: the reader, and the tenants they could switch to."""

    user: User
    tenant: Tenant
    reader: Reader
    memberships: tuple[Membership, ...]

    @property
    def membership(self) -> Membership:
        return next(m for m in self.memberships if m.tenant_id == self.tenant.pk)


def memberships_of(user: User) -> tuple[Membership, ...]:
    """Active memberships, by the tenant's name."""
    return tuple(
        Membership.objects.filter(user=user, tenant__is_active=True).select_related("tenant").order_by("tenant__name")
    )


def take_seat(user: User, chosen: str | None) -> Seat | None:
    """The seat in the tenant the session chose, else in the first one; None when the person belongs to none.

    A tenant the session names but the person does not belong to (any more) is never entered.
    """
    memberships = memberships_of(user)
    if not user.is_active or not memberships:
        return None
    tenant = next((m.tenant for m in memberships if m.tenant.slug == chosen), memberships[0].tenant)
    return Seat(user, tenant, reader_for_user(user, tenant), memberships)


def seat_of(request: HttpRequest) -> Seat | None:
    """The seat of this request, resolved once."""
    if not hasattr(request, "_seat"):
        user = request.user
        # A page that is open already names its own tenant, so that switching in another tab does not confuse it.
        chosen = request.headers.get("X-Lanewise-Tenant") or request.session.get(SESSION_KEY)
        seat = take_seat(user, chosen) if user.is_authenticated else None
        request._seat = seat  # type: ignore[attr-defined]
    return request._seat  # type: ignore[attr-defined]
