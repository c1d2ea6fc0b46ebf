"""The ingest step that reads relations: it proposes tags; what a lane's policy allows goes on to the graph by a job.

A step of its own and a later one: the parser takes some milliseconds a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory import sql
from memory.ingest.extractors.base import TagProposal, clip
from memory.ingest.steps import Batch, Item, Store, replace_tags
from memory.relations import jobs, policy
from memory.relations.findings import Findings, Relation
from memory.relations.grammar import find_relations

LABEL = "relation"
EXTRACTOR = "relations"


def triple_of(data: dict[str, Any]) -> tuple:
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
        found: dict[int, list[TagProposal]] = {}
        for item in batch.items:
            try:
                found[item.record_id] = proposals(find_relations(item.text, written_at=item.at))
            except Exception as error:  # kept with the record, and tried again
                batch.fail(item, error)
                found[item.record_id] = []

        def store(items: Sequence[Item]) -> None:
            taken = _already_taken([item.record_id for item in items])
            for item in items:
                for tag in found[item.record_id]:
                    if (item.record_id, *triple_of(tag.data)) in taken:
                        tag.data["taken"] = True
            rows = [(item, EXTRACTOR, tag) for item in items for tag in found[item.record_id]]
            replace_tags([EXTRACTOR], rows, items)
            lanes = {(item.tenant_id, item.lane_id) for item in items}
            allowed = {lane for lane in lanes if policy.of_lane(*lane).anything}
            jobs.defer(item.record_id for item in items if (item.tenant_id, item.lane_id) in allowed)

        return store


def _already_taken(record_ids: list[int]) -> set[tuple]:
    """What the graph has taken from these records before: reading a text again must not count as stating it again."""
    rows = sql.fetch(
        "select record_id, data from memory_tag where record_id = any(%s) and extractor = %s and data ? 'taken'",
        (record_ids, EXTRACTOR),
    )
    return {(record, *triple_of(data)) for record, data in rows}
