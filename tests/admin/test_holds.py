"""Holds in the admin: placed, looked at by those who may, released with a reason, never rewritten."""

from __future__ import annotations

from typing import Any

import pytest

from lanes.models import Lane
from memory.models import Hold, HoldLane, HoldRecord, Record
from tests.admin import desk as desks
from tests.admin.desk import Desk, address

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(db: None) -> Desk:
    return desks.build()


def place(desk: Desk, name: str, **given: Any) -> Any:
    data = {"tenant": desk.tenants["firm"].pk, "name": "Made", "reason": "", "records": "", **given}
    return desk.client(name).post(address(Hold, "add"), data, follow=True)


def made() -> Any:
    return Hold.everything.filter(name="Made").first()


def test_a_hold_is_placed_shown_and_released(desk: Desk):
    firm = desk.tenants["firm"]
    red = firm.lanes.get(slug="red")
    blue = desk.marked.records["blue"][0]
    assert place(desk, "ada", lanes=[red.pk], records=f"{blue}\n", reason="Because.").status_code == 200
    hold = made()
    assert list(HoldLane.objects.filter(hold=hold).values_list("lane_id", flat=True)) == [red.pk]
    assert HoldRecord.objects.filter(hold=hold).count() == 1
    assert hold.placed_by == desk.people["ada"]
    anna = desk.marked.world.anna
    assert anna("e_record", "delete", sr_id=blue).status == 409
    shown = {n: desk.client(n).get(address(Hold, "change", hold.pk)).content.decode() for n in ("ada", "wanda")}
    assert blue in shown["ada"] and "Because." in shown["ada"]
    assert blue not in shown["wanda"] and "Because." in shown["wanda"]  # she stands behind the wall of blue
    ada = desk.client("ada")
    assert ada.post(address(Hold, "change", hold.pk), {"name": "Other"}).status_code == 403
    assert ada.post(address(Hold, "delete", hold.pk), {"post": "yes"}).status_code == 403
    asked = ada.post(address(Hold, "changelist"), {"action": "release", "_selected_action": [hold.pk]})
    count = Record.everything.filter(lane=red).count() + 1
    assert f"covers {count} records that you may read; {count} of them" in asked.content.decode()
    asked = ada.post(address(Hold, "changelist"), {"action": "release", "_selected_action": [hold.pk], "reason": " "})
    assert "This field is required" in asked.content.decode()
    hold.refresh_from_db()
    assert hold.released_at is None
    ada.post(address(Hold, "changelist"), {"action": "release", "_selected_action": [hold.pk], "reason": "Settled."})
    hold.refresh_from_db()
    assert (hold.release_reason, hold.released_by) == ("Settled.", desk.people["ada"])
    assert anna("e_record", "delete", sr_id=blue)["deleted"] is True
    assert "Settled." in ada.get(address(Hold, "change", hold.pk)).content.decode()


def test_what_may_not_be_read_or_is_elsewhere_cannot_be_held(desk: Desk):
    blue, far = desk.marked.records["blue"][0], desk.marked.records["elsewhere"][0]
    missing = "sr_" + "0" * 32
    answers = [place(desk, "wanda", records=named).content.decode() for named in (blue, far, missing)]
    assert made() is None
    assert all("One of these is no record, or none that you may read." in answer for answer in answers)
    elsewhere = desk.tenants["elsewhere"].lanes.first()
    assert "Select a valid choice" in place(desk, "ada", lanes=[elsewhere.pk]).content.decode()
    assert "Name lanes, or records" in place(desk, "ada").content.decode()
    assert made() is None


def test_a_lane_under_a_hold_and_a_held_record_are_not_deleted(desk: Desk):
    ada = desk.client("ada")
    lane = desk.tenants["firm"].lanes.get(slug="zqdomestic-held")  # since the desk was made; empty
    ada.post(address(Lane, "delete", lane.pk), {"post": "yes"}, follow=True)
    assert Lane.objects.filter(pk=lane.pk).exists()
    place(desk, "ada", lanes=[desk.tenants["firm"].lanes.get(slug="red").pk])
    record = Record.everything.filter(lane__slug="red", tenant=desk.tenants["firm"]).first()
    page = ada.get(address(Record, "change", record.pk))
    assert not page.context["has_change_permission"] and not page.context["has_delete_permission"]
    assert ada.post(address(Record, "change", record.pk), {"title": "Other"}).status_code == 403
    assert ada.post(address(Record, "delete", record.pk), {"post": "yes"}).status_code == 403
    bulk = {"action": "delete_selected", "_selected_action": [record.pk], "post": "yes"}
    answer = ada.post(address(Record, "changelist"), bulk, follow=True)
    assert "you may see this but not delete it" in answer.content.decode()
    assert Record.everything.filter(pk=record.pk).exists()
