"""What every admin page and inline of the product inherits: rows, choices, history and deletion within the scope.

The hooks through which rows come in and go out are decided here alone. A page that overrides one of them does not
load (and a test says so too); pages say what differs about them through the small hooks at the top of the classes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.admin.options import get_content_type_for_model
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db import IntegrityError, models, transaction
from django.db.models import Model, Q, QuerySet
from django.db.models.deletion import CASCADE, PROTECT, ProtectedError, get_candidate_relations_to_delete
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.text import capfirst

from lanes.admin import forms, widgets
from lanes.admin.filters import ScopedRelatedFilter
from lanes.admin.forms import TenantForm
from lanes.admin.paginator import BoundedPaginator
from lanes.admin.scope import AdminScope, ruled, scope_of
from lanes.errors import LanewiseError
from lanes.models import User

PROTECTED = frozenset(
    {
        "get_queryset",
        "get_object",
        "get_field_queryset",
        "formfield_for_foreignkey",
        "formfield_for_manytomany",
        "has_module_permission",
        "has_view_permission",
        "has_add_permission",
        "has_change_permission",
        "has_delete_permission",
        "has_view_or_change_permission",
        "get_model_perms",
        "get_search_results",
        "get_autocomplete_fields",
        "get_list_filter",
        "get_readonly_fields",
        "get_paginator",
        "get_changelist",
        "get_deleted_objects",
        "delete_model",
        "delete_queryset",
        "history_view",
        "changeform_view",
        "changelist_view",
        "delete_view",
        "lookup_allowed",
        "to_field_allowed",
        "construct_change_message",
        "log_addition",
        "log_change",
        "log_deletion",
        "log_deletions",
        "get_changeform_initial_data",
        "show_full_result_count",
        "show_facets",
        "paginator",
    }
)
SHOWN = 50  # related rows named on a delete confirmation
AT_ONCE = 200  # rows deleted in one bulk action


def guard(cls: type) -> None:
    """Refuse a page that decides for itself what the base decides."""
    taken = sorted(PROTECTED & set(vars(cls)))
    if taken and cls.__module__ != __name__:
        raise TypeError(f"{cls.__qualname__} overrides {', '.join(taken)}: lanes.admin.base decides these.")


class Scoped(admin.options.BaseModelAdmin):
    """Shared by pages and inlines."""

    form = TenantForm

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        guard(cls)

    # --- what a page may say -------------------------------------------------------------------------------------
    def may_view(self, scope: AdminScope) -> bool:
        return True

    def may_add(self, scope: AdminScope) -> bool:
        return True

    def may_change(self, scope: AdminScope, obj: Any | None) -> bool:
        return True

    def may_delete(self, scope: AdminScope, obj: Any | None) -> bool:
        return True

    def locked_fields(self, scope: AdminScope, obj: Any | None) -> Sequence[str]:
        """Fields that this person may see but not change on this row (None: a new one)."""
        return ()

    def listed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The rows with what showing them needs, and without what it does not."""
        return rows

    def choices(self, request: HttpRequest, name: str, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Fewer choices for a relation than the scope allows; never more."""
        return rows

    # --- decided here --------------------------------------------------------------------------------------------
    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = self.listed(scope_of(request).rows(self.model))
        return rows.order_by(*(self.get_ordering(request) or self.model._meta.ordering or ("pk",)))

    def get_field_queryset(self, db: str | None, db_field: Any, request: HttpRequest) -> QuerySet[Any]:
        model = db_field.remote_field.model
        rows = scope_of(request).rows(model)
        return self.choices(request, db_field.name, rows.order_by(*model._meta.ordering or ("pk",)))

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if "widget" not in kwargs and db_field.name in self.get_autocomplete_fields(request):
            kwargs["widget"] = widgets.AutocompleteSelect(db_field, self.admin_site, using=kwargs.get("using"))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if "widget" not in kwargs and db_field.name in self.get_autocomplete_fields(request):
            kwargs["widget"] = widgets.AutocompleteSelectMultiple(db_field, self.admin_site, using=kwargs.get("using"))
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any | None = None) -> bool:
        scope = scope_of(request)
        return scope.enters and self.may_view(scope)

    def has_add_permission(self, request: HttpRequest, obj: Any | None = None) -> bool:
        return self.has_view_permission(request) and self.may_add(scope_of(request))

    def has_change_permission(self, request: HttpRequest, obj: Any | None = None) -> bool:
        return self.has_view_permission(request) and self.may_change(scope_of(request), obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any | None = None) -> bool:
        return self.has_view_permission(request) and self.may_delete(scope_of(request), obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any | None = None) -> list[str]:
        """A row stays in its tenant: records, grants and keys carry it."""
        locked = [*self.readonly_fields, *self.locked_fields(scope_of(request), obj)]
        if obj is not None and getattr(obj, "pk", None) and "tenant" in _field_names(self.model):
            locked.append("tenant")
        return list(dict.fromkeys(locked))


def _field_names(model: type[Model]) -> set[str]:
    return {field.name for field in model._meta.get_fields()}


class ScopedChangeList(ChangeList):
    """A list that may be narrowed to what can be read fast when nothing was asked for."""

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        rows = super().get_queryset(request, exclude_parameters)
        return self.model_admin.narrowed(request, rows, asked=bool(self.query))


class TenantScopedAdmin(Scoped, admin.ModelAdmin):
    """A page. See the module's first lines."""

    list_per_page = 50
    list_max_show_all = 0
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    save_on_top = False
    count_bound = 10_000
    by_tenant = True  # offer a filter by tenant to people who administer several

    # --- what a page may say -------------------------------------------------------------------------------------
    def searched(self, request: HttpRequest, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        """The rows a search finds: each word somewhere in the search fields."""
        for word in term.split()[:8]:
            either = Q()
            for name in self.get_search_fields(request):
                either |= Q(**{f"{name}__icontains": word})
            rows = rows.filter(either)
        return rows

    def narrowed(self, request: HttpRequest, rows: QuerySet[Any], *, asked: bool) -> QuerySet[Any]:
        """The rows of the list (`asked`: a search was made)."""
        return rows

    def blocker(self, request: HttpRequest, obj: Any) -> str | None:
        """Why this row cannot be deleted; a sentence that counts and names nothing the person may not meet."""
        for relation in get_candidate_relations_to_delete(self.opts):
            if relation.on_delete is PROTECT and _held_by(relation, [obj]).exists():
                what = relation.related_model._meta.verbose_name_plural
                return f"{capfirst(str(obj))} still has {what}; they have to go first."
        return None

    def remove(self, request: HttpRequest, obj: Any) -> None:
        """Delete one row."""
        obj.delete()

    def log_name(self, obj: Any) -> str:
        """What the history calls a row."""
        return str(obj)

    # --- decided here --------------------------------------------------------------------------------------------
    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ScopedChangeList

    def get_paginator(
        self,
        request: HttpRequest,
        queryset: QuerySet[Any],
        per_page: int,
        orphans: int = 0,
        allow_empty_first_page: bool = True,
    ) -> Paginator:
        return BoundedPaginator(
            queryset, per_page, self.count_bound, orphans=orphans, allow_empty_first_page=allow_empty_first_page
        )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.replace("\x00", "").strip()
        return (self.searched(request, queryset, term) if term else queryset), False

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """Relations are filtered by scoped choices; the tenant only where there are several."""
        found: list[Any] = []
        names = list(self.list_filter)
        if self.by_tenant and "tenant" in _field_names(self.model):
            scope = scope_of(request)
            if scope.operator or len(scope.administered) > 1:
                names.insert(0, "tenant")
        for name in names:
            relation = isinstance(name, str) and self.opts.get_field(name).is_relation
            found.append((name, ScopedRelatedFilter) if relation else name)
        return found

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Only what the list's own filters ask: anything else would answer questions about columns not shown."""
        name, _, rest = lookup.partition("__")
        names = {
            item[0] if isinstance(item, tuple) else getattr(item, "parameter_name", item)
            for item in self.get_list_filter(request)  # type: ignore[arg-type]
        }
        return name in names and rest in {"", "exact", "id__exact", "isnull", "gte", "lt"}

    def to_field_allowed(self, request: HttpRequest, to_field: str) -> bool:
        return to_field == self.opts.pk.attname  # type: ignore[union-attr]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        given = forms.readable(self.model, super().get_changeform_initial_data(request))
        scope = scope_of(request)
        if "tenant" in _field_names(self.model) and not scope.operator and len(scope.administered) == 1:
            given["tenant"] = scope.administered[0]
        return given

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        context = {"bound": self.count_bound, **(extra_context or {})}
        if request.method != "POST":
            return super().changelist_view(request, context)
        posted = request.POST.copy()
        chosen = posted.getlist(ACTION_CHECKBOX_NAME)
        posted.setlist(ACTION_CHECKBOX_NAME, [key for key in chosen if widgets.is_key(self.model, key)])
        request.POST = posted  # type: ignore[assignment]
        return self._write(request, lambda: super(TenantScopedAdmin, self).changelist_view(request, context))

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        view = super().changeform_view
        return self._write(request, lambda: view(request, object_id, form_url, extra_context))

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        view = super().delete_view
        return self._write(request, lambda: view(request, object_id, extra_context))

    def _write(self, request: HttpRequest, view: Any) -> HttpResponse:
        """Run a view in a transaction; what the product refuses becomes a message, and nothing was done."""
        try:
            with transaction.atomic():
                return view()
        except LanewiseError as error:
            said = error.detail
        except ProtectedError:
            said = "Something still depends on it, so it was not deleted."
        except IntegrityError:
            said = "Somebody changed this at the same moment; nothing was saved. Please try again."
        self.message_user(request, said, messages.ERROR)
        return HttpResponseRedirect(reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """What people whom this person may meet did to a row that this person may meet."""
        entries = LogEntry.objects.filter(
            object_id=unquote(object_id).replace("\x00", ""),
            content_type=get_content_type_for_model(self.model),
            user__in=scope_of(request).rows(User).values("pk"),
        )
        paginator = Paginator(entries.select_related("user").order_by("action_time"), 100)
        page = paginator.get_page(request.GET.get("p", 1))
        shown = {
            "action_list": page,
            "page_range": paginator.get_elided_page_range(page.number),
            "pagination_required": paginator.count > 100,
        }
        return super().history_view(request, object_id, {**shown, **(extra_context or {})})

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> list[dict[str, Any]]:
        """Which fields changed. Names of rows on inlines are left out: not everyone who reads it may meet them."""
        said = super().construct_change_message(request, form, formsets, add)
        for item in said:
            for what in item.values():
                if "object" in what:
                    what["object"] = "…"
        return said

    def _log(self, request: HttpRequest, objects: Iterable[Any], flag: int, message: Any = "") -> None:
        kind = get_content_type_for_model(self.model)
        LogEntry.objects.bulk_create(
            LogEntry(
                user_id=request.user.pk,
                content_type=kind,
                object_id=str(obj.pk),
                object_repr=self.log_name(obj)[:200],
                action_flag=flag,
                change_message=json.dumps(message) if isinstance(message, list) else message,
            )
            for obj in objects
        )

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> None:  # type: ignore[override]
        self._log(request, [obj], ADDITION, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> None:  # type: ignore[override]
        self._log(request, [obj], CHANGE, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> None:
        self._log(request, queryset, DELETION)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self.remove(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """One by one, each as if it were deleted from its own page."""
        for obj in list(queryset):
            self.remove(request, obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[list, dict, set, list]:
        """(what goes, counts, set(), what is in the way): within the scope and bounded, whatever depends on it."""
        found = list(objs[: AT_ONCE + 1])
        if len(found) > AT_ONCE:
            return [], {}, set(), [f"At most {AT_ONCE} at a time: choose fewer."]
        scope = scope_of(request)
        protected = []
        for obj in found:
            if not self.may_delete(scope, obj):
                protected.append(f"{obj}: you may see this but not delete it.")
            elif reason := self.blocker(request, obj):
                protected.append(reason)
        goes: list[Any] = [str(obj) for obj in found]
        counts: dict[str, Any] = {str(self.opts.verbose_name_plural): len(found)}
        for relation in get_candidate_relations_to_delete(self.opts):
            model = relation.related_model
            if relation.on_delete is not CASCADE or not ruled(model):
                continue
            with_it = scope.rows(model).filter(**{f"{relation.field.name}__in": found})
            named = list(_with_names(with_it)[: SHOWN + 1])
            if named:
                what = capfirst(str(model._meta.verbose_name_plural))
                goes.append([f"{what}: {row}" for row in named[:SHOWN]])
                if len(named) > SHOWN:
                    goes[-1].append(f"{what}: and more")
                counts[str(model._meta.verbose_name_plural)] = (
                    f"more than {SHOWN}" if len(named) > SHOWN else len(named)
                )
        return goes, counts, set(), protected


def _with_names(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The rows with the relations that their names are made of."""
    single = [
        field.name
        for field in rows.model._meta.get_fields()
        if isinstance(field, models.ForeignKey) and not field.null
    ]
    return rows.select_related(*single) if single else rows


def _held_by(relation: Any, found: list[Any]) -> QuerySet[Any]:
    """Rows of another table that point at these, hidden ones included: asked whether there are any, never which."""
    return relation.related_model._default_manager.filter(**{f"{relation.field.name}__in": found})


class TenantScopedInline(Scoped, admin.TabularInline):
    """Rows of another table on a page: the first `bound` of them."""

    extra = 0
    bound = 100

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        parent = request.resolver_match.kwargs.get("object_id") if request.resolver_match else None
        if parent is None:
            return rows.none()
        related = [f for f in self.model._meta.fields if f.remote_field and f.remote_field.model is self.parent_model]
        name = self.fk_name or related[0].name
        try:
            first = list(rows.filter(**{name: unquote(parent)}).values_list("pk", flat=True)[: self.bound])
        except (ValueError, TypeError):
            return rows.none()
        return rows.filter(pk__in=first)
