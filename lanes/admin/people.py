"""People, their memberships and their teams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth import admin as auth_admin
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html

from lanes.admin import effective, writes
from lanes.admin.base import TenantScopedAdmin, TenantScopedInline
from lanes.admin.forms import TenantForm
from lanes.admin.scope import AdminScope, scope_of
from lanes.admin.widgets import AutocompleteSelectMultiple
from lanes.models import Membership, Team, Tenant, User, Wall
from lanes.readers import reader_for_user

# Groups carry the grants of teams and profiles; they are met through those and never by themselves.
admin.site.unregister(Group)
if admin.site.is_registered(User):
    admin.site.unregister(User)


class MembershipInline(TenantScopedInline):
    model = Membership
    fields = ("tenant", "role", "reads_all", "writes_all", "count_all_lanes")
    autocomplete_fields = ("tenant",)

    def listed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("tenant")


class MembershipForm(TenantForm):
    """What makes somebody a member cannot ask for a member."""

    newcomers = ("user",)


@admin.register(Membership)
class MembershipAdmin(TenantScopedAdmin):
    form = MembershipForm
    list_display = ("user", "tenant", "role", "reads_all", "writes_all", "count_all_lanes")
    list_select_related = ("user", "tenant")
    list_filter = ("role", "reads_all", "writes_all")
    search_fields = ("user__username", "user__first_name", "user__last_name", "user__email")
    autocomplete_fields = ("tenant", "user")
    fields = ("tenant", "user", "role", "reads_all", "writes_all", "count_all_lanes")
    ordering = ("pk",)

    def get_fields(self, request: HttpRequest, obj: Membership | None = None) -> list[str]:
        return [*(self.fields or ()), *(("effective_lanes",) if obj else ())]

    def locked_fields(self, scope: AdminScope, obj: Any | None) -> Sequence[str]:
        return ("user", "effective_lanes") if obj else ("effective_lanes",)

    @admin.display(description="Lanes as they are now")
    def effective_lanes(self, obj: Membership) -> str:
        return effective.table(lambda: reader_for_user(obj.user, obj.tenant))

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        writes.let_admins_sign_in(obj.user)

    def remove(self, request: HttpRequest, obj: Membership) -> None:
        user = obj.user
        obj.delete()
        writes.let_admins_sign_in(user)


class TeamForm(TenantForm):
    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        if "members" in self.fields:
            team = self.instance
            self.fields["members"].initial = (
                [] if team.pk is None else list(team.group.user_set.values_list("pk", flat=True))
            )

    def _held(self, name: str) -> set[Any]:
        if name == "members":
            return set(self.fields["members"].initial or ())
        return super()._held(name)


@admin.register(Team)
class TeamAdmin(TenantScopedAdmin):
    list_display = ("name", "tenant")
    list_select_related = ("tenant",)
    search_fields = ("name",)
    fields = ("tenant", "name", "members")

    def get_form(self, request: HttpRequest, obj: Any | None = None, change: bool = False, **kwargs: Any) -> Any:
        members = forms.ModelMultipleChoiceField(
            scope_of(request).rows(User),
            required=False,
            widget=AutocompleteSelectMultiple(Wall._meta.get_field("users"), admin.site),
            help_text="Members of the tenant. Grants and walls of the team hold for each of them.",
        )
        form = type("TeamForm", (TeamForm,), {"members": members})
        return super().get_form(request, obj, change, **{**kwargs, "form": form, "fields": ("tenant", "name")})

    def save_model(self, request: HttpRequest, obj: Team, form: Any, change: bool) -> None:
        writes.save_holder(obj)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if "members" in form.cleaned_data:
            writes.set_members(form.instance, form.cleaned_data["members"], scope_of(request).rows(User))

    def remove(self, request: HttpRequest, obj: Team) -> None:
        writes.delete_holder(obj)


class PersonForm(BaseUserCreationForm):
    """A new person with a place in a tenant."""

    tenant = forms.ModelChoiceField(Tenant.objects.none())
    role = forms.ChoiceField(choices=Membership.Role.choices, initial=Membership.Role.MEMBER)

    class Meta(BaseUserCreationForm.Meta):
        model = User
        fields = ("username", "first_name", "last_name", "email")


@admin.register(User)
class UserAdmin(TenantScopedAdmin, auth_admin.UserAdmin):
    list_display = ("username", "first_name", "last_name", "is_active")
    list_filter = ("is_active",)
    search_fields = ("username", "first_name", "last_name", "email")
    ordering = ("username",)
    filter_horizontal = ()
    add_form = PersonForm
    form = TenantForm
    readonly_fields = ("password_link", "last_login", "date_joined")
    add_fieldsets = (
        (None, {"fields": ("tenant", "role", "username", "password1", "password2")}),
        ("About the person", {"fields": ("first_name", "last_name", "email")}),
    )

    def may_delete(self, scope: AdminScope, obj: Any | None) -> bool:
        """A tenant admin ends a membership; the person is the operator's to delete."""
        return scope.operator

    def may_change(self, scope: AdminScope, obj: Any | None) -> bool:
        """A person who also belongs elsewhere (or runs the platform) is not one tenant's to rename or switch off."""
        if obj is None or scope.operator:
            return True
        elsewhere = Membership.objects.filter(user=obj).exclude(tenant__in=scope.administered)
        return not obj.is_superuser and not elsewhere.exists()

    def locked_fields(self, scope: AdminScope, obj: Any | None) -> Sequence[str]:
        return () if scope.operator or obj is None else ("username", "email")

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        if obj is None:
            return self.add_fieldsets
        about = (None, {"fields": ["username", "first_name", "last_name", "email", "is_active"]})
        if not scope_of(request).operator:
            return [about]
        about[1]["fields"].insert(1, "password_link")
        rights = ("Platform", {"fields": ["is_superuser", "is_staff", "last_login", "date_joined"]})
        return [about, rights]

    def get_inlines(self, request: HttpRequest, obj: User | None) -> Any:
        return (MembershipInline,) if obj else ()

    def get_form(self, request: HttpRequest, obj: Any | None = None, change: bool = False, **kwargs: Any) -> Any:
        made = super().get_form(request, obj, change=change, **kwargs)
        if obj is None and "tenant" in made.base_fields:
            scope = scope_of(request)
            tenant = made.base_fields["tenant"]
            tenant.queryset = scope.rows(Tenant).order_by("slug")
            if scope.operator:
                tenant.required = False
            elif len(scope.administered) == 1:
                tenant.initial = scope.administered[0]
        return made

    @admin.display(description="Password")
    def password_link(self, obj: User) -> str:
        return format_html(
            '<a href="{}">Set a new password</a>', reverse("admin:auth_user_password_change", args=[obj.pk])
        )

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: A002
        if not scope_of(request).operator:
            raise PermissionDenied
        return super().user_change_password(request, id, form_url)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        tenant = form.cleaned_data.get("tenant")
        if not change and tenant:
            Membership.objects.create(tenant=tenant, user=form.instance, role=form.cleaned_data["role"])
        writes.let_admins_sign_in(form.instance)
