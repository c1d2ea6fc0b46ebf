"""The page of controlled values: kept one by one, by lines and by file, and taken away, within the own tenants."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from memory.ingest import queue
from memory.models import ControlledValue
from memory.services import controlled
from tests.admin import desk as desks
from tests.admin.desk import Desk, changed, tables

pytestmark = pytest.mark.django_db
LIST = "/admin/memory/controlledvalue/"


@pytest.fixture
def desk(db: None) -> Desk:
    return desks.build()


def post(client: Client, desk: Desk, place: str = "firm", **data: Any) -> Any:
    return client.post(f"{LIST}import/", {"tenant": desk.tenants[place].pk, "lines": "", **data})


def exported(response: Any) -> str:
    assert response["Content-Type"].startswith("text/csv")
    return b"".join(response.streaming_content).decode("utf-8-sig")


def values(desk: Desk, place: str = "firm", **more: Any) -> list[tuple[str, list[str]]]:
    rows = ControlledValue.everything.filter(tenant=desk.tenants[place], **more).order_by("label", "value")
    return [(str(row), row.aliases) for row in rows]


def test_a_value_is_added_changed_and_removed(desk: Desk) -> None:
    client = desk.client("ada")
    firm = desk.tenants["firm"].pk
    given = {"tenant": firm, "label": " Court ", "value": "High  Court", "aliases": "HC\r\nhc\r\n\r\nThe Bench"}
    assert client.post(f"{LIST}add/", given).status_code == 302
    row = ControlledValue.everything.get(label="court")
    assert (row.value, row.aliases) == ("High Court", ["HC", "The Bench"])
    again = client.post(f"{LIST}add/", {**given, "value": "HIGH COURT"})
    assert again.status_code == 200 and "has this value already" in again.content.decode()
    page = client.get(f"{LIST}{row.pk}/change/").content.decode()
    assert "HC\nThe Bench" in page
    assert client.post(f"{LIST}{row.pk}/change/", {"aliases": "HC", "value": "Other"}).status_code == 302
    row.refresh_from_db()
    assert (row.value, row.aliases) == ("High Court", ["HC"])
    assert set(row.spellings.values_list("written", flat=True)) == {"High Court", "HC"}
    assert client.post(f"{LIST}{row.pk}/delete/", {"post": "yes"}).status_code == 302
    assert not ControlledValue.everything.filter(label="court").exists()


@pytest.mark.parametrize(
    ("given", "field"),
    [({"label": "9"}, "label"), ({"label": "e_connect"}, "label"), ({"value": "x" * 501}, "value"),
     ({"aliases": "y" * 501}, "aliases"), ({"aliases": "\n".join(f"y{n}" for n in range(60))}, "aliases"),
     ({"value": ""}, "value"), ({"tenant": ""}, "tenant")],
)  # fmt: skip
def test_what_is_wrong_is_said_beside_its_field(desk: Desk, given: dict[str, Any], field: str) -> None:
    whole = {"tenant": desk.tenants["firm"].pk, "label": "court", "value": "High Court", "aliases": ""}
    response = desk.client("ada").post(f"{LIST}add/", {**whole, **given})
    assert response.status_code == 200
    assert list(response.context["adminform"].form.errors) == [field]


def test_lines_and_files_are_imported_as_a_whole_or_not_at_all(desk: Desk) -> None:
    client = desk.client("ada")
    assert "Import" in client.get(f"{LIST}import/").content.decode()
    assert post(client, desk, lines="court,High Court,HC\nplace: Harbour").status_code == 302
    assert values(desk, label__in=["court", "place"]) == [("court: High Court", ["HC"]), ("place: Harbour", [])]
    said = client.get(LIST).content.decode()
    assert "2 added, 0 changed, 0 unchanged" in said
    wrong = post(client, desk, lines="court,Another\n9,x\ncourt,")
    assert wrong.status_code == 200
    assert "Line 2: " in wrong.content.decode() and "Line 3: " in wrong.content.decode()
    assert len(values(desk, label="court")) == 1
    file = SimpleUploadedFile("v.csv", "\ufefflabel,value,alias\ncourt,Zoë’s Court,ZC\n".encode())
    assert post(client, desk, file=file).status_code == 302
    assert ("court: Zoë’s Court", ["ZC"]) in values(desk)
    for data in (
        {}, {"lines": "court,x", "file": SimpleUploadedFile("v.csv", b"court,x")},
        {"file": SimpleUploadedFile("v.csv", b"\xff\xfe\x00")}, {"file": SimpleUploadedFile("v.csv", b"")},
    ):  # fmt: skip
        assert post(client, desk, **data).status_code == 200
    assert len(values(desk, label="court")) == 2


def test_what_is_exported_can_be_imported_again(desk: Desk) -> None:
    rows = [("court", "High, Court", ['H"C', "'x"]), ("client", "=1+1", ["@b", "-c"]), ("client", "Smith; Jones", [])]
    controlled.put(desk.tenants["firm"].pk, [controlled.entry(*row) for row in rows])
    client = desk.client("ada")
    text = exported(client.get(f"{LIST}export/"))
    assert "'=1+1" in text and ",=1" not in text
    before = values(desk)
    ControlledValue.everything.filter(tenant=desk.tenants["firm"]).delete()
    assert post(client, desk, lines=text).status_code == 302
    assert values(desk) == before
    chosen = ControlledValue.everything.get(tenant=desk.tenants["firm"], value="=1+1")
    picked = client.post(LIST, {"action": "export_selected", "_selected_action": [chosen.pk], "index": "0"})
    assert exported(picked).splitlines() == ["label,value,alias", "client,'=1+1,'@b,'-c"]


@pytest.mark.parametrize("name", ["ada", "wanda", "dora", "bela", "root"])
def test_lines_go_in_and_out_of_the_own_tenants_only(desk: Desk, name: str) -> None:
    client = desk.client(name)
    mine = {"ada": {"firm"}, "wanda": {"firm"}, "dora": {"firm", "annex"}, "bela": {"elsewhere"},
            "root": {"firm", "annex", "elsewhere"}}[name]  # fmt: skip
    text = exported(client.get(f"{LIST}export/"))
    page = client.get(f"{LIST}import/").content.decode()
    for place, marker in desks.NAMES.items():
        assert (f"{marker} controlled" in text) == (place in mine), place
        assert (f"{marker} tenant" in page) == (place in mine), place
        one = exported(client.get(f"{LIST}export/?tenant={desk.tenants[place].pk}"))
        assert (f"{marker} controlled" in one) == (place in mine)
        assert "," not in exported(client.get(f"{LIST}export/?tenant=x")).replace("label,value,alias", "")
        before = tables()
        response = post(client, desk, place, lines="court,Tried")
        if place in mine:
            assert response.status_code == 302
        else:
            assert response.status_code == 200 and not changed(before)
            assert "Select a valid choice" in response.content.decode()


@pytest.mark.parametrize("name", ["mia", "anonymous"])
def test_nobody_else_gets_at_the_lines(desk: Desk, name: str) -> None:
    client, before = desk.client(name), tables()
    for page in ("import/", "export/"):
        assert client.get(LIST + page).status_code == 302
        assert "/login/" in client.get(LIST + page).url
    assert post(client, desk, lines="court,Tried").status_code == 302
    assert not changed(before)


def test_searches_find_by_label_and_beginning(desk: Desk) -> None:
    firm = desk.tenants["firm"].pk
    controlled.put(firm, [controlled.entry("court", "High Court"), controlled.entry("place", "Highgate")])
    client = desk.client("ada")

    def found(term: str) -> int:
        return client.get(LIST, {"q": term}).content.decode().count('class="field-label"')

    assert [found(term) for term in ("high", "court:HIGH", "court:x", "court", "%", "nothing")] == [2, 1, 0, 1, 0, 0]


def test_a_change_is_sought_and_logged(desk: Desk) -> None:
    from django.contrib.admin.models import LogEntry

    from memory import sql

    sql.execute("delete from procrastinate_jobs where task_name = %s", (queue.VOCABULARY,))
    given = {"tenant": desk.tenants["firm"].pk, "label": "court", "value": "High Court", "aliases": ""}
    desk.client("ada").post(f"{LIST}add/", given)
    assert sql.fetch("select 1 from procrastinate_jobs where task_name = %s", (queue.VOCABULARY,))
    assert LogEntry.objects.filter(object_repr="court: High Court", user=desk.people["ada"]).exists()
