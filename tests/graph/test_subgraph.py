"""Communities and centrality on bounded subgraphs, judged by networkx."""

import random
import time

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

from memory.gather.subgraph import (
    Member,
    Property,
    _communities,
    _expand,
    betweenness,
    clusters,
    gathered,
    neighbour_counts,
    pagerank,
    standings,
)

RECORDS = list(range(12))


def plain(key, *records, strength=1.0):
    return Property(key, tuple(Member(r) for r in records), strength)


def arrow(key, source, target, strength=1.0):
    return Property(key, (Member(source, "source"), Member(target, "target")), strength, directed=True)


@st.composite
def properties(draw):
    sets = draw(st.lists(st.sets(st.sampled_from(RECORDS), min_size=2, max_size=7), max_size=12))
    arrows = draw(st.sets(st.tuples(st.sampled_from(RECORDS), st.sampled_from(RECORDS)), max_size=12))
    out = [plain(f"p{i:02}", *sorted(s)) for i, s in enumerate(sets)]
    return out + [arrow(f"a{a:02}-{b:02}", a, b) for a, b in sorted(arrows) if a != b]


@given(properties())
@settings(max_examples=150, deadline=None)
def test_betweenness_equals_networkx_over_the_incidence_graph(props):
    judge = nx.Graph()
    judge.add_nodes_from(RECORDS)
    for route in {tuple(sorted({m.record for m in p.members})) for p in props}:
        judge.add_edges_from((record, ("p", route)) for record in route)
    expected = nx.betweenness_centrality_subset(judge, RECORDS, RECORDS, normalized=False)
    pairs = (len(RECORDS) - 1) * (len(RECORDS) - 2) / 2
    got = betweenness(RECORDS, props)
    for record in RECORDS:
        assert got[record] * pairs == pytest.approx(expected[record], abs=1e-6)


@given(properties())
@settings(max_examples=150, deadline=None)
def test_pagerank_equals_networkx_over_the_same_arcs(props):
    judge = nx.DiGraph()
    judge.add_nodes_from(RECORDS)

    def arc(a, b, weight):
        judge.add_edge(a, b, weight=judge.get_edge_data(a, b, {"weight": 0})["weight"] + weight)

    for prop in props:
        ids = [m.record for m in prop.members]
        if prop.directed:
            arc(ids[0], ids[1], prop.weight)
        elif len(ids) == 2:
            arc(ids[0], ids[1], prop.weight)
            arc(ids[1], ids[0], prop.weight)
        else:
            for record in ids:
                arc(record, prop.key, prop.weight)
                arc(prop.key, record, prop.weight)
    ranks = _pagerank_python(judge, tol=1e-12, max_iter=1000)
    total = sum(ranks[r] for r in RECORDS)
    got = pagerank(RECORDS, props)
    for record in RECORDS:
        assert got[record] == pytest.approx(ranks[record] / total, abs=1e-6)
    assert sum(got.values()) == pytest.approx(1.0)


@given(properties())
@settings(max_examples=150, deadline=None)
def test_degrees_are_networkx_neighbours(props):
    near, arcs = nx.Graph(), nx.DiGraph()
    near.add_nodes_from(RECORDS)
    arcs.add_nodes_from(RECORDS)
    for prop in props:
        ids = [m.record for m in prop.members]
        near.add_edges_from((a, b) for a in ids for b in ids if a != b)
        if prop.directed:
            arcs.add_edge(*ids)
    got = neighbour_counts(RECORDS, props)
    for record in RECORDS:
        assert got[record] == (near.degree(record), arcs.in_degree(record), arcs.out_degree(record))


@given(properties())
@settings(max_examples=100, deadline=None)
def test_clusters_part_the_records_and_stay_inside_components(props):
    groups = clusters(RECORDS, props)
    assert sorted(r for g in groups for r in g) == RECORDS
    assert groups == clusters(RECORDS, list(reversed(props)))
    judge = nx.Graph()
    judge.add_nodes_from(RECORDS)
    for prop in props:
        nx.add_path(judge, [m.record for m in prop.members])
    for group in groups:
        assert nx.is_connected(judge.subgraph(nx.node_connected_component(judge, group[0])))
        assert set(group) <= nx.node_connected_component(judge, group[0])


@given(properties())
@settings(max_examples=60, deadline=None)
def test_leiden_is_no_worse_than_networkx_louvain(props):
    graph = _expand(RECORDS, props, directed=False)
    if not graph.ecount():
        return
    judge = nx.Graph()
    judge.add_nodes_from(range(graph.vcount()))
    for edge in graph.es:
        judge.add_edge(*edge.tuple, weight=edge["weight"])
    louvain = nx.community.louvain_communities(judge, seed=3)
    groups: dict[int, set[int]] = {}
    for vertex, group in enumerate(_communities(graph, 1.0)):
        groups.setdefault(group, set()).add(vertex)
    ours = nx.community.modularity(judge, groups.values())
    assert ours >= nx.community.modularity(judge, louvain) - 0.05


def test_planted_groups_are_found_through_a_hub_everyone_shares():
    draw = random.Random(5)
    records = list(range(90))
    props = [plain("hub", *records)]
    for group in range(3):
        inside = records[group * 30 : group * 30 + 30]
        props += [plain(f"g{group}-{i}", *sorted(draw.sample(inside, 4))) for i in range(60)]
    assert sorted(map(sorted, clusters(records, props))) == [list(range(i, i + 30)) for i in (0, 30, 60)]


@pytest.mark.parametrize(
    "props",
    [
        [plain("a", 0, 1), plain("b", 0, 1)],
        [plain(f"s{i}", 0, i) for i in range(1, 12)],
        [plain(f"b{i}-{j}", i, j) for i in range(6) for j in range(6, 12)],
    ],
    ids=["two records, two edges", "star", "bipartite"],
)
def test_ties_and_hubs_end_and_repeat(props):
    assert clusters(RECORDS, props) == clusters(RECORDS, props)
    assert standings(RECORDS, props) == standings(RECORDS, props)


def test_a_property_of_two_thousand_records_is_two_thousand_edges():
    records = list(range(2_000))
    props = [plain("hub", *records)] + [plain(f"p{i}", i, (i * 37 + 1) % 2_000) for i in range(2_000)]
    assert _expand(records, props, directed=False).ecount() <= 4_000
    start = time.monotonic()
    found = standings(records, props)
    groups = clusters(records, props)
    assert found[0].degree == 1_999
    assert sum(map(len, groups)) == 2_000
    assert time.monotonic() - start < 20


def test_betweenness_from_some_records_stands_for_all():
    draw = random.Random(3)
    records = list(range(300))
    props = [plain(f"p{i}", *draw.sample(records, 3)) for i in range(250)]
    props += [plain(f"c{i}", 0, i) for i in range(1, 300, 9)]
    exact = betweenness(records, props)
    near = betweenness(records, props, most_sources=100)
    assert near == betweenness(records, props, most_sources=100)
    top = sorted(records, key=lambda r: -exact[r])
    assert max(near, key=near.get) == top[0]
    assert near[top[0]] == pytest.approx(exact[top[0]], rel=0.25)
    assert set(top[:10]) & set(sorted(records, key=lambda r: -near[r])[:10])


def test_rows_become_properties():
    rows = [("k", 1, "source", 0.8, True), ("k", 2, "target", 0.8, True), ("alone", 1, "", None, None)]
    assert gathered(rows) == [arrow("k", 1, 2, 0.8)]
