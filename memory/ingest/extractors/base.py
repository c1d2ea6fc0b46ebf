"""The one small interface every extractor has.

An extractor reads a record's text and proposes tags. It never writes, never sees another lane's data and
never decides what a reader may see; the pipeline stores what it proposes under the record's own lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from typing import Any, Protocol, runtime_checkable

from memory.ingest.pace import between_pieces

MAX_VALUE = 500


@dataclass(frozen=True, slots=True)
class ExtractContext:
    """What an extractor may know of the record besides its text.

    `at` is the record's own date (event time, else the time of recording) and anchors "last Tuesday";
    None means relative terms can't be placed and stay without a span. `zone` is the zone in which days
    begin and end.
    """

    at: datetime | None = None
    title: str = ""
    tenant_id: int = 0
    lane_id: int = 0
    record_id: int = 0
    zone: tzinfo = UTC


@dataclass(frozen=True, slots=True)
class TagProposal:
    """One derived tag. `text[start:end]` is the mention; both are None for a tag without a place.

    `begins`/`ends` are timezone-aware and half-open, set for time terms whose meaning could be placed.
    `key` is set only by extractors that already know the hyperedge the value belongs to (known values);
    otherwise it is computed from label and value.
    """

    label: str
    value: str
    start: int | None = None
    end: int | None = None
    begins: datetime | None = None
    ends: datetime | None = None
    data: dict[str, Any] = field(default_factory=dict)
    key: Any = None


@runtime_checkable
class Extractor(Protocol):
    """`name` is stored with each tag; `extract` may be called from any thread.

    `titles = True` on the class: titles are read too, and what only they name becomes a tag without a place.
    """

    name: str

    def extract(self, text: str, context: ExtractContext) -> list[TagProposal]: ...


def extract_many(
    extractor: Extractor, texts: Sequence[str], contexts: Sequence[ExtractContext]
) -> list[list[TagProposal]]:
    """Run one extractor over a batch, through its own `extract_many` where it has one.

    Extractors that gain from batches (one query or one model call for all texts) define
    `extract_many(texts, contexts)` with the same shape as this function's result.
    """
    own = getattr(extractor, "extract_many", None)
    if own is not None:
        return own(texts, contexts)
    found = []
    for text, context in zip(texts, contexts, strict=True):
        found.append(extractor.extract(text, context))
        between_pieces()
    return found


def from_titles(
    extractor: Extractor, contexts: Sequence[ExtractContext], found: Sequence[list[TagProposal]]
) -> list[list[TagProposal]]:
    """What records' titles name and their texts (`found`) don't, as tags without a place."""
    titled = [index for index, context in enumerate(contexts) if context.title]
    result: list[list[TagProposal]] = [[] for _ in contexts]
    read = extract_many(
        extractor,
        [contexts[index].title for index in titled],
        [contexts[index] for index in titled],
    )
    for index, proposals in zip(titled, read, strict=True):
        known = {(p.label, p.value) for p in found[index]}
        for p in proposals:
            if (p.label, p.value) not in known:
                known.add((p.label, p.value))
                result[index].append(replace(p, start=None, end=None, data={**p.data, "in": "title"}))
    return result


def clip(value: str) -> str:
    """A tag's value: white space folded, at most 500 characters."""
    return " ".join(value.split())[:MAX_VALUE].rstrip()
