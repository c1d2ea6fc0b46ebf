# ruff: noqa: E501 - tables of examples read better a line each
"""Known values against the tables: lanes, walls, moves, aliases, values that come later."""

from __future__ import annotations

import pytest

from memory import sql
from memory.ingest import seek
from memory.models import LaneValue, Tag
from memory.normal import edge_key
from tests.ingest.conftest import ingest, record_of, tags_of


@pytest.fixture(autouse=True)
def tags_only(settings):
    settings.LANEWISE_INGEST_STEPS = ["memory.ingest.steps.KnownValues"]


def known(sr_id):
    return tags_of(sr_id, "known_values")


def sought(lane):
    return seek.seek(record_of(lane).lane_id)


def test_mentions_of_the_lanes_own_values_are_tagged_and_of_no_other_lanes(world):
    anna = world.anna
    anna.write("red", "x", ("client:Quay Harbour",))
    anna.write("blue", "x", ("client:Zephyr Walled",))
    world.bert.write("red", "x", ("client:Elsewhere Ltd",))
    text = "Quay Harbour, Zephyr Walled and Elsewhere Ltd met."
    in_red, in_blue, in_green = (anna.write(lane, text) for lane in ("red", "blue", "green"))
    ingest(in_red, in_blue, in_green)
    assert known(in_red) == [("client", "Quay Harbour")]
    assert known(in_blue) == [("client", "Zephyr Walled")]
    assert known(in_green) == []


def test_no_tag_tells_a_reader_of_one_lane_about_values_of_another(world):
    """rita reads red and blue, andy only red: whatever andy can read must not name blue's value as a value."""
    world.anna.write("blue", "x", ("client:Zephyr Walled",))
    sr_id = world.anna.write("red", "A call about Zephyr Walled.")
    ingest(sr_id)
    key = edge_key("client", "Zephyr Walled")
    assert not Tag.everything.filter(lane=record_of(sr_id).lane_id, key=key).exists()
    record = world.andy("e_record", "read", sr_id=sr_id).raw.decode()
    assert "client" not in record


def test_a_moved_record_loses_the_old_lanes_mentions_at_once_and_gets_the_new_ones(anna):
    anna.write("red", "x", ("client:Quay Harbour",))
    anna.write("blue", "x", ("client:Zephyr Walled",))
    sr_id = anna.write("red", "Quay Harbour and Zephyr Walled.")
    ingest(sr_id)
    assert known(sr_id) == [("client", "Quay Harbour")]
    anna("e_record", "update", sr_id=sr_id, lane="blue")
    assert known(sr_id) == []
    ingest(sr_id)
    assert known(sr_id) == [("client", "Zephyr Walled")]


def test_a_value_that_comes_into_use_later_is_found_in_earlier_records(anna):
    early = anna.write("red", "Lunch with Quay Harbour.")
    other = anna.write("blue", "Lunch with Quay Harbour.")
    ingest(early, other)
    assert known(early) == []
    anna.write("red", "x", ("client:Quay Harbour",))
    lane = record_of(early).lane_id
    assert seek.unsought([lane, record_of(other).lane_id]) == [lane]
    sought(early)
    assert known(early) == [("client", "Quay Harbour")]
    assert known(other) == []
    assert seek.unsought([lane]) == []


@pytest.mark.parametrize("cost", [0.0001, 1e9])
def test_few_and_many_new_values_are_sought_with_the_same_result(anna, monkeypatch, cost):
    """By the word index, or by reading the lane again: whichever is cheaper must not matter."""
    texts = [
        "Lunch with QUAY HARBOUR today.", "the quay-harbour's boats", "David Bradley called.", "matter 2024-017 closed",
        "昨日東京電力と契約した", "Café Ölberg, at noon", "nothing here", "Harbour and quay",
    ]  # fmt: skip
    early = [anna.write("red", text) for text in texts]
    ingest(*early)
    anna.write(
        "red", "x",
        ("client:Quay Harbour", "person:David Bradley (director)", "matter:2024-017", "client:東京電力", "place:Café Ölberg"),
    )  # fmt: skip
    monkeypatch.setattr(seek, "_VALUE_COST", cost)
    sought(early[0])
    assert [known(sr_id) for sr_id in early] == [
        [("client", "Quay Harbour")], [("client", "Quay Harbour")], [("person", "David Bradley (director)")],
        [("matter", "2024-017")], [("client", "東京電力")], [("place", "Café Ölberg")], [], [],
    ]  # fmt: skip


def test_seeking_again_doubles_nothing(anna):
    early = anna.write("red", "Quay Harbour. Quay Harbour.")
    ingest(early)
    anna.write("red", "x", ("client:Quay Harbour",))
    sought(early)
    sql.execute("update memory_lanevalue set sought = false")
    sql.execute("update memory_record set known_through = 0")
    assert sought(early) > 0
    assert len(known(early)) == 2  # two mentions


def test_records_that_knew_a_value_when_they_were_ingested_are_not_read_again(anna):
    """Import first, ingest after: nothing is left to seek, however many values there are."""
    sr_ids = [anna.write("red", f"Lunch with Client {n}.", (f"client:Client {n}",)) for n in range(9)]
    ingest(*sr_ids)
    assert sought(sr_ids[0]) == 0
    assert known(sr_ids[3]) == [("client", "Client 3")]
    assert seek.unsought([record_of(sr_ids[0]).lane_id]) == []


@pytest.mark.django_db(transaction=True)
def test_a_value_under_way_in_another_transaction_is_not_taken_as_known(live):
    """Its writer has its id already, but has not committed: the record ingested meanwhile must be sought later."""
    from django.db import connection, transaction

    from memory.services import locks

    sr_id = live.anna.write("red", "Lunch with Quay Harbour.")
    lane = record_of(sr_id).lane_id
    other = connection.copy()
    try:
        with transaction.atomic(), other.cursor() as cursor:
            other.set_autocommit(False)
            cursor.execute("select pg_advisory_xact_lock_shared(%s, %s)", (locks.LANES, lane))
            ingest(sr_id)
        assert record_of(sr_id).known_through == 0
        other.rollback()
    finally:
        other.close()
    live.anna.write("red", "x", ("client:Quay Harbour",))
    assert sought(sr_id) == 1
    assert known(sr_id) == [("client", "Quay Harbour")]
    assert record_of(sr_id).known_through > 0


def test_a_renamed_value_takes_its_mentions_along(anna):
    anna.write("red", "x", ("client:Quay Hbr",))
    sr_id = anna.write("red", "Paid by Quay Hbr.")
    ingest(sr_id)
    anna("e_property", "rename", label="client", value="Quay Hbr", to="Quay Harbour")
    sought(sr_id)
    assert known(sr_id) == [("client", "Quay Harbour")]
    assert Tag.everything.get(record=record_of(sr_id)).key == edge_key("client", "Quay Harbour")


def test_a_value_gone_from_the_lane_takes_its_mentions_along(anna):
    only = anna.write("red", "x", ("client:Quay Harbour",))
    sr_id = anna.write("red", "Paid by Quay Harbour.")
    ingest(sr_id)
    assert known(sr_id)
    anna("e_record", "delete", sr_id=only)
    assert not LaneValue.everything.filter(folded="quay harbour").exists()
    assert known(sr_id) == []


def test_a_record_in_work_while_its_value_is_written_finds_it(anna, settings):
    """The lookup is made in the storing transaction: between reading the record and storing, a value may appear."""
    from tests.ingest.stand_ins import Meddler

    settings.LANEWISE_INGEST_STEPS = ["memory.ingest.steps.KnownValues", "tests.ingest.stand_ins.Meddler"]
    sr_id = anna.write("red", "Paid by Quay Harbour.")
    Meddler.deed = lambda records: anna.write("red", "x", ("client:Quay Harbour",))
    ingest(sr_id)
    assert known(sr_id) == [("client", "Quay Harbour")]


def test_a_title_that_mentions_a_value_gives_a_tag_without_a_place(anna):
    anna.write("red", "x", ("client:Quay Harbour",))
    sr_id = anna.write("red", "They paid.", title="Call with Quay Harbour")
    own = anna.write("red", "About itself, Quay Harbour.", title="Quay Harbour")
    ingest(sr_id, own)
    tag = Tag.everything.get(record=record_of(sr_id), extractor="known_values")
    assert (tag.start, tag.end, tag.value) == (None, None, "Quay Harbour")
    assert known(own) == []


def test_a_value_with_a_parenthesis_is_mentioned_without_it_but_not_inside_other_names_or_words(anna):
    anna.write("red", "x", ("title:Princess (film)", "title:Second Wife (1936 film)", "title:@Home"))
    yes = anna.write("red", "She starred in Princess and in Second Wife.")
    no = anna.write("red", "Princess Ada and her father's second wife were at home in Old Princess.")
    ingest(yes, no)
    assert known(yes) == [("title", "Princess (film)"), ("title", "Second Wife (1936 film)")]
    assert known(no) == []
