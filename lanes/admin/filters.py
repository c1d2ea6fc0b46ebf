"""List filters whose choices are limited to the scope and bounded."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from lanes.admin.scope import scope_of

CHOICES = 50


class ScopedRelatedFilter(admin.RelatedFieldListFilter):
    """Choices from the rows the person may meet; left out when there are more than anyone would scan."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        rows = scope_of(request).rows(field.remote_field.model)
        found = [(row.pk, str(row)) for row in rows.order_by(*rows.model._meta.ordering or ("pk",))[: CHOICES + 1]]
        return found if len(found) <= CHOICES else []
