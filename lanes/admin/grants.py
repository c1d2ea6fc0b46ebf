"""Grants: on the pages of lanes and profiles, and as lists of their own. Never changed, only given and taken."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from lanes.admin.base import TenantScopedAdmin, TenantScopedInline
from lanes.admin.forms import ELSEWHERE
from lanes.admin.scope import AdminScope, belong, scope_of
from lanes.admin.widgets import AutocompleteSelect
from lanes.models import (
    AgentProfile,
    AgentProfileGroupObjectPermission,
    AgentProfileUserObjectPermission,
    LaneGroupObjectPermission,
    LaneUserObjectPermission,
    Team,
    User,
    Wall,
)

LEVELS = {"read_lane": "Read", "write_lane": "Read and write", "manage_lane": "Read, write and manage"}


def picker(field: str, rows: QuerySet[Any], *, required: bool = False) -> forms.ModelChoiceField:
    """A choice of one of `rows` that is looked up while typing, however many there are."""
    widget = AutocompleteSelect(Wall._meta.get_field(field), admin.site)
    widget.choices = ()
    return forms.ModelChoiceField(rows, widget=widget, required=required)


class GrantForm(forms.ModelForm):
    """Whom, and (on lanes) how far. `scope` is set by the page that makes the form."""

    scope: AdminScope
    to_groups: bool
    levels: bool

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        if self.to_groups:
            self.fields["team"] = picker("teams", self.scope.rows(Team))
            self.fields["profile"] = picker("profiles", self.scope.rows(AgentProfile))
            if not self.levels:
                del self.fields["profile"]
        else:
            self.fields["person"] = picker("users", self.scope.rows(User), required=True)
        if self.levels:
            self.fields["level"] = forms.ChoiceField(choices=list(LEVELS.items()))
        if "content_object" in self.fields:
            field = self.fields["content_object"]
            field.queryset = self.scope.rows(self._meta.model._meta.get_field("content_object").related_model)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        super().clean()
        data = self.cleaned_data
        chosen = [data[name] for name in ("person", "team", "profile") if data.get(name)]
        if len(chosen) != 1:
            if not self.errors:
                raise ValidationError("Choose one: a team or a profile.")
            return data
        (holder,) = chosen
        if self.to_groups:
            self.instance.group = holder.group
        else:
            self.instance.user = holder
        codename = data.get("level") if self.levels else "act_as"
        if codename is None:
            return data
        model = self._meta.model._meta.get_field("content_object").related_model._meta.model_name  # type: ignore[union-attr]
        self.instance.permission = Permission.objects.get(
            content_type__app_label="lanes", content_type__model=model, codename=codename
        )
        target = data.get("content_object") or (
            self.instance.content_object if self.instance.content_object_id is not None else None
        )
        if target is not None:
            self._check(target, holder)
        return data

    def _check(self, target: Any, holder: Any) -> None:
        if not belong([holder], target.tenant_id):
            raise ValidationError(ELSEWHERE)
        same = {"content_object": target, "permission": self.instance.permission}
        same |= {"group": holder.group} if self.to_groups else {"user": holder}
        if self._meta.model._default_manager.filter(**same).exists():
            raise ValidationError(f"{holder} has this already.")


class GrantFormSet(forms.BaseInlineFormSet):
    """Grants given together with a new lane or profile: nobody of another tenant, nothing twice."""

    def clean(self) -> None:
        super().clean()
        seen = set()
        for form in self.forms:
            data = getattr(form, "cleaned_data", None) or {}
            holder = data.get("person") or data.get("team") or data.get("profile")
            if not holder or data.get("DELETE") or form.instance.pk:
                continue
            name = (type(holder), holder.pk, data.get("level"))
            if name in seen:
                raise ValidationError(f"{holder} is named twice.")
            seen.add(name)
            if self.instance.tenant_id and not belong([holder], self.instance.tenant_id):
                raise ValidationError(ELSEWHERE)


class Shown:
    """How a grant is shown: people, teams and profiles by name, permissions by what they allow."""

    @admin.display(description="Person")
    def person(self, grant: Any) -> str:
        return str(grant.user)

    @admin.display(description="Team")
    def team(self, grant: Any) -> str:
        found = getattr(grant.group, "team", None)
        return str(found) if found else "–"

    @admin.display(description="Agent profile")
    def profile(self, grant: Any) -> str:
        found = getattr(grant.group, "agent_profile", None)
        return str(found) if found else "–"

    @admin.display(description="May")
    def level(self, grant: Any) -> str:
        return LEVELS.get(grant.permission.codename, grant.permission.name)


def _names(model: Any) -> tuple[str, ...]:
    levels = ("level",) if "Lane" in model.__name__ else ()
    if "User" in model.__name__:
        return ("person", *levels)
    return ("team", *(("profile",) if levels else ()), *levels)


def _related(model: Any) -> tuple[str, ...]:
    if "User" in model.__name__:
        return ("user", "permission", "content_object")
    return ("group__team", "group__agent_profile", "permission", "content_object")


def _form(request: HttpRequest, model: Any, fields: tuple[str, ...]) -> type[GrantForm]:
    marks = {
        "scope": scope_of(request),
        "to_groups": "Group" in model.__name__,
        "levels": "Lane" in model.__name__,
    }
    meta = type("Meta", (), {"model": model, "fields": fields})
    return type(f"{model.__name__}Form", (GrantForm,), {**marks, "Meta": meta})


class GrantInline(Shown, TenantScopedInline):
    """Grants on the page of what they are about."""

    formset = GrantFormSet

    def may_change(self, scope: AdminScope, obj: Any | None) -> bool:
        return False

    def get_fields(self, request: HttpRequest, obj: Any | None = None) -> tuple[str, ...]:
        return _names(self.model)

    def get_formset(self, request: HttpRequest, obj: Any | None = None, **kwargs: Any) -> Any:
        return super().get_formset(request, obj, **{**kwargs, "form": _form(request, self.model, ()), "fields": ()})

    def listed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related(*_related(self.model))


class LanePeople(GrantInline):
    model = LaneUserObjectPermission
    verbose_name = "grant to a person"
    verbose_name_plural = "grants to people (the first 100; all of them are under “Grants of lanes to people”)"


class LaneGroups(GrantInline):
    model = LaneGroupObjectPermission
    verbose_name = "grant to a team or agent profile"
    verbose_name_plural = "grants to teams and agent profiles (the first 100)"


class ProfilePeople(GrantInline):
    model = AgentProfileUserObjectPermission
    verbose_name = "person who may act as this profile"
    verbose_name_plural = "people who may act as this profile (the first 100)"


class ProfileTeams(GrantInline):
    model = AgentProfileGroupObjectPermission
    verbose_name = "team that may act as this profile"
    verbose_name_plural = "teams that may act as this profile (the first 100)"


class GrantAdmin(Shown, TenantScopedAdmin):
    """All grants of one kind."""

    ordering = ("pk",)
    list_display_links = ("content_object",)

    def may_change(self, scope: AdminScope, obj: Any | None) -> bool:
        return False

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        return ("content_object", *_names(self.model))

    def get_list_select_related(self, request: HttpRequest) -> tuple[str, ...]:
        return _related(self.model)

    def get_fields(self, request: HttpRequest, obj: Any | None = None) -> tuple[str, ...]:
        return ("content_object", *_names(self.model))

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        if "User" in self.model.__name__:
            return ("content_object__slug", "content_object__name", "user__username")
        return ("content_object__slug", "content_object__name", "group__team__name", "group__agent_profile__name")

    def get_autocomplete_targets(self) -> tuple[str, ...]:
        return ("content_object",)

    def get_form(self, request: HttpRequest, obj: Any | None = None, change: bool = False, **kwargs: Any) -> Any:
        made = _form(request, self.model, ("content_object",))
        widget = AutocompleteSelect(self.model._meta.get_field("content_object"), self.admin_site)
        made._meta.widgets = {"content_object": widget}
        made.base_fields["content_object"].widget = widget
        widget.choices = made.base_fields["content_object"].choices
        return made


@admin.register(LaneUserObjectPermission)
class LaneUserGrantAdmin(GrantAdmin):
    pass


@admin.register(LaneGroupObjectPermission)
class LaneGroupGrantAdmin(GrantAdmin):
    pass


@admin.register(AgentProfileUserObjectPermission)
class ProfileUserGrantAdmin(GrantAdmin):
    pass


@admin.register(AgentProfileGroupObjectPermission)
class ProfileGroupGrantAdmin(GrantAdmin):
    pass
