"""The tenant's vocabulary: kept by its admins, one value at a time or by lines, and taken away as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import NON_FIELD_ERRORS, PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse

from lanes.admin.base import TenantScopedAdmin
from lanes.admin.forms import TenantForm
from lanes.admin.scope import AdminScope, scope_of
from lanes.errors import LanewiseError
from lanes.models import Tenant
from memory import normal
from memory.models import ControlledValue
from memory.selectors.values import vocabulary_labels
from memory.services import controlled

FILE_MAX = 30_000_000  # bytes
TENANTS = 50  # whose labels are looked through by a search without one
_FETCH = 2_000


class ValueForm(TenantForm):
    """One value, written through its service."""

    instance: ControlledValue
    aliases = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 4}), help_text="Other ways texts write it, one a line."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["aliases"] = "\n".join(self.instance.aliases or ())

    def clean_aliases(self) -> list[str]:
        return [line.strip() for line in self.cleaned_data["aliases"].splitlines() if line.strip()]

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        tenant_id = self.tenant_id()
        if self.errors or tenant_id is None:
            return
        label = self.cleaned_data.get("label", self.instance.label)
        value = self.cleaned_data.get("value", self.instance.value)
        new = self.instance.pk is None
        try:
            with transaction.atomic():
                made = controlled.entry(label, value, self.cleaned_data["aliases"])
                rows = ControlledValue.everything.filter(tenant_id=tenant_id, key=made.key)
                if new and rows.exists():
                    self.add_error("value", "The tenant has this value already.")
                    return
                controlled.put(tenant_id, [made])
                self.instance = rows.get()
        except LanewiseError as error:
            for name, said in (error.errors or {NON_FIELD_ERRORS: [error.detail]}).items():
                self.add_error(name if name in self.fields else None, said if name in self.fields else error.detail)


class ImportForm(forms.Form):
    """Lines that are pasted, or a file of them."""

    tenant = forms.ModelChoiceField(queryset=Tenant.objects.none())
    lines = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 14, "cols": 80}),
        help_text="label,value and any aliases in further columns; or label: value. One a line.",
    )
    file = forms.FileField(required=False, help_text="A CSV file in UTF-8 instead, of the same columns.")

    def __init__(self, *args: Any, scope: AdminScope, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        tenants = scope.rows(Tenant).order_by("name")
        field: Any = self.fields["tenant"]
        field.queryset = tenants
        if not self.is_bound and tenants.count() == 1:
            self.initial["tenant"] = tenants.get().pk

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        file, lines = data.get("file"), data.get("lines") or ""
        if bool(file) == bool(lines.strip()):
            self.add_error("lines", "Paste lines or choose a file: one of the two.")
            return data
        name = "file" if file else "lines"
        if file and file.size > FILE_MAX:
            self.add_error(name, f"At most {FILE_MAX // 1_000_000} MB.")
            return data
        try:
            data["entries"] = controlled.read_lines(file.read().decode("utf-8-sig") if file else lines)
        except UnicodeDecodeError:
            self.add_error(name, "This is no text in UTF-8.")
        except LanewiseError as error:
            self.add_error(name, error.errors.get("lines") or [error.detail])
        return data


@admin.register(ControlledValue)
class ControlledValueAdmin(TenantScopedAdmin):
    """Values that everyone in the tenant may know: offered while writing and searching, found in the texts of all its
    lanes."""

    form = ValueForm
    list_display = ("label", "value", "others", "tenant", "searched_for")
    list_display_links = ("value",)
    list_select_related = ("tenant",)
    sortable_by = ()
    search_fields = ("pk",)
    search_help_text = "label:beginning of a value, a label, or the beginning of a value"
    ordering = ("-pk",)
    fields = ("tenant", "label", "value", "aliases", "searched_for", "updated_at")
    readonly_fields = ("searched_for", "updated_at")
    actions = ("export_selected",)
    change_list_template = "admin/memory/controlledvalue/change_list.html"

    def locked_fields(self, scope: AdminScope, obj: Any | None) -> Sequence[str]:
        """Another value is another row; another spelling of this one comes by import, or as an alias."""
        return ("label", "value") if obj else ()

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Nothing: the form's service has written it."""

    def remove(self, request: HttpRequest, obj: ControlledValue) -> None:
        controlled.remove(obj.tenant_id, [obj.pk])

    @admin.display(description="Aliases")
    def others(self, obj: ControlledValue) -> str:
        return ", ".join(obj.aliases)[:120] or "–"

    @admin.display(description="Sought in earlier records", boolean=True)
    def searched_for(self, obj: ControlledValue) -> bool:
        return obj.sought

    def searched(self, request: HttpRequest, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        label, colon, value = term.partition(":")
        if colon:
            return rows.filter(label=label.strip().lower(), folded__startswith=normal.fold(value.strip()))
        # A label beside each beginning, so that it is read off the index.
        tenants = scope_of(request).rows(Tenant).order_by("pk").values_list("pk", flat=True)[:TENANTS]
        labels = {label for tenant in tenants for label in vocabulary_labels(tenant)}
        starting = Q(tenant_id__in=list(tenants), label__in=sorted(labels), folded__startswith=normal.fold(term))
        return rows.filter(Q(label=term.lower()) | starting)

    # --- lines in and out ----------------------------------------------------------------------------------------
    def get_urls(self) -> list[Any]:
        mine = [
            path("import/", self.admin_site.admin_view(self.import_view), name="memory_controlledvalue_import"),
            path("export/", self.admin_site.admin_view(self.export_view), name="memory_controlledvalue_export"),
        ]
        return [*mine, *super().get_urls()]

    def import_view(self, request: HttpRequest) -> HttpResponse:
        """A page that takes pasted lines or a CSV file."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = ImportForm(request.POST or None, request.FILES or None, scope=scope_of(request))
        if request.method == "POST" and form.is_valid():
            tenant = form.cleaned_data["tenant"]
            done = controlled.put(tenant.pk, form.cleaned_data["entries"])
            said = ", ".join(f"{number:,} {what}" for what, number in done.items())
            self.message_user(request, f"Controlled values: {said}.", messages.SUCCESS)
            return HttpResponseRedirect(reverse("admin:memory_controlledvalue_changelist"))
        context = {
            **self.admin_site.each_context(request), "opts": self.opts, "form": form,
            "title": "Import controlled values",
        }  # fmt: skip
        return TemplateResponse(request, "admin/memory/controlledvalue/import.html", context)

    def export_view(self, request: HttpRequest) -> StreamingHttpResponse:
        """Every value this person administers (of one tenant: ?tenant=), as CSV."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        rows = scope_of(request).rows(ControlledValue)
        given = request.GET.get("tenant", "")
        if given:
            rows = rows.filter(tenant_id=int(given) if given.isdecimal() and len(given) < 10 else -1)
        return _csv(rows)

    @admin.action(description="Export selected controlled values as CSV", permissions=["view"])
    def export_selected(self, request: HttpRequest, queryset: QuerySet[ControlledValue]) -> StreamingHttpResponse:
        return _csv(queryset)


def _csv(rows: QuerySet[ControlledValue]) -> StreamingHttpResponse:
    """Rows as the import reads them, written while they are read."""
    found = rows.order_by("tenant_id", "label", "folded").values_list("label", "value", "aliases")

    def lines() -> Iterator[bytes]:
        yield b"\xef\xbb\xbf"
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow([*controlled.HEADER, "alias"])
        for label, value, aliases in found.iterator(chunk_size=_FETCH):
            writer.writerow([label, *[controlled.cell(text) for text in (value, *aliases)]])
            if out.tell() > 65_536:
                yield out.getvalue().encode()
                out.seek(0)
                out.truncate()
        yield out.getvalue().encode()

    response = StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="controlled-values.csv"'
    return response
