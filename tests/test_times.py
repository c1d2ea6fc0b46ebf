"""Times as they are written, the years that are kept, and stored dates at the ends of the calendar."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from lanes.errors import Invalid
from memory import sql, times
from memory.models import Record, parse_sr_id
from tests.web.conftest import make_desk

DAY = datetime(2026, 5, 5, tzinfo=UTC)


@pytest.mark.parametrize("written", ["2026-05-05", "20260505", "2026-W19-2", "2026W192", " 2026-05-05 "])
def test_a_day_is_a_day_however_it_is_written(written):
    assert times.parse(written, "x") == (DAY, "day")
    assert times.start_of(written, "x") == DAY
    assert times.end_of(written, "x") == DAY + timedelta(days=1)


@pytest.mark.parametrize("written", ["2026-W19", "2026W19", "2026-w19", "202605", "2026-126", "2026-05-05T", "", "5"])
def test_what_is_neither_a_day_nor_an_instant_is_refused(written):
    with pytest.raises(Invalid) as refused:
        times.parse(written, "occurred_at")
    assert list(refused.value.errors) == ["occurred_at"]


def test_instants_stay_instants():
    assert times.parse("20260505T1000", "x") == (DAY + timedelta(hours=10), "time")
    assert times.parse("2026-05-05T00:00+02:00", "x") == (DAY - timedelta(hours=2), "time")


@pytest.mark.parametrize("written", ["0001-01-01", "0999", "9999", "9999-12-31", "9999-12-31T23:59:59.999999Z"])
def test_years_that_nothing_happens_in_are_no_bounds_and_are_not_kept(written):
    with pytest.raises(Invalid, match="occurred_at: The year"):
        times.parse(written, "occurred_at")
    early = written < "1000"
    assert (times.start_of(written, "x") is None) is early
    assert (times.end_of(written, "x") is None) is not early
    assert times.instant(written, "x") == (times.EARLIEST if early else times.LATEST)


@pytest.mark.parametrize("precision", ["year", "month", "day", "time"])
def test_reckoning_ends_where_the_calendar_does(precision):
    last = datetime.max.replace(tzinfo=UTC)
    assert times.after(last, precision) == last
    assert times.moved(datetime.min.replace(tzinfo=UTC), -timedelta(days=1)).year == 1
    assert times.placed(last, timezone(timedelta(hours=3))) == last


@pytest.mark.django_db
@pytest.mark.parametrize("when", ["0001-01-01", "9999-12-31", "0999-12", "9999", "9999-12-31T23:59:59.999999Z"])
def test_a_year_that_nothing_happens_in_is_refused_naming_the_field(anna, when):
    sr_id = anna.write("red", properties=("client:Acme",))
    other = anna.write("red")
    dated = {"label": "a", "value": "b", "valid_from": when}
    calls = [
        ("e_record", {"action": "write", "lane": "red", "text": "x", "occurred_at": when}, "occurred_at"),
        ("e_record", {"action": "write", "lane": "red", "text": "x", "recorded_at": when}, "recorded_at"),
        ("e_record", {"action": "update", "sr_id": sr_id, "occurred_at": when}, "occurred_at"),
        ("e_property", {"action": "add", "sr_id": sr_id, "edge_properties": [dated]}, "edge_properties[0].valid_from"),
        ("e_property", {"action": "connect", "sr_id": [sr_id, other], "hint": "h", "valid_from": when}, "valid_from"),
        (
            "e_property",
            {"action": "invalidate", "sr_id": sr_id, "label": "client", "value": "Acme", "at": when},
            "at",
        ),
    ]
    for tool, body, field in calls:
        reply = anna.post(f"/api/v1/tools/{tool}", json.dumps(body))
        assert (reply.status, list(reply.body["errors"])) == (400, [field]), reply.body
    assert Record.everything.count() == 2


@pytest.mark.django_db
def test_a_far_end_says_that_there_is_none(anna):
    held = {"label": "status", "value": "open", "valid_from": "2025-01-01", "invalidated_at": "9999-12-31"}
    sr_id = anna.write("red", properties=(held,), occurred_at="2026-05-05")
    (shown,) = anna("e_record", "read", sr_id=sr_id)["record"]["edge_properties"]
    assert "invalidated_at" not in shown and shown["valid_from"].startswith("2025")
    for bounds in (
        {"end_date": "9999-12-31"},
        {"start_date": "0001-01-01", "end_date": "9999"},
        {"end_date": "20260505"},
    ):
        assert anna("e_timeline", "intersect", match=["status:open"], **bounds)["count"] == 1, bounds
        assert anna("e_gather", "find", question="note", **bounds).ids == [sr_id], bounds
    assert anna("e_timeline", "intersect", match=["status:open"], end_date="20260504")["count"] == 0


@pytest.mark.django_db
def test_what_would_never_hold_is_refused(anna):
    never = {"label": "a", "value": "b", "valid_from": "2026-03-01", "invalidated_at": "2026-03-01"}
    reply = anna("e_record", "write", lane="red", text="x", edge_properties=[never])
    assert (reply.status, list(reply.body["errors"])) == (400, ["edge_properties[0].invalidated_at"])


@pytest.mark.django_db
@pytest.mark.parametrize("stored", ["0001-01-01", "9999-12-31 23:59:59.999999"])
@pytest.mark.parametrize("precision", ["year", "month", "day", "time"])
def test_stored_dates_at_the_ends_of_the_calendar_break_no_page_and_no_reply(world, settings, stored, precision):
    settings.TIME_ZONE = "America/New_York" if stored.startswith("0") else "Asia/Tokyo"
    ends = world.anna.write("red", "The far one.", ("client:Acme",), occurred_at="2026-05-05")
    near = world.anna.write("red", "The near one.", ("client:Acme",), occurred_at="2026-05-05")
    sql.execute(
        "update memory_record set occurred_at = %s::timestamp at time zone 'UTC', date_precision = %s, "
        "at = %s::timestamp at time zone 'UTC' where public_id = %s",
        (stored, precision, stored, parse_sr_id(ends)),
    )
    desk = make_desk(world.tenant, "ada", write="red")
    pages = [
        "/", "/timeline/", "/timeline/?t=client:Acme", "/timeline/?to=9999-12-31&from=0001-01-01",
        f"/records/{ends}/", f"/records/{near}/", f"/records/{near}/radius/", f"/records/{ends}/radius/",
        f"/records/{near}/radius/?as_of=0001-01-01", f"/records/{near}/?as_of=9999-12-31", f"/records/{ends}/edit/",
        "/search/?t=client:Acme&order=oldest", "/values/client/Acme/",
        *(f"/timeline/export/{fmt}/?t=client:Acme" for fmt in ("csv", "docx", "pdf")),
    ]  # fmt: skip
    for page in pages:
        assert desk.get(page).status_code == 200, page
    for arguments in ({}, {"as_of": "9999-12-31"}, {"as_of": "0001-01-01"}):
        for sr_id in (ends, near):
            assert world.anna("e_gather", "radius", sr_id=sr_id, **arguments).status == 200
            assert world.anna("e_gather", "traverse", sr_id=sr_id, limit=1, **arguments).status == 200
    assert world.anna("e_timeline", "intersect", match=["client:Acme"])["count"] == 2
    assert len(world.anna.pages("e_timeline", "intersect", limit=1, match=["client:Acme"])) == 2
    assert len(world.anna.pages("e_gather", "intersect", limit=1, match=["client:Acme"])) == 2
