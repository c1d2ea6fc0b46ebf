"""Connections found by vector: which records read alike, and joining them where nobody has yet.

    similarity ≥ 0.8  a connection of type `similar`
    similarity ≥ 0.6  a connection of type `related`
    0.3 to 0.6        `related`, and only what a language model confirms, when one is given

Strength is the similarity, or within the last band what the model says. Only records of lanes the caller may write
are joined, and only to records of their own lane unless more lanes are given: what reads alike across a wall must not
be told by a link.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from lanes.readers import Reader
from memory import sql
from memory.find.legs.vectors import few
from memory.gather.scope import Scope
from memory.models import sr_id as public
from memory.relations.confirm import Confirm, Verdict, beginnings, refuse, refused
from memory.services import connections

SIMILAR, RELATED, MAYBE = 0.8, 0.6, 0.3
HINT = "found_alike"
NEIGHBOURS = 20


@dataclass(frozen=True)
class Alike:
    """A record that reads like another: its id, public id, similarity (cosine, 0 to 1), title."""

    record_id: int
    public_id: UUID
    similarity: float
    title: str

    @property
    def type(self) -> str:
        return "similar" if self.similarity >= SIMILAR else "related"


_NEAREST = """
select r.id, r.public_id, 1 - (v.embedding <=> o.embedding) as similarity, r.title
from memory_recordvector o
cross join lateral (
  select n.record_id, n.embedding from memory_recordvector n
  where n.lane_id = any(%(lanes)s) and n.record_id <> %(id)s
  order by {order} limit %(limit)s) v
join memory_record r on r.id = v.record_id
where o.record_id = %(id)s and (r.superseded_at is null or r.superseded_at > %(as_of)s or %(ended)s)
order by similarity desc, r.id desc
"""
# "+ 0" so that the approximate index cannot answer the order.
_INDEXED, _ONE_BY_ONE = "n.embedding <=> o.embedding", "(n.embedding <=> o.embedding) + 0"
_COUNT = """
select count(*) from (select 1 from memory_recordvector n where n.lane_id = any(%(lanes)s) limit %(cap)s) x
"""


def nearest(scope: Scope, record_id: int, *, limit: int = NEIGHBOURS, least: float = RELATED) -> list[Alike]:
    """The readable records nearest in meaning to one, most alike first; none while it has no vector. Exact where few
    may be read: an approximate index can lose a small lane behind the lanes around it."""
    params = {"lanes": scope.lanes, "id": record_id, "limit": limit, **scope.params}
    least_many = few("memory_recordvector") + 1
    order = _INDEXED if sql.fetch(_COUNT, {**params, "cap": least_many})[0][0] >= least_many else _ONE_BY_ONE
    with transaction.atomic():
        # filtered in the index walk until `limit` readable ones are found, however few there are among many
        sql.execute("set local hnsw.iterative_scan = strict_order", prepare=False)
        rows = sql.fetch(_NEAREST.format(order=order), params)
    return [Alike(*row) for row in rows if row[2] is not None and row[2] >= least]


_JOINED = """
select distinct o.record_id from memory_edgeproperty e join memory_edgeproperty o on o.key = e.key
where e.record_id = %(id)s and e.label = 'e_connect' and o.record_id <> e.record_id and o.lane_id = any(%(lanes)s)
"""


def discover(
    reader: Reader,
    record_ids: Sequence[int],
    *,
    across_lanes: bool = False,
    confirm: Confirm | None = None,
) -> dict[str, Any]:
    """Connect records to those that read like them; returns {connected, joined_before, looked_at, asked}.

    Idempotent: two records any connection joined before, ended or not, are left as they are. `confirm` is asked about
    pairs between 0.3 and 0.6, at most LANEWISE_DISCOVERY_QUESTIONS a record, the most alike first; one that it
    refused is not asked about again while both read the same. A model is never shown texts of two lanes together, so
    `confirm` goes with pairs of one lane only (ValueError).
    """
    if across_lanes and confirm:
        raise ValueError("Texts of two lanes are not shown to a model together: name across_lanes or confirm.")
    done: list[dict[str, Any]] = []
    before = asked = 0
    rows = sql.fetch(
        "select id, public_id, lane_id from memory_record where id = any(%s) and lane_id = any(%s) "
        "and superseded_at is null order by id",
        (list(record_ids), list(reader.writable)),
    )
    for record, public_id, lane in rows:
        lanes = list(reader.writable) if across_lanes else [lane]
        scope = Scope(_within(reader, lanes))
        joined = {other for (other,) in sql.fetch(_JOINED, {"id": record, "lanes": lanes})}
        room = settings.LANEWISE_CONNECTION_CAP - len(joined)
        near = nearest(scope, record, least=MAYBE if confirm else RELATED)
        before += sum(found.record_id in joined for found in near)
        near = [found for found in near if found.record_id not in joined]
        doubts = _Doubts(record, near, confirm) if confirm else None
        for found in near:
            if room <= 0:
                break
            strength, reason = min(1.0, found.similarity), f"Read alike: similarity {found.similarity:.2f}."
            if found.similarity < RELATED:
                said = doubts.settle(found) if doubts else None
                if said is None:
                    continue
                strength = min(RELATED, max(MAYBE, strength if said.strength is None else said.strength))
                reason = f"{reason} Confirmed by the language model{f': {said.reason}' if said.reason else '.'}"
            made = connections.connect(
                reader,
                sr_ids=[public(public_id), public(found.public_id)],
                hint=HINT,
                type=found.type,
                strength=round(strength, 4),
                confidence=round(min(1.0, found.similarity), 4),
                reason=reason,
            )
            if made["property"] in made["dropped"]:  # the other one holds as many that are stronger
                continue
            room -= 1
            done.append({"property": made["property"], "members": made["members"], "strength": round(strength, 4)})
        asked += doubts.asked if doubts else 0
    return {"connected": done, "joined_before": before, "looked_at": len(rows), "asked": asked}


class _Doubts:
    """The doubtful neighbours of one record, and who is asked about them."""

    def __init__(self, record: int, near: Sequence[Alike], confirm: Confirm) -> None:
        self.record, self.confirm, self.asked = record, confirm, 0
        doubtful = [found.record_id for found in near if found.similarity < RELATED]
        self.read = beginnings([record, *doubtful]) if doubtful else {}
        self.refused = refused(record, self.read) if record in self.read else set()
        self.left = settings.LANEWISE_DISCOVERY_QUESTIONS - len(self.refused)

    def settle(self, found: Alike) -> Verdict | None:
        """What is said for connecting the two, or None."""
        one, two = self.read.get(self.record), self.read.get(found.record_id)
        if one is None or two is None or found.record_id in self.refused or self.left <= 0:
            return None
        said = self.confirm(one, two)
        if said is None:
            return None
        self.left -= 1
        self.asked += 1
        if not said.related:
            refuse(one, two)
            return None
        return said


def _within(reader: Reader, lanes: Sequence[int]) -> Reader:
    slugs = [reader.lanes[lane].slug for lane in lanes if lane in reader.lanes]
    return reader.narrow(slugs)
