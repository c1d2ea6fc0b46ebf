"""Walls: lanes closed to people, teams and profiles, whatever they are granted."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q

from lanes.admin.base import TenantScopedAdmin
from lanes.admin.scope import AdminScope
from lanes.models import Wall


@admin.register(Wall)
class WallAdmin(TenantScopedAdmin):
    list_display = ("name", "tenant", "origin", "write_only", "created_at")
    list_select_related = ("tenant",)
    search_fields = ("name",)
    list_filter = ("origin",)
    autocomplete_fields = ("lanes", "users", "teams", "profiles")
    fields = ("tenant", "name", "reason", "lanes", "users", "teams", "profiles", "origin", "write_only", "created_at")
    readonly_fields = ("origin", "write_only", "created_at")

    def may_change(self, scope: AdminScope, obj: Any | None) -> bool:
        """Nobody moves a wall they stand behind; another admin does."""
        if obj is None or scope.operator:
            return True
        behind = Wall.objects.filter(Q(users=scope.user) | Q(teams__group__user=scope.user), pk=obj.pk)
        return not behind.exists()

    def may_delete(self, scope: AdminScope, obj: Any | None) -> bool:
        return self.may_change(scope, obj)
