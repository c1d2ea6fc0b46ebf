"""Entities: records of kind `entity` carrying their own `type: name` property.

That property is the identity: entity records of one name and type in several lanes share a hyperedge and are one
vertex to a reader who can read those lanes, and each is all there is of it to a reader of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from psycopg.types.json import Jsonb

from lanes.errors import Invalid, NotVisible
from lanes.readers import Reader
from memory import normal, sql, strict_json, words
from memory.gather.scope import Scope, followed, live
from memory.models import sr_id
from memory.selectors.records import resolve
from memory.services import connections, drafts, locks, properties, records, touch
from memory.services.held import standing

KIND = "entity"
NEWEST = 10_000
UNTYPED = "entity"


@dataclass
class Vertex:
    """An entity as one reader sees it: every readable record of it, and what is said of it there."""

    key: UUID
    name: str
    type: str
    records: list[int] = field(default_factory=list)
    sr_ids: list[str] = field(default_factory=list)
    lanes: list[str] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    confidence: float | None = None
    mentions: int = 0
    valid_from: datetime | None = None
    invalidated_at: datetime | None = None
    last_mentioned: datetime | None = None

    def shown(self) -> dict[str, Any]:
        shape: dict[str, Any] = {
            "name": self.name,
            "type": self.type,
            "attributes": self.attributes,
            "sr_ids": self.sr_ids,
            "lanes": self.lanes,
            "confidence": self.confidence,
            "mentions": self.mentions,
        }
        for name in ("valid_from", "invalidated_at", "last_mentioned"):
            at = getattr(self, name)
            shape[name] = at.isoformat() if at else None
        return shape


def type_label(kind: str, field_name: str = "type") -> str:
    """An entity's type as the label of its property: lower case, words joined by underscores."""
    label = normal.label("_".join(kind.split()), field_name)
    if label.startswith(normal.RESERVED_PREFIX) or label == "tense":
        raise Invalid.field(field_name, f'"{label}" is reserved.')
    return label


_ROWS = f"""
select r.id, r.public_id, r.lane_id, r.title, e.label, e.value, e.key, e.attributes, e.confidence,
  coalesce(e.mentions, 1), e.valid_from, e.invalidated_at, coalesce(e.last_mentioned, r.recorded_at)
from memory_record r join memory_edgeproperty e on e.record_id = r.id
where r.id = any(%(ids)s) and r.kind = 'entity' and r.lane_id = any(%(lanes)s)
  and e.label not in ('e_connect', 'e_adjust') and {followed("e")}
  and (r.superseded_at is null or r.superseded_at > %(as_of)s or %(ended)s)
order by r.id, e.seq, e.id
"""  # noqa: S608


def load(scope: Scope, record_ids: Iterable[int]) -> dict[UUID, Vertex]:
    """The vertices these entity records belong to, by identity key; records that are no entities are left out."""
    found: dict[UUID, Vertex] = {}
    taken: set[int] = set()
    rows = sql.fetch(_ROWS, {"ids": list(record_ids), "lanes": scope.lanes, **scope.params})
    for (record, public, lane, title, label, value, key, attributes, confidence, mentions, begins, ends,
         last) in rows:  # fmt: skip
        if record in taken or normal.fold(value) != normal.fold(title):
            continue  # another property of the entity, not its name
        taken.add(record)
        vertex = found.setdefault(key, Vertex(key, value, label))
        vertex.records.append(record)
        vertex.sr_ids.append(sr_id(public))
        slug = scope.reader.lanes[lane].slug
        vertex.lanes += [slug] if slug not in vertex.lanes else []
        vertex.attributes.update(attributes or {})
        vertex.confidence = max(filter(None, (vertex.confidence, confidence)), default=None)
        vertex.mentions += mentions
        vertex.valid_from = min(filter(None, (vertex.valid_from, begins)), default=None)
        vertex.invalidated_at = ends
        vertex.last_mentioned = max(filter(None, (vertex.last_mentioned, last)), default=None)
    return found


_SIBLINGS = f"""
select distinct e.record_id from memory_edgeproperty e join memory_record r on r.id = e.record_id
where e.key = any(%(keys)s) and e.lane_id = any(%(lanes)s) and r.kind = 'entity' and {live("e")}
"""  # noqa: S608


def by_keys(scope: Scope, keys: Sequence[UUID]) -> dict[UUID, Vertex]:
    """Whole vertices by identity key: all readable records of each."""
    ids = [i for (i,) in sql.fetch(_SIBLINGS, {"keys": list(keys), "lanes": scope.lanes, **scope.params})]
    wanted = set(keys)
    return {key: vertex for key, vertex in load(scope, ids).items() if key in wanted}


_NAMED = """
select distinct v.label, v.value, v.key from memory_lanevalue v
where v.lane_id = any(%(lanes)s) and v.norm_key = any(%(names)s) and v.alias_of is null
"""


def named(scope: Scope, names: Sequence[str]) -> dict[str, list[Vertex]]:
    """Vertices by name (case, punctuation and Unicode form ignored), best known first; `type:name` asks for one type.

    A name nobody readable bears has an empty list.
    """
    asked = {name: _split(name) for name in names}
    hashes = {name: normal.norm_key(bare) for name, (_, bare) in asked.items()}
    rows = sql.fetch(_NAMED, {"lanes": scope.lanes, "names": list(set(hashes.values()))})
    vertices = by_keys(scope, [key for *_, key in rows])
    out: dict[str, list[Vertex]] = {}
    for name, (kind, bare) in asked.items():
        fits = [
            vertex
            for vertex in vertices.values()
            if normal.norm_key(vertex.name) == hashes[name] and (kind is None or vertex.type == kind)
        ]
        exact = normal.fold(bare)
        fits.sort(key=lambda v: (normal.fold(v.name) != exact, -v.mentions, v.type, v.key))
        out[name] = fits
    return out


def _split(name: str) -> tuple[str | None, str]:
    label, colon, rest = name.partition(":")
    if colon and rest.strip() and normal.is_label(label):
        return normal.label(label), rest.strip()
    return None, name


def find(scope: Scope, name: str) -> Vertex:
    """The vertex of a name, a `type:name` or a record's sr_id; NotVisible when nothing readable bears it."""
    if name.startswith("sr_"):
        row = resolve(scope.reader, name)
        vertices = load(scope, [row.id])
        if not vertices:
            raise NotVisible()
        return by_keys(scope, list(vertices))[next(iter(vertices))]
    fits = named(scope, [normal.value(name, "entity")])
    best = next(iter(fits.values()))
    if not best:
        raise NotVisible()
    return best[0]


_MENTION = """
update memory_edgeproperty set mentions = coalesce(mentions, 1) + 1, last_mentioned = now(),
  confidence = least(1, greatest(coalesce(%(confidence)s, confidence, 0),
    coalesce(confidence, %(confidence)s, 0.5) + (1 - coalesce(confidence, %(confidence)s, 0.5)) * %(share)s)),
  attributes = case when %(attributes)s::jsonb is null then attributes
               else coalesce(attributes, '{}') || %(attributes)s::jsonb end
where record_id = %(id)s and key = %(key)s and seq = 0
"""
_FIRST = """
update memory_edgeproperty set mentions = 1, last_mentioned = now(), confidence = %(confidence)s,
  attributes = %(attributes)s where record_id = %(id)s and key = %(key)s and seq = 0
"""


@dataclass(frozen=True)
class Meant:
    """The entity a name means in one lane: `record` is its record there, where there is one. One that has ended is
    `over`, one without a record is yet to be made."""

    lane: str
    lane_id: int
    kind: str
    name: str
    key: UUID
    record: int | None = None
    sr_id: str = ""
    over: bool = False


def meant(reader: Reader, *, name: str, type: str | None = None, lane: str) -> Meant:
    """What a writer means by a name in a lane: without a type, an entity of that name whatever its type; a new one is
    of type `entity`."""
    kind, bare = _split(normal.value(name, "name"))
    kind = type_label(type) if type else kind
    lane_id = reader.writable_lane_id(lane)
    inside = Scope(reader.narrow([lane]))
    for vertex in named(inside, [bare])[bare]:
        if kind is None or vertex.type == kind:
            found = vertex.records[0], vertex.sr_ids[0]
            return Meant(lane, lane_id, vertex.type, vertex.name, vertex.key, *found)
    kind = kind or UNTYPED
    key = normal.edge_key(kind, bare)
    past = by_keys(Scope(inside.reader, include_invalidated=True), [key]).get(key)
    if past:
        return Meant(lane, lane_id, kind, bare, key, past.records[0], past.sr_ids[0], over=True)
    return Meant(lane, lane_id, kind, bare, key)


def held(reader: Reader, names: Sequence[tuple[str, str | None]], lane: str) -> list[Meant]:
    """What names (with types) mean in a lane whose lock the caller has, before any record is locked; what is missing
    stays so until the caller makes it."""
    found = [meant(reader, name=name, type=kind, lane=lane) for name, kind in names]
    if all(one.record is not None for one in found):
        return found
    locks.entities([found[0].lane_id])
    return [meant(reader, name=name, type=kind, lane=lane) for name, kind in names]


@locks.retried
def mention(
    reader: Reader,
    *,
    name: str,
    type: str | None = None,
    lane: str,
    attributes: dict[str, Any] | None = None,
    confidence: float | None = None,
    valid_from: str | None = None,
) -> str:
    """The entity of that name in a lane (see `meant`), made when missing, otherwise reinforced; returns its sr_id."""
    strict_json.check(dict(attributes or {}), "attributes")
    with transaction.atomic():
        locks.lanes([reader.writable_lane_id(lane)])
        (one,) = held(reader, [(name, type)], lane)
        return say(reader, one, attributes=attributes, confidence=confidence, valid_from=valid_from)


def say(
    reader: Reader,
    one: Meant,
    *,
    attributes: dict[str, Any] | None = None,
    confidence: float | None = None,
    valid_from: str | None = None,
) -> str:
    """Mention what is `held`; returns its sr_id. An entity under a hold stays as it is, however often it is named."""
    given = {
        "confidence": confidence,
        "attributes": Jsonb(dict(attributes)) if attributes else None,
        "share": connections.REINFORCEMENT,
    }
    if one.record is not None:
        locks.records([one.record])
        if standing([one.record]):
            return one.sr_id
    if one.record is not None and not one.over:
        sql.execute(_MENTION, {**given, "id": one.record, "key": one.key})
        touch.announce(reader, [one.record], [one.key])
        return one.sr_id
    own: dict[str, Any] = {"label": one.kind, "value": one.name}
    if valid_from:
        own["valid_from"] = valid_from
    record, public = one.record, one.sr_id
    if record is not None:  # it had ended: a new interval begins and the old one is kept
        properties.add(reader, sr_id=public, edge_properties=[own])
    else:
        made = records.write(
            reader,
            lane=one.lane,
            kind=KIND,
            title=one.name,
            text="",
            external_id=f"entity:{one.kind}:{normal.fold(one.name)}"[: drafts.EXTERNAL_ID_MAX],
            edge_properties=[own],
        )
        record, public = made.id, made.sr_id
    sql.execute(_FIRST, {**given, "id": record, "key": one.key})
    return public


def mentioned_in(scope: Scope, text: str, *, most: int = 8) -> list[Vertex]:
    """Entities whose whole name stands in a text, in the order of the text."""
    tokens = normal.norm_tokens(text)[:2_000]
    spots: dict[int, int] = {}
    for size in range(1, most + 1):
        for i in range(len(tokens) - size + 1):
            spots.setdefault(normal.hash64(" ".join(tokens[i : i + size])), i * most - size)
    if not spots:
        return []
    rows = sql.fetch(_NAMED, {"lanes": scope.lanes, "names": list(spots)})
    found = by_keys(scope, [key for *_, key in rows])
    return sorted(found.values(), key=lambda v: (spots.get(normal.norm_key(v.name), 0), v.type, v.key))


_WORDS = """
select r.id from (
  select id from memory_record where kind = 'entity' and lane_id = any(%(lanes)s)
  order by at desc, id desc limit %(most)s) r
join memory_recordtext t on t.record_id = r.id
where t.tsv @@ %(query)s::tsquery limit %(limit)s
"""


def by_words(scope: Scope, text: str, limit: int = 200) -> dict[UUID, Vertex]:
    """Entities with a word of the text in their name, of the newest; by their whole name all are found."""
    lexemes = words.lexemes(text)
    if not lexemes:
        return {}
    asked = {"query": words.tsquery_any(lexemes), "limit": limit, "most": NEWEST}
    rows = sql.fetch(_WORDS, {"lanes": scope.lanes, **asked})
    keys = list(load(scope, [record for (record,) in rows]))
    return by_keys(scope, keys) if keys else {}
