"""What the pages of record content share: bounded lists, searches by index, writes through services."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import NON_FIELD_ERRORS
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from lanes.admin.base import TenantScopedAdmin
from lanes.admin.filters import CHOICES
from lanes.admin.forms import TenantForm
from lanes.admin.scope import AdminScope, scope_of
from lanes.errors import Invalid, LanewiseError, NotVisible
from lanes.readers import Reader
from memory import normal, words
from memory.admin import newest
from memory.models import parse_sr_id

BOUND = 500  # rows a list goes back; more are found by searching
NEWEST = 100  # records whose edge properties, tags and windows are listed when nothing is asked


class LaneFilter(admin.SimpleListFilter):
    """One readable lane; left out when there are more than anyone would scan."""

    title = "lane"
    parameter_name = "lane"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        scope = scope_of(request)
        named = [(str(lane), info.name) for reader in scope.readers.values() for lane, info in reader.lanes.items()]
        return sorted(named, key=lambda item: item[1].lower()) if len(named) <= CHOICES else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        lane = lane_asked(request)
        return queryset if lane is None else queryset.filter(lane_id=lane)


def lane_asked(request: HttpRequest) -> int | None:
    """The readable lane that the list is limited to (-1: one that is none of these)."""
    raw = request.GET.get("lane")
    if raw is None:
        return None
    return int(raw) if raw.isdecimal() and int(raw) in scope_of(request).readable_lanes else -1


def lanes_listed(request: HttpRequest) -> list[int]:
    """The lanes that the list covers."""
    lane = lane_asked(request)
    return scope_of(request).readable_lanes if lane is None else [lane]


class ServiceForm(TenantForm):
    """Writes through a service as the last step of its validation: the service knows what is wrong, and says it
    beside the field. `scope` is set by the page."""

    scope: AdminScope
    # Names of the service's fields on this form, where they differ.
    aliases: dict[str, str] = {}

    def write(self) -> Any:
        """Call the service; returns the row as it is now."""
        raise NotImplementedError

    def reader_of(self, tenant_id: int) -> Reader:
        found = self.scope.readers.get(tenant_id)
        if found is None:
            raise NotVisible()
        return found

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        if self.errors:
            return
        try:
            with transaction.atomic():
                self.instance = self.write()
        except LanewiseError as error:
            for path, said in (error.errors or {NON_FIELD_ERRORS: [error.detail]}).items():
                name = path.rsplit(".", 1)[-1].split("[")[0]
                name = self.aliases.get(name, name)
                shown = name in self.fields and not self.fields[name].widget.is_hidden
                self.add_error(name if shown else None, said if shown else error.detail)


class ContentAdmin(TenantScopedAdmin):
    """A page of rows in lanes. Reading, writing and deleting need what the person's own Reader allows."""

    by_tenant = False
    count_bound = BOUND
    sortable_by = ()
    list_display: Any = ()
    search_fields = ("pk",)  # there is a search; what it does is said in `searched`
    list_filter: Any = (LaneFilter,)
    list_select_related: Any = ("lane",)
    ordering: Any = ("-at", "-pk")

    def may_add(self, scope: AdminScope) -> bool:
        return bool(scope.writable_lanes)

    def may_change(self, scope: AdminScope, obj: Any | None) -> bool:
        return bool(scope.writable_lanes) if obj is None else obj.lane_id in scope.writable_lanes

    def may_delete(self, scope: AdminScope, obj: Any | None) -> bool:
        return self.may_change(scope, obj)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Nothing: the form's service has written it."""

    def log_name(self, obj: Any) -> str:
        """By number: a history goes on being read when the lane no longer may be."""
        return f"{self.opts.verbose_name} {obj.pk}"

    def reader(self, request: HttpRequest, obj: Any) -> Reader:
        return scope_of(request).readers[obj.tenant_id]

    def service_form(self, request: HttpRequest) -> type[ServiceForm]:
        """The page's form, knowing who writes."""
        return type(self.form.__name__, (self.form,), {"scope": scope_of(request)})


class ReadOnlyAdmin(ContentAdmin):
    """Derived rows: what made them keeps them, so they are only looked at."""

    def may_add(self, scope: AdminScope) -> bool:
        return False

    def may_change(self, scope: AdminScope, obj: Any | None) -> bool:
        return False

    def may_delete(self, scope: AdminScope, obj: Any | None) -> bool:
        return False


class OfRecords:
    """Rows that belong to records, listed for the newest records unless something is asked.

    Searches: `sr_…` (a record), `label:value` (exactly, case ignored), `label`.
    """

    table: str | None = None  # where label and key are indexed
    search_help_text = "sr_… for a record, label:value, or a label"

    def searched(self, request: HttpRequest, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        lanes = lanes_listed(request)
        if term.startswith("sr_"):
            try:
                return rows.filter(record__public_id=parse_sr_id(term.lower()))
            except NotVisible:
                return rows.none()
        if self.table is None:
            return rows.none()
        label, colon, value = term.partition(":")
        try:
            label = normal.label(label, "q")
            if not colon:
                return rows.filter(pk__in=newest.labelled(self.table, lanes, label, BOUND + 1))
            key = normal.edge_key(label, normal.value(value, "q"))
        except Invalid:
            return rows.none()
        return rows.filter(pk__in=newest.carrying(self.table, lanes, key, BOUND + 1))

    def narrowed(self, request: HttpRequest, rows: QuerySet[Any], *, asked: bool) -> QuerySet[Any]:
        rows = rows.defer("record__text", "record__source")
        if asked:
            return rows
        return rows.filter(record_id__in=newest.records(lanes_listed(request), NEWEST))


def title_query(term: str) -> str | None:
    """A tsquery literal: every word in the title, the last one perhaps unfinished. None without words."""
    *whole, last = term.split()
    found = [f"{words.quote(lexeme)}:A" for word in whole for lexeme in words.lexemes(word)]
    ends = [f"{words.quote(lexeme)}:A" for lexeme in words.lexemes(last)]
    begun = words.fold_word(last)
    if begun:
        prefix = f"{words.quote(begun)}:*A"
        found.append(f"({' & '.join(ends)} | {prefix})" if ends else prefix)
    else:
        found += ends
    return " & ".join(found) or None
