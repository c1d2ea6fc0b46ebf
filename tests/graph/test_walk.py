"""The walk and the chain against plain models and networkx, on invented hypergraphs."""

import math

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.gather.chain import strongest_chain
from memory.gather.walk import damping, walk
from tests.graph.hypergraphs import Hypergraph, MemoryLoader, bipartite, plain_chain, plain_walk


@st.composite
def hypergraphs(draw, records=14, keys=14):
    names = [f"k{i:02}" for i in range(draw(st.integers(1, keys)))]
    carriers = {n: draw(st.sets(st.integers(1, records), min_size=1, max_size=records)) for n in names}
    strong = draw(st.dictionaries(st.sampled_from(names), st.sampled_from([0.25, 0.5, 0.8, 1.0])))
    return Hypergraph(carriers, strong)


@given(hypergraphs(), st.integers(1, 14), st.integers(1, 5), st.integers(1, 16), st.integers(1, 14))
@settings(max_examples=400, deadline=None)
def test_walk_equals_the_plain_walk(graph, origin, depth, max_nodes, hub_limit):
    got = walk(MemoryLoader(graph), origin, depth=depth, max_nodes=max_nodes, hub_limit=hub_limit)
    expected, hubs = plain_walk(graph, origin, depth, max_nodes, hub_limit)
    assert [(n.id, n.depth) for n in got.nodes] == [(i, d) for i, d, _ in expected]
    assert [n.score for n in got.nodes] == pytest.approx([s for *_, s in expected])
    assert len(got.nodes) <= max_nodes
    if not got.truncated:
        assert {h.key for h in got.hubs} == hubs
        assert {n.id for n in got.nodes} == {i for i, *_ in plain_walk(graph, origin, depth, 999, hub_limit)[0]}
    else:
        assert len(got.nodes) == max_nodes
    assert {h.key for h in got.hubs} <= hubs


@given(hypergraphs(), st.integers(1, 14), st.integers(1, 5))
@settings(max_examples=200, deadline=None)
def test_walk_depths_are_networkx_distances(graph, origin, depth):
    got = walk(MemoryLoader(graph), origin, depth=depth, max_nodes=99, hub_limit=99)
    judge = bipartite(graph)
    judge.add_node(origin)
    reach = nx.single_source_shortest_path_length(judge, origin, cutoff=2 * depth)
    assert {n.id: n.depth for n in got.nodes} == {r: d // 2 for r, d in reach.items() if not isinstance(r, tuple)}


@given(hypergraphs(), st.integers(1, 14), st.integers(1, 5), st.integers(2, 16), st.integers(1, 14))
@settings(max_examples=200, deadline=None)
def test_every_node_but_the_origin_is_reached_through_an_earlier_one(graph, origin, depth, max_nodes, hub_limit):
    got = walk(MemoryLoader(graph), origin, depth=depth, max_nodes=max_nodes, hub_limit=hub_limit)
    by_id = {n.id: n for n in got.nodes}
    for node in got.nodes[1:]:
        parent = by_id[node.parent]
        assert {node.id, parent.id} <= graph.carriers[node.via]
        assert node.depth == parent.depth + 1
        assert node.score == pytest.approx(parent.score * graph.weight(node.via))
        assert node.id in got.edges[node.via]
    shown = set(by_id)
    for key, members in got.edges.items():
        assert set(members) == graph.carriers[key] & shown
        assert len(members) > 1


@given(hypergraphs(), st.sets(st.integers(1, 14)), st.integers(1, 14), st.integers(1, 4))
@settings(max_examples=200, deadline=None)
def test_a_walk_over_what_is_readable_is_the_walk_without_the_hidden(graph, hidden, origin, depth):
    hidden = hidden - {origin}
    seen = walk(MemoryLoader(graph.without(hidden)), origin, depth=depth, max_nodes=9, hub_limit=6)
    assert hidden.isdisjoint(n.id for n in seen.nodes)


def test_strengths_multiply_along_connections():
    graph = Hypergraph({"a": {1, 2}, "b": {2, 3}, "c": {3, 4}}, {"a": 0.8, "b": 0.5, "c": 0.5})
    got = walk(MemoryLoader(graph), 1, depth=3, max_nodes=9, hub_limit=9)
    assert [(n.id, n.score) for n in got.nodes] == [(1, 1.0), (2, 0.8), (3, 0.4), (4, 0.2)]


def test_damping_falls_with_the_number_of_others():
    assert damping(1) == 1.0
    assert [damping(n) for n in range(1, 50)] == sorted((damping(n) for n in range(1, 50)), reverse=True)
    assert damping(100) == pytest.approx(1 / (1 + math.log(100)))


def test_a_value_on_every_record_is_named_and_not_walked():
    graph = Hypergraph({"hub": set(range(1, 100_001)), "rare": {1, 2}})
    loader = MemoryLoader(graph)
    got = walk(loader, 1, depth=8, max_nodes=2_000, hub_limit=100)
    assert [n.id for n in got.nodes] == [1, 2]
    assert [h.key for h in got.hubs] == ["hub"]
    assert not got.truncated
    assert loader.calls <= 8


def test_a_dense_graph_of_thirty_records_at_depth_eight_asks_little():
    pairs = {f"{a}-{b}": {a, b} for a in range(30) for b in range(a)}
    loader = MemoryLoader(Hypergraph(pairs))
    got = walk(loader, 0, depth=8, max_nodes=200, hub_limit=100)
    assert [n.depth for n in got.nodes] == [0] + [1] * 29
    assert loader.calls <= 3


@given(hypergraphs(), st.integers(1, 14), st.integers(1, 14), st.integers(3, 14))
@settings(max_examples=500, deadline=None)
def test_chain_equals_networkx(graph, start, end, hub_limit):
    got = strongest_chain(MemoryLoader(graph), start, end, max_depth=8, hub_limit=99)
    expected = plain_chain(graph, start, end, 99)
    assert got.found == (expected is not None)
    if expected:
        assert (len(got.links), got.score) == (expected[0], pytest.approx(expected[1]))
        at = start
        for link in got.links:
            assert link.source == at and {link.source, link.target} <= graph.carriers[link.key]
            at = link.target
        assert at == end
    # with small hub limits: never wrong about a chain, exact up to two hops, honest about what it left closed
    small = strongest_chain(MemoryLoader(graph), start, end, max_depth=8, hub_limit=hub_limit)
    if expected is None:
        assert not small.found
    elif expected[0] <= 2:
        assert len(small.links) == expected[0]
    elif not small.found or len(small.links) > expected[0]:
        assert small.closed_hubs > 0


def test_chain_says_none_beyond_its_depth():
    line = Hypergraph({f"k{i}": {i, i + 1} for i in range(1, 8)})
    assert not strongest_chain(MemoryLoader(line), 1, 8, max_depth=6).found
    assert len(strongest_chain(MemoryLoader(line), 1, 8, max_depth=7).links) == 7


def test_chain_opens_each_end_only_once_for_three_hops():
    line = Hypergraph({f"k{i}": {i, i + 1} for i in range(1, 4)})
    loader = MemoryLoader(line)
    got = strongest_chain(loader, 1, 4, max_depth=8)
    assert [link.key for link in got.links] == ["k1", "k2", "k3"]
    assert loader.calls <= 8
