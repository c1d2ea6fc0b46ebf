"""The ingest step that reads relations, and what a lane's policy may do with them.

The step proposes tags and is a later one: the parser takes some milliseconds a sentence. Taking them into the graph
is a transaction of its own after ingest, which locks lanes before records like every writer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from lanes.readers import Reader
from memory import sql
from memory.ingest import language_model, reading
from memory.ingest.extractors.base import TagProposal, clip
from memory.ingest.language_model import MAX_TEXT, LLMUnusable
from memory.ingest.pace import TooSlow, limited
from memory.ingest.steps import Batch, Item, Store, replace_tags
from memory.models import sr_id
from memory.relations import stated
from memory.relations.findings import Entity, Findings, Relation
from memory.relations.grammar import find_relations, find_relations_in
from memory.relations.remember import remember
from memory.services import locks

LABEL = "relation"
EXTRACTOR = "relations"


def triple_of(data: dict[str, Any]) -> tuple:
    """What a relation tag states: (source, type, target, whether it is over)."""
    return data["source"], data["type"], data["target"], bool(data.get("ended"))


def proposals(found: Findings) -> list[TagProposal]:
    """A tag for each relation: "Raj MEMBER_OF Frontend Team", with everything the graph needs in `data`."""
    types = {entity.name: (entity.type, entity.attributes) for entity in found.entities}

    def tag(relation: Relation, ended: bool) -> TagProposal:
        source, target = types.get(relation.source, ("", {})), types.get(relation.target, ("", {}))
        return TagProposal(
            LABEL,
            clip(f"{relation.source} {'no longer ' if ended else ''}{relation.type} {relation.target}"),
            relation.start,
            relation.end,
            data={
                "source": relation.source,
                "source_type": source[0],
                "source_attributes": source[1],
                "type": relation.type,
                "target": relation.target,
                "target_type": target[0],
                "target_attributes": target[1],
                "ended": ended,
                "confidence": relation.confidence,
                "attributes": dict(relation.attributes),
                "since": relation.since.isoformat() if relation.since else None,
                **({"read_by": found.read_by} if found.read_by else {}),
            },
        )

    return [tag(r, False) for r in found.relations] + [tag(r, True) for r in found.ended]


class Relations:
    """Relations stated in the text: by the language model where the lane allows it, else (and where it fails) by the
    local grammar."""

    name = "relations"

    def run(self, batch: Batch) -> Store:
        """Read the batch's texts; the tags replace those of an earlier version and keep what was taken in before."""
        found: dict[int, list[TagProposal]] = dict.fromkeys((item.record_id for item in batch.items), [])
        answered = [(item, *_answered(batch, item)) for item in batch.items]
        for item, model, rest, cut in _parsed(batch, answered):
            try:
                found[item.record_id] = proposals(stated.followed_by(model, rest, cut) if model else rest)
            except Exception as error:  # kept with the record, and tried again
                batch.fail(item, error)

        def store(items: Sequence[Item]) -> None:
            for item in items:
                keep(item, found[item.record_id])

        return store


def _answered(batch: Batch, item: Item) -> tuple[Findings | None, int]:
    """What the model found, where it was asked and answered well, and from where on the local grammar reads."""
    try:
        answer = reading.answer(batch, item)
        if answer is not None:
            return stated.findings(answer, item.text[:MAX_TEXT], item.at), _read_up_to(item.text)
    except LLMUnusable as error:
        batch.note(item, error)
    except Exception as error:  # kept with the record, and tried again
        batch.fail(item, error)
    return None, 0


def _read_up_to(text: str) -> int:
    """The model reads the head of a text; the local grammar reads on from the last sentence that was whole."""
    if len(text) <= MAX_TEXT:
        return len(text)
    cut = max(text.rfind(mark, MAX_TEXT // 2, MAX_TEXT) for mark in (". ", "\n"))
    return cut + 1 if cut >= 0 else MAX_TEXT


def _parsed(
    batch: Batch, answered: Sequence[tuple[Item, Findings | None, int]]
) -> list[tuple[Item, Findings | None, Findings, int]]:
    """The local grammar's findings in what is left of each text: of all at once, or one by one where a text fails."""
    wanted = [(item.text[cut:], item.at) for item, _, cut in answered]
    try:
        with limited():
            return [
                (item, model, rest, cut)
                for (item, model, cut), rest in zip(answered, find_relations_in(wanted), strict=True)
            ]
    except Exception as failed:  # of one of them: found out one by one
        made = []
        for (item, model, cut), one in zip(answered, wanted, strict=True):
            try:
                if len(wanted) == 1 and isinstance(failed, TooSlow):
                    raise failed
                with limited():
                    made.append((item, model, find_relations_in([one])[0], cut))
            except TooSlow as error:
                batch.note(item, error)
                made.append((item, model, Findings(), cut))
            except Exception as error:  # kept with the record, and tried again
                batch.fail(item, error)
        return made


def keep(item: Item, tags: Sequence[TagProposal]) -> None:
    """Store a record's relation tags, marked where the graph took the relation in before."""
    before = taken(item.record_id)
    for tag in tags:
        tag.data["version"] = item.version
        if triple_of(tag.data) in before:
            tag.data["taken"] = True
    replace_tags([EXTRACTOR], [(item, EXTRACTOR, tag) for tag in tags], [item])


def taken(record_id: int) -> set[tuple]:
    """What the graph has taken from a record before: reading a text again must not count as stating it again."""
    rows = sql.fetch(
        "select data from memory_tag where record_id = %s and extractor = %s and data ? 'taken'",
        (record_id, EXTRACTOR),
    )
    return {triple_of(data) for (data,) in rows}


def findings_of(items: Sequence[dict[str, Any]]) -> Findings:
    """Findings from what the tags of a record hold."""
    found = Findings()
    for data in items:
        for end in ("source", "target"):
            if found.entity(data[end]) is None:
                found.entities.append(
                    Entity(data[end], data.get(f"{end}_type") or "thing", data.get(f"{end}_attributes") or {})
                )
        since = data.get("since")
        source, target = (found.entity(data[end]) for end in ("source", "target"))
        relation = Relation(
            source.name if source else data["source"],
            data["type"],
            target.name if target else data["target"],
            data.get("confidence", 0.8),
            tuple(sorted((data.get("attributes") or {}).items())),
            datetime.fromisoformat(since) if since else None,
        )
        (found.ended if data.get("ended") else found.relations).append(relation)
    return found


@locks.retried
def take_in(reader: Reader, item: Item) -> int:
    """Put the relations a record's text states into the graph of its lane, each once however often the record changes;
    returns how many were new. `reader` writes that lane."""
    with transaction.atomic():
        locks.lanes([item.lane_id])
        if not locks.records([item.record_id]):
            return 0
        state = _state(item)
        if state == WAITING:
            return 0
        if state == UNREAD:
            keep(item, proposals(find_relations(item.text, written_at=item.at)))
        rows = sql.fetch(_NEW, (item.record_id, EXTRACTOR))
        if not rows:
            return 0
        remember(
            reader,
            text=item.text,
            lane=reader.lanes[item.lane_id].slug,
            source=sr_id(item.public_id),
            written_at=item.at,
            findings=findings_of([data for _, data in rows]),
        )
        sql.execute(
            "update memory_tag set data = data || %s::jsonb where id = any(%s)",
            (json.dumps({"taken": True}), [tag for tag, _ in rows]),
        )
        return len(rows)


READ, WAITING, UNREAD = "read", "waiting", "unread"
_READ = """
select r.enriched_version = r.version, r.ingest_attempts, exists (
  select 1 from memory_tag t where t.record_id = r.id and t.extractor = %s and (t.data->>'version')::int = %s)
from memory_record r where r.id = %s
"""
_NEW = "select id, data from memory_tag where record_id = %s and extractor = %s and not data ? 'taken' order by id"


def _state(item: Item) -> str:
    """Whether a record's relations have been read; WAITING while the language model is still to be asked: when it has
    answered or been given up, whoever asked comes again."""
    done, attempts, tagged = sql.fetch(_READ, (EXTRACTOR, item.version, item.record_id))[0]
    if f"{__name__}.Relations" not in settings.LANEWISE_INGEST_LATER_STEPS:
        return READ if tagged else UNREAD
    if done:
        return READ
    given_up = attempts >= settings.LANEWISE_INGEST_ATTEMPTS
    if not given_up and language_model.allowed(item.tenant_id, item.lane_id) is not None:
        return WAITING
    return READ if tagged else UNREAD
