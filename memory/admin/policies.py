"""What ingest may do in a lane beyond tagging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from lanes.admin.base import TenantScopedAdmin
from lanes.admin.scope import AdminScope
from memory.models import IngestPolicy


@admin.register(IngestPolicy)
class IngestPolicyAdmin(TenantScopedAdmin):
    list_display = ("lane", "promote", "relations", "discover", "language_model")
    list_select_related = ("lane",)
    list_filter = ("promote", "relations", "discover", "language_model")
    search_fields = ("lane__slug", "lane__name")
    autocomplete_fields = ("lane",)
    fields = ("lane", "promote", "promote_labels", "relations", "discover", "language_model")
    ordering = ("pk",)

    def locked_fields(self, scope: AdminScope, obj: Any | None) -> Sequence[str]:
        return ("lane",) if obj else ()

    def save_model(self, request: HttpRequest, obj: IngestPolicy, form: Any, change: bool) -> None:
        obj.tenant_id = obj.lane.tenant_id
        super().save_model(request, obj, form, change)
