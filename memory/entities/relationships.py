"""Relationships between entities: typed, directed connections that begin, are reinforced, and end.

A single-valued type holds one target at a time: a new one ends the old at the instant it begins, for the same subject
and type only. Nothing is deleted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from lanes.errors import Invalid, NotVisible, Refused
from lanes.readers import Reader
from memory import normal, sql, times
from memory.entities import vertices
from memory.gather.scope import Scope, live
from memory.relations.lexicon import SINGLE_VALUED, UNDIRECTED
from memory.selectors.records import resolve
from memory.services import connections, locks


def type_name(raw: str, field_name: str = "type") -> str:
    """A relationship type as it is kept: "HANDED_OFF_TO" and "handed off to" are `handed_off_to`."""
    return connections.name_of(raw, field_name)


def shown_type(kind: str) -> str:
    """A type as it is told: the seed's spelling, in capitals."""
    return kind.upper()


@dataclass
class Relation:
    """A connection as one reader sees it: its readable members by role."""

    key: UUID
    stamp: str
    type: str
    directed: bool
    sources: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    strength: float | None = None
    confidence: float | None = None
    reason: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)
    mentions: int = 1
    valid_from: datetime | None = None
    invalidated_at: datetime | None = None
    last_mentioned: datetime | None = None

    @property
    def members(self) -> list[int]:
        return [*self.sources, *self.targets]

    @property
    def ends(self) -> tuple[int, int]:
        """The source and target records shown; of an undirected one, its first and last member."""
        members = self.members
        return (self.sources or members)[0], (self.targets or members)[-1 if not self.targets else 0]


_OF = f"""
select o.key, o.seq, o.value, o.type, o.directed, o.record_id, o.role, o.strength, o.confidence, o.reason,
  o.attributes, o.mentions, o.valid_from, o.invalidated_at, o.last_mentioned
from (select distinct e.key, e.seq from memory_edgeproperty e
      where e.record_id = any(%(ids)s) and e.label = 'e_connect' and e.type <> '' and e.state & 2 = 0
        and e.lane_id = any(%(lanes)s) and {live("e")}
        and (%(types)s::text[] is null or e.type = any(%(types)s))
        and (%(least)s::float8 is null or e.confidence is null or e.confidence >= %(least)s)) k
join memory_edgeproperty o on o.key = k.key and o.seq = k.seq and o.lane_id = any(%(lanes)s)
where {live("o")}
order by o.key, o.seq, o.record_id
"""  # noqa: S608


def of(
    scope: Scope,
    record_ids: list[int],
    *,
    types: list[str] | None = None,
    min_confidence: float | None = None,
) -> list[Relation]:
    """The typed connections on records, with their readable members; one with a single visible member is none."""
    params = {"ids": record_ids, "lanes": scope.lanes, "types": types, "least": min_confidence, **scope.params}
    found: dict[tuple[UUID, int], Relation] = {}
    for (key, seq, value, kind, directed, record, role, strength, confidence, reason, attributes, mentions, begins,
         ends, last) in sql.fetch(_OF, params):  # fmt: skip
        relation = found.get((key, seq))
        if relation is None:
            relation = found[key, seq] = Relation(
                key, f"{normal.CONNECT}:{value}", kind, bool(directed), [], [], strength, confidence, reason or "",
                attributes or {}, mentions or 1, begins, ends, last,
            )  # fmt: skip
        (relation.targets if role == "target" else relation.sources).append(record)
    return [relation for relation in found.values() if len(relation.members) > 1]


def add(
    reader: Reader,
    *,
    source: str,
    target: str,
    type: str,
    lane: str,
    attributes: dict[str, Any] | None = None,
    valid_from: str | None = None,
    confidence: float | None = None,
    single_valued: bool | None = None,
    source_type: str | None = None,
    target_type: str | None = None,
    reason: str = "",
) -> dict[str, Any]:
    """Relate two entities (by name, `type:name` or sr_id), made in `lane` when missing.

    Asserted again, a relationship is reinforced. `single_valued` (by default as the type usually is: one team, one
    employer, one manager) ends the subject's other relationship of that type. Returns {property, type, source, target,
    created, superseded, dropped}.
    """
    kind = type_name(type)
    begins = times.parse(valid_from, "valid_from")[0] if valid_from else timezone.now()
    single = single_valued if single_valued is not None else kind.upper() in SINGLE_VALUED
    directed = kind.upper() not in UNDIRECTED
    with transaction.atomic():
        one = _end(reader, source, source_type, lane, "from")
        two = _end(reader, target, target_type, lane, "to")
        if one == two:
            raise Invalid.field("to", "A relationship joins two different entities.")
        ends = [resolve(reader, one), resolve(reader, two)]
        old = _others(reader, ends[0].id, ends[1].id, kind) if single else []
        locks.lanes({row.lane_id for row in ends} | _lanes_of(old))
        locks.records({row.id for row in ends} | {record for relation in old for record in relation.members})
        # read again under the locks: another writer may have ended or begun one meanwhile
        old = _others(reader, ends[0].id, ends[1].id, kind) if single else []
        later = [r.valid_from for r in old if r.valid_from and r.valid_from > begins]
        superseded = []
        for relation in old:
            if relation.valid_from is None or relation.valid_from <= begins:
                connections.invalidate(
                    reader,
                    property=relation.stamp,
                    at=begins.isoformat(),
                    reason=f"Superseded by another {shown_type(kind)}.",
                )
                superseded.append(relation.stamp)
        made = connections.connect(
            reader,
            sr_ids=[one, two],
            hint=kind,
            type=kind,
            directed=directed,
            confidence=confidence if confidence is not None else 0.8,
            attributes=attributes,
            valid_from=begins.isoformat(),
            reason=reason,
        )
        if later and made["stamped"]:
            # told late: what it began before has been superseded since
            connections.invalidate(reader, property=made["property"], at=min(later).isoformat())
    return {
        "property": made["property"],
        "type": shown_type(kind),
        "source": one,
        "target": two,
        "created": bool(made["stamped"]),
        "superseded": superseded,
        "dropped": made["dropped"],
        "hint": made["hint"],
    }


def _end(reader: Reader, name: str, kind: str | None, lane: str, field_name: str) -> str:
    """The sr_id of one end: the record named, or the entity of that name in the lane."""
    if name.startswith("sr_"):
        row = resolve(reader, name)
        if not reader.can_write(row.lane_id):
            raise Refused("You may read this record but not change it.")
        return name
    return vertices.mention(reader, name=normal.value(name, field_name), type=kind, lane=lane)


def _others(reader: Reader, source: int, target: int, kind: str) -> list[Relation]:
    """What the subject's entity has of this type besides the one target, wholly in lanes the writer may write."""
    scope = Scope(reader)
    subject = _same(scope, source)
    object_ = set(_same(scope, target))
    return [
        relation
        for relation in of(scope, subject, types=[kind])
        if relation.directed
        and set(relation.sources) & set(subject)
        and not set(relation.targets) & object_
        and _wholly_writable(reader, relation)
    ]


def _same(scope: Scope, record: int) -> list[int]:
    """All readable records of the entity a record belongs to (the record itself when it is none)."""
    mine = vertices.load(scope, [record])
    if not mine:
        return [record]
    return next(iter(vertices.by_keys(scope, list(mine)).values())).records


def _wholly_writable(reader: Reader, relation: Relation) -> bool:
    rows = sql.fetch("select distinct lane_id from memory_edgeproperty where key = %s", (relation.key,))
    return all(reader.can_write(lane) for (lane,) in rows)


def _lanes_of(relations: list[Relation]) -> set[int]:
    ids = [record for relation in relations for record in relation.members]
    if not ids:
        return set()
    rows = sql.fetch("select distinct lane_id from memory_record where id = any(%s)", (ids,))
    return {lane for (lane,) in rows}


def end(
    reader: Reader,
    *,
    source: str,
    target: str,
    type: str,
    at: str | None = None,
    reason: str = "",
) -> dict[str, Any]:
    """End the relationships of a type from one entity to another that hold now; NotVisible when none does."""
    kind = type_name(type)
    scope = Scope(reader)
    one, two = _records_of(scope, source), _records_of(scope, target)
    directed = kind.upper() not in UNDIRECTED
    found = [
        relation
        for relation in of(scope, one, types=[kind])
        if (set(relation.sources) & set(one) and set(relation.targets) & set(two))
        or (not (directed and relation.directed) and set(relation.members) & set(two))
    ]
    if not found:
        raise NotVisible()
    with transaction.atomic():
        ended = [connections.invalidate(reader, property=relation.stamp, at=at, reason=reason) for relation in found]
    return {
        "type": shown_type(kind),
        "ended": [item["property"] for item in ended],
        "invalidated_at": ended[0]["invalidated_at"],
    }


def _records_of(scope: Scope, name: str) -> list[int]:
    if name.startswith("sr_"):
        return _same(scope, resolve(scope.reader, name).id)
    return vertices.find(scope, name).records


def evidence(scope: Scope, relation: Relation) -> list[str]:
    """The records a relationship was read from, as far as the reader can see them."""
    named = relation.attributes.get("source")
    if not isinstance(named, str) or not named.startswith("sr_"):
        return []
    try:
        resolve(scope.reader, named)
    except NotVisible:
        return []
    return [named]


def told(scope: Scope, relation: Relation, names: dict[int, str]) -> dict[str, Any]:
    """A relationship as replies show it. `names` maps member records to entity names."""
    hidden = {"source"}
    return {
        "type": shown_type(relation.type),
        "source": names.get(relation.ends[0]),
        "target": names.get(relation.ends[1]),
        "directed": relation.directed,
        "confidence": relation.confidence,
        "strength": relation.strength,
        "attributes": {k: v for k, v in relation.attributes.items() if k not in hidden},
        "mentions": relation.mentions,
        "valid_from": relation.valid_from.isoformat() if relation.valid_from else None,
        "invalidated_at": relation.invalidated_at.isoformat() if relation.invalidated_at else None,
        "last_mentioned": relation.last_mentioned.isoformat() if relation.last_mentioned else None,
        "property": relation.stamp,
        "sources": evidence(scope, relation),
    }
