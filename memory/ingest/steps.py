"""Steps: what is done to a batch of records, each a small plugin named in settings.

A step's `run` does the slow work (models, endpoints) outside of any transaction and returns a function that stores
the results. The pipeline calls it inside one transaction for all steps, with those records of the batch that are
still what they were; it replaces the rows the step derived before, so running a step twice changes nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any, Protocol
from uuid import UUID

import numpy as np
from django.conf import settings
from django.utils.module_loading import import_string

from memory import normal, sql
from memory.ingest import space, vectors
from memory.ingest.embedders import configured
from memory.ingest.errors import Unavailable
from memory.ingest.extractors import ExtractContext, Extractor, TagProposal, extract_many, from_titles
from memory.ingest.extractors.known_values import KnownValueExtractor
from memory.ingest.lookup import complete_through
from memory.ingest.pace import TooSlow, between_pieces, limited
from memory.services import locks

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Item:
    """A record as the batch read it."""

    record_id: int
    tenant_id: int
    lane_id: int
    public_id: UUID
    version: int
    title: str
    text: str
    at: datetime

    def context(self) -> ExtractContext:
        return ExtractContext(self.at, self.title, self.tenant_id, self.lane_id, self.record_id)


@dataclass(slots=True)
class Batch:
    """The records a step works on. `fail` takes one record out, for another try, and lets the others go on; `note`
    keeps what was found of it without, and has it tried again all the same. `shared`: what steps leave each other."""

    items: list[Item]
    failures: dict[int, Exception] = field(default_factory=dict)
    notes: dict[int, Exception] = field(default_factory=dict)
    shared: dict[str, Any] = field(default_factory=dict)

    def fail(self, item: Item, error: Exception) -> None:
        self.failures.setdefault(item.record_id, error)

    def note(self, item: Item, error: Exception) -> None:
        self.notes.setdefault(item.record_id, error)


Store = Callable[[Sequence[Item]], None]


class Step(Protocol):
    """`name` shows in the status and in measurements.

    `run` may raise: the pipeline then finds out which records it fails for. Raising memory.ingest.errors.Unavailable
    says that nothing is wrong with the records and the whole batch is to be tried again later. Work that goes on in
    another thread is waited for through `store.ready()`, which the pipeline calls before the transaction begins.
    """

    name: str

    def run(self, batch: Batch) -> Store: ...


def load(paths: Iterable[str]) -> list[Step]:
    """The steps named by dotted paths, made once a process."""
    return [_made(path) for path in paths]


@cache
def _made(path: str):
    return import_string(path)()


def extractors() -> list[Extractor]:
    """The extractors named in LANEWISE_EXTRACTORS, made once a process."""
    return [_made(path) for path in settings.LANEWISE_EXTRACTORS]


class Tags:
    """The extractors that need neither a model nor other records."""

    name = "tags"

    def extractors(self) -> list[Extractor]:
        return extractors()

    def run(self, batch: Batch) -> Store:
        found: dict[int, list[tuple[str, TagProposal]]] = {item.record_id: [] for item in batch.items}
        names = []
        for extractor in self.extractors():
            names.append(extractor.name)
            for item, proposals in zip(batch.items, _proposals(extractor, batch), strict=True):
                found[item.record_id] += [(extractor.name, proposal) for proposal in proposals]

        def store(items: Sequence[Item]) -> None:
            replace_tags(names, [(item, name, tag) for item in items for name, tag in found[item.record_id]], items)

        return store


class Names(Tags):
    """People, organisations and places. A later step: the model is slower than the embedder."""

    name = "names"

    def extractors(self) -> list[Extractor]:
        return [_made("memory.ingest.extractors.entities.EntityExtractor")]


class LanguageModel:
    """Tags by the language model, where an endpoint is set and a lane's policy allows it."""

    name = "language_model"

    def run(self, batch: Batch) -> Store:
        from memory.ingest import reading
        from memory.ingest.extractors.llm import LLMExtractor, LLMUnusable, items_of

        found: dict[int, list[TagProposal]] = {}
        for item in batch.items:
            answer = reading.answer(batch, item)
            try:
                found[item.record_id] = [] if answer is None else items_of(answer, item.text)
            except LLMUnusable as error:
                batch.note(item, error)
                found[item.record_id] = []

        def store(items: Sequence[Item]) -> None:
            names = [LLMExtractor.name]
            replace_tags(names, [(i, LLMExtractor.name, tag) for i in items for tag in found[i.record_id]], items)

        return store


# Texts embedded in one go: those of a whole batch of records, but not the windows of a text of millions of characters.
EMBEDDED_AT_ONCE, EMBEDDED_NEXT = 512, 128
_embedding = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding")


class Vectors:
    """The record's vector and those of its windows.

    The embedder works outside of Python's lock, so it runs in a thread beside the other steps; the database is
    asked in the caller's thread only.
    """

    name = "vectors"

    def run(self, batch: Batch) -> Store:
        embedder = configured()
        space.ensure(embedder)
        plans = [vectors.plan(vectors.Source(i.record_id, i.version, i.title, i.text)) for i in batch.items]
        texts = [text for plan in plans for text in plan.texts]
        begun = _embedding.submit(embedder.documents, texts[:EMBEDDED_AT_ONCE])
        made: list[np.ndarray] = []

        def store(items: Sequence[Item]) -> None:
            current = {item.record_id for item in items}
            found = np.concatenate(made)
            rows, offset = {}, 0
            for plan in plans:
                rows[plan.source.id] = found[offset : offset + len(plan.texts)]
                offset += len(plan.texts)
            vectors.store([plan for plan in plans if plan.source.id in current], rows)

        def ready() -> None:
            part = begun
            while True:
                while not wait([part], timeout=1).done:
                    between_pieces()
                made.append(part.result())
                done = sum(map(len, made))
                if done >= len(texts):
                    return
                # A very long text: others need not wait for the whole of it.
                between_pieces(long=True)
                part = _embedding.submit(embedder.documents, texts[done : done + EMBEDDED_NEXT])

        store.ready = ready  # type: ignore[attr-defined]
        return store


class KnownValues:
    """Mentions of values in use in the record's own lane, and of those its tenant controls.

    Words are hashed beforehand; the values are looked up in the storing transaction, so that a value written while
    the batch was in work is not missed: what is written later finds the record through `seek`.
    """

    name = "known_values"

    def __init__(self) -> None:
        self.extractor = KnownValueExtractor()

    def run(self, batch: Batch) -> Store:
        prepared = {}
        for item in batch.items:
            prepared[item.record_id] = self.extractor.prepare(item.title, item.text)
            between_pieces()

        def store(items: Sequence[Item]) -> None:
            through = complete_through({item.lane_id for item in items})
            locks.vocabulary({item.tenant_id for item in items})
            found = self.extractor.finish(
                [item.text for item in items],
                [item.context() for item in items],
                [prepared[item.record_id] for item in items],
            )
            rows = [(item, self.name, tag) for item, tags in zip(items, found, strict=True) for tag in tags]
            replace_tags([self.name], rows, items)
            sql.execute(
                "update memory_record r set known_through = u.through from unnest(%s::bigint[], %s::bigint[]) "
                "u(id, through) where r.id = u.id and r.known_through <> u.through",
                (sql.array(item.record_id for item in items), sql.array(through[item.lane_id] for item in items)),
            )

        return store


def _proposals(extractor: Extractor, batch: Batch) -> list[list[TagProposal]]:
    """What the extractor proposes for each record; when it fails, only the records at fault are taken out. One that
    takes too long keeps what the other extractors found."""
    texts, contexts = [item.text for item in batch.items], [item.context() for item in batch.items]
    try:
        with limited():
            return _read(extractor, texts, contexts)
    except Unavailable:
        raise
    except TooSlow as error:
        if len(batch.items) == 1:
            batch.note(batch.items[0], error)
            return [[]]
    except Exception:  # which record it was is found out below
        logger.info("extractor %s failed on a batch", extractor.name, exc_info=True)
    result = []
    for item, text, context in zip(batch.items, texts, contexts, strict=True):
        try:
            with limited():
                result += _read(extractor, [text], [context])
        except Unavailable:
            raise
        except TooSlow as error:
            batch.note(item, error)
            result.append([])
        except Exception as error:  # kept with the record, and tried again
            batch.fail(item, error)
            result.append([])
    return result


def _read(extractor: Extractor, texts: list[str], contexts: list[ExtractContext]) -> list[list[TagProposal]]:
    found = extract_many(extractor, texts, contexts)
    if not getattr(extractor, "titles", False):
        return found
    return [a + b for a, b in zip(found, from_titles(extractor, contexts, found), strict=True)]


_INSERT = """
insert into memory_tag (tenant_id, record_id, lane_id, at, label, value, key, folded, extractor, start, "end",
  begins, ends, data)
select r.tenant_id, r.id, r.lane_id, r.at, label, value, k, folded, extractor, s, e, begins, ends, data::jsonb
from unnest(%s::bigint[], %s::text[], %s::text[], %s::uuid[], %s::text[], %s::text[], %s::int[], %s::int[],
  %s::timestamptz[], %s::timestamptz[], %s::text[])
  u(id, label, value, k, folded, extractor, s, e, begins, ends, data)
join memory_record r on r.id = u.id
"""


def _utc(moment: datetime | None) -> datetime | None:
    """The instant in UTC, which every database takes; None where UTC has no such date."""
    try:
        return moment and moment.astimezone(UTC)
    except OverflowError:
        return None


def replace_tags(names: Sequence[str], rows: Sequence[tuple[Item, str, TagProposal]], items: Sequence[Item]) -> None:
    """Put (item, extractor name, tag) in the place of what these extractors derived from the items before."""
    ids = [item.record_id for item in items]
    sql.execute("delete from memory_tag where record_id = any(%s) and extractor = any(%s)", (ids, list(names)))
    if not rows:
        return
    sql.execute(
        _INSERT,
        (
            sql.array(item.record_id for item, _, _ in rows),
            [tag.label for _, _, tag in rows],
            [tag.value for _, _, tag in rows],
            sql.array(tag.key or normal.edge_key(tag.label, tag.value) for _, _, tag in rows),
            [normal.fold(tag.value) for _, _, tag in rows],
            [name for _, name, _ in rows],
            sql.array(tag.start for _, _, tag in rows),
            sql.array(tag.end for _, _, tag in rows),
            [_utc(tag.begins) for _, _, tag in rows],
            [_utc(tag.ends) for _, _, tag in rows],
            [json.dumps(tag.data) if tag.data else None for _, _, tag in rows],
        ),
    )
