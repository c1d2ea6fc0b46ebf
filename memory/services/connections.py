"""Connections and adjustments: reserved edge properties stamped on every member.

A connection is `e_connect:<hint>_<32 hex>`. The hex is a digest of the hint, type, direction and members, so the
same connection asserted again (by sixteen threads at once) is the same property, reinforced, never a double.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from psycopg.types.json import Jsonb

from lanes.errors import Conflict, Invalid, NotVisible, Refused
from lanes.readers import Reader
from memory import normal, sql, strict_json, times
from memory.models import DATED, sr_id
from memory.selectors.records import Row
from memory.services import crowded, drafts, held, locks, stamps, touch, values

MEMBERS_MAX = 100
_HINT = re.compile(r"[a-z0-9][a-z0-9_]{0,62}")
ADJUSTMENTS = ("supersedes", "corrects", "retracts")
# Each mention of a connection moves its confidence this share of the way to 1.
REINFORCEMENT = 0.2


def name_of(hint: str, field: str = "hint") -> str:
    """A hint as it goes into the property: lower case, words joined by underscores."""
    text = re.sub(r"[^\w]+", "_", normal.check_text(hint, field).strip().lower()).strip("_")
    if not _HINT.fullmatch(text):
        said = {"hint": "A hint", "type": "A type"}.get(field, "A name")
        raise Invalid.field(field, f"{said} is 1 to 63 of a-z, 0-9 and _ (spaces become underscores).")
    return text


def _property(label: str, hint: str, *parts: str) -> drafts.Property:
    digest = hashlib.blake2b("\x1f".join((label, hint, *parts)).encode(), digest_size=16).hexdigest()
    value = f"{hint}_{digest}"
    return drafts.Property(label, value, normal.edge_key(label, value))


@locks.retried
def connect(
    reader: Reader,
    *,
    sr_ids: Sequence[str],
    hint: str,
    type: str | None = None,
    directed: bool = False,
    strength: float | None = None,
    confidence: float | None = None,
    reason: str = "",
    attributes: Mapping[str, Any] | None = None,
    valid_from: str | None = None,
    ended_at: datetime | None = None,
) -> dict[str, Any]:
    """Stamp a connection on 2 to 100 records, all of whose lanes the reader may write.

    In a directed one the first record is the source and the others are targets. Asserted again, it is reinforced:
    mentions + 1, confidence nearer to 1 (but not where it joins a record under a hold: it stays as it is). Returns
    {property, members, stamped, dropped}: `stamped` are the records newly stamped, `dropped` the connections that made
    way (a record holds at most LANEWISE_CONNECTION_CAP), the weakest, which may be the new one itself.
    """
    name = name_of(hint)
    kind = name_of(type, "type") if type is not None else ""
    publics = list(dict.fromkeys(sr_ids))
    if not 2 <= len(publics) <= MEMBERS_MAX:
        raise Invalid.field("sr_id", f"Name 2 to {MEMBERS_MAX} different records.")
    drafts.bounded(reason, "reason", 2_000)
    strict_json.check(dict(attributes or {}), "attributes")
    begins = times.parse(valid_from, "valid_from")[0] if valid_from else None
    rows = touch.writable(reader, *publics)
    members = [row.public_id.hex for row in rows]
    stamp = _property(
        normal.CONNECT, name, kind, "directed" if directed else "",
        *([members[0], *sorted(members[1:])] if directed else sorted(members)),
    )  # fmt: skip
    named = f"{stamp.label}:{stamp.value}"
    with transaction.atomic():
        locks.lanes({row.lane_id for row in rows})
        lanes = {row.id: row.lane_id for row in rows}
        try:
            making_way = crowded.weakest(lanes, stamp.key, strength)
        except crowded.TooWeak:
            return {
                "property": named, "members": publics, "stamped": [], "dropped": [named],
                "hint": stamps.hint(dropped=1, refused=True),
            }  # fmt: skip
        also = [record for _, members in making_way.values() for record in members]
        locked = touch.lock(rows, also, adds=True)
        stamped = _stamp(
            reader, rows, stamp, kind=kind, directed=directed, strength=strength, confidence=confidence,
            reason=reason, attributes=attributes, valid_from=begins, ended_at=ended_at,
        )  # fmt: skip
        dropped = _drop_weakest(reader, lanes, stamp.key, set(locked)) if stamped else []
        touch.announce_joined(reader.tenant_id, lanes, [stamp.key], by=reader)
    return {
        "property": named,
        "members": publics,
        "stamped": [public for public, row in zip(publics, rows, strict=True) if row.id in stamped],
        "dropped": dropped,
        "hint": stamps.hint(dropped=len(dropped)),
    }


_STAMP = """
insert into memory_edgeproperty (tenant_id, record_id, lane_id, at, label, value, key, seq, state, valid_from,
  invalidated_at, confidence, asserted_by_id, asserted_profile_id, created_at, role, type, directed, strength, reason,
  attributes, mentions, last_mentioned)
select %(tenant)s, r.id, r.lane_id, r.at, %(label)s, %(value)s, %(key)s, 0,
  case when coalesce(%(valid_from)s::timestamptz, %(ended_at)s::timestamptz) is null then 0 else 1 end
    | case when r.superseded_at is null then 0 else 4 end | case when r.occurred_at is null then 8 else 0 end,
  %(valid_from)s, %(ended_at)s, %(confidence)s, %(user)s, %(profile)s, clock_timestamp(), u.role, %(type)s,
  %(directed)s, %(strength)s, %(reason)s, %(attributes)s, 1, clock_timestamp()
from unnest(%(ids)s::bigint[], %(roles)s::text[]) u(id, role) join memory_record r on r.id = u.id
on conflict (record_id, key, seq) do nothing returning record_id
"""

_REINFORCE = """
update memory_edgeproperty set mentions = coalesce(mentions, 1) + 1, last_mentioned = clock_timestamp(),
  confidence = least(1, greatest(coalesce(%(confidence)s, confidence), confidence + (1 - confidence) * %(share)s)),
  strength = coalesce(%(strength)s, strength), reason = coalesce(nullif(%(reason)s, ''), reason),
  attributes = case when %(attributes)s::jsonb is null then attributes
               else coalesce(attributes, '{}') || %(attributes)s::jsonb end
where key = %(key)s and seq = 0 and record_id = any(%(ids)s)
"""


def _stamp(
    reader: Reader, rows: Sequence[Row], stamp: drafts.Property, *, kind: str, directed: bool,
    strength: float | None, confidence: float | None, reason: str, attributes: Mapping[str, Any] | None,
    valid_from: datetime | None, ended_at: datetime | None = None,
) -> set[int]:  # fmt: skip
    """Stamp locked records, or reinforce the stamps that are there; returns the ids newly stamped."""
    ids = [row.id for row in rows]
    # An ended connection asserted anew begins a new interval, not before the old one ended, and keeps the old.
    ended = stamps.reopen(ids, [stamp.key])
    if ended:
        valid_from = max([valid_from or timezone.now(), *ended.values()])
    if ended_at and valid_from and ended_at < valid_from:
        raise Invalid.field("valid_from", "It was known to have ended before.")
    roles = ["source", *["target"] * (len(rows) - 1)] if directed else ["member"] * len(rows)
    values.remember(reader.tenant_id, [(row.lane_id, stamp.label, stamp.value, stamp.key) for row in rows])
    given = {
        "tenant": reader.tenant_id, "user": reader.user_id, "profile": reader.profile_id, "label": stamp.label,
        "value": stamp.value, "key": stamp.key, "valid_from": valid_from, "ended_at": ended_at,
        "confidence": confidence, "type": kind,
        "directed": directed, "strength": strength, "reason": reason, "ids": ids, "roles": roles,
        "attributes": Jsonb(dict(attributes)) if attributes else None, "share": REINFORCEMENT,
    }  # fmt: skip
    made = {record for (record,) in sql.fetch(_STAMP, given)}
    if len(made) < len(ids):
        before = sorted(set(ids) - made)
        if not held.standing(before):  # all its ends say the same of it: it is reinforced on all, or on none
            sql.execute(_REINFORCE, {**given, "ids": before})
    return made


def _drop_weakest(reader: Reader, lanes: Mapping[int, int], new: UUID, locked: set[int]) -> list[str]:
    """Drop what makes way, from the members in these lanes, all of them locked; returns the dropped properties."""
    try:
        drop = crowded.weakest(lanes, new)
    except crowded.TooWeak:  # a hold was placed meanwhile
        raise locks.Again() from None
    for key, (_, members) in drop.items():
        if not locked.issuperset(members):
            raise locks.Again()
        joined = [record for record, _ in members_of(key)]
        sql.execute("delete from memory_edgeproperty where key = %s and record_id = any(%s)", (key, members))
        touch.announce_joined(reader.tenant_id, members, [key], by=reader, members=joined)
    if drop:
        transaction.on_commit(lambda: _tidy(list(drop)), robust=True)
    return [f"{normal.CONNECT}:{value}" for value, _ in drop.values()]


def _tidy(keys: Sequence[UUID]) -> None:
    """Remove what is left of connections that were dropped: stamps that join nothing, and their values."""
    with transaction.atomic():
        rows = sql.fetch("select lane_id, key from memory_lanevalue where key = any(%s)", (list(keys),))
        locks.lanes({lane for lane, _ in rows}, alone=True)
        drop_dangling(keys)
        values.sweep(rows)


def members_of(key: UUID) -> list[tuple[int, int]]:
    """(record id, lane id) of every record a stamp is on, whoever can see it: for locks and news, not replies."""
    return sql.fetch(
        "select distinct record_id, lane_id from memory_edgeproperty where key = %s order by record_id", (key,)
    )


def named(text: str) -> drafts.Property:
    """The connection or adjustment that a caller names as label:value."""
    made = drafts.property_from(text, "property", reserved=True)
    if made.label not in (normal.CONNECT, normal.ADJUST):
        raise Invalid.field("property", "Name a connection (e_connect:…) or an adjustment (e_adjust:…).")
    return made


def visible_members(reader: Reader, key: UUID) -> list[tuple]:
    """(record id, lane id, public id) of a stamp's members in the reader's lanes; NotVisible with fewer than two."""
    rows = sql.fetch(
        "select distinct r.id, r.lane_id, r.public_id from memory_edgeproperty e "
        "join memory_record r on r.id = e.record_id "
        "where e.key = %s and e.lane_id = any(%s) order by r.id",
        (key, reader.lane_list),
    )
    if len(rows) < 2:
        raise NotVisible()
    return rows


def _changeable(reader: Reader, key: UUID) -> list[tuple]:
    rows = visible_members(reader, key)
    if not all(reader.can_write(lane) for _, lane, _ in rows):
        raise Refused("You may not write to every record of this connection.")
    return rows


@locks.retried
def disconnect(reader: Reader, *, property: str) -> dict[str, Any]:
    """Remove a connection's or an adjustment's stamps from every member the reader can see."""
    stamp = named(property)
    _changeable(reader, stamp.key)
    with transaction.atomic():
        rows, joined = _locked(reader, stamp.key, alone=True)
        ids = [record for record, _, _ in rows]
        sql.execute("delete from memory_edgeproperty where key = %s and record_id = any(%s)", (stamp.key, ids))
        drop_dangling([stamp.key])
        settle(ids)
        values.sweep([(lane, stamp.key) for _, lane, _ in rows])
        touch.announce_joined(reader.tenant_id, ids, [stamp.key], by=reader, members=joined)
    return {"property": f"{stamp.label}:{stamp.value}", "members": [sr_id(public) for _, _, public in rows]}


def _locked(reader: Reader, key: UUID, *, alone: bool = False) -> tuple[list[tuple], list[int]]:
    """A stamp's members as the writer sees and may change them, and the ids of all, which are locked."""
    joined = members_of(key)
    locks.lanes({lane for _, lane in joined}, alone=alone)
    locks.records([record for record, _ in joined])
    if members_of(key) != joined:
        raise locks.Again()
    rows = _changeable(reader, key)
    held.refuse(record for record, _, _ in rows)
    return rows, [record for record, _ in joined]


_ALONE = """
key = any(%s) and label in ('e_connect', 'e_adjust')
and not exists (select 1 from memory_edgeproperty o where o.key = e.key and o.record_id <> e.record_id)
"""


def drop_dangling(keys: Sequence[UUID]) -> None:
    """Remove stamps that join nothing any more, and free records that nothing supersedes now. On records under a hold
    they stay, seen by nobody, until it is released."""
    dropped = sql.fetch(
        f"delete from memory_edgeproperty e where {_ALONE} "  # noqa: S608 - our own text
        "and not exists (select 1 from memory_under_hold(array[e.record_id])) returning record_id, lane_id, key",
        (list(keys),),
    )
    kept = sql.fetch(f"select e.record_id from memory_edgeproperty e where {_ALONE}", (list(keys),))  # noqa: S608
    values.sweep((lane, key) for _, lane, key in dropped)
    settle([*(record for record, _, _ in dropped), *(record for (record,) in kept)])


_SETTLE = """
update memory_record r set superseded_at = case when s.now then clock_timestamp() end
from (select r.id, exists (
        select 1 from memory_edgeproperty e
        join memory_edgeproperty o on o.key = e.key and o.role = 'source' and o.seq = 0 and o.lane_id = e.lane_id
        where e.record_id = r.id and e.label = 'e_adjust' and e.role = 'target'
          and e.type in ('supersedes', 'retracts') and e.seq = 0
          and (e.invalidated_at is null or e.invalidated_at > clock_timestamp())) as now
      from memory_record r where r.id = any(%s)) s
where r.id = s.id and s.now <> (r.superseded_at is not null)
  and not (s.now and exists (select 1 from memory_under_hold(array[r.id]))) returning r.id
"""


def settle(record_ids: Sequence[int]) -> None:
    """Take locked records out of default results from now on where a record of their own lane supersedes them, and put
    back those that none does any more.

    What supersedes a record from another lane does not: many who read the record would see that it did, and not what.
    Nor is a record under a hold taken out while it stands.
    """
    stamps.sync([record for (record,) in sql.fetch(_SETTLE, (list(record_ids),))])


def adjusted_by(record_ids: Sequence[int]) -> list[int]:
    """The records that these ones supersede, correct or retract."""
    rows = sql.fetch(
        "select distinct t.record_id from memory_edgeproperty s join memory_edgeproperty t on t.key = s.key "
        "where s.record_id = any(%s) and s.label = 'e_adjust' and s.role = 'source' and t.role = 'target'",
        (list(record_ids),),
    )
    return [record for (record,) in rows]


@locks.retried
def adjust(reader: Reader, *, sr_id: str, by: str, hint: str, reason: str = "") -> dict[str, Any]:
    """Say that the record `by` supersedes, corrects or retracts the record `sr_id`.

    A record superseded or retracted by one of its own lane leaves default results; `as_of` before this moment and
    include_invalidated still show it.
    """
    if hint not in ADJUSTMENTS:
        raise Invalid.field("hint", f"One of {', '.join(ADJUSTMENTS)}.")
    if sr_id == by:
        raise Invalid.field("by", "A record cannot adjust itself.")
    drafts.bounded(reason, "reason", 2_000)
    old, new = touch.writable(reader, sr_id, by)
    stamp = _property(normal.ADJUST, hint, new.public_id.hex, old.public_id.hex)
    with transaction.atomic():
        locks.lanes({old.lane_id, new.lane_id})
        touch.lock([old, new], adds=True)
        held.refuse([old.id])
        if hint != "corrects" and old.id in _superseding(reader, new.id):
            message = "The record it names is itself superseded by this one: both would vanish."
            raise Conflict(f"by: {message}", {"by": [message]})
        stamped = _stamp(
            reader, [new, old], stamp, kind=hint, directed=True, strength=None, confidence=None, reason=reason,
            attributes=None, valid_from=None,
        )  # fmt: skip
        settle([old.id])
        touch.announce_joined(reader.tenant_id, [old.id, new.id], [stamp.key], by=reader)
    return {
        "property": f"{stamp.label}:{stamp.value}", "members": [sr_id, by],
        "stamped": [public for public, row in ((sr_id, old), (by, new)) if row.id in stamped],
    }  # fmt: skip


_SUPERSEDING = """
with recursive chain(id) as (
  select %(id)s::bigint
  union
  select s.record_id from chain c
  join memory_edgeproperty t on t.record_id = c.id and t.label = 'e_adjust' and t.role = 'target' and t.seq = 0
    and t.type in ('supersedes', 'retracts') and (t.invalidated_at is null or t.invalidated_at > clock_timestamp())
  join memory_edgeproperty s on s.key = t.key and s.role = 'source' and s.seq = 0 and s.lane_id = any(%(lanes)s)
)
select id from chain where id <> %(id)s
"""


def _superseding(reader: Reader, record_id: int) -> set[int]:
    """The readable records that supersede or retract a record, one after the other."""
    return {record for (record,) in sql.fetch(_SUPERSEDING, {"id": record_id, "lanes": reader.lane_list})}


@locks.retried
def invalidate(
    reader: Reader,
    *,
    property: str | None = None,
    sr_id: str | None = None,
    label: str | None = None,
    value: str | None = None,
    at: str | None = None,
    reason: str = "",
) -> dict[str, Any]:
    """End the validity of a connection, or of one property of a record, at an instant (now when none is named).

    Nothing is deleted. Intervals are half-open: at `at` itself the property is no longer valid.
    """
    ends = times.parse(at, "at")[0] if at else timezone.now()
    drafts.bounded(reason, "reason", 2_000)
    if property is not None:
        if sr_id or label or value:
            raise Invalid.field("property", "Name a connection, or sr_id, label and value; not both.")
        stamp = named(property)
        _changeable(reader, stamp.key)
        with transaction.atomic():
            rows, joined = _locked(reader, stamp.key)
            ended = finish(reader, stamp, [record for record, _, _ in rows], ends, reason, joined)
    else:
        if not (sr_id and label and value):
            raise Invalid.field("sr_id", "Name a connection by property, or sr_id, label and value.")
        (row,) = touch.writable(reader, sr_id)
        stamp = drafts.property_from({"label": label, "value": value}, "")
        (stamp,) = values.apply_aliases([(row.lane_id, stamp)])
        with transaction.atomic():
            locks.lanes([row.lane_id])
            touch.lock([row])
            ended = _end(stamp, [row.id], ends, reason)
            touch.announce(reader, [row.id], [stamp.key])
    return {"property": f"{stamp.label}:{stamp.value}", "invalidated_at": ends.isoformat(), "records": ended}


def finish(
    reader: Reader, stamp: drafts.Property, ids: Sequence[int], ends: datetime, reason: str, joined: Sequence[int]
) -> int:
    """End a connection's stamps on some of the locked records it joins; returns how many."""
    ended = _end(stamp, ids, ends, reason)
    if stamp.label == normal.ADJUST:
        settle(ids)
    touch.announce_joined(reader.tenant_id, ids, [stamp.key], by=reader, members=joined)
    return ended


def _end(stamp: drafts.Property, ids: Sequence[int], ends: datetime, reason: str) -> int:
    begins = sql.fetch(
        "select max(valid_from) from memory_edgeproperty where key = %s and record_id = any(%s) and seq = 0",
        (stamp.key, list(ids)),
    )[0][0]
    if begins and ends < begins:
        raise Invalid.field("at", "Before it became valid.")
    ended = sql.execute(
        f"update memory_edgeproperty set invalidated_at = %s, state = state | {DATED}, "
        "reason = coalesce(nullif(%s, ''), reason) where key = %s and record_id = any(%s) and seq = 0",
        (ends, reason, stamp.key, list(ids)),
    )
    if not ended:
        raise NotVisible()
    return ended
