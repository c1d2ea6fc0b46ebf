"""Choosing rows by typing. What was posted and can be no key is not looked for when the form is shown again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.admin import widgets
from django.core.exceptions import ValidationError
from django.db.models import Model


def is_key(model: type[Model], value: Any) -> bool:
    """Whether a row of the model could have this key."""
    key = model._meta.pk
    assert key is not None
    if "\x00" in str(value):
        return False
    try:
        found = key.to_python(value)
    except (ValidationError, ValueError, TypeError, OverflowError):
        return False
    return not isinstance(found, int) or 0 <= found < 2**31


class OnlyKeys:
    field: Any

    def optgroups(self, name: str, value: Sequence[Any], attrs: Any = None) -> Any:
        model = self.field.remote_field.model
        kept = [one for one in value if one == "" or is_key(model, one)]
        return super().optgroups(name, kept, attrs)  # type: ignore[misc]


class AutocompleteSelect(OnlyKeys, widgets.AutocompleteSelect):
    """One row."""


class AutocompleteSelectMultiple(OnlyKeys, widgets.AutocompleteSelectMultiple):
    """Several rows."""
