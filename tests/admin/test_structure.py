"""What holds of every page, whoever writes the next one."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group

from lanes.admin import base
from lanes.admin.scope import ruled
from tests.admin.desk import REGISTRY

# Tables without a page, and why.
WITHOUT = {
    "memory.RecordText": "the words of a record, for scoring only; the record's own page shows its text",
    "memory.ControlledSpelling": "spellings of controlled values, for look-up; the value's own page shows them",
    "memory.HoldLane": "the lanes of a hold; shown on the hold's own page",
    "memory.HoldRecord": "the records of a hold; shown on the hold's own page, as far as they may be read",
    "memory.LaneStat": "counts that scores are computed from",
    "memory.TermFrequency": "counts that scores are computed from",
}


def test_every_table_has_a_page_or_a_reason() -> None:
    models = {model._meta.label for app in ("lanes", "memory") for model in apps.get_app_config(app).get_models()}
    pages = {model._meta.label for model in REGISTRY}
    assert models - pages == set(WITHOUT)
    assert not pages & set(WITHOUT)


@pytest.mark.parametrize("model", REGISTRY, ids=lambda model: model._meta.label)
def test_every_page_stands_on_the_base(model: type) -> None:
    page = admin.site._registry[model]
    assert isinstance(page, base.TenantScopedAdmin)
    assert ruled(model)
    for kind in (type(page), *page.inlines):
        assert issubclass(kind, base.TenantScopedAdmin | base.TenantScopedInline)
        assert ruled(kind.model or model) if hasattr(kind, "model") else True
        for parent in kind.__mro__[: kind.__mro__.index(base.Scoped)]:
            below = issubclass(parent, base.Scoped) and parent.__module__ != base.__name__
            assert not below or not base.PROTECTED & set(vars(parent)), parent
        # Mixed-in classes may not come before the base with a protected hook either.
        for hook in base.PROTECTED:
            found = next((p for p in kind.__mro__ if hook in vars(p)), None)
            assert found is None or found.__module__ in (base.__name__, "django.contrib.admin.options"), (kind, hook)


def test_a_page_that_decides_for_itself_does_not_load() -> None:
    with pytest.raises(TypeError, match="get_queryset"):
        type("Leaky", (base.TenantScopedAdmin,), {"get_queryset": lambda self, request: None, "__module__": "x"})


def test_groups_have_no_page() -> None:
    assert Group not in admin.site._registry


def test_no_form_or_list_holds_a_vector_or_a_digest() -> None:
    for model in REGISTRY:
        page = admin.site._registry[model]
        named = {*page.list_display, *(page.fields or ()), *page.readonly_fields}
        assert not named & {"embedding", "digest", "tsv", "password", "grams"}, model
