"""Whole-graph measures on a bounded set of records: the pure part of `communities` and `central`.

A property k records share would be k² / 2 edges if every pair were joined. Here a property of two records is an edge
between them and a larger one a star: a vertex of its own with k spokes. So n memberships are at most n edges. Weights
are those of a walk (`walk.py`): strength, damped by how many of *these* records share it.
"""

from __future__ import annotations

import random
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import igraph

from memory.gather.walk import Key, damping, product

SEED = 20_260_101
# At most so many runs of Leiden, and as many as go through so many edges together.
RUNS, RUN_EDGES = 8, 10_000
PAGERANK_DAMPING = 0.85
SOURCES_MAX = 500

# igraph draws random numbers from one generator of the process
_RANDOM = threading.Lock()


@dataclass(frozen=True, slots=True)
class Member:
    """A record's place in a property: role is "", "source", "target" or "member"."""

    record: Any
    role: str = ""


@dataclass(frozen=True, slots=True)
class Property:
    """A property of the subgraph: its carriers inside it, its strength, whether it points from source to target."""

    key: Key
    members: tuple[Member, ...]
    strength: float = 1.0
    directed: bool = False

    @property
    def weight(self) -> float:
        return product(self.strength, damping(len(self.members) - 1))


@dataclass(frozen=True, slots=True)
class Standing:
    """How central a record is. `degree`: distinct other records it shares a property with; `pagerank` sums to 1 over
    the records; `betweenness`: the share of pairs of other records whose shortest chains run through it, 0 to 1."""

    record: Any
    degree: int
    in_degree: int
    out_degree: int
    pagerank: float
    betweenness: float


def _ends(prop: Property) -> tuple[list[Any], list[Any]]:
    """Who can be stepped from and who can be stepped to along a property."""
    if not prop.directed:
        everyone = [m.record for m in prop.members]
        return everyone, everyone
    sources = [m.record for m in prop.members if m.role != "target"]
    targets = [m.record for m in prop.members if m.role != "source"]
    return sources, targets


def _expand(records: Sequence[Any], properties: Sequence[Property], directed: bool) -> igraph.Graph:
    """The graph of records (the first vertices, in order) and stars, parallel edges summed into one."""
    place = {record: i for i, record in enumerate(records)}
    weights: defaultdict[tuple[int, int], float] = defaultdict(float)
    vertices = len(records)

    def join(a: int, b: int, weight: float) -> None:
        weights[(a, b) if directed or a < b else (b, a)] += weight

    for prop in sorted(properties, key=lambda p: p.key):
        carriers = [place[m.record] for m in prop.members]
        if len(carriers) < 2 or prop.weight <= 0:
            continue
        if not directed and len(carriers) == 2:
            join(carriers[0], carriers[1], prop.weight)
        elif not directed:
            for carrier in carriers:
                join(carrier, vertices, prop.weight)
            vertices += 1
        else:
            sources, targets = _ends(prop)
            if len(carriers) == 2:
                for a in sources:
                    for b in targets:
                        if a != b:
                            join(place[a], place[b], prop.weight)
            else:
                for a in sources:
                    join(place[a], vertices, prop.weight)
                for b in targets:
                    join(vertices, place[b], prop.weight)
                vertices += 1
    edges = sorted(weights)
    graph = igraph.Graph(n=vertices, edges=edges, directed=directed)
    graph.es["weight"] = [weights[edge] for edge in edges]
    return graph


def _communities(graph: igraph.Graph, resolution: float) -> list[int]:
    """The community of each vertex, stars included."""
    if not graph.ecount():
        return list(range(graph.vcount()))
    with _RANDOM:
        igraph.set_random_number_generator(random.Random(SEED))  # noqa: S311 - repeatable, not secret
        try:
            # One run may end in a poor optimum, on small graphs most of all; there several cost next to nothing.
            found = [
                graph.community_leiden(
                    objective_function="modularity", weights="weight", resolution=resolution, n_iterations=10
                ).membership
                for _ in range(max(1, min(RUNS, RUN_EDGES // graph.ecount())))
            ]
        finally:
            igraph.set_random_number_generator(random)
    return max(found, key=lambda member_of: graph.modularity(member_of, weights="weight", resolution=resolution))


def clusters(records: Sequence[Any], properties: Sequence[Property], *, resolution: float = 1.0) -> list[list[Any]]:
    """Leiden communities by modularity, largest first, then by their first record in the order given.

    Seeded: the same input gives the same answer. A record that shares nothing is a community of one.
    """
    if not records:
        return []
    member_of = _communities(_expand(records, properties, directed=False), resolution)
    groups: dict[int, list[Any]] = {}
    for i, record in enumerate(records):
        groups.setdefault(member_of[i], []).append(record)
    return sorted(groups.values(), key=lambda group: -len(group))


def neighbour_counts(records: Sequence[Any], properties: Sequence[Property]) -> dict[Any, tuple[int, int, int]]:
    """For each record, how many distinct others it shares a property with, is stepped to from, and steps to.

    Sets of records are bits of one integer, so a property of thousands costs a few operations per carrier.
    """
    bit = {record: 1 << i for i, record in enumerate(records)}
    near, before, after = (dict.fromkeys(records, 0) for _ in range(3))
    for prop in properties:
        if len(prop.members) < 2:
            continue
        everyone = 0
        for member in prop.members:
            everyone |= bit[member.record]
        for member in prop.members:
            near[member.record] |= everyone
        if prop.directed:
            sources, targets = _ends(prop)
            from_bits, to_bits = 0, 0
            for record in sources:
                from_bits |= bit[record]
            for record in targets:
                to_bits |= bit[record]
            for record in sources:
                after[record] |= to_bits
            for record in targets:
                before[record] |= from_bits
    return {
        r: tuple((found[r] & ~bit[r]).bit_count() for found in (near, before, after))  # type: ignore[misc]
        for r in records
    }


def pagerank(records: Sequence[Any], properties: Sequence[Property]) -> dict[Any, float]:
    """PageRank along directed connections and both ways along everything else; the records' shares sum to 1."""
    if not records:
        return {}
    graph = _expand(records, properties, directed=True)
    ranks = graph.pagerank(directed=True, damping=PAGERANK_DAMPING, weights="weight" if graph.ecount() else None)[
        : len(records)
    ]
    total = sum(ranks)
    return {record: rank / total for record, rank in zip(records, ranks, strict=True)}


def betweenness(
    records: Sequence[Any], properties: Sequence[Property], *, most_sources: int = SOURCES_MAX
) -> dict[Any, float]:
    """The share of pairs of other records whose shortest chains run through each, regardless of direction.

    Every property is a vertex here, so that a hop is a hop whatever the number of its carriers; properties of the very
    same carriers count as one route. With more than `most_sources` records the chains from that many, evenly spread
    over the order given, stand for all.
    """
    n = len(records)
    place = {record: i for i, record in enumerate(records)}
    routes = sorted({tuple(sorted({place[m.record] for m in p.members})) for p in properties if len(p.members) > 1})
    edges = [(carrier, n + j) for j, route in enumerate(routes) for carrier in route]
    graph = igraph.Graph(n=n + len(routes), edges=edges)
    inside = list(range(n))
    sources = inside if n <= most_sources else [i * n // most_sources for i in range(most_sources)]
    found = graph.betweenness(vertices=inside, directed=False, sources=sources, targets=inside)
    begun = dict.fromkeys(sources, 1)
    out = {}
    for i, record in enumerate(records):
        pairs = (len(sources) - begun.get(i, 0)) * (n - 2)
        out[record] = min(1.0, 2 * found[i] / pairs) if pairs > 0 else 0.0
    return out


def standings(records: Sequence[Any], properties: Sequence[Property]) -> list[Standing]:
    """Every record's standing, highest PageRank first, then degree, then the order given."""
    degrees = neighbour_counts(records, properties)
    ranks, between = pagerank(records, properties), betweenness(records, properties)
    out = [Standing(r, *degrees[r], pagerank=round(ranks[r], 9), betweenness=round(between[r], 9)) for r in records]
    return sorted(out, key=lambda s: (-s.pagerank, -s.degree))


def gathered(rows: Sequence[tuple[Key, Any, str, float | None, bool | None]]) -> list[Property]:
    """Properties from rows (key, record, role, strength, directed), those of one record alone left out."""
    members: dict[Key, list[Member]] = {}
    about: Mapping[Key, list] = {}
    for key, record, role, strength, directed in rows:
        members.setdefault(key, []).append(Member(record, role or ""))
        entry = about.setdefault(key, [1.0, False])  # type: ignore[attr-defined]
        if strength is not None:
            entry[0] = strength
        entry[1] = entry[1] or bool(directed)
    return [
        Property(key, tuple(found), about[key][0], about[key][1])
        for key, found in sorted(members.items(), key=lambda item: item[0])
        if len(found) > 1
    ]
