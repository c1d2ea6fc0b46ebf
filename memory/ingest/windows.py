"""Windows: overlapping, sentence-aware slices of a text, each with its place in the text.

A window is what an embedding model reads at once and what a snippet is cut from. Sentences are kept whole; a
sentence longer than a window is cut at a space. Every character of the text that is not white space lies in
at least one window, and ``text[window.start:window.end]`` is the window.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

TARGET = 480  # characters: about 110 word pieces, what all-MiniLM-L6-v2 was trained on
OVERLAP = 0.34  # of a window, in whole sentences
MAX_WINDOWS = 2_000  # a record: beyond it windows grow instead of multiplying

# A sentence ends at . ! ? (and closing quotes) before a space and something that can begin a sentence, at an
# ideographic full stop, at a blank line, or at a line break. Not after an initial, an abbreviation or a number
# that opens a clause ("No. 5", "v. Smith", "12. The"). A run of marks is taken as a whole, from its beginning: trying
# each of its parts would take the square of its length.
_END = regex.compile(
    r"(?:(?<![.!?])[.!?]++[\"'\u2019\u201D)\]]*+(?=\s++[\"'\u2018\u201C(\[]?[\p{Lu}\p{Lo}\p{N}])|[\u3002\uFF01\uFF1F]|\n)"
)
_ABBREVIATION = regex.compile(
    r"(?:^|[\s(\[\"'])(?:\p{L}|\d{1,3}|Mr|Mrs|Ms|Dr|Prof|Hon|Jr|Sr|St|No|Nos|Art|Sec|Secs|Ex|Exh|Para|Fig|vs?|"
    r"cf|al|et|Inc|Ltd|Co|Corp|LLC|Bros|Dept|Dist|Cir|Ct|App|Supp|Fed|Rev|Stat|Cal|e\.g|i\.e|U\.S|U\.S\.C|a\.m|"
    r"p\.m)$",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Window:
    """A slice of a text: ``ordinal`` counts from 0, ``start`` and ``end`` are character offsets."""

    ordinal: int
    start: int
    end: int


def sentences(text: str) -> list[tuple[int, int]]:
    """(start, end) of each sentence, without the white space around it."""
    cuts = []
    for match in _END.finditer(text):
        if match.group().startswith(".") and _ABBREVIATION.search(text[max(0, match.start() - 12) : match.start()]):
            continue
        cuts.append(match.end())
    found = []
    start = 0
    for end in [*cuts, len(text)]:
        piece = text[start:end]
        kept = piece.strip()
        if kept:
            begin = start + len(piece) - len(piece.lstrip())
            found.append((begin, begin + len(kept)))
        start = end
    return found


def _pieces(text: str, limit: int) -> list[tuple[int, int]]:
    """Sentences, those longer than ``limit`` characters cut at spaces (or anywhere, where there are none)."""
    out = []
    for start, end in sentences(text):
        while end - start > limit:
            cut = text.rfind(" ", start + limit // 2, start + limit)
            cut = cut if cut > 0 else start + limit
            out.append((start, cut))
            start = cut
            while start < end and text[start].isspace():
                start += 1
        if end > start:
            out.append((start, end))
    return out


def windows(text: str, target: int = TARGET, overlap: float = OVERLAP) -> list[Window]:
    """The windows of a text, in order; one for a short text, none for an empty one."""
    target = max(target, len(text) // MAX_WINDOWS * 2)
    pieces = _pieces(text, target)
    found: list[Window] = []
    first = 0
    while first < len(pieces):
        last = first
        while last + 1 < len(pieces) and pieces[last + 1][1] - pieces[first][0] <= target:
            last += 1
        found.append(Window(len(found), pieces[first][0], pieces[last][1]))
        if last + 1 == len(pieces):
            break
        # Step back over whole sentences, but always forward from where this window began.
        following = last + 1
        room = overlap * target
        while following - 1 > first and pieces[last][1] - pieces[following - 1][0] <= room:
            following -= 1
        first = following
    return found
