"""What is made from records: looked at, never edited. Vectors themselves are never loaded."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from memory import normal
from memory.admin.content import OfRecords, ReadOnlyAdmin, lanes_listed
from memory.models import LaneValue, RecordVector, RefusedPair, Tag, Window


@admin.register(Tag)
class TagAdmin(OfRecords, ReadOnlyAdmin):
    table = "memory_tag"
    list_display = ("label", "value", "record", "lane", "extractor")
    list_display_links = ("value",)
    list_select_related = ("record", "lane")
    ordering = ("-at", "-record_id", "pk")
    fields = ("record", "lane", "label", "value", "extractor", "start", "end", "begins", "ends", "data")


@admin.register(LaneValue)
class LaneValueAdmin(ReadOnlyAdmin):
    """Values ever used in a lane."""

    list_display = ("label", "value", "lane", "alias_value")
    list_display_links = ("value",)
    search_help_text = "label:beginning of a value, a label, or the beginning of a value"
    ordering = ("-pk",)
    fields = ("lane", "label", "value", "alias_value")

    def searched(self, request: HttpRequest, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        label, colon, value = term.partition(":")
        rows = rows.filter(lane_id__in=lanes_listed(request))
        if colon:
            return rows.filter(label=label.strip().lower(), folded__startswith=normal.fold(value.strip()))
        return rows.filter(label=term.lower()) | rows.filter(folded__startswith=normal.fold(term))


@admin.register(RefusedPair)
class RefusedPairAdmin(OfRecords, ReadOnlyAdmin):
    """Pairs of records that a language model found unrelated."""

    search_help_text = "sr_… for the first record of a pair"
    list_display = ("record", "other", "lane", "asked_at")
    list_select_related = ("record", "other", "lane")
    ordering = ("-at", "-record_id", "pk")
    fields = ("record", "other", "lane", "asked_at")
    readonly_fields = ("asked_at",)

    def listed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.defer("other__text", "other__source")


class WithoutVectors(OfRecords, ReadOnlyAdmin):
    search_help_text = "sr_… for a record"
    list_select_related = ("record", "lane")

    def listed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.defer("embedding")


@admin.register(Window)
class WindowAdmin(WithoutVectors):
    list_display = ("record", "ordinal", "start", "end", "lane")
    ordering = ("-at", "-record_id", "ordinal")
    fields = ("record", "lane", "ordinal", "start", "end")


@admin.register(RecordVector)
class RecordVectorAdmin(WithoutVectors):
    list_display = ("record", "whole", "lane")
    ordering = ("-at", "-record_id")
    fields = ("record", "lane", "whole")
