"""What a remembered thing is worth right now: similarity, recency, importance and access, weighted.

    score = (w_s · similarity + w_r · recency + w_i · importance + w_a · access) / (w_s + w_r + w_i + w_a)

    recency    = 0.5 ^ (age / half life), age since it was last mentioned
    importance = confidence, or how connected it is
    access     = n / (n + 3) for n mentions

All parts and the score lie between 0 and 1. Weights and half life come from settings and can be given per call.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

ACCESS_HALF = 3


@dataclass(frozen=True)
class Weights:
    """How much each part counts, and how fast recency fades."""

    similarity: float = 0.5
    recency: float = 0.2
    importance: float = 0.2
    access: float = 0.1
    half_life: timedelta = timedelta(days=30)

    def __post_init__(self) -> None:
        parts = (self.similarity, self.recency, self.importance, self.access)
        if any(part < 0 for part in parts) or not sum(parts) > 0:
            raise ValueError("Weights are not negative and not all zero.")
        if self.half_life <= timedelta(0):
            raise ValueError("The half life is longer than nothing.")

    @classmethod
    def parse(cls, text: str, half_life_days: float = 30) -> Weights:
        """From "similarity=0.5,recency=0.2,…"; what is not named keeps its default."""
        given: dict[str, Any] = {}
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            name, _, number = part.partition("=")
            if name not in ("similarity", "recency", "importance", "access"):
                raise ValueError(f"There is no weight named {name!r}.")
            given[name] = float(number)
        return replace(cls(half_life=timedelta(days=half_life_days)), **given)


def recency(last: datetime | None, now: datetime, half_life: timedelta) -> float:
    """1 just now, 0.5 after a half life; what was never dated counts as one half life old; the future as now."""
    if last is None:
        return 0.5
    return 0.5 ** max(0.0, (now - last) / half_life)


def access(mentions: int) -> float:
    """0 when never mentioned, nearing 1 with many mentions."""
    return mentions / (mentions + ACCESS_HALF) if mentions > 0 else 0.0


def connectedness(degree: int) -> float:
    """0 for none, nearing 1 slowly: 1 − 1 / (1 + ln(1 + degree))."""
    return 1 - 1 / (1 + math.log1p(max(0, degree)))


def score(
    weights: Weights,
    *,
    similarity: float = 0.0,
    last_mentioned: datetime | None = None,
    importance: float = 0.0,
    mentions: int = 0,
    now: datetime,
) -> float:
    """The composite score, 0 to 1; parts outside 0 to 1 are brought to the nearer end.

    Six digits: what was mentioned within seconds of each other scores alike, and keeps its place from one call to
    the next.
    """
    parts = (
        (weights.similarity, similarity),
        (weights.recency, recency(last_mentioned, now, weights.half_life)),
        (weights.importance, importance),
        (weights.access, access(mentions)),
    )
    total = sum(weight for weight, _ in parts)
    return round(sum(weight * min(1.0, max(0.0, part)) for weight, part in parts) / total, 6)


def decayed(strength: float, last: datetime | None, now: datetime, half_life: timedelta, floor: float = 0.0) -> float:
    """A connection's strength after time without a mention: halved every half life, never below the floor."""
    if last is None or now <= last:
        return strength
    return max(min(floor, strength), strength * 0.5 ** ((now - last) / half_life))
