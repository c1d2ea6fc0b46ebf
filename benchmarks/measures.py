"""Retrieval measures over the questions of a set, and a paired bootstrap between two settings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

MEASURES = ("R@1", "R@5", "R@10", "all@8", "MRR")


def of(ranked: Sequence[int], gold: Sequence[int]) -> dict[str, float]:
    """The measures of one question: recall in the first 1, 5 and 10, all of it in the first 8, reciprocal rank."""
    wanted = set(gold)

    def recall(k: int) -> float:
        return len(wanted.intersection(ranked[:k])) / len(wanted)

    first = next((place for place, record in enumerate(ranked, 1) if record in wanted), 0)
    return {
        "R@1": recall(1),
        "R@5": recall(5),
        "R@10": recall(10),
        "all@8": float(wanted.issubset(ranked[:8])),
        "MRR": 1 / first if first else 0.0,
    }


def mean(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """Each measure's mean over the questions."""
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def bootstrap(
    ours: Sequence[float], theirs: Sequence[float], *, rounds: int = 10_000, seed: int = 0
) -> tuple[float, float, float]:
    """(mean difference, 2.5 % and 97.5 % of it) over resampled questions, paired."""
    difference = np.asarray(ours) - np.asarray(theirs)
    rng = np.random.default_rng(seed)
    count = len(difference)
    means = np.empty(rounds)
    for start in range(0, rounds, 500):
        picks = rng.integers(0, count, size=(min(500, rounds - start), count))
        means[start : start + len(picks)] = difference[picks].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(difference.mean()), float(low), float(high)


def percentiles(milliseconds: Sequence[float]) -> tuple[float, float]:
    """(p50, p95)."""
    return float(np.percentile(milliseconds, 50)), float(np.percentile(milliseconds, 95))
