"""The ingest step that reads relations, and what a lane's policy may do with them.

The step proposes tags and is a later one: the parser takes some milliseconds a sentence. Taking them into the graph
is a transaction of its own after ingest, which locks lanes before records like every writer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from lanes.readers import Reader
from memory import sql
from memory.ingest.extractors.base import TagProposal, clip
from memory.ingest.steps import Batch, Item, Store, replace_tags
from memory.models import sr_id
from memory.relations.findings import Entity, Findings, Relation
from memory.relations.grammar import find_relations
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
            },
        )

    return [tag(r, False) for r in found.relations] + [tag(r, True) for r in found.ended]


class Relations:
    """Relations stated in the text, by the local grammar."""

    name = "relations"

    def run(self, batch: Batch) -> Store:
        """Read the batch's texts; the tags replace those of an earlier version and keep what was taken in before."""
        found: dict[int, list[TagProposal]] = {}
        for item in batch.items:
            try:
                found[item.record_id] = proposals(find_relations(item.text, written_at=item.at))
            except Exception as error:  # kept with the record, and tried again
                batch.fail(item, error)
                found[item.record_id] = []

        def store(items: Sequence[Item]) -> None:
            for item in items:
                keep(item, found[item.record_id])

        return store


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
        relation = Relation(
            data["source"],
            data["type"],
            data["target"],
            data.get("confidence", 0.8),
            tuple(sorted((data.get("attributes") or {}).items())),
            datetime.fromisoformat(since) if since else None,
        )
        (found.ended if data.get("ended") else found.relations).append(relation)
    return found


def take_in(reader: Reader, item: Item) -> int:
    """Put the relations a record's text states into the graph of its lane, each once however often the record changes;
    returns how many were new. `reader` writes that lane."""
    with transaction.atomic():
        locks.lanes([item.lane_id])
        if not locks.records([item.record_id]):
            return 0
        if not sql.fetch(_READ, (item.record_id, EXTRACTOR, item.version)):
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


_READ = "select 1 from memory_tag where record_id = %s and extractor = %s and (data->>'version')::int = %s limit 1"
_NEW = "select id, data from memory_tag where record_id = %s and extractor = %s and not data ? 'taken' order by id"
