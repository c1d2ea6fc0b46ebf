"""Long and odd texts cut down to what a model can read: in time that grows with the text, and in bounded memory.

A model's tokenizer takes a run without white space apart from both ends, again and again, which takes the square of
its length; and what a model holds for a text is some thousand times the text. So such runs are blanked, texts are read
in overlapping slices, and of one text no more than a budget is read by models at all. Offsets stay those of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from django.conf import settings

MAX_RUN = 200  # characters without white space: longer than any word, name or address that tells something
GROUP_CHARACTERS = 20_000  # read at once, of whatever texts: what bounds a model's memory
GROUP_SLICES = 64

_RUN = re.compile(rf"\S{{{MAX_RUN + 1},}}")
# Where a text is best cut: at the end of a paragraph, then of a sentence, then of a word.
_CUTS = (re.compile(r"\n[ \t\r]{0,80}\n"), re.compile(r"(?<=[.!?])\s|\n"), re.compile(r"\s"))


def readable(text: str) -> str:
    """As much of the text as models read, with runs of more than 200 characters without white space blanked; every
    character stands where it stood."""
    return _RUN.sub(lambda run: " " * len(run.group()), text[: budget()])


def budget() -> int:
    """Characters of one text that are read by the names model and the relations' parser."""
    return settings.LANEWISE_MODEL_CHARACTERS


class Slice(NamedTuple):
    """`text[start:end]`, read for what begins in `text[first:last]`: the rest is there for its context."""

    start: int
    end: int
    first: int
    last: int


def slices(text: str, size: int, overlap: int) -> list[Slice]:
    """The text in slices of at most `size` characters, each sharing up to `overlap` with the one before.

    What begins in the middle of an overlap or later belongs to the later slice, so everything no longer than half an
    overlap is whole in the slice it belongs to.
    """
    found: list[Slice] = []
    start = first = 0
    while True:
        end = len(text) if len(text) - start <= size else start + _cut(text[start : start + size], size // 2)
        if end == len(text):
            found.append(Slice(start, end, first, end))
            return found
        begin = max(start + size // 4, end - overlap)
        begin += _cut(text[begin:end], 0, last=False)
        last = (begin + end) // 2
        found.append(Slice(start, end, first, last))
        start, first = begin, last


def _cut(window: str, least: int, last: bool = True) -> int:
    """Where to cut a window, at `least` or later: after its last good place, or its first one."""
    for places in _CUTS:
        ends = [match.end() for match in places.finditer(window, least)]
        if ends:
            return ends[-1] if last else ends[0]
    return len(window) if last else 0


Item = TypeVar("Item")


def groups(items: Sequence[Item], lengths: Sequence[int]) -> Iterator[list[Item]]:
    """The items in runs of at most 64 items or 20,000 characters (one longer item is a run of its own)."""
    group: list[Item] = []
    size = 0
    for item, length in zip(items, lengths, strict=True):
        if group and (len(group) >= GROUP_SLICES or size + length > GROUP_CHARACTERS):
            yield group
            group, size = [], 0
        group.append(item)
        size += length
    if group:
        yield group
