"""Controlled values: put, found in the texts of every lane of their tenant and no other, sought in earlier records."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction

from lanes.errors import Invalid
from lanes.models import Lane
from memory import sql
from memory.ingest import policies, queue, upkeep, vocabulary, worker
from memory.ingest.pipeline import FIRST
from memory.ingest.steps import Batch, Item, KnownValues
from memory.models import ControlledSpelling, ControlledValue, IngestPolicy, Tag
from memory.normal import edge_key
from memory.services import controlled
from memory.services.controlled import entry, read_lines
from tests.ingest.conftest import ingest, record_of, tags_of

COURT = "High Court of Harbour"


@pytest.fixture(autouse=True)
def known_values_only(settings):
    settings.LANEWISE_INGEST_STEPS, settings.LANEWISE_INGEST_LATER_STEPS = ["memory.ingest.steps.KnownValues"], []


def known(sr_id):
    return tags_of(sr_id, "known_values")


def put(world, *entries, tenant=None):
    return controlled.put((tenant or world.tenant).pk, [entry(*one) for one in entries])


def drop(world, value):
    row = ControlledValue.everything.get(tenant=world.tenant, value=value)
    assert controlled.remove(world.tenant.pk, [row.pk]) == 1


def again():
    """Run the waiting look-ups as a worker would, without one."""
    from memory.ingest import seek

    rows = sql.fetch("delete from procrastinate_jobs where task_name = %s returning args", (queue.AGAIN,))
    for (args,) in rows:
        seek.again(args["record_ids"])


def jobs(task=queue.VOCABULARY):
    return [args for (args,) in sql.fetch("select args from procrastinate_jobs where task_name = %s", (task,))]


def test_controlled_values_are_known_in_every_lane_of_their_tenant_only(world):
    put(world, ("court", COURT))
    here = [world.anna.write(lane, f"Before the {COURT}.") for lane in ("red", "blue")]
    elsewhere = world.bert.write("red", f"Before the {COURT}.")
    ingest(*here, elsewhere)
    assert [known(sr_id) for sr_id in here] == [[("court", COURT)]] * 2
    assert known(elsewhere) == []
    tag = Tag.everything.get(record=record_of(here[0]), extractor="known_values")
    assert tag.key == edge_key("court", COURT) and tag.data["controlled"] is True
    assert tag.start == len("Before the ")


@pytest.mark.parametrize("written", ["HCH", "the harbour COURT", "High Court of Harbour"])
def test_an_alias_and_the_bare_name_lead_to_the_value(world, written):
    put(world, ("court", f"{COURT} (civil)", ["HCH", "Harbour Court"]))
    sr_id = world.anna.write("red", f"Heard by {written} today.")
    ingest(sr_id)
    assert known(sr_id) == [("court", f"{COURT} (civil)")]


def test_a_value_of_the_lane_itself_is_no_less_known_and_the_alias_still_leads_to_it(world):
    put(world, ("client", "Quay Harbour", ["QH Group"]))
    world.anna.write("red", "x", ("client:Quay Harbour",))
    sr_id = world.anna.write("red", "Quay Harbour, also called QH Group.")
    ingest(sr_id)
    assert known(sr_id) == [("client", "Quay Harbour")] * 2
    keys = set(Tag.everything.filter(record=record_of(sr_id), label="client").values_list("key", flat=True))
    assert keys == {edge_key("client", "Quay Harbour")}


def test_new_values_are_sought_in_the_earlier_records_of_all_lanes(world):
    texts = {lane: world.anna.write(lane, f"Before the {COURT} in {lane}.") for lane in ("red", "blue", "green")}
    other = world.bert.write("red", f"Before the {COURT}.")
    unread = world.anna.write("red", f"The {COURT} again.")
    ingest(*texts.values(), other)
    put(world, ("court", COURT, ["HCH"]))
    assert jobs() == [{"tenant_id": world.tenant.pk}]
    assert vocabulary.search(world.tenant.pk) == 3  # the unread one finds it by itself
    assert all(known(sr_id) == [("court", COURT)] for sr_id in texts.values())
    assert known(other) == known(unread) == []
    assert vocabulary.unsought() == [] and vocabulary.search(world.tenant.pk) == 0


def test_mentions_in_one_lane_do_not_keep_those_of_another_from_being_found(world, monkeypatch):
    from memory.ingest import seek

    monkeypatch.setattr(seek, "RECORDS_A_VALUE", 2)
    many = [world.anna.write("blue", f"The {COURT}, {n}.") for n in range(4)]
    few = [world.anna.write("red", f"Before the {COURT}."), world.anna.write("green", f"At the {COURT}.")]
    ingest(*many, *few)
    put(world, ("court", COURT))
    assert vocabulary.search(world.tenant.pk) == 4
    assert all(known(sr_id) == [("court", COURT)] for sr_id in few)
    assert sum(known(sr_id) != [] for sr_id in many) == 2


def test_many_new_values_are_sought_by_reading_all_records_some_a_job(world, monkeypatch):
    monkeypatch.setattr(vocabulary, "RECORDS_A_JOB", 2)
    monkeypatch.setattr(vocabulary, "FEW", 3)
    sr_ids = [world.anna.write("red" if n % 2 else "blue", f"Seen at Harbour{n} Works.") for n in range(5)]
    world.bert.write("red", "Seen at Harbour0 Works.")
    ingest(*sr_ids)
    put(world, *[("place", f"Harbour{n} Works") for n in range(5)])
    sql.execute("delete from procrastinate_jobs where task_name = %s", (queue.VOCABULARY,))
    assert vocabulary.search(world.tenant.pk) == 2
    (further,) = jobs()
    assert vocabulary.unsought() == [world.tenant.pk]
    # A value that comes while they are being sought is not taken for sought with them.
    put(world, ("place", "Late Works"))
    runs = 0
    while waiting := sql.fetch(
        "delete from procrastinate_jobs where task_name = %s returning args", (queue.VOCABULARY,)
    ):
        runs += 1
        for (args,) in waiting:
            vocabulary.search(args["tenant_id"], args.get("after", 0), args.get("through"))
    assert runs >= 3 and further["after"] and vocabulary.unsought() == []
    assert all(known(sr_id) == [("place", f"Harbour{n} Works")] for n, sr_id in enumerate(sr_ids))


def test_an_alias_taken_away_takes_its_mentions_along_and_leaves_the_others(world):
    put(world, ("court", COURT, ["HCH"]))
    by_name, by_alias = world.anna.write("red", f"The {COURT} sat."), world.anna.write("red", "HCH sat.")
    ingest(by_name, by_alias)
    assert put(world, ("court", COURT, [])) == {"added": 0, "changed": 1, "unchanged": 0}
    again()
    vocabulary.search(world.tenant.pk)
    assert (known(by_name), known(by_alias)) == ([("court", COURT)], [])


def test_a_removed_value_goes_from_texts_except_where_the_lane_uses_it_and_frees_what_it_covered(world):
    put(world, ("client", "Quay Harbour Holdings"))
    world.anna.write("red", "x", ("client:Quay Harbour Holdings",))
    world.anna.write("blue", "x", ("client:Quay Harbour",))
    in_red, in_blue = (world.anna.write(lane, "Quay Harbour Holdings paid.") for lane in ("red", "blue"))
    ingest(in_red, in_blue)
    assert known(in_red) == known(in_blue) == [("client", "Quay Harbour Holdings")]
    drop(world, "Quay Harbour Holdings")
    assert known(in_blue) == []
    again()
    assert (known(in_red), known(in_blue)) == ([("client", "Quay Harbour Holdings")], [("client", "Quay Harbour")])
    assert not ControlledSpelling.everything.filter(tenant=world.tenant).exists()


def test_a_lane_that_stops_using_a_value_keeps_its_mentions_while_the_tenant_controls_it(world):
    for value in ("Quay Harbour", "Bo Quist"):
        carrier = world.anna.write("red", f"About {value}", (f"client:{value}",))
        if value == "Quay Harbour":
            put(world, ("client", value))
        sr_id = world.anna.write("red", f"{value} paid.")
        ingest(sr_id)
        assert known(sr_id) == [("client", value)]
        world.anna("e_property", "remove", sr_id=carrier, edge_properties=[f"client:{value}"])
        assert known(sr_id) == ([("client", value)] if value == "Quay Harbour" else [])


def test_putting_is_idempotent_and_says_what_it_did(world):
    assert put(world, ("court", COURT, ["HCH"]), ("client", "Quay")) == {"added": 2, "changed": 0, "unchanged": 0}
    before = list(ControlledValue.everything.order_by("pk").values_list())
    assert put(world, ("court", COURT, ["HCH"])) == {"added": 0, "changed": 0, "unchanged": 1}
    # Without aliases on the line those that are there stay; another spelling of the same value is a change.
    assert put(world, ("court", COURT)) == {"added": 0, "changed": 0, "unchanged": 1}
    assert list(ControlledValue.everything.order_by("pk").values_list()) == before
    assert put(world, ("Court", COURT.upper())) == {"added": 0, "changed": 1, "unchanged": 0}
    row = ControlledValue.everything.get(tenant=world.tenant, label="court")
    assert (row.value, row.aliases) == (COURT.upper(), ["HCH"])
    assert set(row.spellings.values_list("written", flat=True)) == {COURT.upper(), "HCH"}
    assert put(world, ("court", COURT), tenant=world.other)["added"] == 1


def test_removing_only_reaches_the_own_tenant(world):
    put(world, ("court", COURT), tenant=world.other)
    row = ControlledValue.everything.get(tenant=world.other)
    assert controlled.remove(world.tenant.pk, [row.pk]) == 0
    assert ControlledSpelling.everything.filter(of=row).exists()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (("", "x"), "label"), (("9x", "x"), "label"), (("e_connect", "x"), "label"), (("client", ""), "value"),
        (("client", " \t"), "value"), (("client", "x" * 501), "value"), (("client", "a\x00"), "value"),
        (("client", "\ud800"), "value"), (("client", "\ufdfa" * 400), "value"),
        (("client", "x", ["y" * 501]), "aliases"),
        (("client", "x", ["\x00"]), "aliases"),
        (("client", "x", [f"y{n}" for n in range(51)]), "aliases"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_value_is_refused_by_name(given, field):
    with pytest.raises(Invalid) as error:
        entry(*given)
    assert list(error.value.errors) == [field]


def test_an_entry_is_normalised():
    made = entry("Client", "  Quay \n Harbour ", ["QH", "qh", " quay harbour ", ""])
    assert (made.label, made.value, made.aliases) == ("client", "Quay Harbour", ("QH",))
    assert made.key == edge_key("client", "quay harbour")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("client,Acme", [("client", "Acme", None)]),
        ("\ufefflabel,value,alias\nclient,Acme,ACME Inc,Acme Ltd\n\n", [("client", "Acme", ("ACME Inc", "Acme Ltd"))]),
        ('client,"Smith, Jones & Co","S, J"', [("client", "Smith, Jones & Co", ("S, J",))]),
        ("client\tSmith, Jones\tSJ\nclient\tBo", [("client", "Smith, Jones", ("SJ",)), ("client", "Bo", None)]),
        ("client: Acme\r\ncourt: High: Court", [("client", "Acme", None), ("court", "High: Court", None)]),
        ("client,'=1+1", [("client", "=1+1", None)]),
        ("label,value\nlabel,value", [("label", "value", None)]),  # only the first line is a heading
    ],
)
def test_lines_are_read_as_people_paste_them(text, expected):
    assert [(e.label, e.value, e.aliases) for e in read_lines(text)] == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("client,Acme\n9,x\nclient,\nnothing", ["Line 2", "Line 3", "Line 4"]),
        ("", ["no value"]), ("\n \n", ["no value"]), ("label,value\n", ["no value"]), ("client,a\x00b", ["U+0000"]),
        ("e_adjust,x", ["Line 1"]), ("client,x," + ",".join(f"y{n}" for n in range(60)), ["Line 1"]),
        ('client,"' + "x" * 140_000, ["Line 1"]),
    ],
)  # fmt: skip
def test_wrong_lines_are_named_and_nothing_is_read(text, said):
    with pytest.raises(Invalid) as error:
        read_lines(text)
    lines = error.value.errors["lines"]
    assert len(lines) == len(said) and all(part in line for part, line in zip(said, lines, strict=True))


def test_too_many_lines_are_refused(monkeypatch):
    monkeypatch.setattr(controlled, "LINES_MAX", 3)
    with pytest.raises(Invalid) as error:
        read_lines("client,x\n" * 4)
    assert "At most 3" in error.value.errors["lines"][0]


def test_a_question_that_names_a_controlled_value_finds_the_texts_that_mention_it_by_an_alias(world):
    put(world, ("court", COURT, ["HCH"]))
    sr_id = world.anna.write("red", "The motion was argued before HCH on Monday.")
    hidden = world.anna.write("blue", "HCH again.")
    for number in range(5):
        world.anna.write("red", f"Lunch number {number}.")
    ingest(sr_id, hidden)
    found = world.andy("e_gather", "find", question=f"What did the {COURT} hear?")
    assert found.ids[0] == sr_id and hidden not in found.ids
    assert any(COURT in why for why in found.srs[0]["legs"]["structure"]["why"])
    # A longer controlled value stands in no used one's way.
    world.anna.write("red", "carrier", ("topic:Harbour",))
    put(world, ("place", "Harbour Works"))
    found = world.andy("e_gather", "find", question="Harbour Works")
    assert any("topic: Harbour" in hit["legs"].get("structure", {}).get("why", []) for hit in found.srs)


def test_upkeep_finds_values_that_nobody_seeks(world):
    put(world, ("court", COURT))
    sql.execute("delete from procrastinate_jobs where task_name = %s", (queue.VOCABULARY,))
    upkeep.run()
    assert jobs() == [{"tenant_id": world.tenant.pk}]
    put(world, ("court", "Another"))
    assert len(jobs()) == 1


def test_the_queue_brings_a_value_into_earlier_texts_and_takes_it_out(live):
    sr_id = live.anna.write("red", f"Before the {COURT}.")
    assert worker.until_idle(timeout=60)
    controlled.put(live.tenant.pk, [entry("court", COURT)])
    queue.hasten()
    assert worker.until_idle(timeout=60)
    assert known(sr_id) == [("court", COURT)]
    row = ControlledValue.everything.get()
    assert row.sought
    controlled.remove(live.tenant.pk, [row.pk])
    assert worker.until_idle(timeout=60)
    assert known(sr_id) == [] and FIRST.task == queue.FIRST


def test_a_value_waits_for_records_that_are_being_stored_without_it(live):
    """Else the search for it could begin before they can be seen, and they would never be told of it."""
    done = threading.Event()

    def put_it():
        controlled.put(live.tenant.pk, [entry("court", COURT)])
        done.set()
        connection.close()

    thread = threading.Thread(target=put_it)
    sr_id = live.anna.write("red", f"Before the {COURT}.")
    batch = Batch([Item(*row) for row in sql.fetch(_ITEMS, (record_of(sr_id).pk,))])
    store = KnownValues().run(batch)
    with transaction.atomic():
        store(batch.items)
        thread.start()
        assert not done.wait(0.5)
        sql.execute("update memory_record set ingested_version = version where id = %s", (batch.items[0].record_id,))
    thread.join(20)
    assert done.is_set() and known(sr_id) == []
    assert vocabulary.search(live.tenant.pk) == 1 and known(sr_id) == [("court", COURT)]


_ITEMS = "select id, tenant_id, lane_id, public_id, version, title, text, at from memory_record where id = %s"


def test_a_tenant_takes_its_vocabulary_along(world):
    from lanes import services

    gone = services.create_tenant(slug="gone")
    put(world, ("court", COURT, ["HCH"]), tenant=gone)
    gone.delete()
    assert not ControlledValue.everything.filter(value=COURT).exists()
    assert not ControlledSpelling.everything.exists()
    assert Lane.objects.exists()


def test_looking_up_and_suggesting_read_an_index_among_many(world):
    from memory.ingest.lookup import _CONTROLLED
    from memory.normal import norm_key
    from memory.selectors import values

    put(world, *[("place", f"Harbour {n} Works") for n in range(400)])
    sql.execute("analyze memory_controlledspelling, memory_controlledvalue", prepare=False)
    plan = sql.fetch(f"explain {_CONTROLLED}", (world.tenant.pk, [norm_key("Harbour 7 Works")]), prepare=False)
    assert any("controlled_spelling_norm" in line for (line,) in plan), plan
    params = {"tenant": world.tenant.pk, "labels": ["place"], "start": "harb", "end": "harb\U0010ffff", "limit": 8}
    plan = sql.fetch(f"explain {values._CONTROLLED}", params, prepare=False)
    assert any("controlled_spelling_prefix" in line for (line,) in plan), plan
    assert not any("Seq Scan" in line and "spelling" in line for (line,) in plan), plan


def test_what_was_promoted_goes_with_the_control_of_its_value_unless_somebody_uses_it(world):
    lane = Lane.objects.get(slug="red", tenant=world.tenant)
    IngestPolicy.everything.create(lane=lane, tenant=world.tenant, promote=True)
    made = [world.anna.write("red", f"At the {COURT}, {number}.") for number in range(2)]

    def carried(sr_id):
        held = world.anna("e_property", "list", sr_id=sr_id)["edge_properties"]
        return [{"label": item["label"], "value": item["value"]} for item in held]

    def worked():
        again()
        policies.apply([record_of(sr_id).pk for sr_id in made])

    put(world, ("court", COURT))
    ingest(*made)
    worked()
    assert all(carried(sr_id) == [{"label": "court", "value": COURT}] for sr_id in made)
    drop(world, COURT)
    worked()
    assert all(carried(sr_id) == known(sr_id) == [] for sr_id in made)
    put(world, ("court", COURT))
    vocabulary.search(world.tenant.pk)
    world.anna.write("red", "Somebody says so.", (f"court:{COURT}",))
    worked()
    drop(world, COURT)
    worked()
    assert all(carried(sr_id) == [{"label": "court", "value": COURT}] for sr_id in made)
