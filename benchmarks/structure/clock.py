"""Timing one engine on the questions, and comparing what it says."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.structure.world import KINDS


@dataclass
class Timed:
    """Milliseconds a question, and the answers, in the order asked."""

    ms: list[float] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    bad: int | None = None
    error: str = ""

    def percentile(self, q: float) -> float:
        return float(np.percentile(self.ms, q)) if self.ms else float("nan")

    @property
    def p50(self) -> float:
        return self.percentile(50)

    @property
    def p95(self) -> float:
        return self.percentile(95)

    def compare(self, right: list[Any]) -> None:
        self.bad = sum(1 for mine, good in zip(self.answers, right, strict=False) if mine != good)


def timed(ask: Callable[[Any], Any], questions: Iterable[Any], seconds: float) -> Timed:
    """Ask until the questions or the seconds run out, after asking as many as half the seconds allow to warm up."""
    listed = list(questions)
    result = Timed()
    try:
        begun = time.perf_counter()
        for question in listed:
            ask(question)
            if time.perf_counter() - begun > seconds / 2:
                break
        begun = time.perf_counter()
        for question in listed:
            start = time.perf_counter()
            answer = ask(question)
            result.ms.append((time.perf_counter() - start) * 1000)
            result.answers.append(answer)
            if time.perf_counter() - begun > seconds:
                break
    except Exception as error:  # a peer that cannot answer a kind is told in the table, the others go on
        result.error = f"{type(error).__name__}: {error}"[:300]
    return result


def run(
    engine: Any, questions: dict[str, list[Any]], seconds: float, kinds: Iterable[str] = KINDS
) -> dict[str, Timed]:
    """Every kind of question the engine has a method for."""
    found: dict[str, Timed] = {}
    for kind in kinds:
        method, asked = KINDS[kind]
        ask = getattr(engine, method, None)
        if ask is not None:
            found[kind] = timed(ask, questions[asked], seconds)
    return found
