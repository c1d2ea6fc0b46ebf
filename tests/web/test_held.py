"""What pages show and do of a record under a hold."""

from __future__ import annotations

from typing import Any

import pytest

from memory.services import holds

pytestmark = pytest.mark.django_db


@pytest.fixture
def held(office: Any) -> Any:
    office.hold = holds.place(
        tenant_id=office.world.tenant.pk, name="The inquiry", lanes=[office.world.tenant.lanes.get(slug="red")]
    )
    return office


def test_a_held_record_says_so_and_offers_no_change(held: Any):
    page = held.ada.get(f"/records/{held.red}/").content.decode()
    assert "On hold" in page
    for way in ("edit", "correct", "delete", "properties"):
        assert f"/records/{held.red}/{way}/" not in page, way
    assert f"/records/{held.red}/connect/" in page
    assert "The inquiry" not in page  # which hold it is, is for the admin
    assert "On hold" in held.ada.get("/").content.decode()
    assert "On hold" in held.ada.get("/search/?q=seal").content.decode()
    assert "On hold" not in held.ada.get(f"/records/{held.blue}/").content.decode()
    holds.release(held.hold)
    page = held.ada.get(f"/records/{held.red}/").content.decode()
    assert "On hold" not in page and f"/records/{held.red}/edit/" in page


def test_forms_that_were_open_when_the_hold_was_placed_keep_what_was_typed(held: Any):
    for form in ("edit", "correct"):
        refused = held.ada.get(f"/records/{held.red}/{form}/")
        assert refused.status_code == 403 and "under a hold" in refused.content.decode()
        assert f'href="/records/{held.red}/">Back to the record</a>' in refused.content.decode()
    typed = {"title": "Meeting", "text": "Typed for an hour.", "kind": "call", "date": "2025-03-14", "version": "1"}
    answer = held.ada.post(f"/records/{held.red}/edit/", **typed)
    assert answer.status_code == 409
    assert "Typed for an hour." in answer.content.decode() and "under a hold" in answer.content.decode()
    answer = held.ada.post(f"/records/{held.red}/correct/", **typed, lane="red", hint="supersedes")
    assert answer.status_code == 409
    assert "Typed for an hour." in answer.content.decode() and "under a hold" in answer.content.decode()
    for path, data in (("delete", {}), ("properties", {"do": "add", "label": "client", "value": "Other"})):
        answer = held.ada.client.post(f"/records/{held.red}/{path}/", data, follow=True)
        assert "under a hold" in answer.content.decode(), path
    record = held.world.anna("e_record", "read", sr_id=held.red)["record"]
    assert (record["version"], record["title"]) == (1, "Meeting about the seal")
    assert {p["value"] for p in record["edge_properties"]} == {"Meridale", "Joan Merrow"}
