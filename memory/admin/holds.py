"""Holds: placed over lanes and records by a tenant's admins, and released with a reason; never changed or deleted."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import NON_FIELD_ERRORS
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from lanes.admin.base import TenantScopedAdmin
from lanes.admin.forms import TenantForm
from lanes.admin.scope import AdminScope, scope_of
from lanes.admin.widgets import AutocompleteSelectMultiple
from lanes.errors import LanewiseError
from lanes.models import Lane, User
from memory.models import Hold, HoldRecord, sr_id
from memory.services import holds

SHOWN = 100
AT_ONCE = 50


class StandingFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("standing", "Standing"), ("released", "Released")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() in ("standing", "released"):
            return queryset.filter(released_at__isnull=self.value() == "standing")
        return queryset


class HoldForm(TenantForm):
    """A new hold, placed by its service. `scope` is set by the page."""

    scope: AdminScope
    lanes = forms.ModelMultipleChoiceField(
        queryset=Lane.objects.none(),
        required=False,
        help_text="Whole lanes, also the records that come later.",
    )
    records = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 5}),
        help_text="Single records that you may read: sr_…, one a line.",
    )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields.get("lanes")
        if field is None:  # an old hold is only looked at
            return
        field.queryset = self.scope.rows(Lane).order_by("name")
        field.widget = AutocompleteSelectMultiple(Hold._meta.get_field("lanes"), admin.site)  # type: ignore[arg-type]
        field.widget.choices = field.choices

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        tenant_id = self.tenant_id()
        if self.errors or tenant_id is None:
            return
        try:
            with transaction.atomic():
                self.instance = holds.place(
                    tenant_id=tenant_id,
                    name=self.cleaned_data["name"],
                    reason=self.cleaned_data["reason"],
                    lanes=list(self.cleaned_data["lanes"]),
                    reader=self.scope.readers.get(tenant_id),
                    sr_ids=self.cleaned_data["records"].split(),
                    by=self.scope.user,
                )
        except LanewiseError as error:
            for name, said in (error.errors or {NON_FIELD_ERRORS: [error.detail]}).items():
                name = {"sr_ids": "records"}.get(name, name)
                self.add_error(name if name in self.fields else None, said if name in self.fields else error.detail)


class ReleaseForm(forms.Form):
    reason = forms.CharField(
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Why it may go. Kept with the hold.",
    )


def _named(obj: Any, user_id: int | None) -> str:
    """A person, to those who may meet them."""
    found = obj.looked_at_by.rows(User).filter(pk=user_id).first() if user_id else None
    return str(found) if found else "–"


@admin.register(Hold)
class HoldAdmin(TenantScopedAdmin):
    form = HoldForm
    list_display = ("name", "tenant", "standing", "placed_at", "released_at")
    list_select_related = ("tenant",)
    list_filter = (StandingFilter,)
    search_fields = ("name",)
    actions = ("release",)
    kept = (
        "tenant", "name", "reason", "lanes_shown", "records_shown", "placed_at", "placed_by_shown", "standing",
        "released_at", "released_by_shown", "release_reason",
    )  # fmt: skip
    readonly_fields = tuple(name for name in kept if name not in ("tenant", "name", "reason"))

    def get_fieldsets(self, request: HttpRequest, obj: Hold | None = None) -> Any:
        if obj is None:
            return [(None, {"fields": ("tenant", "name", "reason", "lanes", "records")})]
        obj.looked_at_by = scope_of(request)  # what is shown of it depends on who looks
        return [(None, {"fields": self.kept})]

    def may_change(self, scope: AdminScope, obj: Any | None) -> bool:
        """A hold is released, not rewritten: what it says must be what it said when it was placed."""
        return obj is None

    def may_delete(self, scope: AdminScope, obj: Any | None) -> bool:
        return False

    def get_form(self, request: HttpRequest, obj: Any | None = None, change: bool = False, **kwargs: Any) -> Any:
        form = type(self.form.__name__, (self.form,), {"scope": scope_of(request)})
        return super().get_form(request, obj, change, **{**kwargs, "form": form})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Nothing: the form's service has placed it."""

    @admin.display(description="Standing", boolean=True)
    def standing(self, obj: Hold) -> bool:
        return obj.released_at is None

    @admin.display(description="Lanes")
    def lanes_shown(self, obj: Hold) -> str:
        return ", ".join(lane.name for lane in obj.lanes.order_by("name")) or "–"

    @admin.display(description="Records")
    def records_shown(self, obj: Any) -> str:
        """Those that the person may read, whatever else the hold covers."""
        rows = HoldRecord.objects.filter(hold=obj, record__lane_id__in=obj.looked_at_by.readable_lanes).order_by("pk")
        found = list(rows.values_list("record__public_id", flat=True)[: SHOWN + 1])
        named = ", ".join(sr_id(public) for public in found[:SHOWN])
        return (named + (" and more" if len(found) > SHOWN else "")) or "–"

    @admin.display(description="Placed by")
    def placed_by_shown(self, obj: Any) -> str:
        return _named(obj, obj.placed_by_id)

    @admin.display(description="Released by")
    def released_by_shown(self, obj: Any) -> str:
        return _named(obj, obj.released_by_id)

    @admin.action(description="Release selected holds…", permissions=["change"])
    def release(self, request: HttpRequest, queryset: QuerySet[Hold]) -> HttpResponse | None:
        """Ask for a reason, saying what becomes changeable; then release."""
        chosen = list(queryset.filter(released_at__isnull=True).order_by("pk")[: AT_ONCE + 1])
        if not chosen or len(chosen) > AT_ONCE:
            said = f"At most {AT_ONCE} at a time." if chosen else "None of these stands any more."
            self.message_user(request, said, messages.WARNING)
            return None
        form = ReleaseForm(request.POST if "reason" in request.POST else None)
        if form.is_valid():
            holds.release_all(chosen, reason=form.cleaned_data["reason"], by=scope_of(request).user)
            for hold in chosen:
                self.log_change(request, hold, [{"changed": {"fields": ["released"]}}])
            self.message_user(request, f"Released: {', '.join(hold.name for hold in chosen)}.", messages.SUCCESS)
            return None
        lanes = scope_of(request).readable_lanes
        return TemplateResponse(request, "admin/memory/hold/release.html", {
            **self.admin_site.each_context(request), "opts": self.opts, "form": form, "title": "Release holds",
            "holds": [(hold, *holds.covers(hold, lanes)) for hold in chosen],
            "checkbox": ACTION_CHECKBOX_NAME,
        })  # fmt: skip
