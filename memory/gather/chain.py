"""The strongest shortest chain between two records: the pure part of `path`, without a database.

Two searches, one from each end, alternate: records to the properties on them (cheap), properties to their carriers
(dear). They meet at a property, so a chain of three hops needs each end opened only once. Among the shortest chains
the one with the greatest product of weights wins (`walk.py` defines weight); equal ones are settled by the order of
keys and of records, newest first, so that the answer is always the same.

A property with more than `hub_limit` carriers joins two records like any other, but is not opened. Chains of up to
two hops are found through hubs as well; when a longer one is given, or none, and hubs were left closed, `closed_hubs`
says how many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from memory.gather.walk import Key, damping, product

MEETINGS = 200
HUB_PAIRS = 16


@dataclass(frozen=True, slots=True)
class Touch:
    """A property on a frontier record: the record that carries it best, that record's score, its own strength."""

    key: Key
    parent: Any
    score: float
    strength: float


class ChainLoader(Protocol):
    """Where a chain search gets its data, limited to one reader; one round trip a call."""

    def touch(self, frontier: Sequence[tuple[Any, float]], passed: set[Key], budget: int) -> tuple[list[Touch], bool]:
        """As `Loader.spread`, without counting."""

    def widen(self, keys: Sequence[Key], cap: int) -> dict[Key, tuple[int, Iterable[tuple[Any, Any]]]]:
        """As `Loader.widen`."""

    def count(self, keys: Sequence[Key], cap: int) -> dict[Key, int]:
        """How many readable records carry each key, at most `cap`."""

    def common(self, pairs: Sequence[tuple[Key, Key]], without: Sequence[Any]) -> tuple[int, Any] | None:
        """The first pair of keys that a readable record not in `without` carries both of: the pair's index and the
        newest such record. A loader may look at each key's newest carriers only."""


@dataclass(frozen=True, slots=True)
class Link:
    """One hop: the record stepped from, the property, the record stepped to."""

    source: Any
    key: Key
    target: Any
    weight: float


@dataclass
class Chain:
    """A chain's hops and score; how many hubs were left closed; whether a budget cut the search."""

    links: list[Link] = field(default_factory=list)
    found: bool = False
    score: float = 0.0
    closed_hubs: int = 0
    truncated: bool = False


class _Side:
    """One end's search: how each record was reached, and the properties its frontier carries."""

    def __init__(self, start: Any):
        self.level = 0
        self.frontier: list[tuple[Any, float]] = [(start, 1.0)]
        self.came: dict[Any, Link | None] = {start: None}
        self.passed: set[Key] = set()
        self.keys: dict[Key, Touch] = {}
        self.hubs: dict[Key, Touch] = {}

    def touch(self, loader: ChainLoader, budget: int) -> bool:
        touched, cut = loader.touch(self.frontier, self.passed, budget)
        self.keys = {t.key: t for t in touched}
        self.passed.update(self.keys)
        return cut

    def open(self, loader: ChainLoader, hub_limit: int, beam: int) -> bool:
        """Step to the carriers of the frontier's properties; true when more than `beam` were reached."""
        fresh: dict[Any, tuple[float, Any, Link]] = {}
        counted = loader.widen(list(self.keys), hub_limit) if self.keys else {}
        for key, t in self.keys.items():
            count, members = counted[key]
            if count > hub_limit:
                self.hubs.setdefault(key, t)
                continue
            if count < 2:
                continue
            weight = product(t.strength, damping(count - 1))
            score = product(t.score, weight)
            for member, at in members:
                if member in self.came:
                    continue
                link = Link(t.parent, key, member, weight)
                best = fresh.get(member)
                if best is None or (-score, key) < (-best[0], best[2].key):
                    fresh[member] = (score, at, link)
        order = sorted(fresh, key=lambda m: (fresh[m][0], fresh[m][1], m), reverse=True)
        kept = order[:beam]
        self.frontier = [(m, fresh[m][0]) for m in kept]
        self.came.update({m: fresh[m][2] for m in kept})
        self.level += 1
        return len(order) > beam

    def back(self, record: Any) -> list[Link]:
        """The hops from the start to `record`, in walking order."""
        hops = []
        while link := self.came[record]:
            hops.append(link)
            record = link.source
        return hops[::-1]


def strongest_chain(
    loader: ChainLoader,
    start: Any,
    end: Any,
    *,
    max_depth: int,
    hub_limit: int = 1_000,
    beam: int = 2_000,
    budget: int = 20_000,
) -> Chain:
    """The chain of at most `max_depth` hops from `start` to `end`. `truncated`: a budget cut the search, so a better
    chain than the one given (or one at all) may exist."""
    result = Chain(found=start == end, score=1.0 if start == end else 0.0)
    if result.found:
        return result
    ahead, behind = _Side(start), _Side(end)
    result.truncated |= ahead.touch(loader, budget)
    result.truncated |= behind.touch(loader, budget)
    for length in range(1, max_depth + 1):
        best = _best(loader, ahead, behind, _shared(ahead.keys, behind.keys), hub_limit)
        if length == 2 and ahead.hubs:
            # a hub on this end may hold a record next to the other end: open that one too, and look for records
            # held by a hub of each
            result.truncated |= behind.open(loader, hub_limit, beam)
            result.truncated |= behind.touch(loader, budget)
            best = _better(best, _through_hub(loader, ahead, behind, hub_limit))
            if best is None or best[0] < damping(hub_limit - 1) ** 2:  # else no two hubs could do better
                best = _better(best, _through_two_hubs(loader, ahead, behind, start, end, hub_limit))
        elif length > 2:
            # a closed hub met by the side opened last makes a chain shorter than this length
            best = _through_hub(loader, ahead, behind, hub_limit) or best
        if best:
            result.found, (result.score, result.links) = True, best
            break
        if length == max_depth:
            break
        if ahead.level + behind.level + 1 > length:
            continue
        side = ahead if length == 1 or len(ahead.keys) <= len(behind.keys) else behind
        result.truncated |= side.open(loader, hub_limit, beam)
        result.truncated |= side.touch(loader, budget)
        if not side.keys and not side.hubs:
            break
    if not result.found or len(result.links) > 2:
        result.closed_hubs = len(ahead.hubs.keys() | behind.hubs.keys())
    return result


Meeting = tuple[Key, Touch, Touch]
Found = tuple[float, list[Link]]


def _shared(left: dict[Key, Touch], right: dict[Key, Touch]) -> list[Meeting]:
    keys = left.keys() & right.keys()
    found = [(key, left[key], right[key]) for key in keys if left[key].parent != right[key].parent]
    found.sort(key=lambda m: (-product(m[1].score, m[2].score, max(m[1].strength, m[2].strength)), m[0]))
    return found[:MEETINGS]


def _best(loader: ChainLoader, ahead: _Side, behind: _Side, meetings: list[Meeting], hub_limit: int) -> Found | None:
    """The strongest chain through one of the properties both ends carry."""
    if not meetings:
        return None
    counts = loader.count([key for key, *_ in meetings], hub_limit)
    best: tuple[float, Key, Touch, Touch, float] | None = None
    for key, left, right in meetings:
        weight = product(max(left.strength, right.strength), damping(counts[key] - 1))
        score = product(left.score, right.score, weight)
        if best is None or (-score, key) < (-best[0], best[1]):
            best = (score, key, left, right, weight)
    assert best is not None  # there was a meeting
    score, key, left, right, weight = best
    links = ahead.back(left.parent)
    links.append(Link(left.parent, key, right.parent, weight))
    links += _reverse(behind.back(right.parent))
    return score, links


def _reverse(links: list[Link]) -> list[Link]:
    return [Link(link.target, link.key, link.source, link.weight) for link in reversed(links)]


def _through_hub(loader: ChainLoader, ahead: _Side, behind: _Side, hub_limit: int) -> Found | None:
    """The shortest, then strongest, chain through a hub one side left closed and the other side's frontier carries."""
    found = [
        _best(loader, ahead, behind, _shared(ahead.hubs, behind.keys), hub_limit),
        _best(loader, ahead, behind, _shared(ahead.keys, behind.hubs), hub_limit),
    ]
    chains = [chain for chain in found if chain]
    return min(chains, key=lambda c: (len(c[1]), -c[0], [link.key for link in c[1]]), default=None)


def _better(one: Found | None, other: Found | None) -> Found | None:
    if one is None or other is None:
        return one or other
    return one if (-one[0], [x.key for x in one[1]]) <= (-other[0], [x.key for x in other[1]]) else other


def _through_two_hubs(
    loader: ChainLoader, ahead: _Side, behind: _Side, start: Any, end: Any, hub_limit: int
) -> Found | None:
    """start –hub– record –hub– end. Both ends' own hubs only; a hub's weight is that of `hub_limit` carriers."""
    left = [t for t in ahead.hubs.values() if t.parent == start]
    right = [t for t in behind.hubs.values() if t.parent == end]
    pairs = [(a, b) for a in left for b in right if a.key != b.key]
    pairs.sort(key=lambda p: (-product(p[0].strength, p[1].strength), p[0].key, p[1].key))
    pairs = pairs[:HUB_PAIRS]
    if not pairs:
        return None
    worth = damping(hub_limit - 1)
    met = loader.common([(a.key, b.key) for a, b in pairs], [start, end])
    if met is None:
        return None
    (a, b), record = pairs[met[0]], met[1]
    one, two = product(a.strength, worth), product(b.strength, worth)
    return product(one, two), [Link(start, a.key, record, one), Link(record, b.key, end, two)]
