"""What find never tells: each leg alone, against planted foreign markers and planted nearest neighbours."""

import json

import pytest

from lanes import services
from lanes.models import AgentProfile, Lane
from memory.find import engine, frequencies
from memory.find.legs import vectors
from memory.find.legs import words as word_leg
from memory.models import LaneValue, Record, RecordVector, Tag, Window
from tests.find.conftest import work

pytestmark = pytest.mark.django_db

LEGS = [*engine.LEGS, None]
QUESTION = "the vermilion heron clause of Tarquin Bellweather, 4 July 2026, no. 9:26-cv-77120"
LONG = " ".join(f"Sentence number {i} speaks of the vermilion heron and its clause." for i in range(40))


def plant(caller, lane):
    """Records that are the nearest possible to the question in every leg: the question itself, titled, tagged,
    with the value it names, of its date, long enough for windows."""
    for i in range(3):
        caller.write(lane, f"{QUESTION} {LONG}", ("client:Tarquin Bellweather", "topic:vermilion heron"),
                     external_id=f"planted-{lane}-{i}", title=QUESTION, occurred_at="2026-07-04")  # fmt: skip


@pytest.fixture
def mine(world):
    world.anna.write("red", "A heron stood by the clause of the river.", ("client:Tarquin Bellweather",),
                     external_id="mine-1", occurred_at="2026-07-03")  # fmt: skip
    world.anna.write("red", f"Vermilion paint. {LONG}", ("topic:paint",), external_id="mine-2", title="Paint",
                     occurred_at="2026-07-04")  # fmt: skip
    world.anna.write("red", "Nothing of the kind.", external_id="mine-3")
    work()
    return world


def answer(ask, name, leg, **options):
    """Everything a ranking says, by external id."""
    ranking = ask.ranking(name, QUESTION, only=leg, graph=True, **options)
    names = dict(Record.everything.values_list("id", "external_id"))
    return {
        "order": [(names[record], round(ranking.scores[record], 6)) for record in ranking.order],
        "legs": {
            found.name: [(names[record], round(score, 6)) for record, score in found.hits]
            for found in ranking.legs.values()
        },
        "windows": sorted(names[record] for record in ranking.windows),
    }


@pytest.mark.parametrize("leg", LEGS)
def test_records_of_other_lanes_and_tenants_change_nothing(mine, ask, leg):
    """Not only absent: every order, score and rank is what it was before they were written."""
    before = answer(ask, "andy", leg)
    assert before["order"], leg
    plant(mine.anna, "blue")
    plant(mine.bert, "red")
    plant(mine.wally, "green")
    work()
    assert Window.everything.filter(record__external_id__startswith="planted").count() > 3
    assert Tag.everything.filter(record__external_id__startswith="planted", extractor="known_values").exists()
    assert answer(ask, "andy", leg) == before
    assert {name.split("-")[0] for name, _ in answer(ask, "anna", leg)["order"]} == {"mine", "planted"}


@pytest.mark.parametrize("leg", LEGS)
def test_large_scopes_keep_the_same_walls(mine, ask, leg, monkeypatch):
    """The paths of a large archive: counted words, candidates, the approximate index."""
    monkeypatch.setattr(frequencies, "SMALL", 0)
    monkeypatch.setattr(vectors, "EXACT", 0)
    monkeypatch.setattr(vectors, "EXACT_LEAST", 0)
    frequencies.refresh_stale()
    before = answer(ask, "andy", leg)
    plant(mine.anna, "blue")
    plant(mine.bert, "red")
    work()
    frequencies.refresh_stale()
    for rows in (1e9, 1.0):
        monkeypatch.setattr(word_leg, "_table_rows", lambda rows=rows: rows)
        assert answer(ask, "andy", leg) == before


def test_no_reply_holds_anything_planted(mine):
    plant(mine.anna, "blue")
    plant(mine.bert, "red")
    work()
    hidden = [r.sr_id for r in Record.everything.filter(external_id__startswith="planted")]
    for question in (QUESTION, "Tarquin Bellweather", "vermilion heron", "planted-blue-0", hidden[0], "9:26-cv-77120"):
        reply = mine.andy("e_gather", "find", question=question, graph=True, limit=200)
        told = json.dumps(reply.body)
        assert reply.status == 200
        assert "planted" not in told and "9:26-cv-77120" not in told
        assert not any(sr_id in told for sr_id in hidden)


def test_a_hidden_record_is_no_bridge(world, ask):
    """A – hidden – C: neither the walk nor a neighbour in time passes through what cannot be read."""
    world.anna.write("red", "Start: the orchard lease.", ("parcel:A",), external_id="a", occurred_at="2026-01-01")
    world.anna.write("blue", "Middle: orchard.", ("parcel:A", "parcel:C"), external_id="b", occurred_at="2026-01-01")
    world.anna.write("red", "Unlike anything asked.", ("parcel:C",), external_id="c", occurred_at="2026-02-01")
    work()
    steps = ask.ranking("andy", "orchard lease", graph=True).steps
    assert not steps
    assert ask.ranking("rita", "orchard lease", graph=True).steps


def test_a_revoked_lane_is_gone_with_the_next_question(mine, ask):
    plant(mine.anna, "blue")
    work()
    cursor = mine.rita("e_gather", "find", question=QUESTION, limit=2)["next_cursor"]
    blue = Lane.objects.get(tenant=mine.tenant, slug="blue")
    services.revoke(tenant=mine.tenant, holder=AgentProfile.objects.get(slug="rita"), read=[blue])
    for arguments in ({}, {"cursor": cursor}):
        reply = mine.rita("e_gather", "find", question=QUESTION, limit=50, **arguments)
        assert "planted" not in json.dumps(reply.body)


def test_edited_wording_is_gone_from_every_leg(mine, ask):
    plant(mine.anna, "red")
    work()
    for record in Record.everything.filter(external_id__startswith="planted"):
        mine.anna("e_record", "update", sr_id=record.sr_id, text="A plain note about lunch.", title="Lunch",
                  edge_properties=[], occurred_at=None)  # fmt: skip
    planted = {f"planted-red-{i}" for i in range(3)}
    assert not RecordVector.everything.filter(record__external_id__in=planted).exists()
    for when in ("before it is worked again", "after"):
        for leg in ("structure", "words", "window_vector"):
            assert not planted & set(ask("andy", QUESTION, only=leg)), (leg, when)
        work()
    assert not Window.everything.filter(record__external_id__in=planted).exists()
    # The new vector is far from the question: it comes after everything that has to do with it.
    assert set(ask("andy", QUESTION, only="record_vector")[-4:]) >= planted


def test_a_deleted_record_is_gone_from_every_leg_and_table(mine, ask):
    before = {leg: answer(ask, "andy", leg) for leg in LEGS}
    values = set(LaneValue.everything.values_list("key", flat=True))
    plant(mine.anna, "red")
    work()
    ids = list(Record.everything.filter(external_id__startswith="planted").values_list("id", flat=True))
    for record in Record.everything.filter(id__in=ids):
        mine.anna("e_record", "delete", sr_id=record.sr_id)
    for model in (RecordVector, Window, Tag):
        assert not model.everything.filter(record_id__in=ids).exists()
    assert set(LaneValue.everything.values_list("key", flat=True)) == values
    work()
    for leg in LEGS:
        assert answer(ask, "andy", leg) == before[leg]


def test_a_moved_record_is_found_where_it_is_now(mine, ask):
    plant(mine.anna, "red")
    work()
    for record in Record.everything.filter(external_id__startswith="planted"):
        mine.anna("e_record", "update", sr_id=record.sr_id, lane="green")
    for leg in LEGS:
        assert not any(name.startswith("planted") for name in ask("andy", QUESTION, only=leg)), leg
