"""The two parts of find that look beside a hit: the walk along shared values, and what stands next in time."""

import pytest

from memory.find import context
from memory.find.legs import walk
from tests.find.conftest import work

pytestmark = pytest.mark.django_db


def test_the_walk_finds_the_second_half_of_a_question(world, ask):
    """ "Where was the builder of the Ostrel bridge born?": the answer shares no word with the question."""
    world.anna.write("red", "The Ostrel bridge was built by Maren Tolvik in two summers.", ("title:Ostrel bridge",),
                     external_id="bridge", title="Ostrel bridge")  # fmt: skip
    world.anna.write("red", "She grew up in Hallvik, a fishing village.", ("title:Maren Tolvik",),
                     external_id="builder", title="Maren Tolvik")  # fmt: skip
    for i in range(40):
        world.anna.write("red", f"A bridge of wood, number {i}, where a builder was born.", external_id=f"other{i}")
    work()
    question = "Where was the builder of the Ostrel bridge born?"
    plain, walked = ask("andy", question), ask("andy", question, graph=True)
    assert walked[0] == "bridge"
    assert walked.index("builder") <= 2 < plain.index("builder")
    reply = world.andy("e_gather", "find", question=question, graph=True)
    hit = next(record for record in reply.srs if record["external_id"] == "builder")
    bridge = next(record for record in reply.srs if record["external_id"] == "bridge")
    assert hit["legs"]["walk"]["from"] == bridge["sr_id"]
    assert hit["legs"]["walk"]["shared"] == {"label": "title", "value": "Maren Tolvik"}


def test_a_value_is_known_without_its_qualifier(world, ask):
    world.anna.write("red", "The kiln was designed by Ines Farrow.", ("title:Kiln",), external_id="kiln", title="Kiln")
    world.anna.write("red", "Born in Marle.", ("title:Ines Farrow (engineer)",), external_id="person",
                     title="Ines Farrow (engineer)")  # fmt: skip
    work()
    steps = ask.ranking("andy", "who designed the kiln", graph=True).steps
    assert len(steps) == 1


def test_a_hub_is_not_walked(world, ask):
    for i in range(walk.HUB + 5):
        world.anna.write("red", f"Matter file {i}.", ("client:Everyone",), external_id=f"h{i}")
    world.anna.write("red", "The zinc foundry.", ("client:Everyone", "site:zinc"), external_id="start")
    world.anna.write("red", "Unrelated words.", ("site:zinc",), external_id="end")
    work()
    ranking = ask.ranking("andy", "zinc foundry", graph=True)
    assert {step.value for step in ranking.steps.values()} == {"zinc"}


def test_neighbours_in_time_lend_to_each_other_only_within_what_they_share(world, ask):
    def turn(name, text, properties, day, lane="red"):
        world.anna.write(lane, text, properties, external_id=name, occurred_at=f"2026-01-{day:02d}")

    turn("asked", "Which harbour did the schooner leave from?", ("call:1",), 1)
    turn("answered", "That was Kelmstad, at dawn.", ("call:1",), 2)
    turn("stranger", "Lunch was late again.", ("call:2",), 3)
    turn("far", "We hung up.", ("call:1",), 4)
    turn("elsewhere", "That was Kelmstad, too.", ("call:1",), 2, lane="blue")
    world.anna.write("red", "Undated beside it.", ("call:1",), external_id="undated")
    work()
    ranking = ask.ranking("andy", "Which harbour did the schooner leave from?", only="words", without=())
    from memory.models import Record

    names = dict(Record.everything.values_list("id", "external_id"))
    lent = {names[record]: gain for record, gain in context.lend(ranking.ask, ranking.scores).items()}
    assert set(lent) == {"answered"}
    assert lent["answered"] == pytest.approx(context.AFTER[0] * next(iter(ranking.scores.values())))


def test_records_of_one_time_keep_the_order_they_were_written_in(world):
    from memory.models import Record

    items = [
        {"lane": "red", "text": f"turn {i}", "external_id": f"t:{i}", "occurred_at": "2026-01-01"} for i in range(12)
    ]
    world.anna("e_record", "write_many", records=items)
    names = list(Record.everything.order_by("at", "id").values_list("external_id", flat=True))
    assert names == [f"t:{i}" for i in range(12)]


def test_hidden_connections_take_no_room_of_the_walk(world, ask, monkeypatch):
    monkeypatch.setattr(walk, "LINKS_MAX", 1)
    anna = world.anna
    near = anna.write("red", "The zinc foundry closed.", ("person:Ola Brandt",), external_id="near")
    anna.write("red", "A letter of thanks.", ("person:Ola Brandt",), external_id="far")
    work()
    before = ask.ranking("andy", "zinc foundry", graph=True)
    assert len(before.steps) == 1
    for number in range(8):
        hidden = anna.write("blue", f"Hidden {number}.")
        assert anna("e_property", "connect", sr_id=[near, hidden], hint="tied").status == 200
    after = ask.ranking("andy", "zinc foundry", graph=True)
    assert (after.order, after.scores, after.steps) == (before.order, before.scores, before.steps)
