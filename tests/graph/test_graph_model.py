"""Entity walks, communities, central records, suggestions: beside networkx, and beside a world without the hidden."""

import networkx as nx
import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.entities.store import GraphStore
from memory.gather.clusters import central, communities
from memory.gather.suggest import suggest
from memory.gather.terms import parse
from tests.graph.conftest import Span, day, plant

PEOPLE = [f"Person {c}" for c in "ABCDEF"]
TYPES = ["KNOWS", "WORKS_ON", "OWNS"]
SLOW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

links = st.lists(
    st.tuples(
        st.sampled_from(PEOPLE),
        st.sampled_from(TYPES),
        st.sampled_from(PEOPLE),
        st.sampled_from(["alpha", "beta", "hidden"]),
        st.one_of(st.none(), st.integers(1, 9)),
    ).filter(lambda t: t[0] != t[2]),
    max_size=8,
    unique_by=lambda t: t[:4],
)


class Undone(Exception):
    """Takes back what one example wrote."""


@given(links=links, at=st.integers(0, 10), depth=st.integers(1, 3), types=st.sets(st.sampled_from(TYPES)))
@SLOW
def test_walking_entities_equals_networkx(firm, links, at, depth, types):
    try:
        with transaction.atomic():
            for lane in ("alpha", "beta", "hidden"):
                GraphStore(firm.scribe, lane).add_node(PEOPLE[0], "person")
            judge = nx.MultiGraph()
            judge.add_node(PEOPLE[0])
            for source, kind, target, lane, ends in links:
                made = GraphStore(firm.scribe, lane).add_edge(
                    source, target, kind, valid_from=day(0).isoformat(), single_valued=False,
                    source_type="person", target_type="person",
                )  # fmt: skip
                if ends:
                    from memory.services import connections

                    connections.invalidate(firm.scribe, property=made["property"], at=day(ends).isoformat())
                visible = lane != "hidden" and at < (ends or 99) and (not types or kind in types)
                if visible:
                    judge.add_edge(source, target, key=(source, kind, target))
            reply = GraphStore(firm.anna, "alpha", as_of=day(at)).traverse(
                PEOPLE[0], depth=depth, edge_types=sorted(types) or None
            )
            reach = nx.single_source_shortest_path_length(judge, PEOPLE[0], cutoff=depth)
            assert {n["name"]: n["depth"] for n in reply["nodes"]} == reach
            near = {name for name, hops in reach.items() if hops < depth}
            told = {(e["source"], e["type"], e["target"]) for e in reply["edges"]}
            assert told == {key for a, b, key in judge.edges(keys=True) if a in near or b in near}
            raise Undone
    except Undone:
        pass


@pytest.fixture
def cast(firm):
    """Nine records, three a lane."""
    out = []
    for i in range(9):
        lane = ("alpha", "beta", "hidden")[i % 3]
        out.append((firm.write(f"record {i}", lane, occurred_at=f"2023-01-{i + 1:02}"), firm.ids[f"record {i}"], lane))
    return out


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 8), st.sampled_from(["k1", "k2", "k3", "k4", "k5"])), max_size=25, unique=True
    ),
    nodes=st.integers(2, 6),
)
@SLOW
def test_whole_graph_measures_do_not_know_the_hidden(firm, cast, rows, nodes):
    def answers():
        scope = firm.scope(as_of=day(5))
        match = parse([{"label": "topic"}])
        return (
            communities(scope, terms=match, max_nodes=nodes),
            central(scope, terms=match, max_nodes=nodes),
            communities(scope, sr_id=cast[0][0]),
            central(scope, sr_id=cast[0][0], by="betweenness"),
            suggest(scope, cast[0][0]),
        )

    plant(firm, [(cast[i][1], name, Span(), None) for i, name in rows])
    before = answers()
    plant(firm, [(cast[i][1], name, Span(), None) for i, name in rows if cast[i][2] != "hidden"])
    assert answers() == before
    shown = {public for public, _, lane in cast if lane != "hidden"}
    assert {s["sr_id"] for s in before[1]["srs"]} <= shown
    judge = nx.Graph()
    carriers: dict[str, set[int]] = {}
    for i, name in rows:
        if cast[i][2] != "hidden":
            carriers.setdefault(name, set()).add(i)
    newest = sorted({i for i, _ in rows if cast[i][2] != "hidden"}, reverse=True)[:nodes]
    judge.add_nodes_from(newest)
    for members in carriers.values():
        judge.add_edges_from((a, b) for a in members for b in members if a < b and {a, b} <= set(newest))
    degrees = {s["sr_id"]: s["degree"] for s in before[1]["srs"]}
    assert degrees == {cast[i][0]: judge.degree(i) for i in newest}
