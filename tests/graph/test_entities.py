"""The entity graph: the seed's conversation, contradictions, reinforcement, walls, time, context."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from lanes.errors import Invalid, NotVisible, Refused
from memory.entities import ask, context
from memory.entities.store import GraphStore
from memory.gather.radius import radius
from memory.relations.remember import remember
from memory.services import records
from tests.graph.test_grammar import SEED


@pytest.fixture
def store(firm):
    return GraphStore(firm.scribe, "alpha")


def edges(reply):
    return {(e["source"], e["type"], e["target"]) for e in reply["edges"]}


CONVERSATION = {
    ("Raj", "MEMBER_OF", "Frontend Team"),
    ("Raj", "COMPLETED", "Checkout Redesign"),
    ("Raj", "HANDED_OFF_TO", "Priya"),
}


def test_the_conversation_becomes_the_graph_and_the_contradiction_ends_a_membership(firm, store):
    remember(firm.scribe, text=SEED, lane="alpha")
    reply = store.traverse("Raj", depth=1)
    assert reply["node"] == "Raj"
    assert reply["entity"]["type"] == "person"
    assert reply["entity"]["attributes"] == {"team": "frontend"}
    assert edges(reply) == CONVERSATION
    assert edges(store.traverse("Raj", depth=2)) == CONVERSATION | {("Priya", "TESTING", "Checkout Redesign")}
    before = timezone.now()
    remember(firm.scribe, text="Raj moved from frontend to platform.", lane="alpha")
    after = edges(store.traverse("Raj"))
    assert ("Raj", "MEMBER_OF", "Platform Team") in after
    assert ("Raj", "MEMBER_OF", "Frontend Team") not in after
    then = GraphStore(firm.scribe, "alpha", as_of=before)
    assert edges(then.traverse("Raj")) == CONVERSATION
    everything = GraphStore(firm.scribe, "alpha", include_invalidated=True).traverse("Raj")
    old = [e for e in everything["edges"] if e["target"] == "Frontend Team"]
    assert old and old[0]["invalidated_at"]
    assert store.traverse("Raj")["left_out_invalid"] == 1
    assert edges(store.traverse("Priya")) == {
        ("Raj", "HANDED_OFF_TO", "Priya"),
        ("Priya", "TESTING", "Checkout Redesign"),
    }


def test_edge_types_limit_the_walk(firm, store):
    remember(firm.scribe, text=SEED, lane="alpha")
    reply = store.traverse("raj", depth=2, edge_types=["HANDED_OFF_TO", "TESTING"])
    assert edges(reply) == {("Raj", "HANDED_OFF_TO", "Priya"), ("Priya", "TESTING", "Checkout Redesign")}


def test_a_repeated_mention_raises_confidence_and_never_above_one(firm, store):
    seen = []
    for _ in range(30):
        store.add_edge("Raj", "Priya", "HANDED_OFF_TO", confidence=0.6)
        edge = store.traverse("Raj")["edges"][0]
        seen.append(edge["confidence"])
    assert seen[0] == 0.6
    assert seen == sorted(seen)
    assert seen[-1] <= 1
    assert edge["mentions"] == 30
    assert edge["last_mentioned"]
    assert len(store.traverse("Raj")["edges"]) == 1


def test_a_single_valued_type_ends_only_the_same_subject_and_type(firm, store):
    store.add_edge("Raj", "Frontend Team", "MEMBER_OF")
    store.add_edge("Priya", "Frontend Team", "MEMBER_OF")
    store.add_edge("Raj", "Checkout", "WORKS_ON")
    made = store.add_edge("Raj", "Platform Team", "MEMBER_OF", valid_from="2031-01-01T00:00:00Z")
    assert len(made["superseded"]) == 1
    later = GraphStore(firm.scribe, "alpha", as_of=datetime(2031, 1, 1, tzinfo=UTC))
    assert edges(later.traverse("Raj")) == {("Raj", "MEMBER_OF", "Platform Team"), ("Raj", "WORKS_ON", "Checkout")}
    assert edges(later.traverse("Priya")) == {("Priya", "MEMBER_OF", "Frontend Team")}
    just_before = GraphStore(firm.scribe, "alpha", as_of=datetime(2031, 1, 1, tzinfo=UTC) - timedelta(microseconds=1))
    assert ("Raj", "MEMBER_OF", "Frontend Team") in edges(just_before.traverse("Raj"))
    assert ("Raj", "MEMBER_OF", "Platform Team") not in edges(just_before.traverse("Raj"))


def test_what_is_told_late_does_not_end_what_came_after(firm, store):
    store.add_edge("Raj", "Platform Team", "MEMBER_OF", valid_from="2024-06-01T00:00:00Z")
    made = store.add_edge("Raj", "Frontend Team", "MEMBER_OF", valid_from="2024-01-01T00:00:00Z")
    assert made["superseded"] == []
    assert edges(store.traverse("Raj")) == {("Raj", "MEMBER_OF", "Platform Team")}
    for day, team in (
        (datetime(2024, 3, 1, tzinfo=UTC), "Frontend Team"),
        (datetime(2024, 6, 1, tzinfo=UTC), "Platform Team"),
    ):
        assert edges(GraphStore(firm.scribe, "alpha", as_of=day).traverse("Raj")) == {("Raj", "MEMBER_OF", team)}


def test_single_valued_may_be_said_or_unsaid(firm, store):
    store.add_edge("Raj", "Red", "LIKES", single_valued=True)
    store.add_edge("Raj", "Blue", "LIKES", single_valued=True)
    assert edges(store.traverse("Raj")) == {("Raj", "LIKES", "Blue")}
    store.add_edge("Raj", "Platform Team", "MEMBER_OF")
    store.add_edge("Raj", "Chess Team", "MEMBER_OF", single_valued=False)
    assert len(store.traverse("Raj", edge_types=["MEMBER_OF"])["edges"]) == 2


def test_a_relationship_that_comes_back_keeps_its_first_time(firm, store):
    store.add_edge("Raj", "Red Team", "MEMBER_OF", valid_from="2024-01-01T00:00:00Z")
    store.invalidate_edge("Raj", "Red Team", "MEMBER_OF", at="2024-02-01T00:00:00Z")
    assert store.traverse("Raj")["edges"] == []
    store.add_edge("Raj", "Red Team", "MEMBER_OF", valid_from="2024-03-01T00:00:00Z")
    for month, there in ((1, True), (2, False), (3, True)):
        at = GraphStore(firm.scribe, "alpha", as_of=datetime(2024, month, 15, tzinfo=UTC))
        assert bool(at.traverse("Raj")["edges"]) is there


def test_an_ended_entity_leaves_and_stays_in_the_past(firm, store):
    store.add_edge("Raj", "Red Team", "MEMBER_OF", valid_from="2024-01-01T00:00:00Z")
    at = datetime(2024, 3, 1, tzinfo=UTC)
    store.invalidate_node("Red Team", at="2024-06-01T00:00:00Z")
    assert store.traverse("Raj")["edges"] == []
    with pytest.raises(NotVisible):
        store.traverse("Red Team")
    assert len(GraphStore(firm.scribe, "alpha", as_of=at).traverse("Raj")["edges"]) == 1
    store.add_node("Red Team")
    assert len(store.traverse("Raj")["edges"]) == 1


def test_entities_are_records_and_walk_like_any_other(firm, store):
    raj = store.add_node("Raj", "person")
    note = firm.write("Note on Raj", edge_properties=["person:raj"])
    assert [n["sr_id"] for n in radius(firm.scope(), raj)["nodes"]] == [raj, note]
    made = records.write(firm.scribe, lane="alpha", kind="entity", title="Priya", edge_properties=["person:Priya"])
    store.add_edge("Priya", "Raj", "REPORTS_TO")
    assert made.sr_id in store.traverse("Priya")["entity"]["sr_ids"]


def test_one_entity_in_two_lanes_is_one_vertex_to_who_reads_both(firm):
    GraphStore(firm.scribe, "alpha").add_edge("Raj", "Red Team", "MEMBER_OF", source_type="person")
    GraphStore(firm.scribe, "hidden").add_edge("Raj", "Secret Deal", "WORKS_ON", source_type="person")
    both = GraphStore(firm.scribe, "alpha").traverse("Raj")
    assert edges(both) == {("Raj", "MEMBER_OF", "Red Team"), ("Raj", "WORKS_ON", "Secret Deal")}
    assert len(both["entity"]["sr_ids"]) == 2
    seen = GraphStore(firm.anna, "alpha").traverse("Raj")
    assert edges(seen) == {("Raj", "MEMBER_OF", "Red Team")}
    assert "Secret" not in str(seen)


def test_nothing_hidden_shows_anywhere(firm):
    GraphStore(firm.scribe, "alpha").add_edge("Raj", "Red Team", "MEMBER_OF")
    at = timezone.now()
    scope = firm.scope(as_of=at)

    def answers():
        store = GraphStore(firm.anna, "alpha", as_of=at)
        context_ = ask.build_context(scope, "What does Raj do about Zebulon?")
        return store.traverse("Raj", depth=3), ask.query_graph(scope, "Raj Zebulon red"), context_

    before = answers()
    hidden = GraphStore(firm.scribe, "hidden")
    hidden.add_edge("Raj", "Zebulon", "WORKS_ON", valid_from="2024-01-01")
    hidden.add_edge("Zebulon", "Red Team", "OWNED_BY", valid_from="2024-01-01")
    assert "Zebulon" in str(ask.query_graph(firm.scope(firm.scribe, as_of=at), "Raj"))
    assert answers() == before
    with pytest.raises(NotVisible):
        GraphStore(firm.anna, "alpha").traverse("Zebulon")
    with pytest.raises(NotVisible):
        GraphStore(firm.anna, "alpha").invalidate_edge("Raj", "Zebulon", "WORKS_ON")


def test_a_relationship_across_a_wall_is_none(firm):
    a = firm.write("Open", "alpha")
    b = firm.write("Walled", "hidden")
    GraphStore(firm.scribe, "alpha").add_edge(a, b, "RELATED")
    reply = ask.query_graph(firm.scope(), "Open Walled related")
    assert "Walled" not in str(reply)


def test_writing_needs_the_lane(firm):
    with pytest.raises(Refused):
        GraphStore(firm.anna, "beta").add_edge("Raj", "Red Team", "MEMBER_OF")
    with pytest.raises(NotVisible):
        GraphStore(firm.anna, "hidden").add_edge("Raj", "Red Team", "MEMBER_OF")
    b = firm.write("B", "beta")
    with pytest.raises(Refused):
        GraphStore(firm.anna, "alpha").add_edge("Raj", b, "MEMBER_OF")
    with pytest.raises(Invalid):
        GraphStore(firm.anna, "alpha").add_edge("Raj", "Raj", "LIKES")
    with pytest.raises(Invalid):
        GraphStore(firm.anna, "alpha").add_edge("R\x00aj", "Priya", "LIKES")


def test_a_source_that_cannot_be_seen_is_not_named(firm):
    note = firm.write("Note", "alpha", text=SEED)
    remember(firm.scribe, text=SEED, lane="alpha", source=note)
    assert GraphStore(firm.anna, "alpha").traverse("Raj")["edges"][0]["sources"] == [note]
    records.update(firm.scribe, sr_id=note, lane="hidden")
    reply = GraphStore(firm.anna, "alpha").traverse("Raj")
    assert reply["edges"][0]["sources"] == []
    assert note not in str(reply)


def test_who_works_on_checkout(firm, store):
    remember(firm.scribe, text=SEED, lane="alpha")
    store.add_edge("Ulla", "Tax Team", "MEMBER_OF", source_type="person", target_type="team")
    nodes = store.query("who works on checkout", max_nodes=3)
    assert {n["name"] for n in nodes} == {"Checkout Redesign", "Raj", "Priya"}
    assert all(n["relationships"] for n in nodes)


def test_context_names_its_sources_and_keeps_its_budget(firm, store):
    remember(firm.scribe, text=SEED, lane="alpha", source=firm.write("Note", text=SEED))
    reply = ask.build_context(firm.scope(), "How is Raj getting on?", token_budget=400)
    assert "Raj COMPLETED Checkout Redesign" in reply["context"]
    assert reply["tokens"] <= 400
    assert {s["sr_id"] for s in reply["sources"]} >= {n["sr_ids"][0] for n in reply["nodes"]}
    for source in reply["sources"]:
        assert source["sr_id"] in reply["context"]
    small = ask.build_context(firm.scope(), "How is Raj getting on?", token_budget=40)
    assert 0 < small["tokens"] <= 40
    assert small["left_out"] > 0
    remember(firm.scribe, text="Raj moved from frontend to platform.", lane="alpha")
    now = ask.build_context(firm.scope(), "Raj")["context"]
    assert "Platform Team" in now and "MEMBER_OF Frontend Team" not in now
    past = ask.build_context(firm.scope(include_invalidated=True), "Raj")["context"]
    assert "MEMBER_OF Frontend Team (since" in past and "until" in past


def test_low_confidence_is_left_out_of_context(firm, store):
    store.add_edge("Raj", "Rumour", "HEARD", confidence=0.2)
    assert "HEARD" not in ask.build_context(firm.scope(), "Raj")["context"]
    assert "HEARD" in ask.build_context(firm.scope(), "Raj", min_confidence=0.1)["context"]


@pytest.mark.django_db(transaction=True)
def test_writers_at_once_leave_one_single_value():
    from django.db import connection

    from tests.graph.conftest import make_firm

    firm = make_firm("racing")
    store = GraphStore(firm.scribe, "alpha")
    store.add_node("Raj", "person")
    errors = []

    def write(team):
        try:
            for _ in range(3):
                GraphStore(firm.scribe, "alpha").add_edge("Raj", team, "MEMBER_OF")
        except Exception as error:  # noqa: BLE001
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(f"Team {i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(store.traverse("Raj", edge_types=["MEMBER_OF"])["edges"]) == 1


names = st.text("abcdefgh ", min_size=1, max_size=12).map(str.strip).filter(bool)


@given(
    st.lists(st.tuples(names, st.floats(0, 1)), max_size=20, unique_by=lambda t: t[0]),
    st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19), st.floats(0, 1)), max_size=30),
    st.integers(0, 200),
)
def test_a_block_of_context_never_exceeds_its_budget(things, links, budget):
    made = [context.Thing(n, "person", s, {}, (f"sr_{i}",)) for i, (n, s) in enumerate(things)]
    facts = [
        context.Fact(made[a].name, "KNOWS", made[b].name, s)
        for a, b, s in links
        if a < len(made) and b < len(made) and a != b
    ]
    block = context.build(made, facts, budget)
    assert block.tokens <= budget
    assert block.tokens == context.tokens(block.text)
    assert len(block.text.splitlines()) == len(block.things) + len(block.facts)
    assert block.left_out == len(made) - len(block.things) + len(set(facts)) - len(block.facts)
    if budget >= sum(context.tokens(x.line()) for x in [*made, *facts]):
        assert len(block.things) == len(made)
        assert set(block.facts) == set(facts)
