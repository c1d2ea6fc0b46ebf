"""Relationships between entities: typed, directed connections that begin, are reinforced, and end.

A single-valued type holds one target at a time: a new one ends the old at the instant it begins, for the same subject
and type only, and only where whoever sees the old one sees the new one too. Nothing is deleted.
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
from memory.entities.vertices import Meant
from memory.gather.scope import Scope, live
from memory.relations.lexicon import SINGLE_VALUED, UNDIRECTED
from memory.selectors.records import resolve
from memory.services import audience, connections, crowded, held, locks, values


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


@locks.retried
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
        # Both ends, and what the new one ends, are found without a lock, locked once, and found again.
        ends = _ends(reader, (source, source_type), (target, target_type), lane)
        lane_ids = {end.lane_id for end in ends} | set(_lanes(_members(_others(reader, ends, kind, single))).values())
        locks.lanes(lane_ids)
        if any(end.record is None for end in ends):
            locks.entities({end.lane_id for end in ends if end.record is None})
        locks.subjects([ends[0].key] if single else [])
        ends = _ends(reader, (source, source_type), (target, target_type), lane)
        old = _others(reader, ends, kind, single)
        # one that is yet to be made crowds nothing, and decides with the other who will see the new relationship
        new = {-n if end.record is None else end.record: end.lane_id for n, end in enumerate(ends, 1)}
        try:
            rivals = crowded.weakest(new, ends[0].key)
        except crowded.TooWeak:
            rivals = {}
        ids = {*new, *_members(old), *(record for _, members in rivals.values() for record in members)}
        locked = {row[0]: row[1] for row in locks.records(ids)}
        old = _others(reader, ends, kind, single)
        if not set(_members(old)) <= set(locked) or not set(locked.values()) <= lane_ids:
            raise locks.Again()
        values.remember(reader.tenant_id, [(e.lane_id, e.kind, e.name, e.key) for e in ends if e.record is None])
        one, two = (_said(reader, end) for end in ends)
        if one == two:
            raise Invalid.field("to", "A relationship joins two different entities.")
        lanes = [end.lane_id for end in ends]
        superseded, later = [], []
        for relation in old:
            members = {record: locked[record] for record in relation.members}
            if relation.valid_from and relation.valid_from > begins:
                if audience.sees(lanes, members.values()):
                    later.append(relation.valid_from)
            elif over := audience.ends_with(members, lanes):
                held.refuse(over)
                stamp = connections.named(relation.stamp)
                reason_ = f"Superseded by another {shown_type(kind)}."
                joined = [record for record, _ in connections.members_of(relation.key)]
                connections.finish(reader, stamp, over, begins, reason_, joined)
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
            # told late: what it began before has been superseded since
            ended_at=min(later) if later else None,
        )
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


def _ends(reader: Reader, one: tuple[str, str | None], two: tuple[str, str | None], lane: str) -> list[Meant]:
    """Both ends of a new relationship: the record named, or what the name means in the lane."""
    return [_end(reader, *one, lane, "from"), _end(reader, *two, lane, "to")]


def _end(reader: Reader, name: str, kind: str | None, lane: str, field_name: str) -> Meant:
    if not name.startswith("sr_"):
        kind = vertices.type_label(kind, f"{field_name}_type") if kind else None
        return vertices.meant(reader, name=normal.value(name, field_name), type=kind, lane=lane)
    row = resolve(reader, name)
    if not reader.can_write(row.lane_id):
        raise Refused("You may read this record but not change it.")
    key = next(iter(vertices.load(Scope(reader), [row.id])), row.public_id)
    return Meant("", row.lane_id, "", "", key, row.id, name)


def _said(reader: Reader, end: Meant) -> str:
    """The sr_id of an end, mentioned where it was named and made where it is missing."""
    return vertices.say(reader, end) if end.lane else end.sr_id


def _others(reader: Reader, ends: list[Meant], kind: str, single: bool) -> list[Relation]:
    """What the subject's entity has of this type besides the one target, as far as the writer sees and may change it;
    nothing of a type of which there may be many."""
    if not single:
        return []
    scope = Scope(reader)
    subject, object_ = (set(_records(scope, end)) for end in ends)
    found = [
        relation
        for relation in of(scope, sorted(subject), types=[kind])
        if relation.directed and set(relation.sources) & subject and not set(relation.targets) & object_
    ]
    lanes = _lanes(_members(found))
    return [relation for relation in found if all(reader.can_write(lanes.get(m, 0)) for m in relation.members)]


def _records(scope: Scope, end: Meant) -> list[int]:
    """All readable records of the entity an end is; those of its name where it is yet to be made."""
    if end.record is not None and not end.over:
        return _same(scope, end.record)
    vertex = vertices.by_keys(scope, [end.key]).get(end.key)
    return [*(vertex.records if vertex else ()), *([end.record] if end.record is not None else ())]


def _same(scope: Scope, record: int) -> list[int]:
    """All readable records of the entity a record belongs to (the record itself when it is none)."""
    mine = vertices.load(scope, [record])
    if not mine:
        return [record]
    return next(iter(vertices.by_keys(scope, list(mine)).values())).records


def _members(relations: list[Relation]) -> list[int]:
    return [record for relation in relations for record in relation.members]


def _lanes(record_ids: list[int]) -> dict[int, int]:
    """{record: lane} of records."""
    if not record_ids:
        return {}
    return dict(sql.fetch("select id, lane_id from memory_record where id = any(%s)", (record_ids,)))


@locks.retried
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
        joined = sorted({member for relation in found for member in connections.members_of(relation.key)})
        locks.lanes({lane for _, lane in joined})
        locks.records([record for record, _ in joined])
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
