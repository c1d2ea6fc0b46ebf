"""What pages say of themselves: matters with their names, values in time, forms, refusals."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from lanes import services
from memory.selectors.values import _unit
from tests.web.conftest import Office
from tests.web.test_pages import MISSING, text_of
from tests.web.test_search_words import seen
from web import words
from web.views.value import told_apart

pytestmark = pytest.mark.django_db


def test_a_matter_has_a_page_with_its_name(office: Office) -> None:
    from lanes.models import Lane

    Lane.objects.filter(tenant=office.world.tenant, slug="red").update(description="The seal on line 4.")
    page = text_of(office.ada.get("/search/?lane=red"))
    head = page.partition('class="matterhead"')[2].partition("searchform")[0]
    assert "Red" in head and "The seal on line 4." in head
    assert 'href="/records/new/?lane=red"' in head and 'href="/timeline/?lane=red"' in head
    assert page.partition("<template")[0].count("<h1") == 1 and "<title>Red" in page.replace("\n", "")
    # who may only read it is offered nothing to write
    reading = text_of(office.cleo.get("/search/?lane=red"))
    assert "The seal on line 4." in reading and "/records/new/" not in reading and "Read only" in reading
    assert office.cleo.get("/search/?lane=blue").status_code == 404
    two = text_of(office.ada.get("/search/?lane=red&lane=blue"))
    assert "matterhead" not in two
    assert 'href="/timeline/?t=client%3AMeridale"' in text_of(office.ada.get("/search/?t=client:Meridale"))
    both = text_of(office.ada.get("/search/?t=client:Meridale&t=batch:QP-1&kind=note"))
    assert "/timeline/?t=client%3AMeridale&amp;t=batch%3AQP-1&amp;require=all" in both


def test_a_walled_matter_says_so_to_those_inside(office: Office) -> None:
    path = f"/records/{office.red}/"
    assert "Walled" not in text_of(office.ada.get(path))
    lane = office.world.tenant.lanes.get(slug="red")
    services.wall_off(tenant=office.world.tenant, lanes=[lane], holders=[office.cleo.user], name="w")
    assert "Walled" in text_of(office.ada.get(path)) and "Walled" in text_of(office.ada.get(f"{path}part/head/"))
    assert "Walled" in text_of(office.ada.get("/search/?lane=red"))
    green = office.world.anna.write("green", "x", title="Green")
    office.world.tenant.lanes.get(slug="green")
    services.grant(
        tenant=office.world.tenant, holder=office.ada.user, read=[office.world.tenant.lanes.get(slug="green")]
    )
    assert "Walled" not in text_of(office.ada.get(f"/records/{green}/"))
    assert office.cleo.get(path).status_code == 404


def test_recent_records_are_those_recorded_last(office: Office) -> None:
    """Whatever the date of their event, which is said beside it."""
    last = office.world.anna.write("red", "Of long ago.", title="Old event", occurred_at="1999-12-31")
    recent = text_of(office.ada.get("/?part=recent"))
    assert re.findall(r'<tr data-sr-id="(sr_\w+)"', recent)[0] == last
    row = recent.partition(last)[2].partition("</tr>")[0]
    assert "31 Dec 1999" in row and "Recorded" in recent
    assert recorded_in(recent) == sorted(recorded_in(recent), reverse=True)


def recorded_in(body: str) -> list[str]:
    return re.findall(r'Recorded </span><time datetime="([^"]+)"', body)


def test_home_counts_as_a_search_does(office: Office) -> None:
    write = office.world.anna.write
    old, new = write("red", "One.", title="One"), write("red", "Two.", title="Two")
    assert office.world.anna("e_property", "adjust", sr_id=old, by=new, hint="supersedes").status == 200
    rows = re.findall(r'data-l="Records">(\d+)<', text_of(office.ada.get("/?part=matters")))
    total = re.search(r'class="strong">(\d+) records', text_of(office.ada.get("/search/")))
    assert total and sum(map(int, rows)) == int(total.group(1)) == 4


def test_chips_of_a_row_are_its_rarest(office: Office) -> None:
    write = office.world.anna.write
    for number in range(3):
        write("red", f"Common {number}.", ("office:Leeds", "status:open", "topic:rent", "client:Meridale"))
    sr_id = write("red", "Rare.", ("client:Meridale", "office:Leeds", "status:open", "topic:rent", "batch:Z-1",
                  "docket:77"), title="Rare one")  # fmt: skip
    row = text_of(office.ada.get("/?part=recent")).partition(sr_id)[2].partition("</tr>")[0]
    shown = re.findall(r'class="v" dir="auto">([^<]+)<', row)
    assert set(shown[:2]) == {"Z-1", "77"} and len(shown) == 3
    row = text_of(office.ada.get("/values/batch/Z-1/")).partition(f'"{sr_id}"')[2].partition("</tr>")[0]
    shown = re.findall(r'class="v" dir="auto">([^<]+)<', row)
    assert shown[0] == "77" and "Z-1" not in shown


def chart_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script id="overtime-data"[^>]*>(.*?)</script>', page)
    assert found
    return json.loads(found.group(1))


def test_a_value_in_time_is_told_by_events(office: Office) -> None:
    """First and latest are dates of events, as exact as they are known; a month without records has its place."""
    write = office.world.anna.write
    write("red", "A.", ("batch:T",), occurred_at="2025-11")
    write("red", "B.", ("batch:T",), occurred_at="2026-03-05")
    write("red", "C, recorded today.", ("batch:T",))
    page = text_of(office.ada.get("/values/batch/T/"))
    assert "First event Nov 2025, latest 5 Mar 2026." in page
    data = chart_of(page)
    assert [m["words"] for m in data["months"]] == [
        "November 2025", "December 2025", "January 2026", "February 2026", "March 2026",
    ]  # fmt: skip
    assert [sum(m["counts"]) for m in data["months"]] == [1, 0, 0, 0, 1]
    assert {m["year"] for m in data["months"]} == {"2025", "2026"}
    rows = re.findall(r'<tr data-sr-id="(sr_\w+)"', page)
    assert (
        "No date" in page.partition(rows[-1])[2] and "No date" not in page.partition(rows[0])[2].partition(rows[1])[0]
    )
    undated = text_of(office.ada.get("/values/batch/QP-1/"))
    assert "latest" not in undated.partition('id="v-summary"')[2].partition("</div>")[0]


@pytest.mark.parametrize(("last", "unit"), [(2023, "month"), (2050, "year"), (2200, "decade"), (2900, "century")])
def test_bars_stand_for_longer_periods_the_longer_it_lasts(last: int, unit: str) -> None:
    assert _unit(datetime(2020, 1, 1, tzinfo=UTC), datetime(last, 1, 1, tzinfo=UTC)) == unit
    said, short = words.period_words(datetime(2020, 1, 1, tzinfo=UTC), unit)
    assert said and len(short) <= 5


def test_two_matters_of_one_colour_are_told_apart() -> None:
    from lanes.readers import LaneInfo

    lanes = [LaneInfo(i, f"l{i}", f"Lane {i}", colour) for i, colour in enumerate((3, 1, 3, 3))]
    assert [(lane["colour"], lane["again"]) for lane in told_apart(lanes)] == [(3, 0), (1, 0), (3, 1), (3, 2)]


def test_a_new_note_goes_to_the_matter_one_chooses(office: Office) -> None:
    page = text_of(office.ada.get("/records/new/"))
    lanes = page.partition('id="f-lane"')[2].partition("</select>")[0]
    assert '<option value="">Choose a matter</option>' in lanes and "selected" not in lanes
    assert '<option value="blue" selected>' in text_of(office.ada.get("/records/new/?lane=blue"))
    refused = office.ada.post("/records/new/", lane="", text="Kept words.", title="T")
    assert refused.status_code == 400
    assert "Choose the matter that this belongs to." in text_of(refused) and "Kept words." in text_of(refused)


@pytest.mark.parametrize(
    ("written", "shown", "again"),
    [("14 March 2025", "14 Mar 2025", "14 March 2025"), ("March 2025", "Mar 2025", "March 2025"), ("2025",) * 3],
)
def test_a_date_of_event_is_written_in_words(office: Office, written: str, shown: str, again: str) -> None:
    response = office.ada.post("/records/new/", lane="red", text="x", title="Dated", date=written)
    assert response.status_code == 302, text_of(response)
    where = response["Location"]
    assert shown in text_of(office.ada.get(where))
    assert f'name="date" value="{again}"' in text_of(office.ada.get(f"{where}edit/"))
    # saved as it stands, it stays as exact as it was
    saved = office.ada.post(f"{where}edit/", version="1", title="Dated", text="y", kind="note", date=again)
    assert saved.status_code == 302 and shown in text_of(office.ada.get(where))
    refused = office.ada.post(f"{where}edit/", version="2", title="Dated", text="z", kind="note", date="next week")
    assert refused.status_code == 400 and "Write 14 March 2025, March 2025 or 2025." in text_of(refused)


def test_refusals_keep_the_ways_on_and_say_what_they_are(office: Office) -> None:
    missing = office.ada.get(f"/records/{MISSING}/")
    refused = office.cleo.get(f"/records/{office.red}/edit/")
    admin = office.ada.get("/admin/", follow=True)
    for response in (missing, refused, admin):
        page = text_of(response)
        assert 'aria-label="Main"' in page and 'href="/timeline/"' in page, response
        assert "csrfmiddlewaretoken" not in page and "Ada Brook" not in page
    assert admin.status_code == 403 and "for administrators" in seen(admin)
    assert "repeat what you did" not in seen(admin)


def test_a_stale_form_says_so(office: Office) -> None:
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(office.ada.user)
    response = client.post("/seen/", {})
    assert response.status_code == 403 and "load the page again" in seen(response)


def test_texts_may_run_from_right_to_left(office: Office) -> None:
    sr_id = office.world.anna.write("red", "هذا نص.\n\nEnglish.", ("person:محمد",), title="مذكرة")
    page = text_of(office.ada.get(f"/records/{sr_id}/"))
    assert re.search(r'<h1[^>]*dir="auto"', page) and page.count('<p dir="auto">') == 2
    assert 'dir="auto">محمد<' in page
    assert re.search(r'<textarea[^>]*id="f-text"[^>]*dir="auto"', text_of(office.ada.get(f"/records/{sr_id}/edit/")))


def test_the_search_page_has_one_search_box(office: Office) -> None:
    assert text_of(office.ada.get("/search/")).count('role="search"') == 1
    assert text_of(office.ada.get("/")).count('role="search"') == 1


def test_insights_around_a_record_lead_to_it_and_out_again(office: Office) -> None:
    alone = office.world.anna.write("red", "Shares nothing.", (), title="On its own")
    for sr_id, title in ((office.red, "Meeting about the seal"), (alone, "On its own")):
        page = text_of(office.ada.get(f"/insights/?from={sr_id}&by=degree"))
        head = page.partition("<h1>Insights")[2].partition('id="ins-data"')[0]
        assert f'href="/records/{sr_id}/">{title}</a>' in head
        assert 'href="/insights/?lane=red&amp;by=degree"' in head
        assert f'name="from" value="{sr_id}"' in head  # another measure stays with the record
    assert 'name="from"' not in text_of(office.ada.get("/insights/?lane=red"))
