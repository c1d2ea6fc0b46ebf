"""What a text states, put into the graph: entities, relationships, and the end of those it says are over."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db import transaction

from lanes.errors import Invalid, NotVisible
from lanes.readers import Reader
from memory.entities import relationships, vertices
from memory.gather.scope import Scope
from memory.relations.findings import Findings, Relation
from memory.relations.grammar import find_relations
from memory.services import locks
from memory.services.held import Held


@locks.retried
def remember(
    reader: Reader,
    *,
    text: str,
    lane: str,
    source: str | None = None,
    written_at: datetime | None = None,
    findings: Findings | None = None,
) -> dict[str, Any]:
    """Read a text and put what it states into the graph of a lane; returns {entities, relations, ended}.

    Idempotent but for reinforcement: stating a thing again raises its confidence. What would change a record under a
    hold is left out. `source` is the record the text is of, kept with each relationship. `findings` replaces the
    local grammar's (a language model's, say).
    """
    found = findings or find_relations(text, written_at=written_at)
    with transaction.atomic():
        locks.lanes([reader.writable_lane_id(lane)])
        if found.entities:
            meant = vertices.held(reader, [(entity.name, entity.type) for entity in found.entities], lane)
            locks.subjects([one.key for one in meant])
            locks.records([one.record for one in meant if one.record is not None])
        made: dict[str, str] = {}
        for entity in found.entities:
            with suppress(Held), transaction.atomic():  # wholly or not at all
                made[entity.name] = vertices.mention(
                    reader, name=entity.name, type=entity.type, lane=lane, attributes=entity.attributes or None
                )
        ended, stated = (
            [one for one in relations if made.keys() >= {one.source, one.target}]
            for relations in (found.ended, found.relations)
        )
        over = [relation.triple for relation in ended if _end(reader, lane, relation, made, written_at)]
        related = []
        for relation in stated:
            if made[relation.source] == made[relation.target]:  # two names that were made one
                continue
            with suppress(Held), transaction.atomic():
                related.append(
                    relationships.add(
                        reader,
                        source=made[relation.source],
                        target=made[relation.target],
                        type=relation.type,
                        lane=lane,
                        attributes={**dict(relation.attributes), **({"source": source} if source else {})} or None,
                        valid_from=_begin(relation, written_at),
                        confidence=relation.confidence,
                    )
                )
    return {"entities": made, "relations": related, "ended": over}


def _begin(relation: Relation, written_at: datetime | None) -> str | None:
    begins = relation.since or written_at
    return begins.isoformat() if begins else None


def _end(reader: Reader, lane: str, relation: Relation, made: dict[str, str], written_at: datetime | None) -> bool:
    """End a relationship of this lane that the text says is over, when it says so; false when none was known, or only
    one that began after the text was written."""
    inside = reader.narrow([lane])
    at = _begin(relation, written_at)
    try:
        relationships.end(
            inside,
            source=made[relation.source],
            target=made[relation.target],
            type=relation.type,
            at=at,
            reason="A later text says it is over.",
        )
    except (NotVisible, Invalid, Held):
        return False
    return True


def known(reader: Reader, lane: str, name: str) -> bool:
    """Whether a lane knows an entity of that name."""
    inside = Scope(reader.narrow([lane]))
    return bool(vertices.named(inside, [name])[name])
