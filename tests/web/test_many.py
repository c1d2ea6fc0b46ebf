"""A firm with many matters, many hits, many undated records: pages stay short, and say what they leave out."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from lanes import services
from tests.web.conftest import Desk, Office, make_desk
from tests.web.test_pages import text_of
from web import facets
from web.views import home, value

pytestmark = pytest.mark.django_db
MATTERS = 30


@pytest.fixture
def firm(office: Office) -> Desk:
    """Somebody who reads thirty matters, with a few records each; the busiest first by number."""
    for number in range(MATTERS):
        services.create_lane(tenant=office.world.tenant, slug=f"m-{number:02}", name=f"Matter {number:02}")
    desk = make_desk(
        office.world.tenant, "dora", write=",".join(f"m-{n:02}" for n in range(MATTERS)), name="Dora Hill"
    )
    from lanes.readers import reader_for_user
    from memory.services import records

    reader = reader_for_user(desk.user, office.world.tenant)
    records.write_many(
        reader,
        [
            {"lane": f"m-{n:02}", "text": f"Letter {n}.{k}", "edge_properties": ["client:Meridale"],
             "occurred_at": f"2024-0{1 + k}-11"}
            for n in range(MATTERS)
            for k in range(3 if n < 4 else 1)
        ],
    )  # fmt: skip
    return desk


def matters_in(page: str) -> list[str]:
    return re.findall(r"Matter \d\d", page.partition('id="matters"')[2].partition("</section>")[0])


def test_home_shows_a_few_matters_and_all_on_request(firm: Desk) -> None:
    page = text_of(firm.get("/?order=name"))
    assert matters_in(page) == [f"Matter {n:02}" for n in range(home.MATTERS_OPEN)]
    assert f"{home.MATTERS_OPEN} of {MATTERS} matters" in page and f"Show all {MATTERS}" in page
    assert f"{MATTERS} you can read" in page
    whole = text_of(firm.get("/?order=name&matters=all"))
    assert matters_in(whole) == [f"Matter {n:02}" for n in range(MATTERS)] and "Show all" not in whole
    # what is fetched again by live news is the same list
    assert len(matters_in('id="matters"' + text_of(firm.get("/?part=matters&order=name&matters=all")))) == MATTERS
    assert "Show all" not in text_of(firm.get("/?part=matters&order=name&matters=all"))


def test_a_slug_that_is_the_name_is_said_once(office: Office) -> None:
    services.create_lane(tenant=office.world.tenant, slug="imported-1", name="imported-1")
    desk = make_desk(office.world.tenant, "dora", read="imported-1,red")
    page = text_of(desk.get("/"))
    assert page.partition("<tbody>")[2].partition("</tbody>")[0].count(">imported-1<") == 1
    assert '<span class="muted mono">red</span>' in page  # named otherwise: both are told


def test_the_matter_filter_opens_a_few_and_holds_all(firm: Desk) -> None:
    page = text_of(firm.get("/search/?t=client:Meridale&lane=m-27"))
    assert page.count('name="lane"') == 1  # narrowed to one matter, only it has hits
    page = text_of(firm.get("/search/?t=client:Meridale"))
    front, _, rest = page.partition('class="morefacets"')
    assert front.count('name="lane"') == facets.LANES_OPEN
    assert rest.count('name="lane"') == MATTERS - facets.LANES_OPEN and f"{MATTERS - facets.LANES_OPEN} more" in rest
    # most hits first
    assert re.findall(r'value="(m-\d\d)"', front)[:4] == ["m-00", "m-01", "m-02", "m-03"]


def test_a_value_s_picture_tells_seven_matters_apart_and_sums_the_others(firm: Desk) -> None:
    page = firm.get("/values/client/Meridale/").content.decode()
    data: dict[str, Any] = json.loads(re.search(r'id="overtime-data"[^>]*>(.*?)</script>', page).group(1))
    assert [lane["name"] for lane in data["lanes"]][-1] == f"{MATTERS - value.LANES_DRAWN} other matters"
    assert len(data["lanes"]) == value.LANES_DRAWN + 1
    assert {f"Matter {n:02}" for n in range(4)} <= {lane["name"] for lane in data["lanes"]}
    assert sum(sum(month["counts"]) for month in data["months"]) == MATTERS + 8
    assert f"in {MATTERS} matters" in text_of(firm.get("/values/client/Meridale/"))


def test_a_chip_counts_what_its_value_s_page_counts(firm: Desk) -> None:
    hit = re.search(r"/records/sr_\w{32}/", text_of(firm.get("/search/?t=client:Meridale"))).group(0)
    page = text_of(firm.get(hit))
    chip = page.partition('id="part-carries"')[2].partition(">Meridale<")[2].partition("</a>")[0]
    assert re.sub(r"<[^>]+>|^[^>]*>", "", chip) == f"carried by {MATTERS + 8} records"
    assert f'<b class="strong">{MATTERS + 8} records</b>' in text_of(firm.get("/values/client/Meridale/"))


def test_all_records_are_counted_beyond_those_looked_at(firm: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory.selectors import search as lists

    monkeypatch.setattr(lists, "LOOKED_AT", 10)
    assert f"{MATTERS + 8} records</b>" in text_of(firm.get("/search/"))
    monkeypatch.setattr(lists, "CAP", 20)
    assert "more than 20 records</b>" in text_of(firm.get("/search/"))


def test_undated_records_beside_the_timeline_are_bounded_and_said(office: Office, monkeypatch: Any) -> None:
    from web import chronology

    monkeypatch.setattr(chronology, "UNDATED_SHOWN", 5)
    for number in range(9):
        office.world.anna.write("red", f"Undated {number}.", ("topic:Undated",))
    page = text_of(office.cleo.get("/timeline/?t=topic:Undated"))
    assert "9 undated" in page and "The newest 5 are listed." in page
    beside = page.partition('class="undated"')[2].partition("</ol>")[0]
    assert beside.count("data-sr-id") == 5
    exported = office.cleo.get("/timeline/export/csv/?t=topic:Undated").content.decode()
    assert exported.count("Undated ") >= 9
    monkeypatch.setattr(chronology, "EXPORT_MAX", 4)
    cut = office.cleo.get("/timeline/export/csv/?t=topic:Undated").content.decode()
    assert cut.count("Undated ") == 4


def test_records_nobody_is_known_to_have_written(office: Office) -> None:
    from memory.models import Record

    Record.everything.filter(lane__slug="red").update(profile=None, written_by=None)
    feed = text_of(office.cleo.get("/?part=changed"))
    assert "was added" in feed and "Unknown" not in feed and "<b></b>" not in feed
    assert "Not known" in text_of(office.cleo.get(f"/records/{office.red}/"))
    assert "not known" in office.cleo.get("/timeline/export/csv/").content.decode()


def test_very_many_properties_are_folded_and_in_the_order_of_their_numbers(office: Office) -> None:
    def carries(count: int) -> str:
        stamps = [f"batch:QP-{n}" for n in range(1, count + 1)]
        sr_id = office.world.anna.write("red", "Many.", stamps, title=f"Carries {count}")
        return text_of(office.ada.get(f"/records/{sr_id}/part/carries/"))

    page = carries(121)
    first, folded, rest = page.partition('<details class="morechips">')
    assert folded and "Show all 121" in rest
    numbers = [int(n) for n in re.findall(r"Remove batch: QP-(\d+)", page)]
    assert len(numbers) == 121 and first.count("chipx") == 24 and rest.count("chipx") == 97
    # QP-1 is carried by another record too: the rarest come first, and among equals 2 comes before 10
    assert numbers == [*range(2, 122), 1]
    assert "morechips" not in carries(30)
