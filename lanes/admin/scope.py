"""Which rows of which table the signed-in person meets in the admin. The one place where that is decided.

`scope_of(request).rows(Model)` is the only queryset that pages, choices, autocomplete, filters and confirmations
start from. A model without a rule cannot be asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from lanes.errors import NotVisible
from lanes.models import (
    AgentProfile,
    AgentProfileGroupObjectPermission,
    AgentProfileUserObjectPermission,
    ApiKey,
    Lane,
    LaneGroupObjectPermission,
    LaneUserObjectPermission,
    Membership,
    Team,
    Tenant,
    User,
    Wall,
)
from lanes.readers import Reader, reader_for_user

Rule = Callable[["AdminScope"], Q]
_RULES: dict[type[Model], Rule] = {}
NOTHING = Q(pk__in=())


def rule(*models: type[Model]) -> Callable[[Rule], Rule]:
    """Declare which rows of these models a scope meets."""

    def declare(made: Rule) -> Rule:
        _RULES.update(dict.fromkeys(models, made))
        return made

    return declare


def ruled(model: type[Model]) -> bool:
    """Whether a model's rows can be asked for."""
    return model in _RULES


class AdminScope:
    """What one person may administer. Resolved once a request, never kept longer."""

    def __init__(self, user: Any) -> None:
        self.user = user
        may_enter = bool(user.is_authenticated and user.is_active and user.is_staff)
        self.operator = may_enter and user.is_superuser
        self._may_enter = may_enter

    @cached_property
    def administered(self) -> list[int]:
        """Tenants whose admin this person is; an operator needs none to see the permission tables of all."""
        if not self._may_enter:
            return []
        held = Membership.objects.filter(user=self.user, role=Membership.Role.ADMIN, tenant__is_active=True)
        return sorted(held.values_list("tenant_id", flat=True))

    @property
    def enters(self) -> bool:
        return self.operator or bool(self.administered)

    def in_tenants(self, path: str) -> Q:
        """Rows whose tenant (at `path`) this person administers."""
        if self.operator:
            return Q()
        return Q(**{f"{path}__in": self.administered}) if self.administered else NOTHING

    def rows(self, model: type[Model]) -> QuerySet[Any]:
        """The rows of a model that exist as far as this person is concerned."""
        found = _RULES.get(model)
        if found is None:
            raise ImproperlyConfigured(f"lanes.admin.scope has no rule for {model.__name__}.")
        if not self.enters:
            return model._default_manager.none()
        return model._default_manager.filter(found(self))

    @cached_property
    def readers(self) -> dict[int, Reader]:
        """{tenant id: reader} of the tenants whose records may be met: walls and grants hold as everywhere.

        An operator is no exception: records are met in tenants the operator is a member of, in readable lanes.
        """
        if not self.enters:
            return {}
        tenants = Tenant.objects.filter(is_active=True, memberships__user=self.user).order_by("pk")
        if not self.operator:
            tenants = tenants.filter(pk__in=self.administered)
        found: dict[int, Reader] = {}
        for tenant in tenants:
            try:
                found[tenant.pk] = reader_for_user(self.user, tenant)
            except NotVisible:
                continue
        return found

    @cached_property
    def readable_lanes(self) -> list[int]:
        return sorted(lane for reader in self.readers.values() for lane in reader.readable)

    @cached_property
    def writable_lanes(self) -> list[int]:
        return sorted(lane for reader in self.readers.values() for lane in reader.writable)


def scope_of(request: HttpRequest) -> AdminScope:
    """The scope of a request's user."""
    found = getattr(request, "_admin_scope", None)
    # a page asks a hundred times, nearly always for the very same object
    if found is None or (found.user is not request.user and found.user != request.user):
        found = AdminScope(request.user)
        request._admin_scope = found  # type: ignore[attr-defined]
    return found


def belong(objects: Iterable[Any], tenant_id: int) -> bool:
    """Whether all these lanes, profiles, teams or people are of one tenant."""
    items = list(objects)
    people = {item.pk for item in items if isinstance(item, User)}
    if people:
        members = Membership.objects.filter(tenant_id=tenant_id, user__in=people)
        if set(members.values_list("user_id", flat=True)) != people:
            return False
    others = [item for item in items if not isinstance(item, User)]
    return all((item.pk if isinstance(item, Tenant) else item.tenant_id) == tenant_id for item in others)


@rule(Tenant)
def _tenants(scope: AdminScope) -> Q:
    return scope.in_tenants("pk")


@rule(Membership, Team, Lane, AgentProfile, ApiKey, Wall)
def _of_a_tenant(scope: AdminScope) -> Q:
    return scope.in_tenants("tenant")


@rule(
    LaneUserObjectPermission,
    LaneGroupObjectPermission,
    AgentProfileUserObjectPermission,
    AgentProfileGroupObjectPermission,
)
def _grants(scope: AdminScope) -> Q:
    return scope.in_tenants("content_object__tenant")


@rule(User)
def _people(scope: AdminScope) -> Q:
    if scope.operator:
        return Q()
    return Q(pk__in=Membership.objects.filter(tenant__in=scope.administered).values("user"))


@rule(Group, Permission)
def _never(scope: AdminScope) -> Q:
    """Groups stand behind teams and profiles and are met through them; permissions are named by level."""
    return NOTHING
