"""Search by words: what has the words, what is only close, and the same set in every order."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from tests.find.conftest import work
from tests.web.conftest import SECRET, Desk, Office
from tests.web.test_pages import text_of

pytestmark = pytest.mark.django_db


def seen(response: Any) -> str:
    """The words of a page that a person reads: no tags, no attributes, no scripts."""
    body = re.sub(r"<(script|style|head)\b.*?</\1>", " ", text_of(response), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def hits_of(desk: Desk, path: str) -> list[str]:
    """Ids of the hits over all pages, in order."""
    url, found = path, []
    while url:
        body = text_of(desk.get(url))
        found += re.findall(r'class="hit-row" data-sr-id="(sr_\w+)"', body)
        more = re.search(r'hx-get="([^"]+)"', body)
        url = html.unescape(more.group(1)) if more else ""
    return found


@pytest.fixture
def loggers(office: Office) -> dict[str, str]:
    """Three records with the word, in two matters, and others without it."""
    write = office.world.anna.write
    made = {
        "old": write("red", "The drift of the loggers was seen in spring.", ("topic:loggers",), title="First drift",
                     occurred_at="2025-05-08"),
        "undated": write("red", "Drift again, no date known.", ("topic:loggers", "batch:QP-9"), title="Second drift"),
        "new": write("blue", "Somebody wrote of drift.", ("topic:loggers",), title="Third drift",
                     occurred_at="2026-02-09"),
        "near": write("red", "The instruments read too low for months.", ("topic:instruments",), title="Instruments",
                      occurred_at="2025-06-01"),
    }  # fmt: skip
    for number in range(4):
        write("red", f"Lease, rent and repairs {number}.", ("topic:lease",), title=f"Lease {number}",
              occurred_at=f"2024-0{number + 1}-01")  # fmt: skip
    work()
    return made


def test_it_says_how_many_have_the_word_and_puts_them_first(office: Office, loggers: dict[str, str]) -> None:
    response = office.ada.get("/search/?q=drift")
    said = seen(response)
    assert "3 records have this word" in said and "close in meaning" in said
    found = hits_of(office.ada, "/search/?q=drift")
    assert set(found[:3]) == {loggers["old"], loggers["undated"], loggers["new"]}
    first, _, rest = text_of(response).partition('class="hit-divider"')
    assert all(loggers[name] in first for name in ("old", "undated", "new")) and rest
    # facets are counted over what has the word
    facets = text_of(response).partition('id="facets"')[2].partition("</aside>")[0]
    assert re.search(r'title="loggers">loggers</span><span class="count">3<', facets) and "lease" not in facets
    assert "Counted over the 3 records that have the words." in said
    # a reader of one of the two matters is told of two
    assert "2 records have this word" in seen(office.cleo.get("/search/?q=drift"))


def test_the_order_does_not_change_what_is_found(office: Office, loggers: dict[str, str]) -> None:
    for words in ("drift", "Who saw that the loggers drift low", "lease rent"):
        best = hits_of(office.ada, f"/search/?q={words}")
        for order in ("newest", "oldest"):
            assert set(hits_of(office.ada, f"/search/?q={words}&order={order}")) == set(best), (words, order)
    newest = hits_of(office.ada, "/search/?q=drift&order=newest")
    assert newest[:3] == [loggers["new"], loggers["old"], loggers["undated"]]
    assert hits_of(office.ada, "/search/?q=drift&order=oldest")[:3] == [
        loggers["old"], loggers["new"], loggers["undated"],
    ]  # fmt: skip
    by_people = hits_of(office.ada, "/search/?q=drift&by=agents")  # anna writes by key
    assert set(by_people) == set(hits_of(office.ada, "/search/?q=drift"))
    assert hits_of(office.ada, "/search/?q=drift&by=people") == []


def test_a_word_that_nothing_has(office: Office, loggers: dict[str, str]) -> None:
    said = seen(office.ada.get("/search/?q=zzqqxx"))
    assert "Nothing has this word." in said and "have this word" not in said
    said = seen(office.ada.get("/search/?q=zzqqxx drift"))
    assert "No record has all of these words." in said
    assert "Nothing has these words." in seen(office.ada.get("/search/?q=zzqqxx wwqqyy"))


def test_words_in_quotes_stand_together(office: Office, loggers: dict[str, str]) -> None:
    both = office.world.anna.write("red", "The low reading and the read error, low in all.", title="Apart")
    together = office.world.anna.write("red", "It read low.", title="Together")
    assert "2 records have all of these words" in seen(office.ada.get("/search/?q=read low&t=-topic:instruments"))
    said = seen(office.ada.get('/search/?q="read low"&t=-topic:instruments'))
    assert "1 record has this phrase" in said
    found = hits_of(office.ada, '/search/?q="read low"&t=-topic:instruments')
    assert found[0] == together and both in found[1:]


def test_every_hit_says_why(office: Office, loggers: dict[str, str]) -> None:
    for path in ("/search/?q=drift", "/search/?q=Who wrote of the loggers in May 2025&graph=1", "/search/?q=QP-9"):
        rows = text_of(office.ada.get(path)).split('class="hit-row"')[1:]
        assert rows and all('class="why"' in row for row in rows), path
    said = seen(office.ada.get("/search/?q=drift"))
    assert not re.search(r"Meaning: \d+\w\w of", said)


def test_a_link_is_said_in_words(office: Office, loggers: dict[str, str]) -> None:
    """A stamp has an id inside; no page shows it."""
    alone = office.world.anna.write("red", "Quite another subject: oranges.", title="Oranges")
    stamp = office.world.anna(
        "e_property", "connect", sr_id=[loggers["old"], alone], hint="same defect"
    ).body["property"]  # fmt: skip
    value = stamp if isinstance(stamp, str) else stamp["value"]
    hex_ = value[-32:]
    work()
    said = seen(office.ada.get("/search/?q=drift&graph=1"))
    assert "connected as: same defect" in said and hex_ not in said
    label_and_value = value if value.startswith("e_connect:") else f"e_connect:{value}"
    for path in (f"/search/?t={label_and_value}", f"/timeline/?t={label_and_value}", "/values/?t=e_connect:",
                 "/search/?t=e_connect:", f"/search/?t={label_and_value}&q=nothing"):  # fmt: skip
        said = seen(office.ada.get(path))
        assert hex_ not in said and not re.search(r"\be[ _]connect\b", said), path
    assert "same defect" in seen(office.ada.get(f"/search/?t={label_and_value}"))
    assert hex_ not in office.ada.get("/timeline/export/csv/").content.decode()


def test_the_usual_order_is_not_in_the_address(office: Office) -> None:
    """Words typed after a chip are found best first: the order that lists usually have is not carried along."""
    for path in ("/search/?t=client:Meridale", "/search/?t=client:Meridale&order=newest"):
        orders = re.search(r'<select id="ord".*?</select>', text_of(office.ada.get(path)), re.DOTALL)
        assert orders and '<option value="" selected>Newest event' in orders.group(0), path
        assert "order=" not in text_of(office.ada.get(path)), path
    chosen = text_of(office.ada.get("/search/?t=client:Meridale&order=oldest"))
    assert '<option value="oldest" selected>' in chosen
    words = text_of(office.ada.get("/search/?q=seal&order=newest"))
    assert '<option value="newest" selected>' in words and '<option value="">Best match' in words


def test_an_empty_list_says_the_truth_and_a_way_out(office: Office) -> None:
    # both records with Joan Merrow carry the client
    response = office.ada.get("/search/?t=person:Joan Merrow&t=-client:Meridale")
    said = seen(response)
    assert "person: Joan Merrow has 2, but each of them also carries what you left out" in said
    assert "not client: Meridale has" not in said and "Take away not client: Meridale (2)" in said
    said = seen(office.ada.get("/search/?t=batch:QP-1&t=person:Joan Merrow"))
    assert "batch: QP-1 has 1 and person: Joan Merrow has 2, but none matches everything" in said
    said = seen(office.ada.get("/search/?t=client:Nobody&q=seal"))
    assert "No record that you can read has client: Nobody." in said
    assert "Take away client: Nobody (1)" in said and "Take away “seal”" not in said
    # what is hidden is not counted
    said = seen(office.cleo.get(f"/search/?t=batch:QP-1&t=person:Joan Merrow&q={SECRET}"))
    assert "person: Joan Merrow has 1" in said or f"has “{SECRET}”" in said


def test_records_without_a_date_of_event_come_last(office: Office) -> None:
    """By event, what has none stands after what has one, over pages too."""
    write = office.world.anna.write
    dated = [write("red", f"Row {i}", ("batch:B",), occurred_at=f"2024-01-{i + 1:02d}") for i in range(28)]
    undated = [write("red", f"Bare {i}", ("batch:B",)) for i in range(4)]
    assert hits_of(office.ada, "/search/?t=batch:B") == dated[::-1] + undated[::-1]
    assert hits_of(office.ada, "/search/?t=batch:B&order=oldest") == dated + undated
    assert hits_of(office.ada, "/search/?t=batch:B&t=-batch:C&order=oldest") == dated + undated
    assert hits_of(office.ada, "/search/?lane=red&t=batch:")[-4:] == undated[::-1]
    assert hits_of(office.ada, "/search/")[-4:] == undated[::-1]
    assert hits_of(office.ada, "/search/?t=batch:B&from=2024-01-27") == dated[:-3:-1]


def test_what_was_superseded_is_found_on_request(office: Office) -> None:
    write = office.world.anna.write
    old = write("red", "Ten pallets were lost.", ("client:Meridale",), title="Ten pallets", occurred_at="2025-01-01")
    new = write("red", "Eleven pallets were lost.", ("client:Meridale",), title="Eleven", occurred_at="2025-01-02")
    assert office.world.anna("e_property", "adjust", sr_id=old, by=new, hint="supersedes").status == 200
    for path in ("/search/?q=pallets", "/search/?t=client:Meridale", "/search/?lane=red"):
        without, with_ = hits_of(office.ada, path), hits_of(office.ada, f"{path}&ended=1")
        assert old not in without and new in without, path
        assert old in with_ and new in with_, path
    page = text_of(office.ada.get("/search/?t=client:Meridale&ended=1"))
    assert re.search(r'name="ended" value="1"[^>]*checked', page) and "Superseded" in page
    facts = 'id="facts"'
    assert old in text_of(office.ada.get("/timeline/?t=client:Meridale&ended=1")).partition(facts)[2]
    assert old not in text_of(office.ada.get("/timeline/?t=client:Meridale")).partition(facts)[2]


def test_dates_are_taken_as_people_write_them(office: Office) -> None:
    for start, end in (("14 March 2025", "14 March 2025"), ("March 2025", "Mar 2025"), ("2025-03-14", "2025-03-14"),
                       ("March 14, 2025", "31 March 2025")):  # fmt: skip
        assert hits_of(office.ada, f"/search/?from={start}&to={end}") == [office.red], start
        assert office.red in text_of(office.ada.get(f"/timeline/?from={start}&to={end}"))
    assert f'value="{"March 2025"}"' in text_of(office.ada.get("/search/?from=March 2025"))


def test_a_date_that_cannot_be_read_keeps_the_page(office: Office) -> None:
    for path, field in (("/search/?from=notadate&q=seal&t=client:Meridale", "d1"), ("/timeline/?to=soon", "td2"),
                        ("/search/?to=31 February 2025", "d2")):  # fmt: skip
        response = office.ada.get(path)
        page = text_of(response)
        assert response.status_code == 400 and 'aria-label="Main"' in page
        assert re.search(rf'id="{field}"[^>]*aria-invalid="true" aria-describedby="e-{field}"', page), path
        assert f'id="e-{field}"' in page and "Write 14 March 2025, March 2025 or 2025." in page
        assert office.red not in page  # and nothing is listed
    assert 'value="notadate"' in text_of(office.ada.get("/search/?from=notadate"))
    assert office.ada.get("/timeline/export/csv/?from=soon").status_code == 400


def test_dates_that_end_before_they_begin_are_said_at_the_field(office: Office) -> None:
    for path, field in (("/search/", "d2"), ("/timeline/", "td2")):
        for start, end in (("2026", "2020"), ("15 March 2025", "14 March 2025")):
            response = office.ada.get(f"{path}?from={start}&to={end}")
            page = text_of(response)
            assert response.status_code == 400 and office.red not in page
            assert re.search(rf'id="{field}"[^>]*aria-invalid="true" aria-describedby="e-{field}"', page), path
            assert (
                "The end is before the beginning." in page and f'value="{start}"' in page and f'value="{end}"' in page
            )
        assert office.red in text_of(office.ada.get(f"{path}?from=14 March 2025&to=2025"))


def test_not_may_be_spelled_out_in_an_address(office: Office) -> None:
    path = "/search/?t=client:Meridale&t={}person:Joan Merrow"
    assert hits_of(office.ada, path.format("not ")) == hits_of(office.ada, path.format("-")) != []
    assert hits_of(office.ada, path.format("Not ")) == hits_of(office.ada, path.format("-"))


def test_counts_name_the_matters_that_the_hits_are_in(office: Office) -> None:
    assert "3 records in 2 matters" in seen(office.ada.get("/search/?t=client:Meridale"))
    assert "1 record in 1 matter" in seen(office.ada.get("/search/?t=batch:QP-1"))


def test_long_lists_are_told_by_the_index_and_short_ones_by_the_words_alike(office, readers):
    """What is read by the words' index alone is what the words themselves say, compounds and quotes included."""
    from memory.gather.scope import Scope
    from memory.gather.terms import Term
    from memory.selectors.search import LOOKED_AT, Filters, _by_hashes, hits

    scope = Scope(readers("anna"))
    texts = (
        "The seal notice.",
        "A notice of the seal-ring.",
        "Notice; the ring sealed.",
        "Nothing of it.",
        "C++ notice",
    )
    for text in texts:
        office.world.anna.write("red", text)
    for asked in ("seal", "seal notice", "seal-ring", "notice ring", "C++", "C", "nothing", "seal seal"):
        found = hits(scope, [Term(None, asked)], Filters(), sized=False, limit=1)
        plain = office.world.anna("e_gather", "intersect", match=[{"value": asked}], limit=200).srs
        assert len(found.looked_at) == len(plain) <= LOOKED_AT, asked
        source = found.match.source(found.match.terms[0], rare=True) if found.match else ""
        shorter = _by_hashes(found.match, source)
        assert ("tsv @@" in shorter) is (asked == "seal-ring"), (asked, shorter)
