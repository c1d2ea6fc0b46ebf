"""Agent profiles and API keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from lanes import keys
from lanes.admin import effective, writes
from lanes.admin.base import TenantScopedAdmin
from lanes.admin.grants import ProfilePeople, ProfileTeams
from lanes.admin.scope import AdminScope
from lanes.models import AgentProfile, ApiKey
from lanes.readers import reader_for_profile


@admin.register(AgentProfile)
class AgentProfileAdmin(TenantScopedAdmin):
    list_display = ("name", "slug", "tenant", "is_active", "reads_all", "writes_all")
    list_select_related = ("tenant",)
    list_filter = ("is_active", "reads_all", "writes_all")
    search_fields = ("slug", "name")
    fields = ("tenant", "slug", "name", "is_active", "reads_all", "writes_all", "count_all_lanes", "effective_lanes")
    inlines = (ProfilePeople, ProfileTeams)

    def get_fields(self, request: HttpRequest, obj: AgentProfile | None = None) -> list[str]:
        return [name for name in self.fields or () if obj or name != "effective_lanes"]

    def locked_fields(self, scope: AdminScope, obj: Any | None) -> Sequence[str]:
        """The slug is how calls name the profile."""
        return ("slug", "effective_lanes") if obj else ("effective_lanes",)

    @admin.display(description="Lanes as they are now")
    def effective_lanes(self, obj: AgentProfile) -> str:
        return effective.table(lambda: reader_for_profile(obj))

    def save_model(self, request: HttpRequest, obj: AgentProfile, form: Any, change: bool) -> None:
        writes.save_holder(obj)

    def remove(self, request: HttpRequest, obj: AgentProfile) -> None:
        writes.delete_holder(obj)


@admin.register(ApiKey)
class ApiKeyAdmin(TenantScopedAdmin):
    list_display = ("name", "prefix", "tenant", "user", "state", "expires_at", "last_used_at")
    list_select_related = ("tenant", "user")
    search_fields = ("name", "prefix")
    autocomplete_fields = ("profiles", "user")
    readonly_fields = ("prefix", "state", "created_at", "last_used_at", "revoked_at")
    ordering = ("-created_at", "-pk")
    actions = ("revoke",)

    def get_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> list[str]:
        given = ["tenant", "name", "profiles", "user", "expires_at"]
        return [*given, *self.readonly_fields] if obj else given

    def get_form(self, request: HttpRequest, obj: Any | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        if "profiles" in form.base_fields:
            form.base_fields["profiles"].required = True  # a key without one is refused whatever it asks
        return form

    def locked_fields(self, scope: AdminScope, obj: Any | None) -> Sequence[str]:
        """On whose behalf a key speaks stays: the log is read by it."""
        return ("user",) if obj else ()

    @admin.display(description="State")
    def state(self, obj: ApiKey) -> str:
        from django.utils import timezone

        if obj.revoked_at:
            return "revoked"
        return "expired" if obj.expires_at and obj.expires_at <= timezone.now() else "live"

    def save_model(self, request: HttpRequest, obj: ApiKey, form: Any, change: bool) -> None:
        if change:
            super().save_model(request, obj, form, change)
            return
        row, key = keys.issue(
            tenant=obj.tenant,
            name=obj.name,
            profiles=form.cleaned_data["profiles"],
            user=obj.user,
            expires_at=obj.expires_at,
        )
        obj.pk, obj.prefix, obj.digest, obj.created_at = row.pk, row.prefix, row.digest, row.created_at
        obj._state.adding = False
        request.issued_key = key  # type: ignore[attr-defined]  # for this response only; kept nowhere

    def response_add(self, request: HttpRequest, obj: ApiKey, post_url_continue: str | None = None) -> HttpResponse:
        """The key, in this answer and nowhere else: not in a message, which would travel in a cookie."""
        context = {
            **self.admin_site.each_context(request),
            "title": "The new API key",
            "opts": self.opts,
            "key": request.issued_key,  # type: ignore[attr-defined]
            "issued": obj,
        }
        response = TemplateResponse(request, "admin/lanes/apikey/issued.html", context)
        response["Cache-Control"] = "no-store, private"
        return response

    @admin.action(description="Revoke selected API keys", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        chosen = list(queryset)
        count = writes.revoke_keys(ApiKey.objects.filter(pk__in=[row.pk for row in chosen]))
        for row in chosen:
            self.log_change(request, row, [{"changed": {"fields": ["revoked at"]}}])
        self.message_user(request, f"{count} revoked; calls with them are refused from now on.", messages.SUCCESS)
