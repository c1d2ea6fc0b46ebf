"""Edge properties: looked up by label and value or by record, added and removed through their service."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from lanes.admin.scope import AdminScope
from lanes.errors import Conflict, NotVisible
from memory.admin.content import ContentAdmin, OfRecords, ServiceForm
from memory.admin.rules import STAMPS
from memory.models import EdgeProperty, Record, parse_sr_id
from memory.services import properties


class PropertyForm(ServiceForm):
    sr_id = forms.CharField(label="Record", max_length=60, help_text="Its sr_… id.")
    aliases = {"edge_properties": "value"}

    def write(self) -> EdgeProperty:
        data = self.cleaned_data
        record = self.scope.rows(Record).filter(public_id=parse_sr_id(data["sr_id"].strip())).first()
        if record is None:
            raise NotVisible(errors={"sr_id": [NotVisible().detail]})
        item = {"label": data["label"], "value": data["value"]}
        item |= {name: data[name] for name in ("valid_from", "confidence") if data.get(name) is not None}
        reply = properties.add(self.reader_of(record.tenant_id), sr_id=record.sr_id, edge_properties=[item])
        if reply["present"]:
            raise Conflict("The record has this property already.", {"value": ["The record has it already."]})
        made = (reply["added"] or reply["skipped"])[0]
        return EdgeProperty.everything.get(record_id=record.pk, label=made["label"], value=made["value"], seq=0)


@admin.register(EdgeProperty)
class EdgePropertyAdmin(OfRecords, ContentAdmin):
    form = PropertyForm
    table = "memory_edgeproperty"
    list_display = ("label", "value", "record", "lane", "role", "valid_from", "invalidated_at")
    list_display_links = ("value",)
    list_select_related = ("record", "lane")
    ordering = ("-at", "-record_id", "pk")
    readonly_fields = (
        "record", "lane", "role", "type", "directed", "strength", "reason", "attributes", "mentions",
        "last_mentioned", "invalidated_at", "asserted_by", "asserted_profile", "created_at",
    )  # fmt: skip

    def may_change(self, scope: AdminScope, obj: Any | None) -> bool:
        """A property is removed and added, never rewritten."""
        return obj is None and super().may_change(scope, obj)

    def may_delete(self, scope: AdminScope, obj: Any | None) -> bool:
        return super().may_change(scope, obj)

    def get_fields(self, request: HttpRequest, obj: EdgeProperty | None = None) -> list[str]:
        if obj is None:
            return ["sr_id", "label", "value", "valid_from", "confidence"]
        return ["label", "value", "valid_from", "confidence", *self.readonly_fields]

    def get_form(self, request: HttpRequest, obj: Any | None = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **{**kwargs, "form": self.service_form(request)})

    def blocker(self, request: HttpRequest, obj: EdgeProperty) -> str | None:
        if obj.label in STAMPS:
            return "Connections and adjustments are taken off as a whole, with e_property disconnect."
        return None

    def remove(self, request: HttpRequest, obj: EdgeProperty) -> None:
        item = {"label": obj.label, "value": obj.value}
        properties.remove(self.reader(request, obj), sr_id=obj.record.sr_id, edge_properties=[item])
