"""Forms: what is written, what is refused, and two people saving at once."""

from __future__ import annotations

import html
import re

import pytest

from tests.web.conftest import Office
from tests.web.test_pages import text_of

pytestmark = pytest.mark.django_db


def new(office: Office, **fields: str) -> str:
    response = office.ada.post("/records/new/", **({"lane": "red", "text": "Words.", "title": "T"} | fields))
    assert response.status_code == 302, text_of(response)
    return re.search(r"sr_\w{32}", response["Location"]).group(0)


def test_a_note_is_written_with_its_properties(office: Office) -> None:
    sr_id = new(office, properties="client: Meridale\nperson: Joan Merrow", date="2025-02", kind="note")
    page = text_of(office.ada.get(f"/records/{sr_id}/"))
    assert "Feb 2025" in page and "month only" in page
    assert "Joan Merrow" in page and "Meeting about the seal" in page  # joined to what carries the same


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"text": "", "title": ""}, "needs a text or a title"),
        ({"date": "31/02/2025"}, "is not a date. Write 14 March 2025"),
        ({"properties": "just words"}, "Line 1 is not"),
        ({"properties": "e_connect: x"}, "reserved"),
        ({"text": "a\x00b"}, "U+0000"),
        ({"lane": "nope"}, ""),
    ],
)
def test_what_is_refused_gives_back_what_was_typed(office: Office, fields: dict[str, str], said: str) -> None:
    sent = {"lane": "red", "text": "Keep <b>this</b>.", "title": "Kept title"} | fields
    response = office.ada.post("/records/new/", **sent)
    assert response.status_code == 400
    body = text_of(response)
    assert said in body
    if sent["title"]:
        assert "Kept title" in body
    if "<b>" in sent["text"]:
        assert "Keep &lt;b&gt;this&lt;/b&gt;." in body


def test_all_that_is_wrong_is_said_at_once(office: Office) -> None:
    lines = "just words\nclient: Meridale\n\ne_connect: x\nclient:\n2nd: x"
    response = office.ada.post("/records/new/", lane="", title="Kept", text="Kept.", date="soon", properties=lines)
    page = html.unescape(text_of(response))
    assert response.status_code == 400 and all(f'id="e-{field}"' in page for field in ("lane", "date", "props"))
    for said in ("Choose the matter", "“soon” is not a date.", "Lines 1 and 5 are not “label: value”.",
                 'Line 4: The label "e_connect" is reserved.', "Line 6: A label has up to 63 letters"):  # fmt: skip
        assert said in page, said
    assert "just words\nclient: Meridale" in page
    bare = text_of(office.ada.post("/records/new/", lane="", title="", text="", date="0001"))
    assert all(f'id="e-{field}"' in bare for field in ("lane", "date", "text"))


def test_editing_saves(office: Office) -> None:
    sr_id = new(office, date="2025-03-14")
    response = office.ada.post(
        f"/records/{sr_id}/edit/", version="1", title="Better", text="New words.", kind="note", date="2025-03-14"
    )
    assert response.status_code == 302
    page = text_of(office.ada.get(f"/records/{sr_id}/"))
    assert "Better" in page and "New words." in page and "14 Mar 2025" in page


def test_second_saver_is_told_and_loses_nothing(office: Office) -> None:
    sr_id = new(office, text="She said one thing.")
    office.ada.post(f"/records/{sr_id}/edit/", version="1", title="T", text="She said two things.", kind="note")
    late = office.ada.post(
        f"/records/{sr_id}/edit/", version="1", title="T", text="She said three things.", kind="note"
    )
    assert late.status_code == 409
    body = text_of(late)
    assert 'id="conflict"' in body and "<ins>three</ins>" in body and "<del>two</del>" in body
    assert "She said three things." in body  # still in the form
    assert "She said two things." in text_of(office.ada.get(f"/records/{sr_id}/"))
    over = office.ada.post(
        f"/records/{sr_id}/edit/", version="1", over="2", title="T", text="She said three things.", kind="note"
    )
    assert over.status_code == 302
    assert "She said three things." in text_of(office.ada.get(f"/records/{sr_id}/"))
    # a choice made against a version that has moved on again is no licence to overwrite
    again = office.ada.post(f"/records/{sr_id}/edit/", version="1", over="2", title="T", text="Late.", kind="note")
    assert again.status_code == 409


def test_properties_come_and_go(office: Office) -> None:
    path = f"/records/{office.red}/properties/"
    office.ada.post(path, do="add", label="Purchase Order", value="PO-1")
    assert "PO-1" in text_of(office.ada.get(f"/records/{office.red}/part/carries/"))
    office.ada.post(path, do="remove", label="purchase_order", value="po-1")
    assert "PO-1" not in text_of(office.ada.get(f"/records/{office.red}/part/carries/"))
    page = text_of(office.ada.client.post(path, {"do": "add", "label": "e_connect", "value": "x"}, follow=True))
    assert "Nothing was changed." in page and "reserved" in page


def test_connecting_shows_on_both(office: Office) -> None:
    sr_id = new(office, title="The other")
    response = office.ada.post(f"/records/{office.red}/connect/", **{"with": sr_id, "hint": "same incident"})
    assert response.status_code == 302
    for one, other in ((office.red, "The other"), (sr_id, "Meeting about the seal")):
        part = text_of(office.ada.get(f"/records/{one}/part/carries/"))
        assert "same incident" in part and other in part


def test_a_hint_that_cannot_be_taken_is_said_in_the_words_of_its_field(office: Office) -> None:
    sent = {"with": new(office), "hint": "été", "reason": "kept reason"}
    response = office.ada.post(f"/records/{office.red}/connect/", **sent)
    page = text_of(response)
    assert response.status_code == 400 and "Use 1 to 63 letters a to z, digits and spaces." in page
    assert 'id="e-hint"' in page and "underscores" not in page and "kept reason" in page


def test_a_connection_with_one_visible_member_is_none(office: Office) -> None:
    office.ada.post(f"/records/{office.red}/connect/", **{"with": office.blue, "hint": "quiet link"})
    assert "quiet link" in text_of(office.ada.get(f"/records/{office.red}/"))
    assert "quiet" not in text_of(office.cleo.get(f"/records/{office.red}/"))


def test_correcting_says_so_on_both(office: Office) -> None:
    response = office.ada.post(
        f"/records/{office.red}/correct/", hint="supersedes", reason="wrong line", lane="red",
        title="Meeting, corrected",
        text="Line 5.", kind="call", properties="client: Meridale",
    )  # fmt: skip
    assert response.status_code == 302
    old = text_of(office.ada.get(f"/records/{office.red}/"))
    assert "Superseded by" in old and "Meeting, corrected" in old and "wrong line" in old
    assert "Supersedes" in text_of(office.ada.get(response["Location"]))
    assert office.red not in text_of(office.ada.get("/search/?t=client:Meridale"))


def test_what_is_taken_back_is_not_stated_again(office: Office) -> None:
    path = f"/records/{office.red}/correct/"
    sent = {
        "hint": "retracts", "reason": "kept reason", "lane": "red", "title": "Meeting about the seal", "kind": "call",
        "text": "Ada Brook met Joan Merrow about the seal on line 4.\r\n", "properties": "client: Meridale",
    }  # fmt: skip
    refused = office.ada.post(path, **sent)
    page = text_of(refused)
    assert refused.status_code == 400 and "Say why it is taken back, rather than saying it again." in page
    assert 'aria-describedby="e-text"' in page and "kept reason" in page
    assert "Retracted by" not in text_of(office.ada.get(f"/records/{office.red}/"))
    saved = office.ada.client.post(path, sent | {"text": "They never met."}, follow=True)
    assert "says that it was taken back" in text_of(saved)
    assert "Retracted by" in text_of(office.ada.get(f"/records/{office.red}/"))


@pytest.mark.parametrize("hint", ["supersedes", "corrects"])
def test_what_replaces_or_corrects_may_say_the_same(office: Office, hint: str) -> None:
    sent = {"hint": hint, "lane": "red", "text": "Ada Brook met Joan Merrow about the seal on line 4.", "kind": "call"}
    assert office.ada.post(f"/records/{office.red}/correct/", **sent).status_code == 302


def test_deleting_takes_it_off_every_page(office: Office) -> None:
    assert office.ada.post(f"/records/{office.red}/delete/").status_code == 302
    assert office.ada.get(f"/records/{office.red}/").status_code == 404
    office.ada.get("/")  # shows the message once
    for path in ("/", "/search/", "/timeline/", "/values/client/Meridale/"):
        assert office.red not in text_of(office.ada.get(path))


def test_spellings_are_joined(office: Office) -> None:
    sr_id = new(office, properties="client: Meridale Foods Ltd")
    response = office.ada.client.post("/values/client/Meridale Foods Ltd/rename", {"to": "Meridale"}, follow=True)
    assert "1 record followed" in text_of(response)
    assert sr_id in text_of(office.ada.get("/values/client/Meridale/"))
    moved = office.ada.get("/values/client/Meridale Foods Ltd/")
    assert moved.status_code == 302 and moved["Location"] == "/values/client/Meridale/"
