"""The passage of a text that answers, with the places of the words that were asked for."""

from __future__ import annotations

from collections.abc import Iterable

from memory import words

LENGTH = 320  # characters
SCANNED = 40_000  # characters of a text that are looked through for the best passage
MARKS_MAX = 40


def snippet(
    text: str, lexemes: Iterable[str], weights: dict[str, float], window: tuple[int, int] | None = None
) -> tuple[str, list[list[int]]]:
    """(passage, highlights): the passage is a slice of the text with "…" where it was cut, the highlights are
    [start, end) places in the passage.

    The passage is taken from the best window where it has a word that was asked for, else from where the
    heaviest of those words stand closest together, else from the window or the beginning.
    """
    wanted = set(lexemes)
    start, end = window or (0, min(len(text), SCANNED))
    marks = _marks(text, start, min(end, start + SCANNED), wanted)
    if not marks and window is not None:
        start, end = 0, min(len(text), SCANNED)
        marks = _marks(text, start, end, wanted)
        if not marks:
            start, end = window
    begin = _densest(marks, weights, start, end) if marks else start
    begin, stop = _cut(text, begin, end)
    shown = text[begin:stop]
    lead = "…" if begin > 0 and shown else ""
    tail = "…" if stop < len(text) and shown else ""
    shift = len(lead) - begin
    places = [[s + shift, e + shift] for s, e, _ in marks if begin <= s and e <= stop][:MARKS_MAX]
    return f"{lead}{shown}{tail}", _joined(places)


def _marks(text: str, start: int, end: int, wanted: set[str]) -> list[tuple[int, int, frozenset[str]]]:
    if not wanted:
        return []
    found = []
    for lexemes, begin, stop in words.spans(text[start:end]):
        hit = lexemes & wanted
        if hit:
            found.append((start + begin, start + stop, frozenset(hit)))
    return found


def _densest(marks: list[tuple[int, int, frozenset[str]]], weights: dict[str, float], start: int, end: int) -> int:
    """Where a passage begins that has the most weight of different words, a little before the first of them."""
    best, place, first = -1.0, start, 0
    for last in range(len(marks)):
        while first < last and marks[last][1] - marks[first][0] > LENGTH - 60:
            first += 1
        seen = frozenset().union(*(hit for _, _, hit in marks[first : last + 1]))
        weight = sum(weights.get(lexeme, 1.0) for lexeme in seen) + 0.01 * (last - first)
        if weight > best:
            best, place = weight, marks[first][0]
    return max(start, place - 60) if place - start > 60 else start


def _cut(text: str, begin: int, end: int) -> tuple[int, int]:
    """At most LENGTH characters from `begin`, moved to the edges of words."""
    if begin > 0 and begin < len(text) and not text[begin - 1].isspace():
        space = text.find(" ", begin, begin + 40)
        begin = space + 1 if space >= 0 else begin
    stop = min(len(text), max(end, begin), begin + LENGTH)
    if stop < len(text) and not text[stop].isspace():
        space = text.rfind(" ", begin + LENGTH // 2, stop)
        stop = space if space > 0 else stop
    while begin < stop and text[begin].isspace():
        begin += 1
    while stop > begin and text[stop - 1].isspace():
        stop -= 1
    return begin, stop


def _joined(places: list[list[int]]) -> list[list[int]]:
    """Touching places (characters of one word in a script without spaces) as one."""
    joined: list[list[int]] = []
    for start, end in places:
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(end, joined[-1][1])
        else:
            joined.append([start, end])
    return joined
