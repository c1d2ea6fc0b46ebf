"""Forms that keep a row and everything it names in one tenant."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import DateTimeField, Model

from lanes.admin.scope import belong
from lanes.admin.widgets import is_key
from lanes.models import Tenant

ELSEWHERE = "Select a valid choice. That choice is not one of the available choices."


class TenantForm(forms.ModelForm):
    """Choices come limited from the page; what is chosen must also be of the row's own tenant.

    Rows that a many-to-many field holds but the person cannot meet (someone who left the tenant, say) are kept:
    saving a wall must not drop them because they were not on the form.
    """

    newcomers: tuple[str, ...] = ()  # fields that may name people who are not members yet

    def tenant_id(self) -> int | None:
        """The tenant of the row as it will be saved."""
        chosen = self.cleaned_data.get("tenant")
        if isinstance(chosen, Tenant):
            return chosen.pk
        return getattr(self.instance, "tenant_id", None)

    def clean(self) -> dict[str, Any]:
        super().clean()
        tenant_id = self.tenant_id()
        for name in list(self.cleaned_data):
            field = self.fields.get(name)
            if isinstance(field, forms.ModelMultipleChoiceField):
                chosen = list(self.cleaned_data[name])
            elif isinstance(field, forms.ModelChoiceField) and name not in ("tenant", *self.newcomers):
                chosen = [self.cleaned_data[name]] if self.cleaned_data[name] is not None else []
            else:
                continue
            new = [item for item in chosen if item.pk not in self._held(name)]
            if new and tenant_id is not None and not belong(new, tenant_id):
                self.add_error(name, ValidationError(ELSEWHERE, code="invalid_choice"))
            elif isinstance(field, forms.ModelMultipleChoiceField):
                self.cleaned_data[name] = [*chosen, *self._unseen(name, field, chosen)]
        return self.cleaned_data

    def _held(self, name: str) -> set[Any]:
        """What the row holds in a field already: keeping it is no choice made now."""
        if self.instance.pk is None or name not in {f.name for f in self.instance._meta.get_fields()}:
            return set()
        if name in {f.name for f in self.instance._meta.many_to_many}:
            return set(getattr(self.instance, name).values_list("pk", flat=True))
        return {self.initial.get(name)}

    def _unseen(self, name: str, field: forms.ModelMultipleChoiceField, chosen: list[Model]) -> list[Model]:
        """What the row holds in this field beyond the choices of the person."""
        if self.instance.pk is None or name not in {f.name for f in self.instance._meta.many_to_many}:
            return []
        met = field.queryset.values("pk")  # type: ignore[union-attr]
        return list(getattr(self.instance, name).exclude(pk__in=met))


def readable(model: type[Model], given: dict[str, Any]) -> dict[str, Any]:
    """What an address says of a new row, without what its fields cannot hold: a page is shown all the same."""
    fields = {field.name: field for field in (*model._meta.fields, *model._meta.many_to_many)}
    made = {}
    for name, value in given.items():
        field = fields.get(name)
        try:
            if "\x00" in str(value):
                continue
            if field is None:
                pass
            elif field.remote_field is not None:
                keys = value if isinstance(value, list) else [value]
                if not all(is_key(field.remote_field.model, key) for key in keys):
                    continue
            elif isinstance(field, DateTimeField):
                value = field.to_python(value)
        except (ValidationError, ValueError, TypeError, OverflowError):
            continue
        made[name] = value
    return made
