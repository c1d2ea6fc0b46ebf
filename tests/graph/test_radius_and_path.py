"""radius and path over the database: against plain models, in time, and never by way of a hidden record."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lanes.errors import NotVisible
from memory.gather import clusters
from memory.gather.path import path
from memory.gather.radius import radius
from memory.gather.reach import Reach
from memory.services import connections, properties, records
from tests.graph.conftest import Span, day, plant
from tests.graph.hypergraphs import Hypergraph, plain_chain, plain_walk

NAMES = [f"k{i}" for i in range(7)]
FIXTURE_STAYS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def spans():
    return st.one_of(
        st.just(Span()),
        st.builds(Span, st.none(), st.integers(1, 9)),
        st.builds(Span, st.integers(0, 9), st.none()),
        st.integers(0, 8).flatmap(lambda b: st.builds(Span, st.just(b), st.integers(b + 1, 10))),
    )


@pytest.fixture
def cast(firm):
    """Twelve records, four a lane, oldest first: index → (sr_id, id, lane)."""
    out = []
    for i in range(12):
        lane = ("alpha", "beta", "hidden")[i % 3]
        name = f"record {i}"
        out.append((firm.write(name, lane, occurred_at=f"2023-01-{i + 1:02}"), firm.ids[name], lane))
    return out


def visible(cast, rows, at):
    """What anna can see of planted rows at a day, as a Hypergraph over indexes (newest is greatest)."""
    carriers = {}
    for index, name, span in rows:
        if cast[index][2] != "hidden" and span.holds(at):
            carriers.setdefault(name, set()).add(index)
    return carriers


ROWS = st.lists(st.tuples(st.integers(0, 11), st.sampled_from(NAMES), spans()), max_size=40, unique_by=lambda r: r[:2])
STRENGTHS = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0.25, 0.5, 0.8]))


@given(rows=ROWS, strengths=STRENGTHS, at=st.integers(0, 10), depth=st.integers(1, 4), nodes=st.integers(1, 9),
       hubs=st.integers(1, 8), start=st.sampled_from([0, 1, 3, 4]))  # fmt: skip
@FIXTURE_STAYS
def test_radius_equals_the_plain_walk(firm, cast, rows, strengths, at, depth, nodes, hubs, start):
    plant(firm, [(cast[i][1], name, span, strengths.get(name)) for i, name, span in rows])
    graph = Hypergraph(visible(cast, rows, at), strengths)
    expected, _ = plain_walk(graph, start, depth, nodes, hubs)
    reply = radius(firm.scope(as_of=day(at)), cast[start][0], depth=depth, max_nodes=nodes, hub_limit=hubs)
    assert [(n["sr_id"], n["depth"]) for n in reply["nodes"]] == [(cast[i][0], d) for i, d, _ in expected]
    assert [n["score"] for n in reply["nodes"]] == pytest.approx([s for *_, s in expected], abs=1e-6)
    shown = {n["sr_id"] for n in reply["nodes"]}
    for edge in reply["edges"]:
        assert set(edge["members"]) == {cast[i][0] for i in graph.carriers[edge["value"]]} & shown
    for hub in reply["hubs"]:
        others = len(graph.carriers[hub["value"]]) - 1
        assert hub["sr_count"] == others > hubs


@given(rows=ROWS, strengths=STRENGTHS, at=st.integers(0, 10), ends=st.permutations([0, 1, 3, 4, 6, 7]))
@FIXTURE_STAYS
def test_path_equals_networkx(firm, cast, rows, strengths, at, ends):
    plant(firm, [(cast[i][1], name, span, strengths.get(name)) for i, name, span in rows])
    graph = Hypergraph(visible(cast, rows, at), strengths)
    start, end = ends[:2]
    expected = plain_chain(graph, start, end, 1_000)
    reply = path(firm.scope(as_of=day(at)), cast[start][0], cast[end][0], max_depth=8)
    assert reply["found"] == (expected is not None)
    if expected:
        assert (reply["length"], reply["score"]) == (expected[0], pytest.approx(expected[1], abs=1e-6))
        assert [r["sr_id"] for r in reply["srs"]][:: len(reply["srs"]) - 1] == [cast[start][0], cast[end][0]]
        assert len(reply["srs"]) == reply["length"] + 1


@given(rows=ROWS, at=st.integers(0, 10), start=st.sampled_from([0, 1, 3, 4]))
@settings(FIXTURE_STAYS, max_examples=25)
def test_the_hidden_change_nothing(firm, cast, rows, at, start):
    def answers():
        scope = firm.scope(as_of=day(at))
        return (
            radius(scope, cast[start][0], depth=4, max_nodes=7, hub_limit=3),
            path(scope, cast[start][0], cast[10][0]),
        )

    plant(firm, [(cast[i][1], name, span, None) for i, name, span in rows])
    before = answers()
    plant(firm, [(cast[i][1], name, span, None) for i, name, span in rows if cast[i][2] != "hidden"])
    assert answers() == before


def test_no_walk_passes_through_a_hidden_record(firm):
    a = firm.write("A", "alpha", edge_properties=["topic:one"])
    b = firm.write("B", "hidden", edge_properties=["topic:one", "topic:two"])
    c = firm.write("C", "beta", edge_properties=["topic:two"])
    assert [n["sr_id"] for n in radius(firm.scope(), a, depth=8)["nodes"]] == [a]
    assert path(firm.scope(), a, c)["found"] is False
    seen = radius(firm.scope(firm.scribe), a, depth=2)
    assert [(n["sr_id"], n["depth"]) for n in seen["nodes"]] == [(a, 0), (b, 1), (c, 2)]
    assert path(firm.scope(firm.scribe), a, c)["length"] == 2
    with pytest.raises(NotVisible):
        radius(firm.scope(), b)
    with pytest.raises(NotVisible):
        path(firm.scope(), a, b)
    reply = [radius(firm.scope(), a, depth=8), path(firm.scope(), a, c)]
    records.delete(firm.scribe, sr_id=b)
    assert [radius(firm.scope(), a, depth=8), path(firm.scope(), a, c)] == reply


def test_strengths_multiply_along_connections_and_are_shown(firm):
    a, b, c = (firm.write(name) for name in "ABC")
    connections.connect(firm.scribe, sr_ids=[a, b], hint="related", strength=0.8, type="related")
    connections.connect(firm.scribe, sr_ids=[b, c], hint="related", strength=0.5, type="causes", directed=True)
    reply = radius(firm.scope(), a, depth=2)
    assert [(n["sr_id"], n["score"]) for n in reply["nodes"]] == [(a, 1.0), (b, 0.8), (c, 0.4)]
    assert reply["nodes"][2]["from"] == b
    assert reply["nodes"][2]["via"]["type"] == "causes"
    assert reply["nodes"][2]["via"]["directed"] is True
    chain = path(firm.scope(), a, c)
    assert chain["score"] == 0.4
    assert [step["via"]["strength"] for step in chain["steps"]] == [0.8, 0.5]
    only = radius(firm.scope(), a, depth=2, types=["related"])
    assert [n["sr_id"] for n in only["nodes"]] == [a, b]


def test_at_the_hand_over_instant_exactly_one_connection_is_walked(firm):
    a, b, c = (firm.write(name) for name in "ABC")
    old = connections.connect(firm.scribe, sr_ids=[a, b], hint="member_of", valid_from="2024-01-01T00:00:00Z")
    connections.connect(firm.scribe, sr_ids=[a, c], hint="member_of", valid_from="2024-06-01T00:00:00Z")
    connections.invalidate(firm.scribe, property=old["property"], at="2024-06-01T00:00:00Z")

    def near(number, **more):
        return {n["sr_id"] for n in radius(firm.scope(as_of=day(number), **more), a)["nodes"]} - {a}

    handover = 152  # 2024-06-01
    assert near(-1) == set()
    assert near(handover - 1) == {b}
    assert near(handover) == {c}
    assert near(handover, include_invalidated=True) == {b, c}
    reply = radius(firm.scope(), a)
    assert reply["left_out_invalid"] == 1
    assert radius(firm.scope(include_invalidated=True), a)["left_out_invalid"] == 0


def test_an_ended_connection_to_a_hidden_record_is_not_even_counted(firm):
    a, b = firm.write("A"), firm.write("B", "hidden")
    made = connections.connect(firm.scribe, sr_ids=[a, b], hint="related")
    connections.invalidate(firm.scribe, property=made["property"])
    assert radius(firm.scope(), a)["left_out_invalid"] == 0
    assert radius(firm.scope(firm.scribe), a)["left_out_invalid"] == 1


def test_skipped_properties_and_tense_are_not_walked(firm, settings):
    settings.LANEWISE_WALK_BUDGET = 1
    a = firm.write("A", edge_properties=["topic:one", "topic:two"])
    firm.write("B", edge_properties=["topic:two"])
    assert len(radius(firm.scope(), a)["nodes"]) == 1
    c = firm.write("C", edge_properties=["tense:past"])
    firm.write("D", edge_properties=["tense:past"])
    assert len(radius(firm.scope(), c)["nodes"]) == 1


def test_a_superseded_record_is_walked_only_before_it_was(firm):
    a, b = firm.write("A", edge_properties=["topic:x"]), firm.write("B", edge_properties=["topic:x"])
    new = firm.write("B2")
    connections.adjust(firm.scribe, sr_id=b, by=new, hint="supersedes")
    assert [n["sr_id"] for n in radius(firm.scope(), a)["nodes"]] == [a]
    before = radius(firm.scope(as_of=day(0)), a, labels=["topic"])
    assert [n["sr_id"] for n in before["nodes"]] == [a, b]
    assert len(radius(firm.scope(include_invalidated=True), a)["nodes"]) == 3


def test_labels_limit_the_walk(firm):
    a = firm.write("A", edge_properties=["topic:x", "client:y"])
    b = firm.write("B", edge_properties=["topic:x"])
    firm.write("C", edge_properties=["client:y"])
    assert [n["sr_id"] for n in radius(firm.scope(), a, labels=["topic"])["nodes"]] == [a, b]


def test_a_walk_narrowed_to_other_lanes_still_starts_at_its_record(firm):
    a = firm.write("A", "alpha", edge_properties=["topic:x"])
    b = firm.write("B", "beta", edge_properties=["topic:x"])
    narrowed = firm.scope(firm.anna.narrow(["beta"]))
    reply = radius(narrowed, a, reader_of_origin=firm.anna)
    assert [(n["sr_id"], n["lane"]) for n in reply["nodes"]] == [(a, "alpha"), (b, "beta")]


def test_a_dense_graph_at_depth_eight_is_answered_in_few_statements(firm, django_assert_max_num_queries):
    names = [f"R{i}" for i in range(30)]
    first = [firm.write(name, edge_properties=[f"pair:{min(i, j)}-{max(i, j)}" for j in range(30) if j != i])
             for i, name in enumerate(names)][0]  # fmt: skip
    with django_assert_max_num_queries(10):
        reply = radius(firm.scope(), first, depth=8)
    assert len(reply["nodes"]) == 30
    assert not reply["truncated"]


def test_revoking_takes_effect_on_the_next_walk(firm):
    from lanes import services as lane_services
    from lanes.models import AgentProfile, Lane
    from lanes.readers import reader_for_profile

    a = firm.write("A", "alpha", edge_properties=["topic:x"])
    firm.write("B", "beta", edge_properties=["topic:x"])
    assert len(radius(firm.scope(), a)["nodes"]) == 2
    anna = AgentProfile.objects.get(slug="anna", tenant=firm.tenant)
    lane_services.wall_off(
        tenant=firm.tenant, lanes=[Lane.objects.get(pk=firm.lanes["beta"])], holders=[anna], name="conflict"
    )
    assert len(radius(firm.scope(reader_for_profile(anna)), a)["nodes"]) == 1


def test_removing_a_property_takes_its_links(firm):
    a, b = (firm.write(name, edge_properties=["topic:x"]) for name in "AB")
    assert path(firm.scope(), a, b)["length"] == 1
    properties.remove(firm.scribe, sr_id=b, edge_properties=["topic:x"])
    assert path(firm.scope(), a, b)["found"] is False


def test_hidden_connections_take_no_room_of_any_bound(firm, monkeypatch):
    """Where a walk stops after so many properties, those that join only hidden records are not among them."""
    a, b = firm.write("A", edge_properties=["topic:x"]), firm.write("B", edge_properties=["topic:x"])
    monkeypatch.setattr(clusters, "MEMBERSHIPS_MAX", 2)

    def told():
        reach = Reach(firm.scope())
        ids = [firm.ids["A"], firm.ids["B"]]
        graph = clusters.central(firm.scope(), sr_id=a)
        for standing in graph["srs"]:
            del standing["version"]  # a connection is a change of the record
        return (
            [step.count for step in reach.spread([(ids[0], 1.0)], set(), 100, 1)[0]],
            reach.spread([(ids[0], 1.0)], set(), 100, 1)[1],
            reach.touch([(ids[0], 1.0)], set(), 1)[1],
            graph,
        )

    before = told()
    assert before[1:3] == (False, False) and before[3]["cut"] == []
    for number in range(4):
        hidden = firm.write(f"h{number}", "hidden")
        for seen in (a, b):
            connections.connect(firm.scribe, sr_ids=[seen, hidden], hint="tied")
    assert told() == before
