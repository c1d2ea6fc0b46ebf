"""Pages: who sees what, one kind of "no", and as many statements for fifty rows as for two."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.web.conftest import SECRET, Office

MISSING = "sr_" + "0" * 32
pytestmark = pytest.mark.django_db


def pages_of(sr_id: str) -> list[str]:
    """Every page that shows records, as the person who may see sr_id opens it."""
    return [
        "/", "/?part=matters", "/?part=recent", "/?part=changed", "/search/", "/search/?q=memo",
        f"/search/?q={SECRET}",
        "/search/?q=settlement&order=newest", "/search/?t=client:Meridale", "/search/?t=person:",
        "/search/?part=results",
        f"/search/suggest/?q={SECRET[:4]}", "/search/suggest/?q=client:", "/search/suggest/?q=person:Jo",
        f"/search/values/?label=client&q={SECRET[:3]}", "/values/?t=client:", "/values/?t=person:",
        f"/records/{sr_id}/", f"/records/{sr_id}/part/head/", f"/records/{sr_id}/part/carries/",
        f"/records/{sr_id}/part/about/", f"/records/{sr_id}/part/text/", f"/records/{sr_id}/radius/?depth=3",
        f"/records/{sr_id}/hub/?label=person&value=Joan+Merrow", "/timeline/", "/timeline/?t=client:Mer",
        "/timeline/?part=data", "/timeline/export/csv/", "/values/person/Joan Merrow/", "/values/client/Meridale/",
        "/insights/", f"/insights/?from={sr_id}", "/insights/?lane=red&by=betweenness",
    ]  # fmt: skip


def text_of(response: Any) -> str:
    """The page, without the form tokens that differ every time."""
    return re.sub(r'((?:name="csrfmiddlewaretoken" value|data-began)=")[^"]+', r"\1", response.content.decode())


def test_every_page_opens(office: Office) -> None:
    for path in pages_of(office.blue):
        response = office.ada.get(path)
        assert response.status_code == 200, path
        if response["Content-Type"].startswith("text/html"):
            assert "'unsafe-inline'" not in response["Content-Security-Policy"]
            assert response["Cache-Control"] == "no-store"


def test_a_client_team_sees_its_lanes_only(office: Office) -> None:
    """Nothing of a lane one may not read is on any page: no title, text, value, label, lane name or count."""
    for path in pages_of(office.red):
        response = office.cleo.get(path)
        assert response.status_code == 200, path
        body = text_of(response) if "export" not in path else text_of(response)
        typed = path.split("q=")[-1].split("&")[0] if "q=" in path else ""
        if typed and SECRET.startswith(typed):
            body = body.replace(f'value="{typed}"', "").replace(f"“{typed}”", "").replace(f"q={typed}", "")
            body = re.sub(rf"{typed} · Lanewise|<title>{typed}", "", body)
        assert SECRET not in body.lower(), path
        assert office.blue not in body, path
        assert "Blue" not in body, path
        assert office.far not in body, path


def test_counts_are_the_readers_own(office: Office) -> None:
    """Adding what a reader cannot see changes no number on their pages."""
    before = text_of(office.cleo.get("/values/client/Meridale/"))
    assert "2 records" in before
    office.world.anna.write("blue", "More.", ("client:Meridale", "person:Joan Merrow"))
    assert text_of(office.cleo.get("/values/client/Meridale/")) == before
    assert "4 records" in text_of(office.ada.get("/values/client/Meridale/"))


HIDDEN = [
    "/records/{}/", "/records/{}/part/head/", "/records/{}/radius/", "/records/{}/hub/?label=a&value=b",
    "/records/{}/path/?to={}", "/records/{}/edit/", "/records/{}/connect/", "/records/{}/correct/",
    "/insights/?from={}",
]  # fmt: skip


@pytest.mark.parametrize("path", HIDDEN)
def test_hidden_and_missing_are_one_page(office: Office, path: str) -> None:
    """Byte for byte, apart from the request id."""

    def page(sr_id: str) -> bytes:
        response = office.cleo.get(path.replace("{}", sr_id))
        assert response.status_code == 404
        return response.content.replace(response["X-Request-ID"].encode(), b"")

    missing = page(MISSING)
    assert page(office.blue) == missing
    assert page(office.far) == missing
    assert page("nonsense") == missing
    assert b"no access" not in missing.lower()


def test_an_address_that_is_none_is_the_same_page(office: Office) -> None:
    hidden = office.cleo.get(f"/records/{office.blue}/")
    nothing = office.cleo.get("/no/such/page/")
    strip = lambda r: r.content.replace(r["X-Request-ID"].encode(), b"")  # noqa: E731
    assert nothing.status_code == 404
    assert strip(hidden) == strip(nothing)


def test_a_hidden_value_and_lane_are_missing(office: Office) -> None:
    for path in (f"/values/client/{SECRET} Ltd/", "/values/client/Nobody/", "/search/?lane=blue", "/search/?lane=nope",
                 "/insights/?lane=blue", "/timeline/?lane=blue"):  # fmt: skip
        assert office.cleo.get(path).status_code == 404, path
        assert SECRET not in text_of(office.cleo.get(path)).lower()


def test_nobody_writes_what_they_may_only_read(office: Office) -> None:
    red = office.red
    for path, data in (
        (f"/records/{red}/edit/", {"version": "1", "text": "Mine now", "title": "x"}),
        (f"/records/{red}/properties/", {"do": "add", "label": "client", "value": "Other"}),
        (f"/records/{red}/delete/", {}),
        (f"/records/{red}/correct/", {"hint": "retracts", "text": "x", "lane": "red"}),
        (f"/records/{red}/connect/", {"with": office.blue, "hint": "same"}),
    ):
        assert office.cleo.post(path, **data).status_code == 403, path
    assert office.cleo.post("/records/new/", lane="red", text="x").status_code == 403
    page = text_of(office.ada.get(f"/records/{red}/"))
    assert "Mine now" not in page and "Other" not in page
    for word in ("/edit/", "/connect/", "deletedialog", "adddialog"):
        assert word not in text_of(office.cleo.get(f"/records/{red}/"))


def test_hidden_records_cannot_be_written_to_or_connected(office: Office) -> None:
    """A write that names a hidden record is answered like one that names none, and changes nothing."""
    for target in (office.blue, office.far, MISSING):
        assert office.cleo.post(f"/records/{target}/delete/").status_code == 404
        assert office.cleo.post(f"/records/{target}/edit/", version="1", text="x").status_code == 404
    for other in (office.far, MISSING):
        response = office.ada.post(f"/records/{office.red}/connect/", **{"with": other, "hint": "twins"})
        assert response.status_code == 404
    assert "twins" not in text_of(office.ada.get(f"/records/{office.red}/part/carries/"))


def test_anonymous_people_are_sent_to_the_door(office: Office, client: Any) -> None:
    for path in pages_of(office.red):
        response = client.get(path)
        assert response.status_code == 302 and response["Location"].startswith("/accounts/login/"), path
        assert client.get(path, headers={"X-Part": "1"}).status_code == 401


@pytest.mark.parametrize(
    "path",
    ["/", "/search/", "/search/?q=note", "/search/?t=client:Many&order=oldest", "/timeline/", "/values/client/Many/",
     "/insights/?lane=red", "RECORD", "RECORD/radius/", "/values/?t=client:"],
)  # fmt: skip
def test_statements_do_not_grow_with_rows(office: Office, queries: Any, path: str) -> None:
    first = office.world.anna.write(
        "red", "A note.", ("client:Many", "person:A"), title="First", occurred_at="2025-01-01"
    )
    office.world.anna.write("red", "A note.", ("client:Many", "person:A"), title="Second")
    path = path.replace("RECORD", f"/records/{first}").rstrip("/") + "/" if "RECORD" in path else path
    office.ada.get(path)  # what is done once in a process (a model read, a look noted) is not counted
    few = queries(office.ada, path)
    for i in range(50):
        office.world.anna.write(
            "red", f"Note {i}.", ("client:Many", "person:A", f"batch:{i}", f"topic:t{i % 7}"), title=f"Note {i}",
            occurred_at=f"2025-02-{i % 28 + 1:02d}" if i % 3 else None,
        )  # fmt: skip
    many = queries(office.ada, path)
    # a walk asks once a step and may stop a step earlier; nothing asks once a row
    assert many <= few + 4, (few, many)


def test_what_is_typed_becomes_a_chip(office: Office) -> None:
    response = office.ada.get("/search/?q=client:Meridale")
    assert response.status_code == 302 and response["Location"] == "/search/?t=client%3AMeridale"
    page = text_of(office.ada.get("/search/?q=not person: Joan Merrow&t=client:Meridale", follow=True))
    assert "Invoice" in page and "Meeting about" not in page


def test_a_typo_never_widens(office: Office) -> None:
    for path in (
        "/search/?from=31/02/2025",
        "/search/?order=worst",
        "/search/?lanes=red",
        "/timeline/?before=2024",
        "/values/?t=client:&lanes=red",
        "/search/?t=9x:y",
        "/timeline/?require=some",
        "/timeline/?to=soon",
        f"/records/{office.red}/?depth=99",
        f"/records/{office.red}/?max=-1",
        f"/records/{office.red}/radius/?as_of=then",
        "/insights/?by=luck",
        "/values/?t=words",
        "/search/?cursor=forged",
        "/search/?q=%00",
        "/search/?t=client:%00",
        "/timeline/?t=a:%ed%a0%80x%00",
    ):
        assert office.ada.get(path).status_code == 400, path


def test_filters_narrow(office: Office) -> None:
    def shown(path: str) -> set[str]:
        return set(re.findall(r'class="hit-row" data-sr-id="(sr_\w+)"', text_of(office.ada.get(path))))

    assert shown("/search/?kind=call") == {office.red}
    assert shown("/search/?lane=blue") == {office.blue}
    assert shown("/search/?from=2025-03-14&to=2025-03-14") == {office.red}
    assert shown("/search/?t=client:Meridale&t=-person:Joan Merrow") == shown("/search/?t=batch:")
    assert shown("/search/?t=client:Meridale&kind=memo&q=settlement") == {office.blue}
    assert office.red in shown("/search/?q=seal on line 4")


def test_pages_of_hits_hold_each_record_once(office: Office) -> None:
    wanted = {
        office.world.anna.write("red", f"Row {i}", ("batch:All",), occurred_at=f"2024-01-{i % 28 + 1:02d}")
        for i in range(60)
    }
    for order in ("newest", "oldest"):
        url, seen = f"/search/?t=batch:All&order={order}", []
        while url:
            body = text_of(office.ada.get(url))
            seen += re.findall(r'class="hit-row" data-sr-id="(sr_\w+)"', body)
            more = re.search(r'hx-get="([^"]+)"', body)
            url = more.group(1).replace("&amp;", "&") if more else ""
        assert len(seen) == 60 and set(seen) == wanted


def test_suggestions_come_from_readable_lanes(office: Office) -> None:
    assert SECRET.title() in text_of(office.ada.get(f"/search/suggest/?q=client:{SECRET[:4]}"))
    mine = json.loads(office.cleo.get("/search/values/?label=client&q=").content)
    assert mine == {"values": ["Meridale"]}
    assert f"{SECRET}_no" in text_of(office.ada.get(f"/search/suggest/?q={SECRET[:5]}"))


def test_saved_searches_are_ones_own(office: Office) -> None:
    office.ada.post("/search/save/", name="Seals", query="t=client%3AMeridale")
    assert "Seals" in text_of(office.ada.get("/"))
    assert "Seals" not in text_of(office.cleo.get("/"))
    from web.models import SavedSearch

    saved = SavedSearch.objects.get()
    assert office.cleo.post(f"/search/saved/{saved.pk}/forget/").status_code == 404
    assert office.ada.post(f"/search/saved/{saved.pk}/forget/").status_code == 302
    assert not SavedSearch.objects.exists()


def test_switching_tenant_is_limited_to_ones_own(office: Office) -> None:
    from lanes import services

    assert office.ada.post("/tenant/", tenant="elsewhere").status_code == 404
    assert "The firm" in text_of(office.ada.get("/"))
    services.create_user(tenant=office.world.other, username="ada", password="another-long-one")
    office.ada.user.refresh_from_db()
    office.ada.client.force_login(office.ada.user)
    services.grant_by_slugs(tenant=office.world.other, holder=office.ada.user, read="red")
    assert office.ada.post("/tenant/", tenant="elsewhere").status_code == 302
    page = text_of(office.ada.get("/"))
    assert "Elsewhere" in page and "Invoice" not in page
    # an open page of the other tenant goes on reading there
    assert office.ada.get(f"/records/{office.red}/").status_code == 404
    assert (
        office.ada.get(f"/records/{office.red}/part/head/", headers={"X-Lanewise-Tenant": "firm"}).status_code == 200
    )
    assert (
        office.bea.get(f"/records/{office.red}/part/head/", headers={"X-Lanewise-Tenant": "firm"}).status_code == 404
    )


def test_a_revoked_lane_is_gone_with_the_next_request(office: Office) -> None:
    from lanes import services

    assert office.cleo.get(f"/records/{office.red}/").status_code == 200
    services.revoke(
        tenant=office.world.tenant, holder=office.cleo.user, read=list(office.world.tenant.lanes.filter(slug="red"))
    )
    assert office.cleo.get(f"/records/{office.red}/").status_code == 404
    assert "Invoice" not in text_of(office.cleo.get("/"))


def test_what_changed_counts_from_the_last_look(office: Office) -> None:
    from datetime import timedelta

    from django.utils import timezone

    from web.models import LastLook

    office.ada.get("/")
    LastLook.objects.update(visited_at=timezone.now() - timedelta(hours=2))
    office.world.anna.write("red", "New since.", title="Fresh one")
    assert "4 new" in text_of(office.ada.get("/?part=summary"))  # everything since the visit two hours ago
    assert "4 new" in text_of(office.ada.get("/?part=summary"))  # and it stands still while the page is in use
    office.ada.post("/seen/")
    assert "nothing has changed" in text_of(office.ada.get("/?part=summary"))


def test_no_internal_names_for_people(office: Office) -> None:
    """Primary keys, table names and paths of the server stay inside."""
    for path in pages_of(office.red):
        body = text_of(office.cleo.get(path))
        for inside in ("memory_record", "lanes_lane", "Traceback", "edge_property", "lane_id"):
            assert inside not in body, path


def test_a_radius_as_of_a_day_shows_nothing_of_later_days(office: Office) -> None:
    write = office.world.anna.write
    origin = write("red", "Opened.", ("batch:Seen",), occurred_at="2024-01-10")
    early = write("red", "Early.", ("batch:Seen",), title="Early", occurred_at="2024-02-01")
    late = write("red", "Late.", ("batch:Seen",), title="Late", occurred_at="2025-06-01")

    def shown(as_of: str) -> set[str]:
        page = office.ada.get(f"/records/{origin}/radius/{as_of}").content.decode()
        return set(re.findall(r'"id": "(sr_\w+)"', page))

    assert shown("") == {origin, early, late}
    assert shown("?as_of=2024-06-01T00:00:00Z") == {origin, early}
    assert shown("?as_of=2023-01-01T00:00:00Z") == {origin}
