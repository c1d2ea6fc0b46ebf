"""Records: read, written, moved, deleted, and ingested again, each as the person's own Reader allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminTextareaWidget
from django.db.models import F, Q, QuerySet
from django.forms.fields import InvalidJSONInput
from django.http import HttpRequest

from lanes.admin.base import TenantScopedInline
from lanes.admin.scope import AdminScope, scope_of
from lanes.errors import Invalid, NotVisible
from memory import strict_json, times
from memory.admin import newest
from memory.admin.content import BOUND, ContentAdmin, LaneFilter, ServiceForm, lane_asked, lanes_listed, title_query
from memory.ingest import failures
from memory.models import EdgeProperty, Record, parse_sr_id
from memory.selectors.ingest import state_of
from memory.services import records
from memory.services.held import standing

LONG = 100_000  # characters of a text that are put into a form


class IngestFilter(admin.SimpleListFilter):
    """Records whose ingest failed or is not done yet. Both are small partial indexes."""

    title = "ingest"
    parameter_name = "ingest"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("failed", "Failed"), ("retrying", "Failed, will be tried again"), ("pending", "Pending")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        tried = settings.LANEWISE_INGEST_ATTEMPTS
        match self.value():
            case "failed":
                return queryset.exclude(ingest_error="").filter(ingest_attempts__gte=tried)
            case "retrying":
                return queryset.exclude(ingest_error="").filter(ingest_attempts__lt=tried)
            case "pending":
                return queryset.filter(~Q(ingested_version=F("version")), ingest_error="")
        return queryset


class StrictJSONField(forms.JSONField):
    """JSON as the API takes it: what cannot be stored or told again is wrong, and shown again as it was typed."""

    def to_python(self, value: Any) -> Any:
        if value in self.empty_values or isinstance(value, dict | list):
            return super().to_python(value)
        try:
            return _strict(value)
        except Invalid as error:
            raise forms.ValidationError(error.detail, code="invalid") from None

    def bound_data(self, data: Any, initial: Any) -> Any:
        if self.disabled:
            return initial
        if data is None:
            return None
        try:
            return _strict(data)
        except Invalid:
            return InvalidJSONInput(data)


def _strict(raw: str) -> Any:
    found = strict_json.loads(raw, "source")
    strict_json.check(found, "source")
    return found


class RecordForm(ServiceForm):
    source = StrictJSONField(required=False, widget=AdminTextareaWidget)
    occurred = forms.CharField(
        required=False,
        max_length=40,
        label="Occurred",
        help_text="2026, 2026-03, 2026-03-05 or 2026-03-05T14:30:00+01:00; empty when it is not known.",
    )
    expected_version = forms.IntegerField(required=False, widget=forms.HiddenInput)
    aliases = {"occurred_at": "occurred", "date_precision": "occurred"}

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        if "text" in self.fields:
            self.fields["text"].strip = False  # type: ignore[attr-defined]  # places in a text are counted
        record = self.instance
        if record.pk is not None and "occurred" in self.fields:
            self.fields["occurred"].initial = (
                times.shown(record.occurred_at, record.date_precision) if record.occurred_at else ""
            )
            self.fields["expected_version"].initial = record.version

    def tenant_id(self) -> int | None:
        lane = self.cleaned_data.get("lane")
        if self.instance.tenant_id is not None:
            return self.instance.tenant_id
        return lane.tenant_id if lane else None

    def clean_source(self) -> dict[str, Any]:
        source = self.cleaned_data["source"]
        if source is not None and not isinstance(source, dict):
            raise forms.ValidationError("Write a JSON object.")
        return source or {}

    def write(self) -> Record:
        data = self.cleaned_data
        lane = data["lane"]
        reader = self.reader_of(lane.tenant_id)
        # Browsers send line ends as CR LF, whatever they were given.
        given = {name: _plain(data[name]) for name in ("title", "text", "kind", "source") if name in data}
        given = {name: value for name, value in given.items() if value is not None}
        if self.instance.pk is None:
            named = {"external_id": data["external_id"]} if data.get("external_id") else {}
            when = {"occurred_at": data["occurred"]} if data["occurred"] else {}
            written = records.write(reader, lane=lane.slug, **given, **when, **named)
        else:
            given = {name: value for name, value in given.items() if value != self.initial.get(name)}
            if "occurred" in self.changed_data:
                given["occurred_at"] = data["occurred"] or None
            written = records.update(
                reader,
                sr_id=self.instance.sr_id,
                expected_version=data.get("expected_version"),
                lane=lane.slug if "lane" in self.changed_data else None,
                **given,
            )
        return Record.everything.get(pk=written.id)


def _plain(value: Any) -> Any:
    return value.replace("\r\n", "\n") if isinstance(value, str) else value


class Properties(TenantScopedInline):
    """The record's edge properties; they are added and removed on their own page."""

    model = EdgeProperty
    fields = (
        "label",
        "value",
        "role",
        "valid_from",
        "invalidated_at",
        "confidence",
        "asserted_by",
        "asserted_profile",
    )
    verbose_name_plural = "edge properties (the first 100)"
    can_delete = False
    ordering = ("pk",)

    def may_add(self, scope: AdminScope) -> bool:
        return False

    def may_change(self, scope: AdminScope, obj: Any | None) -> bool:
        return False

    def may_delete(self, scope: AdminScope, obj: Any | None) -> bool:
        return False

    def listed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.select_related("asserted_by", "asserted_profile")


def _on_hold(obj: Any) -> bool:
    """Asked once for each row of a page."""
    if not hasattr(obj, "found_on_hold"):
        obj.found_on_hold = bool(standing([obj.pk]))
    return obj.found_on_hold


@admin.register(Record)
class RecordAdmin(ContentAdmin):
    form = RecordForm
    list_display = ("name", "lane", "kind", "occurred_on", "ingest", "updated_at")
    list_filter = (LaneFilter, IngestFilter)
    search_help_text = "sr_…, an external id, or words of a title"
    autocomplete_fields = ("lane",)
    inlines = (Properties,)
    actions = ("ingest_again",)
    readonly_fields = (
        "sr_id", "on_hold", "version", "recorded_at", "updated_at", "superseded_at", "written_by", "profile",
        "changed_by", "changed_profile", "ingest",
        "ingest_error", "text_shown",
    )  # fmt: skip

    def may_change(self, scope: AdminScope, obj: Any | None) -> bool:
        """What is under a hold is only looked at."""
        return super().may_change(scope, obj) and (obj is None or not _on_hold(obj))

    def get_fieldsets(self, request: HttpRequest, obj: Record | None = None) -> Any:
        given = ["lane", "title", "text", "kind", "occurred", "external_id", "source"]
        if obj is None:
            return [(None, {"fields": given})]
        if not self.may_change(scope_of(request), obj):
            given[given.index("occurred")] = "occurred_on"
        else:
            given.append("expected_version")
        if len(obj.text) > LONG:
            given[given.index("text")] = "text_shown"
        kept = [
            "sr_id", "on_hold", "version", "recorded_at", "updated_at", "superseded_at", "written_by", "profile",
            "changed_by", "changed_profile",
        ]  # fmt: skip
        return [
            (None, {"fields": given}),
            ("Kept with it", {"fields": kept}),
            ("Ingest", {"fields": ["ingest", "ingest_error"]}),
        ]

    def locked_fields(self, scope: AdminScope, obj: Any | None) -> Sequence[str]:
        """How the record is named at its source stays; a very long text is edited through the API."""
        return ("external_id", "occurred_on") if obj else ()

    def choices(self, request: HttpRequest, name: str, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.filter(pk__in=scope_of(request).writable_lanes) if name == "lane" else rows

    def get_form(self, request: HttpRequest, obj: Any | None = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **{**kwargs, "form": self.service_form(request)})

    @admin.display(description="Record")
    def name(self, obj: Record) -> str:
        return obj.title[:120] or obj.sr_id

    @admin.display(description="Under a hold", boolean=True)
    def on_hold(self, obj: Record) -> bool:
        return _on_hold(obj)

    @admin.display(description="Occurred")
    def occurred_on(self, obj: Record) -> str:
        return times.shown(obj.occurred_at, obj.date_precision) if obj.occurred_at else "–"

    @admin.display(description="Ingest")
    def ingest(self, obj: Record) -> str:
        return state_of(obj.version, obj.ingested_version, obj.ingest_error, obj.ingest_attempts)

    @admin.display(description="Text")
    def text_shown(self, obj: Record) -> str:
        return f"{obj.text[:LONG]}… (the first {LONG:,} of {len(obj.text):,} characters; edit it through the API)"

    def narrowed(self, request: HttpRequest, rows: QuerySet[Any], *, asked: bool) -> QuerySet[Any]:
        rows = rows.defer("text", "source")
        if request.GET.get("ingest") and not asked:
            # After a large import nearly every record is pending: the first ones, straight from the partial index.
            first = rows.order_by("pk").values_list("pk", flat=True)[: BOUND + 1]
            return rows.filter(pk__in=list(first))
        if asked or lane_asked(request) is not None:
            return rows
        return rows.filter(pk__in=newest.records(lanes_listed(request), BOUND + 1))

    def searched(self, request: HttpRequest, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        lanes = lanes_listed(request)
        try:
            return rows.filter(public_id=parse_sr_id(term.lower()))
        except NotVisible:
            pass
        term = term[:500]  # an external id or a title is no longer, and a tsquery takes no words without end
        found = newest.named(lanes, term, BOUND + 1)
        if not found and (query := title_query(term)):
            found = newest.titled(lanes, query, BOUND + 1)
        return rows.filter(pk__in=found)

    def remove(self, request: HttpRequest, obj: Record) -> None:
        records.delete(self.reader(request, obj), sr_id=obj.sr_id)

    @admin.action(description="Ingest selected records again", permissions=["change"])
    def ingest_again(self, request: HttpRequest, queryset: QuerySet[Record]) -> None:
        writable = queryset.filter(lane_id__in=scope_of(request).writable_lanes)
        count = failures.start_over(list(writable.values_list("pk", flat=True)[: BOUND + 1]))
        self.message_user(request, f"{count} failed records will be tried again.", messages.SUCCESS)
