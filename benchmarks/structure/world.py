"""The loaded records as arrays, the questions asked of them, and the right answers by brute force.

Records are named by their rank in time (0 is the oldest by event time, then id), so "newest first" is "highest rank
first" everywhere. Properties are named by a number; engines are asked with label and value, as a caller asks.
"""

import json
from collections import Counter
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from memory.demo.scale import LANES, lane_slugs, stream

PAGE, TIMELINE_PAGE, GROUPS = 50, 50, 50
COUNT_CAP = 10_000  # the product's: counts beyond it are told as "more than"
HUB_LIMIT, MAX_NODES = 100, 1000
READABLE = 5
UNDATED, EPOCH = 0, date(1970, 1, 1)
LABELS = ("status", "year", "doc_type", "topic", "client", "matter", "person")


@dataclass
class World:
    """CSR arrays both ways: record → properties (`rp`, `rpid`), property → records (`pp`, `prec`, ascending)."""

    lane: np.ndarray  # lane of a record, 0 … 49
    rp: np.ndarray
    rpid: np.ndarray
    pp: np.ndarray
    prec: np.ndarray
    names: list[tuple[str, str]]  # label and value of a property
    label: np.ndarray  # index into LABELS of a property
    day: np.ndarray  # event day of a record, days since 1970; UNDATED where there is none

    @property
    def size(self) -> int:
        return len(self.lane)

    @property
    def df(self) -> np.ndarray:
        return np.diff(self.pp)

    def held(self, record: int) -> np.ndarray:
        return self.rpid[self.rp[record] : self.rp[record + 1]]

    def carriers(self, prop: int) -> np.ndarray:
        return self.prec[self.pp[prop] : self.pp[prop + 1]]

    def mask(self, lanes: list[int]) -> np.ndarray:
        chosen = np.zeros(LANES, bool)
        chosen[lanes] = True
        return chosen[self.lane]

    def save(self, folder: Path) -> None:
        """For the peers, which run in processes of their own."""
        np.savez(
            folder / "world.npz", lane=self.lane, rp=self.rp, rpid=self.rpid, pp=self.pp, prec=self.prec,
            label=self.label, day=self.day,
        )  # fmt: skip
        (folder / "names.json").write_text(json.dumps(self.names))

    @classmethod
    def load(cls, folder: Path) -> "World":
        arrays = np.load(folder / "world.npz")
        names = [tuple(pair) for pair in json.loads((folder / "names.json").read_text())]
        return cls(**{name: arrays[name] for name in arrays.files}, names=names)


def build(total: int, seed: int, ordinal: np.ndarray) -> World:
    """The world of `stream(total, seed)`; `ordinal[rank]` is the record's number in the stream."""
    rank = np.empty(total, np.int64)
    rank[ordinal] = np.arange(total)
    number: dict[tuple[str, str], int] = {}
    lane_of = {slug: i for i, slug in enumerate(lane_slugs())}
    lanes, counts, flat = np.empty(total, np.int8), np.empty(total, np.int64), []
    day = np.full(total, UNDATED, np.int32)
    for i, record in enumerate(stream(total, seed)):
        lanes[i] = lane_of[record["lane"]]
        counts[i] = len(record["edge_properties"])
        if record["occurred_at"]:
            day[i] = (date.fromisoformat(record["occurred_at"]) - EPOCH).days
        flat += [number.setdefault((item["label"], item["value"]), len(number)) for item in record["edge_properties"]]
    props = np.array(flat, np.int32)
    records = np.repeat(rank, counts)
    by_record = np.lexsort((props, records))
    by_prop = np.lexsort((records, props))
    names = list(number)
    return World(
        lane=lanes[ordinal],
        rp=np.concatenate([[0], np.cumsum(np.bincount(records, minlength=total))]),
        rpid=props[by_record],
        pp=np.concatenate([[0], np.cumsum(np.bincount(props, minlength=len(names)))]),
        prec=records[by_prop].astype(np.int32),
        names=names,
        label=np.array([LABELS.index(label) for label, _ in names], np.int8),
        day=day[ordinal],
    )


def questions(world: World, n: int, seed: int = 11) -> dict[str, list[dict[str, Any]]]:
    """`n` questions of each kind, each with five readable lanes (the lane of the record it began with among them)."""
    rng = np.random.default_rng(seed)
    df = world.df

    def record() -> int:
        return int(rng.integers(0, world.size))

    def lanes(start: int) -> list[int]:
        found = {int(world.lane[start])}
        while len(found) < READABLE:
            found.add(int(rng.integers(0, LANES)))
        return sorted(found)

    def rarest(props: Any) -> list[int]:
        return sorted({int(p) for p in props}, key=lambda p: int(df[p]))

    asked: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("mix", "hub", "sparse", "union", "group", "walk", "timeline")
    }
    dated = world.day[world.day != UNDATED]
    first, last = int(dated.min()), int(dated.max())

    def needles(start: int) -> list[str]:
        """One or two pieces, 4 to 8 characters long, of values on the record."""
        held = world.held(start)
        held = held[world.label[held] >= 2]
        found = []
        for prop in rng.choice(held, min(len(held), int(rng.integers(1, 3))), replace=False):
            value = world.names[prop][1].lower()
            size = int(rng.integers(4, 9))
            begin = int(rng.integers(0, max(1, len(value) - size + 1)))
            piece = value[begin : begin + size].strip()
            found.append(piece if len(piece) >= 3 else value)
        return found

    def span() -> dict[str, int]:
        """Three tenths of all the time there is."""
        begin = int(rng.integers(first, last))
        return {"first_day": begin, "last_day": begin + (last - first) * 3 // 10}

    hubs = [np.where(world.label == i)[0] for i in range(3)]
    common = np.where((df > world.size // 400) & (world.label >= 3))[0]
    for i in range(n):
        start = record()
        held = world.held(start)
        picked = rng.choice(held, min(len(held), int(rng.integers(2, 4))), replace=False)
        asked["mix"].append({"props": rarest(picked), "lanes": lanes(start)})
        one, two = rng.choice(3, 2, replace=False)
        asked["hub"].append(
            {"props": rarest([rng.choice(hubs[one]), rng.choice(hubs[two])]), "lanes": lanes(record())}
        )
        asked["sparse"].append({"props": rarest(rng.choice(common, 2, replace=False)), "lanes": lanes(record())})
        asked["union"].append(
            {"props": rarest(rng.choice(world.held(record())) for _ in range(3)), "lanes": lanes(record())}
        )
        asked["group"].append({"label": LABELS[i % len(LABELS)], "lanes": lanes(record())})
        start = record()
        asked["walk"].append({"record": start, "lanes": lanes(start)})
        start = record()
        asked["timeline"].append({"needles": needles(start), "lanes": lanes(start), **span()})
    return asked


class Reference:
    """The right answers, from the arrays, without any engine."""

    def __init__(self, world: World, instants: list[Any], publics: list[str]) -> None:
        """`instants[rank]` and `publics[rank]`: event time and sr_id, by which a traverse breaks its ties."""
        self.world, self.publics = world, publics
        places = {instant: place for place, instant in enumerate(sorted(set(instants)))}
        self.instant = [places[instant] for instant in instants]

    def _all(self, question: dict[str, Any]) -> np.ndarray:
        found = self.world.carriers(question["props"][0])
        for prop in question["props"][1:]:
            mark = np.zeros(self.world.size, bool)
            mark[self.world.carriers(prop)] = True
            found = found[mark[found]]
        return found[self.world.mask(question["lanes"])[found]]

    def _any(self, question: dict[str, Any]) -> np.ndarray:
        found = np.unique(np.concatenate([self.world.carriers(prop) for prop in question["props"]]))
        return found[self.world.mask(question["lanes"])[found]]

    def intersect(self, question: dict[str, Any]) -> list[int]:
        return self._all(question)[::-1][:PAGE].tolist()

    def intersect_count(self, question: dict[str, Any]) -> int:
        return len(self._all(question))

    def union(self, question: dict[str, Any]) -> list[int]:
        return self._any(question)[::-1][:PAGE].tolist()

    def union_count(self, question: dict[str, Any]) -> int:
        return len(self._any(question))

    def group(self, question: dict[str, Any]) -> list[int]:
        """The counts of the first page of values, most first."""
        readable = self.world.mask(question["lanes"])
        props = np.where(self.world.label == LABELS.index(question["label"]))[0]
        counts = [int(readable[self.world.carriers(prop)].sum()) for prop in props]
        return sorted((count for count in counts if count), reverse=True)[:GROUPS]

    def neighbours(self, question: dict[str, Any]) -> list[tuple[int, int]]:
        """(record, others sharing its least-shared property) of the first page of a traverse, in SPEC's order."""
        readable = self.world.mask(question["lanes"])
        least: dict[int, int] = {}
        shared: Counter[int] = Counter()
        for prop in self.world.held(question["record"]):
            others = self.world.carriers(prop)
            others = others[readable[others]]
            others = others[others != question["record"]]
            for other in others.tolist():
                least[other] = min(least.get(other, len(others)), len(others))
            shared.update(others.tolist())
        order = sorted(least, key=lambda r: (min(least[r], COUNT_CAP), -shared[r], -self.instant[r], self.publics[r]))
        return [(record, min(least[record], COUNT_CAP)) for record in order[:PAGE]]

    def traverse(self, question: dict[str, Any]) -> list[int]:
        return [least for _, least in self.neighbours(question)]

    def radius(self, question: dict[str, Any], depth: int) -> list[int]:
        """Records reached at each depth. The order within a depth does not change how many they are."""
        readable = self.world.mask(question["lanes"])
        seen, frontier = {question["record"]}, [question["record"]]
        passed: set[int] = set()
        sizes: list[int] = []
        for _ in range(depth):
            fresh: set[int] = set()
            for prop in {int(p) for record in frontier for p in self.world.held(record)} - passed:
                passed.add(prop)
                members = self.world.carriers(prop)
                if len(members) > 100_000:
                    continue  # a tenth of that in five lanes at the least: far beyond the hub limit
                members = members[readable[members]]
                if 2 <= len(members) <= HUB_LIMIT + 1:
                    fresh.update(members.tolist())
            fresh -= seen
            room = MAX_NODES + 1 - len(seen)
            sizes.append(min(len(fresh), room))
            if len(fresh) >= room or not fresh:
                break
            seen |= fresh
            frontier = list(fresh)
        return sizes + [0] * (depth - len(sizes))

    def radius2(self, question: dict[str, Any]) -> list[int]:
        return self.radius(question, 2)

    def radius3(self, question: dict[str, Any]) -> list[int]:
        return self.radius(question, 3)

    def timeline(self, question: dict[str, Any]) -> list[int]:
        """The first page, oldest first, of dated records within the days that carry a value for every needle."""
        found = self.world.mask(question["lanes"]) & (self.world.day >= question["first_day"])
        found &= self.world.day <= question["last_day"]
        for needle in question["needles"]:
            mark = np.zeros(self.world.size, bool)
            for prop in self._containing(needle):
                mark[self.world.carriers(prop)] = True
            found &= mark
        return np.flatnonzero(found)[:TIMELINE_PAGE].tolist()

    def _containing(self, needle: str) -> list[int]:
        if not hasattr(self, "_folded"):
            self._folded = [value.lower() for _, value in self.world.names]
        return [prop for prop, value in enumerate(self._folded) if needle in value]


KINDS: dict[str, tuple[str, str]] = {
    "intersect, mixed": ("intersect", "mix"),
    "intersect, two hubs": ("intersect", "hub"),
    "intersect, sparse": ("intersect", "sparse"),
    "count, mixed": ("intersect_count", "mix"),
    "count, two hubs": ("intersect_count", "hub"),
    "union": ("union", "union"),
    "count of a union": ("union_count", "union"),
    "group": ("group", "group"),
    "traverse": ("traverse", "walk"),
    "radius 2": ("radius2", "walk"),
    "radius 3": ("radius3", "walk"),
    "timeline": ("timeline", "timeline"),
}
