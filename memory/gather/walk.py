"""The walk outward from one record: the pure part of `radius` and `path`, without a database.

A walk alternates between records and the edge properties on them. What a property is worth:

    weight(p) = strength(p) / (1 + ln(others))

where `others` is the number of *other readable* records carrying it (so a property shared with one record is
worth its strength, one shared with a hundred 0.18 of it), and `strength` is the connection's own (1 when it has
none, and for every plain property). A record reached from `u` through `p` scores `score(u) * weight(p)`: strengths
multiply along the chain. A record's depth is its least number of hops, its score the best over the routes of that
length, and within one depth records are admitted best score first, which for plain properties is rarest first.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

Key = Any  # a hashable, orderable property key (a UUID in the database, anything in a test)

# How far a property is counted at first, and by how much further when that was not enough: a count costs mostly the
# way to the first carrier, so a small first cap saves little. A walk for many records gets to the widely shared
# properties anyway.
FIRST_CAP, MANY_CAP, GROWTH = 32, 128, 4
MANY_NODES = 500
KEY_BUDGET = 20_000


def damping(others: int) -> float:
    """What sharing a property with `others` other records is worth, 1 for one, falling with the logarithm."""
    return 1.0 / (1.0 + math.log(others)) if others > 1 else 1.0


def product(*factors: float) -> float:
    """Multiply scores, rounded so that equal products compare equal whatever the order of their factors."""
    return round(math.prod(factors), 12)


@dataclass(frozen=True, slots=True)
class Step:
    """A property met at the edge of the walk.

    `carried` is the best `score * strength` among the frontier records carrying it and `parent` that record.
    `count` is the number of readable carriers, exact up to the cap it was counted with, else cap + 1; `members` are
    the carriers as (record id, sort instant), empty when the count passed the cap.
    """

    key: Key
    carried: float
    parent: Hashable
    count: int
    members: Iterable[tuple[Any, Any]] = ()


class Loader(Protocol):
    """Where a walk gets its data: one database round trip a call. Every implementation is limited to what one
    reader may read, so that a walk can neither pass through a hidden record nor count one."""

    def spread(
        self, frontier: Sequence[tuple[Any, float]], passed: set[Key], cap: int, budget: int
    ) -> tuple[list[Step], bool]:
        """The properties on the frontier's records (id, score; best first) except those already passed, each once
        with the record that carries it best, and whether more than `budget` (record, property) pairs were there:
        then the frontier's first `budget` pairs count."""

    def widen(self, keys: Sequence[Key], cap: int) -> dict[Key, tuple[int, Iterable[tuple[Any, Any]]]]:
        """Count again with a higher cap: key → (count, members), members empty when the count passes the cap."""


class Node(NamedTuple):  # a walk makes a thousand; a frozen dataclass takes three times as long to make
    """A record reached: its least number of hops, its score, and the last step that gave it."""

    id: Any
    depth: int
    score: float
    via: Key | None = None
    parent: Any = None


@dataclass(frozen=True, slots=True)
class Hub:
    """A property not followed because more than the hub limit carry it, with the depth it was met at."""

    key: Key
    depth: int
    parent: Any


@dataclass
class Walk:
    """What a walk found. `edges`: the carriers among the nodes of every property followed."""

    nodes: list[Node] = field(default_factory=list)
    edges: dict[Key, list[Any]] = field(default_factory=dict)
    hubs: list[Hub] = field(default_factory=list)
    truncated: bool = False
    reasons: list[str] = field(default_factory=list)

    def cut(self, reason: str) -> None:
        """Note that a budget stopped the walk."""
        self.truncated = True
        if reason not in self.reasons:
            self.reasons.append(reason)


class _Level:
    """The properties met at one depth, handed out best weight first, each counted only as far as needed."""

    def __init__(
        self, loader: Loader, frontier: Sequence[Node], passed: set[Key], cap: int, hub_limit: int, budget: int
    ):
        self.loader, self.hub_limit, self.cap = loader, hub_limit, min(cap, hub_limit + 1)
        self.rank = {node.id: place for place, node in enumerate(frontier)}
        self.open: dict[Key, Step] = {}
        self.bound = 0.0
        self.ready: list[tuple[float, int, Key, Step]] = []
        steps, self.cut = loader.spread([(n.id, n.score) for n in frontier], passed, self.cap, budget)
        passed.update(step.key for step in steps)
        for step in steps:
            self._sort_in(step)
        self._order_ready()

    def _order_ready(self) -> None:
        self.ready.sort(key=self._order)
        # a property counted past the cap has at least `cap` others: that bounds what it can still be worth
        self.bound = max((s.carried for s in self.open.values()), default=0.0) * damping(self.cap)

    @staticmethod
    def _order(entry: tuple[float, int, Key, Step]) -> float:
        return entry[0]

    def _sort_in(self, step: Step) -> None:
        if step.count > self.cap:
            self.open[step.key] = step
        elif step.count > 1:
            worth = product(step.carried, damping(step.count - 1))
            self.ready.append((worth, self.rank[step.parent], step.key, step))

    @property
    def uncounted(self) -> bool:
        return bool(self.open) and self.cap < self.hub_limit + 1

    def next_batch(self) -> tuple[float, list[tuple[int, Key, Step]]] | None:
        """All properties of the next best weight, or None when only hubs are left (they are in `open`)."""
        while True:
            if self.ready and (not self.uncounted or self.ready[-1][0] > self.bound + 1e-12):
                worth = self.ready[-1][0]
                batch = []
                while self.ready and self.ready[-1][0] == worth:
                    batch.append(self.ready.pop()[1:])
                batch.sort(key=lambda entry: entry[:2])
                return worth, batch
            if not self.uncounted:
                return None
            self.cap = min(self.cap * GROWTH, self.hub_limit + 1)
            counted = self.loader.widen(list(self.open), self.cap)
            waiting, self.open = self.open, {}
            for key, step in waiting.items():
                count, members = counted[key]
                self._sort_in(Step(key, step.carried, step.parent, count, members))
            self._order_ready()


def walk(
    loader: Loader,
    origin: Any,
    *,
    depth: int,
    max_nodes: int,
    hub_limit: int,
    key_budget: int = KEY_BUDGET,
) -> Walk:
    """Walk outward from `origin`, breadth first, best weight first, at most `max_nodes` records with the origin.

    A property more than `hub_limit` *other* records carry is a hub: listed, not followed. `truncated` is true when a
    budget stopped the walk with something left to look at, and `reasons` says which: "nodes" or "properties".
    """
    result = Walk(nodes=[Node(origin, 0, 1.0)])
    seen: set[Any] = {origin}
    passed: set[Key] = set()
    frontier = list(result.nodes)
    for level_depth in range(1, depth + 1):
        # the origin's own properties are few and all counted to the limit, so that its hubs are always named
        first = hub_limit + 1 if level_depth == 1 else MANY_CAP if max_nodes >= MANY_NODES else FIRST_CAP
        level = _Level(loader, frontier, passed, first, hub_limit, key_budget)
        if level.cut:
            result.cut("properties")
        reached: list[Node] = []
        full = False
        while not full and (batch := level.next_batch()):
            worth, entries = batch
            fresh: dict[Any, tuple[Any, Key, Any]] = {}
            for _, key, step in entries:
                for member, at in step.members:
                    if member not in seen and member not in fresh:
                        fresh[member] = (at, key, step.parent)
            room = max_nodes - len(result.nodes) - len(reached)
            chosen = sorted(fresh, key=lambda m: (fresh[m][0], m), reverse=True)
            if len(chosen) > room:
                result.cut("nodes")
                chosen, full = chosen[:room], True
            for member in chosen:
                _, key, parent = fresh[member]
                reached.append(Node(member, level_depth, worth, key, parent))
                seen.add(member)
            for _, key, step in entries:
                result.edges[key] = [member for member, _ in step.members]
            if not full and len(chosen) == room and level.uncounted:
                # full, and finding out whether more is there would cost another count: say it may be
                result.cut("nodes")
                full = True
        if not full or level_depth == 1:
            hubs = sorted(level.open.values(), key=lambda s: (-s.carried, level.rank[s.parent], s.key))
            if level.cap >= hub_limit + 1:
                result.hubs += [Hub(s.key, level_depth, s.parent) for s in hubs]
        result.nodes += reached
        frontier = reached
        if full or not reached:
            break
        if len(result.nodes) >= max_nodes and level_depth < depth:
            result.cut("nodes")
            break
    # a property's readers see only the records the walk admitted
    result.edges = {k: inside for k, m in result.edges.items() if len(inside := _inside(m, seen)) > 1}
    return result


def _inside(members: Iterable[Any], seen: set[Any]) -> list[Any]:
    return [member for member in members if member in seen]
