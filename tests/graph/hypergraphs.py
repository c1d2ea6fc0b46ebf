"""Invented hypergraphs held in memory, and the plainest possible answers to compare the product with."""

from __future__ import annotations

from dataclasses import dataclass, field

import networkx as nx

from memory.gather.chain import Touch
from memory.gather.walk import Step, damping, product


@dataclass
class Hypergraph:
    """`carriers`: key → record ids. `strength`: key → strength. A record's sort instant is its id."""

    carriers: dict[str, set[int]]
    strength: dict[str, float] = field(default_factory=dict)

    def records(self) -> set[int]:
        return set().union(*self.carriers.values()) if self.carriers else set()

    def weight(self, key: str, limit: int | None = None) -> float:
        count = len(self.carriers[key])
        return product(self.strength.get(key, 1.0), damping((min(count, limit) if limit else count) - 1))

    def without(self, hidden: set[int]) -> Hypergraph:
        return Hypergraph({k: c - hidden for k, c in self.carriers.items()}, self.strength)

    def keys_of(self, record: int) -> list[str]:
        return sorted(k for k, c in self.carriers.items() if record in c)


class MemoryLoader:
    """Serves a walk from a Hypergraph, cutting counts and members as the database does."""

    def __init__(self, graph: Hypergraph):
        self.graph = graph
        self.calls = 0

    def _pairs(self, frontier, passed, budget):
        pairs = [
            (record, score, key)
            for record, score in frontier
            for key in self.graph.keys_of(record)
            if key not in passed
        ]
        return pairs[:budget], len(pairs) > budget

    def _members(self, key, cap):
        carriers = self.graph.carriers[key]
        if len(carriers) > cap:
            return cap + 1, ()
        return len(carriers), [(r, r) for r in sorted(carriers)]

    def spread(self, frontier, passed, cap, budget):
        self.calls += 1
        pairs, cut = self._pairs(frontier, passed, budget)
        best: dict[str, tuple[float, int]] = {}
        for record, score, key in pairs:
            carried = product(score, self.graph.strength.get(key, 1.0))
            if key not in best or carried > best[key][0]:
                best[key] = (carried, record)
        return [Step(k, c, r, *self._members(k, cap)) for k, (c, r) in best.items()], cut

    def widen(self, keys, cap):
        self.calls += 1
        return {key: self._members(key, cap) for key in keys}

    def touch(self, frontier, passed, budget):
        self.calls += 1
        pairs, cut = self._pairs(frontier, passed, budget)
        best: dict[str, Touch] = {}
        for record, score, key in pairs:
            touch = Touch(key, record, score, self.graph.strength.get(key, 1.0))
            if key not in best or score > best[key].score:
                best[key] = touch
        return list(best.values()), cut

    def count(self, keys, cap):
        self.calls += 1
        return {key: min(cap, len(self.graph.carriers[key])) for key in keys}

    def common(self, pairs, without):
        self.calls += 1
        for place, (one, two) in enumerate(pairs):
            if both := self.graph.carriers[one] & self.graph.carriers[two] - set(without):
                return place, max(both)
        return None


def plain_walk(graph: Hypergraph, origin: int, depth: int, max_nodes: int, hub_limit: int):
    """What `walk` promises, computed by looking at everything: ([(id, depth, score)], hubs)."""
    open_keys = {k for k, c in graph.carriers.items() if 2 <= len(c) <= hub_limit + 1}
    score, level = {origin: 1.0}, {origin: 0}
    order, frontier = [(origin, 0, 1.0)], [origin]
    hubs = set()
    for hop in range(1, depth + 1):
        best: dict[int, float] = {}
        for record in frontier:
            for key in graph.keys_of(record):
                if key not in open_keys:
                    if len(graph.carriers[key]) > 1:
                        hubs.add(key)
                    continue
                worth = product(
                    product(score[record], graph.strength.get(key, 1.0)), damping(len(graph.carriers[key]) - 1)
                )
                for member in graph.carriers[key]:
                    if member not in level:
                        best[member] = max(best.get(member, 0.0), worth)
        ranked = sorted(best, key=lambda m: (best[m], m), reverse=True)
        frontier = ranked[: max_nodes - len(order)]
        for record in frontier:
            level[record], score[record] = hop, best[record]
            order.append((record, hop, best[record]))
        if not frontier:
            break
    return order, hubs


def bipartite(graph: Hypergraph) -> nx.Graph:
    """Records and ("key", name) vertices, for networkx to judge."""
    out = nx.Graph()
    out.add_nodes_from(graph.records())
    for key, carriers in graph.carriers.items():
        if len(carriers) > 1:
            out.add_edges_from((record, ("key", key)) for record in carriers)
    return out


def plain_chain(graph: Hypergraph, start: int, end: int, limit: int) -> tuple[int, float] | None:
    """Fewest hops and, among those chains, the greatest product of weights, by listing every shortest path."""
    judge = bipartite(graph)
    if start == end:
        return 0, 1.0
    if start not in judge or end not in judge or not nx.has_path(judge, start, end):
        return None
    best, hops = 0.0, 0
    for chain in nx.all_shortest_paths(judge, start, end):
        keys = [step[1] for step in chain if isinstance(step, tuple)]
        worth = 1.0
        for key in keys:
            worth *= graph.weight(key, limit)
        best, hops = max(best, worth), len(keys)
    return hops, best
