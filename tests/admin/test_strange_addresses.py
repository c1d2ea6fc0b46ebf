"""What an address or a form may hold and no row can: pages say so or leave it out, and never break."""

from __future__ import annotations

import re

import pytest
from django.contrib import admin
from django.test import Client

from memory.models import Record
from tests.admin import desk as desks
from tests.admin.desk import REGISTRY, Desk, address, form_data, record_of

pytestmark = pytest.mark.django_db
STRANGE = ["x", "%00", "-1", "99999999999999999999999", "2026-13-45", "1.5", "%ED%A0%80", "2026-01-01", "1,x", ""]


@pytest.fixture
def desk(db: None) -> Desk:
    return desks.build()


@pytest.fixture
def ada(desk: Desk) -> Client:
    return desk.client("ada")


@pytest.mark.parametrize("name", ["ada", "root"])
def test_a_new_rows_page_takes_nothing_strange_from_its_address(desk: Desk, name: str) -> None:
    client = desk.client(name)
    for model in REGISTRY:
        names = [field.name for field in (*model._meta.fields, *model._meta.many_to_many)] + ["occurred", "user"]
        for value in STRANGE:
            query = "&".join(f"{name}={value}" for name in dict.fromkeys(names))
            response = client.get(f"{address(model, 'add')}?{query}")
            assert response.status_code in (200, 302, 403, 404), (model, value)


def test_what_can_be_taken_is_taken(desk: Desk, ada: Client) -> None:
    from lanes.models import ApiKey

    shown = ada.get(f"{address(ApiKey, 'add')}?expires_at=2027-03-05T10:00&name=Night%20shift").content.decode()
    assert re.search(r'name="expires_at_0"[^>]*2027|2027[^>]*name="expires_at_0"', shown) and "Night shift" in shown
    user = desk.people["wanda"].pk
    key = ada.get(f"{address(ApiKey, 'add')}?user={user}").content.decode()
    assert f'<option value="{user}" selected' in key


@pytest.mark.parametrize("key", ["%00", "_00", "a%00", "1%00"])
def test_no_row_has_such_a_key(ada: Client, key: str) -> None:
    for model in REGISTRY:
        for page in ("change", "history", "delete"):
            path = address(model, page, 1).replace("/1/", f"/{key}/")
            assert ada.get(path).status_code in (302, 403, 404), path


@pytest.mark.parametrize(
    "typed",
    ['{"n": 1e400}', '{"n": NaN}', '{"n": "\\ud800"}', '{"n": "\\u0000"}', '{"n": ' + "9" * 5_000 + "}",
     '{"a":' * 300 + "1" + "}" * 300, "[" * 100_000, '{"n": 1, "n": 2}', "{", "[1]"],
    ids=lambda text: text[:14],
)  # fmt: skip
def test_a_source_that_cannot_be_kept_is_refused_beside_its_field(desk: Desk, ada: Client, typed: str) -> None:
    record = record_of(desk, "red")
    for page in (address(Record, "change", record.pk), address(Record, "add")):
        data = {**form_data(ada.get(page)), "source": typed, "title": "A title", "lane": str(record.lane_id)}
        response = ada.post(page, {name: value for name, value in data.items() if value is not None})
        assert response.status_code == 200
        assert response.context["adminform"].form.errors.keys() == {"source"}, response.context["errors"]
    assert not Record.everything.filter(title="A title").exists()


def test_a_source_that_can_be_kept_is_kept(desk: Desk, ada: Client) -> None:
    record = record_of(desk, "red")
    page = address(Record, "change", record.pk)
    data = {**form_data(ada.get(page)), "source": '{"page": 4, "by": ["Ann"]}'}
    ada.post(page, {name: value for name, value in data.items() if value is not None})
    record.refresh_from_db()
    assert record.source == {"page": 4, "by": ["Ann"]}
    ada.post(page, {**data, "source": "", "expected_version": record.version})
    record.refresh_from_db()
    assert record.source == {}


@pytest.mark.parametrize("strange", ["abc", "\x00", "-1", "9" * 30, "1.5"])
def test_keys_that_are_none_are_refused_wherever_they_are_posted(desk: Desk, ada: Client, strange: str) -> None:
    """In each relation of each form that adds, and as what an action is for."""
    for model in REGISTRY:
        page = ada.get(address(model, "add"))
        if page.status_code == 200:
            form = page.context["adminform"].form
            named = {
                field.name: strange for field in (*model._meta.fields, *model._meta.many_to_many)
                if field.remote_field and field.name in form.fields
            }  # fmt: skip
            own = {name: strange for name, field in form.fields.items() if hasattr(field, "queryset")}
            answer = ada.post(address(model, "add"), {"name": "x", **named, **own})
            assert answer.status_code in (200, 302), (model, answer.status_code)
        for action in ("delete_selected", *(admin.site._registry[model].actions or ())):
            answer = ada.post(
                address(model, "changelist"), {"action": action, "_selected_action": [strange], "index": "0"}
            )
            assert answer.status_code in (200, 302, 403), (model, action, answer.status_code)


@pytest.mark.parametrize("term", ["x" * 3_000, "client:" + "x" * 3_000, "sr_" + "z" * 5_000, "é" * 2_000])
def test_a_search_may_be_as_long_as_it_likes(desk: Desk, ada: Client, term: str) -> None:
    for model in REGISTRY:
        assert ada.get(address(model, "changelist"), {"q": term}).status_code in (200, 302, 403), model
