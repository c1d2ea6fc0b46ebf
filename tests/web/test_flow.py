"""Getting on with it: what a page keeps, where one lands, and what is said when there is nothing."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from lanes.models import AgentProfile
from lanes.readers import reader_for_profile
from memory.gather.radius import radius
from memory.gather.scope import Scope
from tests.web.conftest import SECRET, Office, make_desk
from web import chronology

pytestmark = pytest.mark.django_db
PART = {"HTTP_X_PART": "1"}


def facts(page: Any) -> list[str]:
    return re.findall(r'<tr data-i="\d+"[^>]*data-sr-id="(\w+)"', page.content.decode())


# ---- addresses that are only posted to


def test_an_address_that_is_only_posted_to_leads_to_its_page(office: Office) -> None:
    """Signing in on the way to a form's address ends there, with a plain GET."""
    home, record = "/", f"/records/{office.red}/"
    for path, place in (
        ("/seen/", home), ("/tenant/", home), ("/theme/", home), ("/search/save/", "/search/"),
        ("/search/saved/7/forget/", home), (f"{record}properties/", record), (f"{record}delete/", record),
        ("/values/client/Meridale/rename", "/values/client/Meridale/"),
    ):  # fmt: skip
        reply = office.ada.get(path)
        assert (reply.status_code, reply["Location"]) == (302, place), path
    for hidden in (office.blue, "sr_" + "0" * 32):
        for tail in ("properties/", "delete/"):
            assert office.cleo.get(f"/records/{hidden}/{tail}").status_code == 404


def test_a_form_sent_by_a_script_is_told_where_to_go(office: Office) -> None:
    """Its page is opened once, by the browser, so that what it has to say is read there."""
    address = f"/records/{office.red}/properties/"
    sent = office.ada.client.post(address, {"do": "add", "label": "topic", "value": "seal"}, **PART)
    assert (sent.status_code, sent["X-Location"]) == (204, f"/records/{office.red}/")
    assert "Added: topic: seal." in office.ada.get(sent["X-Location"]).content.decode()
    # what is wrong with a form comes back in the form; a session that ended is said as such
    wrong = office.ada.client.post("/records/new/", {"lane": "red", "text": "Kept.", "date": "never"}, **PART)
    assert (
        wrong.status_code == 400 and 'id="recordform"' in wrong.content.decode() and "Kept." in wrong.content.decode()
    )
    office.ada.client.logout()
    assert office.ada.client.post(address, {"do": "remove"}, **PART).status_code == 401


# ---- what is carried along


def test_connecting_keeps_what_is_chosen_and_typed_over_another_search(office: Office) -> None:
    path = f"/records/{office.red}/connect/"
    other = office.world.anna.write("red", "Elsewhere in the matter.", ("topic:drift",), title="Drift")
    sent = office.ada.client.post(
        path, {"q": "drift", "with": [office.blue, "nonsense"], "hint": "same leak", "type": "similar",
               "reason": "The seal.", "find": "1"},
    )  # fmt: skip
    kept = parse_qs(urlsplit(sent["Location"]).query)
    assert kept["hint"] == ["same leak"] and kept["q"] == ["drift"]
    page = office.ada.get(sent["Location"]).content.decode()
    for said in ('value="same leak"', '<option value="similar" selected>', 'value="The seal."', 'value="drift"'):
        assert said in page, said
    ticked = re.findall(r'name="with" value="(\w+)" checked', page)
    assert ticked == [office.blue] and f'name="with" value="{other}"' in page
    # a record that may not be written to is not carried, nor told of
    lena = make_desk(office.world.tenant, "lena", write="red")
    page = lena.get(sent["Location"]).content.decode()
    assert "same leak" in page and office.blue not in page and SECRET not in page


def test_a_list_says_in_its_address_how_much_of_it_is_shown(office: Office) -> None:
    for i in range(60):
        office.world.anna.write("red", f"Line {i}.", ("batch:Long",), title=f"Row {i}")
    for path, row in (("/search/?t=batch:Long", "hit-row"), ("/values/batch/Long/?x=", 'class="rec"')):
        get = lambda query, path=path: office.ada.get(f"{path}&{query}")  # noqa: E731
        assert office.ada.get(path.removesuffix("?x=")).content.decode().count(row) == 25
        page = get("shown=50").content.decode()
        assert page.count(row) == 50 and "shown=75" in page
        assert get("shown=30").content.decode().count(row) == 50  # whole pages
        for wrong in ("0", "-1", "x", "501"):
            assert get(f"shown={wrong}").status_code == 400
    words = office.ada.get("/search/?q=line&shown=50").content.decode()
    assert words.count("hit-row") == 50


# ---- a timeline around a record


def test_a_timeline_around_a_record_has_it_in_the_middle(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chronology, "PAGE", 10)
    made = [
        office.world.anna.write("red", f"Day {i}.", (), title=f"Day {i}", occurred_at=f"2024-01-{i + 1:02}")
        for i in range(30)
    ]
    middle = made[15]
    around = f"/timeline/?lane=red&around={middle}"
    assert around.replace("&", "&amp;") in office.ada.get(f"/records/{middle}/").content.decode()
    page = office.ada.get(around)
    listed = facts(page)
    assert middle in listed and listed[0] == made[10]
    assert f'id="around" class="on" aria-current="true" data-sr-id="{middle}"' in page.content.decode()
    assert "Around <a" in page.content.decode()
    # near the beginning the page begins at the beginning
    assert facts(office.ada.get(f"/timeline/?lane=red&around={made[2]}"))[0] == made[0]


def test_a_timeline_around_what_is_not_dated_or_superseded_says_so(office: Office) -> None:
    bare = office.world.anna.write("red", "Some day.", (), title="No day")
    page = office.cleo.get(f"/timeline/?lane=red&around={bare}").content.decode()
    assert "It carries no date of event" in page and 'id="around"' in page
    newer = office.world.anna.write("red", "Better.", (), title="Newer", occurred_at="2025-03-20")
    office.world.anna("e_property", "adjust", sr_id=office.red, by=newer, hint="supersedes")
    page = office.cleo.get(f"/timeline/?lane=red&around={office.red}")
    assert "It was superseded" in page.content.decode() and office.red not in facts(page)


def test_a_timeline_around_a_hidden_record_is_like_around_a_missing_one(office: Office) -> None:
    for name in (office.blue, office.far, "sr_" + "0" * 32, "nonsense"):
        for lane in ("", "lane=red&"):
            assert office.cleo.get(f"/timeline/?{lane}around={name}").status_code == 404
        # while it is open the others stay
        part = office.cleo.get(f"/timeline/?lane=red&part=data&around={name}")
        assert part.status_code == 200 and SECRET not in part.content.decode()


# ---- a superseded record's radius


def reader(name: str) -> Any:
    return reader_for_profile(AgentProfile.objects.select_related("tenant").get(slug=name))


def test_a_superseded_record_is_walked_from_as_though_it_were_not(office: Office) -> None:
    anna = office.world.anna
    for i in range(3):
        anna.write("red", f"Shares {i}.", ("person:Joan Merrow", f"topic:t{i}"), title=f"Shares {i}")
    anna.write("red", "Alone with it.", ("batch:only two",), title="One other")
    anna("e_property", "add", sr_id=office.red, edge_properties=["batch:only two"])
    told = lambda reply: [  # noqa: E731
        (n["sr_id"], n["depth"], n["score"], n["via"], n["from"]) for n in reply["nodes"]
    ]
    before = radius(Scope(reader("anna")), office.red, depth=3, hub_limit=4)
    newer = anna.write("red", "Better.", (), title="The newer one")
    anna("e_property", "adjust", sr_id=office.red, by=newer, hint="supersedes")
    plain = radius(Scope(reader("anna")), office.red, depth=3, hub_limit=4)
    assert told(plain) == told(before)[:1]
    spared = radius(Scope(reader("anna")), office.red, depth=3, hub_limit=4, spare_origin=True)
    assert [n for n in told(spared) if n[0] != newer] == told(before)
    assert next(n for n in told(spared) if n[0] == newer)[1] == 1
    assert [(h["label"], h["sr_count"]) for h in spared["hubs"]] == [
        (h["label"], h["sr_count"]) for h in before["hubs"]
    ]
    mine = {tuple(sorted(e["members"])) for e in spared["edges"] if newer not in e["members"]}
    assert mine == {tuple(sorted(e["members"])) for e in before["edges"]}


def test_a_superseded_records_page_draws_its_neighbours_and_names_what_replaced_it(office: Office) -> None:
    anna = office.world.anna
    newer = anna.write("red", "Better.", (), title="The newer one")
    anna("e_property", "adjust", sr_id=office.red, by=newer, hint="supersedes")
    page = office.cleo.get(f"/records/{office.red}/radius/").content.decode()
    assert f'Superseded by <a href="/records/{newer}/"' in page and f"/records/{newer}/#radius" in page
    assert "No other record you can read shares" not in page and "Invoice" in page
    assert '"label": "client"' in page  # and its labels are offered
    # what replaced it in a lane out of sight is not told of
    other = anna.write("red", "Old.", ("status:closed",), title="Replaced out of sight")
    anna("e_property", "adjust", sr_id=other, by=office.blue, hint="supersedes")
    page = office.cleo.get(f"/records/{other}/radius/").content.decode()
    assert "Superseded by" not in page and SECRET not in page and office.blue not in page
    assert "was superseded" not in page and "No other record you can read shares a property" in page


# ---- nothing there


def test_an_empty_timeline_says_why_and_offers_a_way_out(office: Office) -> None:
    page = office.ada.get("/timeline/?t=client:Meridale&t=topic:none&require=all&from=2031-01-01").content.decode()
    assert "Everything here carries a date" not in page and "/timeline/export/" not in page
    for way in ("Take the dates away", "Match any term instead"):
        assert way in page, way
    one = office.ada.get("/timeline/?t=topic:none&lane=red").content.decode()
    assert "Take away topic: none" in one and "Look in all matters" in one and "Nothing without a date matches" in one
    full = office.ada.get("/timeline/?lane=red").content.decode()
    assert "Everything here carries a date" in full and full.count("/timeline/export/") == 3


def test_all_is_marked_as_seen_only_where_something_is_new(office: Office) -> None:
    assert "Mark all as seen" not in office.cleo.get("/").content.decode()  # the first look
    office.cleo.post("/seen/")
    assert "Mark all as seen" not in office.cleo.get("/").content.decode()
    office.world.anna.write("red", "News.", ())
    assert "Mark all as seen" in office.cleo.get("/").content.decode()
    assert "Mark all as seen" in office.cleo.get("/?part=summary").content.decode()


def test_the_home_of_an_empty_tenant_has_a_next_step(office: Office) -> None:
    boss = make_desk(office.world.tenant, "boss", admin=True).get("/").content.decode()
    assert "You cannot read any matter yet" in boss and 'href="/admin/lanes/lane/add/"' in boss
    guest = make_desk(office.world.tenant, "guest").get("/").content.decode()
    assert "/admin/lanes/lane/add/" not in guest and "they appear here by themselves" in guest
    assert "Mark all as seen" not in guest
