"""How the platform runs: the job queue, what workers did, which embedder serves. For operators, and only to look."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from procrastinate.contrib.django.models import ProcrastinateJob

from lanes.admin.base import TenantScopedAdmin
from lanes.admin.scope import AdminScope
from memory.models import EmbeddingSpace, IngestBatch

for _model in [model for model in admin.site._registry if model._meta.app_label == "procrastinate"]:
    admin.site.unregister(_model)


class OperatorsLook(TenantScopedAdmin):
    count_bound = 1_000
    sortable_by = ()
    ordering = ("-pk",)

    def may_view(self, scope: AdminScope) -> bool:
        return scope.operator

    def may_add(self, scope: AdminScope) -> bool:
        return False

    def may_change(self, scope: AdminScope, obj: Any | None) -> bool:
        return False

    def may_delete(self, scope: AdminScope, obj: Any | None) -> bool:
        return False


@admin.register(ProcrastinateJob)
class JobAdmin(OperatorsLook):
    list_display = ("id", "task_name", "status", "queue_name", "attempts", "scheduled_at")
    list_filter = ("status",)
    search_fields = ("pk",)
    search_help_text = "a job's number, or the beginning of a task's name"
    fields = (
        "id", "task_name", "status", "arguments", "queue_name", "priority", "lock", "queueing_lock", "scheduled_at",
        "attempts",
    )  # fmt: skip
    readonly_fields = ("arguments",)

    @admin.display(description="Arguments")
    def arguments(self, obj: ProcrastinateJob) -> str:
        return json.dumps(obj.args)[:2_000]

    def searched(self, request: HttpRequest, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        number = Q(pk=int(term)) if term.isdecimal() and len(term) < 19 else Q(pk__in=())
        return rows.filter(number | Q(task_name__startswith=term))


@admin.register(IngestBatch)
class IngestBatchAdmin(OperatorsLook):
    list_display = ("at", "phase", "records", "characters", "seconds")
    fields = ("at", "phase", "records", "characters", "seconds", "steps")
    readonly_fields = fields


@admin.register(EmbeddingSpace)
class EmbeddingSpaceAdmin(OperatorsLook):
    list_display = ("name", "role", "dimension", "started_at")
    ordering = ("role",)
    fields = ("role", "name", "dimension", "started_at")
    readonly_fields = fields
