"""A block of text for a prompt: entities and how they are related, the best first, within a budget of tokens."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_PIECE = re.compile(r"\w+|[^\w\s]")


def tokens(text: str) -> int:
    """An estimate that errs on the high side: a word is a token for every four characters begun, a sign is one, and
    every character of a script written without spaces is one."""
    total = 0
    for piece in _PIECE.findall(text):
        total += len(piece) if not piece.isascii() else math.ceil(len(piece) / 4)
    return total


@dataclass(frozen=True)
class Fact:
    """A relation to tell: already readable by whoever asks."""

    source: str
    type: str
    target: str
    score: float
    confidence: float | None = None
    since: str | None = None
    until: str | None = None
    sources: tuple[str, ...] = ()

    def line(self) -> str:
        details = []
        if self.since:
            details.append(f"since {self.since[:10]}")
        if self.until:
            details.append(f"until {self.until[:10]}")
        if self.confidence is not None:
            details.append(f"confidence {self.confidence:.2f}")
        told = f"  - {self.source} {self.type} {self.target}"
        told += f" ({'; '.join(details)})" if details else ""
        return told + "".join(f" [{source}]" for source in self.sources)


@dataclass(frozen=True)
class Thing:
    """An entity to tell, with the records it is told from."""

    name: str
    type: str
    score: float
    attributes: dict[str, Any] = field(default_factory=dict)
    sources: tuple[str, ...] = ()

    def line(self) -> str:
        details = [self.type, *(f"{name}: {_flat(value)}" for name, value in sorted(self.attributes.items()))]
        return f"{self.name} ({'; '.join(details)})" + "".join(f" [{source}]" for source in self.sources)


@dataclass
class Block:
    """The text, its tokens, what it tells, and how much was left out."""

    text: str = ""
    tokens: int = 0
    things: list[Thing] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    left_out: int = 0

    @property
    def sources(self) -> list[str]:
        """The sr_ids told from, each once."""
        of_things = [source for thing in self.things for source in thing.sources]
        return list(dict.fromkeys(of_things + [source for fact in self.facts for source in fact.sources]))


def _flat(value: Any) -> str:
    return " ".join(str(value).split())[:200]


def build(things: Sequence[Thing], facts: Sequence[Fact], budget: int) -> Block:
    """The best things and facts whose text fits the budget, things in the order of their scores with their facts under
    them. A fact goes under its source, or under its target when only that is told; each fact once.

    What does not fit is left out whole and counted, so that no line is ever cut in the middle.
    """
    block = Block()
    lines: list[tuple[int, str]] = []
    spent = 0
    chosen: list[Thing] = []
    ranked = sorted(things, key=lambda t: (-t.score, t.name))
    best_facts = sorted(set(facts), key=lambda f: (-f.score, f.source, f.type, f.target))
    told: set[Fact] = set()
    for thing in ranked:
        cost = tokens(thing.line())
        if spent + cost > budget:
            block.left_out += 1
            continue
        place = len(chosen)
        chosen.append(thing)
        lines.append((place, thing.line()))
        spent += cost
        for fact in best_facts:
            if fact in told or thing.name not in (fact.source, fact.target):
                continue
            if fact.source != thing.name and any(t.name == fact.source for t in ranked):
                continue  # it will be told under its source
            cost = tokens(fact.line())
            if spent + cost <= budget:
                told.add(fact)
                lines.append((place, fact.line()))
                spent += cost
    block.text = "\n".join(line for _, line in lines)
    block.tokens = tokens(block.text)
    block.things, block.facts = chosen, [fact for fact in best_facts if fact in told]
    block.left_out += len(best_facts) - len(told)
    return block
