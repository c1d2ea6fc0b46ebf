"""Tenants and lanes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from lanes import services
from lanes.admin import writes
from lanes.admin.base import TenantScopedAdmin
from lanes.admin.grants import LaneGroups, LanePeople
from lanes.admin.scope import AdminScope
from lanes.models import Lane, Tenant


@admin.register(Tenant)
class TenantAdmin(TenantScopedAdmin):
    list_display = ("name", "slug", "is_active", "created_at")
    list_filter = ("is_active",)
    search_fields = ("slug", "name")
    fields = ("slug", "name", "is_active", "created_at")
    readonly_fields = ("created_at",)

    def may_add(self, scope: AdminScope) -> bool:
        return scope.operator

    def may_delete(self, scope: AdminScope, obj: Any | None) -> bool:
        return scope.operator

    def locked_fields(self, scope: AdminScope, obj: Any | None) -> Sequence[str]:
        """The slug is how commands and keys name the tenant, so it stays; switching a tenant off is the operator's."""
        locked = () if scope.operator else ("is_active",)
        return ("slug", *locked) if obj else locked

    def remove(self, request: HttpRequest, obj: Tenant) -> None:
        for holder in [*obj.teams.select_related("group"), *obj.profiles.select_related("group")]:
            writes.delete_holder(holder)
        obj.delete()


@admin.register(Lane)
class LaneAdmin(TenantScopedAdmin):
    list_display = ("name", "slug", "tenant", "colour", "created_at")
    list_select_related = ("tenant",)
    search_fields = ("slug", "name")
    fields = ("tenant", "slug", "name", "description", "colour", "created_at")
    readonly_fields = ("created_at",)
    inlines = (LanePeople, LaneGroups)

    def get_fields(self, request: HttpRequest, obj: Lane | None = None) -> list[str]:
        """A new lane gets the colour of its slug."""
        fields = list(self.fields or ())
        return fields if obj else [name for name in fields if name not in ("colour", "created_at")]

    def save_model(self, request: HttpRequest, obj: Lane, form: Any, change: bool) -> None:
        if not change:
            obj.colour = services.colour_of(obj.slug)
        super().save_model(request, obj, form, change)
