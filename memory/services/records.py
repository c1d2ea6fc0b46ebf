"""Writing records: validate, lock in order, write, defer the ingest, announce. One transaction each."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from lanes.errors import Conflict, LanewiseError
from lanes.readers import Reader
from memory import events, normal, sql, times, words
from memory.ingest import queue
from memory.models import sr_id
from memory.services import aliases, connections, drafts, locks, stamps, touch, values
from memory.services.drafts import Draft, Property

WRITER = "writer"  # the extractor name of tags that came with the record


@dataclass
class Written:
    """What became of one draft."""

    id: int
    sr_id: str
    created: bool
    version: int
    kept: list[Property] = field(default_factory=list)
    skipped: list[Property] = field(default_factory=list)
    changed: bool = True


def write(reader: Reader, *, lane: str, **fields: Any) -> Written:
    """Write one record; with the external_id of an existing one in the lane, update that one."""
    draft = drafts.draft(lane_id=reader.writable_lane_id(lane), **fields)
    return save(reader, [draft])[0]


def write_many(
    reader: Reader, items: Sequence[dict[str, Any]], numbers: Sequence[int] | None = None
) -> list[Written | LanewiseError]:
    """Write records, each wholly or not at all; a report (or the refusal) for every item, in order.

    `numbers` are the items' places in what the caller was given, for the field names of errors.
    """
    report: list[Written | LanewiseError | None] = [None] * len(items)
    good: list[tuple[int, Draft]] = []
    for index, item in enumerate(items):
        try:
            fields = dict(item)
            lane_id = reader.writable_lane_id(fields.pop("lane"))
            good.append(
                (
                    index,
                    drafts.draft(
                        lane_id=lane_id, where=f"records[{(numbers or range(len(items)))[index]}].", **fields
                    ),
                )
            )
        except LanewiseError as error:
            report[index] = error
    for (index, _), written in zip(good, save(reader, [draft for _, draft in good]), strict=True):
        report[index] = written
    return report  # type: ignore[return-value]


def save(reader: Reader, batch: Sequence[Draft]) -> list[Written]:
    """Write drafts (whose lanes the caller has checked) in one transaction; a report for each, in order.

    A draft may repeat the external_id of an earlier one in the batch: it then updates it, so such a batch is
    written in rounds.
    """
    report: list[Written | None] = [None] * len(batch)
    waiting = list(enumerate(batch))
    with transaction.atomic():
        locks.lanes({draft.lane_id for draft in batch})
        while waiting:
            seen: set[tuple[int, str]] = set()
            now, later = [], []
            for index, draft in waiting:
                name = (draft.lane_id, draft.external_id) if draft.external_id is not None else None
                (later if name in seen else now).append((index, draft))
                if name is not None:
                    seen.add(name)  # type: ignore[arg-type]
            for (index, _), written in zip(now, _round(reader, [draft for _, draft in now]), strict=True):
                report[index] = written
            waiting = later
    return report  # type: ignore[return-value]


def _round(reader: Reader, batch: Sequence[Draft]) -> list[Written]:
    rows = _upsert(reader, batch)
    fresh = [(row, draft) for row, draft in zip(rows, batch, strict=True) if row.created or row.changed]
    _write_words([(row, draft) for row, draft in fresh])
    _write_properties(reader, list(zip(rows, batch, strict=True)))
    _write_tags(reader, [(row, draft) for row, draft in zip(rows, batch, strict=True) if draft.tags is not None])
    touched = [row for row in rows if row.changed]
    if touched:
        queue.enqueue([row.id for row in touched])
        for lane_id in sorted({row.lane_id for row in touched}):
            mine = [row for row in touched if row.lane_id == lane_id]
            keys = stamps.property_keys([row.id for row in mine]) if len(mine) <= 100 else []
            events.publish(
                tenant_id=reader.tenant_id,
                lane_id=lane_id,
                records=[(sr_id(row.public_id), row.version) for row in mine],
                keys=[key for _, key in keys],
            )
    return [
        Written(row.id, sr_id(row.public_id), row.created, row.version, row.kept, row.skipped, row.changed)
        for row in rows
    ]


@dataclass
class _Row:
    id: int
    lane_id: int
    at: Any
    public_id: UUID
    version: int
    created: bool
    changed: bool
    kept: list[Property] = field(default_factory=list)
    skipped: list[Property] = field(default_factory=list)


_INSERT = """
insert into memory_record (public_id, tenant_id, lane_id, kind, title, text, external_id, source, occurred_at,
  date_precision, recorded_at, at, updated_at, version, written_by_id, profile_id, ingested_version, ingest_error)
select p, %(tenant)s, l, kind, title, text, ext, source::jsonb, occ, prec, coalesce(rec, %(now)s),
  coalesce(occ, rec, %(now)s), %(now)s, 1, %(user)s, %(profile)s, 0, ''
from unnest(%(p)s::uuid[], %(l)s::int[], %(kind)s::text[], %(title)s::text[], %(text)s::text[], %(ext)s::text[],
  %(source)s::text[], %(occ)s::timestamptz[], %(prec)s::text[], %(rec)s::timestamptz[]) with ordinality
  u(p, l, kind, title, text, ext, source, occ, prec, rec, n)
order by case when ext is null then 0 else l end, ext, n  -- named ones in one order, so that writers cannot deadlock
on conflict (lane_id, external_id) do nothing
returning id, lane_id, at, public_id
"""

_EXISTING = """
select r.lane_id, r.external_id, r.id from unnest(%s::int[], %s::text[]) u(l, ext)
join memory_record r on r.lane_id = u.l and r.external_id = u.ext order by r.id for update of r
"""

_UPDATE = """
update memory_record r set kind = u.kind, title = u.title, text = u.text, source = u.source::jsonb,
  occurred_at = u.occ, date_precision = u.prec, recorded_at = coalesce(u.rec, r.recorded_at),
  at = coalesce(u.occ, u.rec, r.recorded_at), updated_at = clock_timestamp(), version = r.version + 1
from unnest(%(id)s::bigint[], %(kind)s::text[], %(title)s::text[], %(text)s::text[], %(source)s::text[],
  %(occ)s::timestamptz[], %(prec)s::text[], %(rec)s::timestamptz[]) u(id, kind, title, text, source, occ, prec, rec)
where r.id = u.id and (r.kind, r.title, r.text, r.source, r.date_precision, r.occurred_at, r.recorded_at)
  is distinct from (u.kind, u.title, u.text, u.source::jsonb, u.prec, u.occ, coalesce(u.rec, r.recorded_at))
returning r.id
"""


def _columns(batch: Sequence[Draft]) -> dict[str, list]:
    return {
        "kind": [draft.kind for draft in batch],
        "title": [draft.title for draft in batch],
        "text": [draft.text for draft in batch],
        "source": [json.dumps(draft.source) for draft in batch],
        "occ": [draft.occurred_at for draft in batch],
        "prec": [draft.date_precision for draft in batch],
        "rec": [draft.recorded_at for draft in batch],
    }


def _upsert(reader: Reader, batch: Sequence[Draft]) -> list[_Row]:
    """Rows for the drafts. Two writers of one external_id: the constraint lets one insert, the other updates."""
    found: dict[int, _Row] = {}
    left = list(range(len(batch)))
    while left:
        named = [i for i in left if batch[i].external_id is not None]
        existing = (
            {
                (lane, ext): record
                for lane, ext, record in sql.fetch(
                    _EXISTING, ([batch[i].lane_id for i in named], [batch[i].external_id for i in named])
                )
            }
            if named
            else {}
        )
        name = {i: existing.get((batch[i].lane_id, batch[i].external_id)) for i in left}  # type: ignore[arg-type]
        old = [i for i in left if name[i] is not None]
        if old:
            ids = [name[i] for i in old]
            changed = {row[0] for row in sql.fetch(_UPDATE, {"id": ids, **_columns([batch[i] for i in old])})}
            stamps.sync(sorted(changed))
            rows = {row[0]: row for row in locks.records(ids)}  # type: ignore[arg-type]
            for i, record in zip(old, ids, strict=True):
                _, lane, at, public, version, _ = rows[record]
                found[i] = _Row(record, lane, at, public, version, False, record in changed)  # type: ignore[arg-type]
        new = [i for i in left if name[i] is None]
        left = []
        if new:
            public = {uuid4(): i for i in new}
            drafts_ = [batch[i] for i in public.values()]
            made = sql.fetch(
                _INSERT,
                {
                    "tenant": reader.tenant_id,
                    "user": reader.user_id,
                    "profile": reader.profile_id,
                    "now": timezone.now(),
                    "p": list(public),
                    "l": [draft.lane_id for draft in drafts_],
                    "ext": [draft.external_id for draft in drafts_],
                    **_columns(drafts_),
                },
            )
            for record, lane, at, public_id in made:
                found[public[public_id]] = _Row(record, lane, at, public_id, 1, True, True)
            left = [i for i in new if i not in found]  # someone else inserted these first: update theirs
    return [found[i] for i in range(len(batch))]


def _write_words(items: Sequence[tuple[_Row, Draft]]) -> None:
    if not items:
        return
    vectors = [words.vector(draft.title, draft.text) for _, draft in items]
    sql.execute(
        "insert into memory_recordtext (record_id, tenant_id, lane_id, at, dl, tsv) "
        "select r.id, r.tenant_id, r.lane_id, r.at, dl, tsv::tsvector "
        "from unnest(%s::bigint[], %s::int[], %s::text[]) u(id, dl, tsv) join memory_record r on r.id = u.id "
        "on conflict (record_id) do update set dl = excluded.dl, tsv = excluded.tsv",
        ([row.id for row, _ in items], [dl for _, dl in vectors], [vector for vector, _ in vectors]),
    )


_PRESENT = """
select record_id, key, state, valid_from, invalidated_at, confidence, left(label, 2) = 'e_' as reserved
from memory_edgeproperty where record_id = any(%s) and seq = 0
"""


def _write_properties(reader: Reader, items: Sequence[tuple[_Row, Draft]]) -> None:
    """Give each record exactly the caller's properties its draft names (none named: leave them)."""
    items = [(row, draft) for row, draft in items if draft.properties is not None]
    flat = values.apply_aliases([(row.lane_id, item) for row, draft in items for item in draft.properties or ()])
    present: dict[int, dict[UUID, tuple]] = {}
    old = [row.id for row, _ in items if not row.created]
    for record, *rest in sql.fetch(_PRESENT, (old,)) if old else ():
        present.setdefault(record, {})[rest[0]] = tuple(rest[1:])
    inserts: list[tuple[int, int, Property]] = []
    beyond: list[int] = []
    position = 0
    for row, draft in items:
        count = len(draft.properties or ())
        wanted = {item.key: item for item in reversed(flat[position : position + count])}
        ordered = list(reversed(wanted.values()))
        position += count
        if not row.created:
            ordered = _replace_properties(row, ordered, present.get(row.id, {}))
            beyond_from = _walked(row.id)
        else:
            beyond_from = 0
        skipped = set(stamps.beyond_budget(beyond_from, len(ordered)))
        beyond += [len(inserts) + offset for offset in skipped]
        inserts += [(row.id, row.lane_id, item) for item in ordered]
        row.kept = [item for item in wanted.values() if item not in [ordered[o] for o in skipped]][::-1]
        row.skipped = [ordered[offset] for offset in sorted(skipped)]
    stamps.insert(reader, inserts, beyond)


def _replace_properties(row: _Row, wanted: list[Property], present: dict[UUID, tuple]) -> list[Property]:
    """Remove what is no longer named (never the engine's own stamps); returns what is yet to be inserted."""
    keep = {item.key for item in wanted}
    same = {
        item.key
        for item in wanted
        if item.key in present and present[item.key][1:4] == (item.valid_from, item.invalidated_at, item.confidence)
    }
    gone = [key for key, (_, _, _, _, reserved) in present.items() if not reserved and key not in same]
    if gone:
        sql.execute(
            "delete from memory_edgeproperty where record_id = %s and key = any(%s) and seq = 0", (row.id, gone)
        )
    if gone or keep - set(present):
        if not row.changed:
            row.version += 1
            sql.execute(
                "update memory_record set version = %s, updated_at = clock_timestamp() where id = %s",
                (row.version, row.id),
            )
        row.changed = True
    return [item for item in wanted if item.key not in same]


def _walked(record_id: int) -> int:
    return sql.fetch(
        "select count(*) from memory_edgeproperty where record_id = %s and seq = 0 and state & 2 = 0", (record_id,)
    )[0][0]


def _write_tags(reader: Reader, items: Sequence[tuple[_Row, Draft]]) -> None:
    """The writer's own tags: exactly those its drafts name."""
    if not items:
        return
    old = [row.id for row, _ in items if not row.created]
    if old:
        sql.execute("delete from memory_tag where record_id = any(%s) and extractor = %s", (old, WRITER))
    flat = [(row, tag) for row, draft in items for tag in draft.tags or ()]
    if flat:
        sql.execute(
            "insert into memory_tag (tenant_id, record_id, lane_id, at, label, value, key, folded, extractor) "
            "select %s, r, l, at, 'tag', v, k, f, %s "
            "from unnest(%s::bigint[], %s::int[], %s::timestamptz[], %s::text[], %s::uuid[], %s::text[]) "
            "u(r, l, at, v, k, f)",
            (
                reader.tenant_id,
                WRITER,
                [row.id for row, _ in flat],
                [row.lane_id for row, _ in flat],
                [row.at for row, _ in flat],
                [tag for _, tag in flat],
                [normal.edge_key("tag", tag) for _, tag in flat],
                [normal.fold(tag) for _, tag in flat],
            ),
        )


def update(
    reader: Reader,
    *,
    sr_id: str,
    expected_version: int | None = None,
    lane: str | None = None,
    **fields: Any,
) -> Written:
    """Change the named fields of a record; `lane` moves it (with everything that hangs on it) at once.

    `expected_version` refuses (Conflict) when somebody changed the record since that version was read.
    """
    (row,) = touch.writable(reader, sr_id)
    lane_id = reader.writable_lane_id(lane) if lane is not None else row.lane_id
    with transaction.atomic():
        locks.lanes({row.lane_id, lane_id}, alone=lane_id != row.lane_id or "edge_properties" in fields)
        _, current_lane, at, public_id, version, _ = touch.lock([row])[row.id]
        if expected_version is not None and expected_version != version:
            raise Conflict(
                f"The record is at version {version}, not {expected_version}: somebody changed it meanwhile.",
                {"expected_version": [f"The record is at version {version}."]},
            )
        draft = _merged(row.id, lane_id, fields)
        before = stamps.property_keys([row.id])
        changed = bool(sql.fetch(_UPDATE, {"id": [row.id], **_columns([draft])}))
        if changed:
            stamps.sync([row.id])
        if lane_id != current_lane:
            _move(reader, row.id, current_lane, lane_id)
            changed = True
        _, _, at, _, version, _ = locks.records([row.id])[0]
        state = _Row(row.id, lane_id, at, public_id, version, False, changed)
        if changed:
            _write_words([(state, draft)])
        _write_properties(reader, [(state, draft)])
        if draft.tags is not None:
            _write_tags(reader, [(state, draft)])
        values.sweep(before)
        if state.changed:
            queue.enqueue([row.id])
            keys = {key for _, key in [*before, *stamps.property_keys([row.id])]}
            for told in sorted({current_lane, lane_id}):
                events.publish(
                    tenant_id=reader.tenant_id,
                    lane_id=told,
                    records=[(sr_id, state.version)],
                    keys=keys,
                    kind="update",
                )
    return Written(row.id, sr_id, False, state.version, state.kept, state.skipped, state.changed)


def _merged(record_id: int, lane_id: int, fields: dict[str, Any]) -> Draft:
    """The record as it would be with these fields changed, checked like a new one."""
    kind, title, text, source, occurred_at, precision = sql.fetch(
        "select kind, title, text, source, occurred_at, date_precision from memory_record where id = %s", (record_id,)
    )[0]
    now = {"kind": kind, "title": title, "text": text, "source": source}
    dated = "occurred_at" in fields or fields.get("date_precision") is not None
    if dated and "occurred_at" not in fields and occurred_at is not None:
        fields = {**fields, "occurred_at": times.shown(occurred_at, precision)}
    draft = drafts.draft(lane_id=lane_id, **{**now, **fields})
    if not dated:
        draft.occurred_at, draft.date_precision = occurred_at, precision
    return draft


def _move(reader: Reader, record_id: int, old: int, new: int) -> None:
    """Move a locked record: the foreign keys carry its rows; its values join the new lane's list and spelling."""
    external = sql.fetch(
        "select 1 from memory_record o join memory_record r on r.id = %s "
        "where o.lane_id = %s and o.external_id = r.external_id and o.id <> r.id",
        (record_id, new),
    )
    if external:
        raise Conflict("The lane holds another record with this external_id.")
    sql.execute(
        "update memory_record set lane_id = %s, version = version + 1, updated_at = clock_timestamp() where id = %s",
        (new, record_id),
    )
    held = sql.fetch("select distinct label, value, key from memory_edgeproperty where record_id = %s", (record_id,))
    items = [(new, Property(label, value, key)) for label, value, key in held]
    for (_, before), after in zip(items, values.apply_aliases(items), strict=True):
        if after.key != before.key:
            aliases.respell([record_id], before.key, after)
    values.remember(
        reader.tenant_id,
        (
            (new, label, value, key)
            for label, value, key in sql.fetch(
                "select distinct label, value, key from memory_edgeproperty where record_id = %s", (record_id,)
            )
        ),
    )


def delete(reader: Reader, *, sr_id: str) -> dict[str, Any]:
    """Delete a record and everything derived from it, in every store, in one transaction."""
    (row,) = touch.writable(reader, sr_id)
    with transaction.atomic():
        locks.lanes(_lanes_of_connections([row.id]) | {row.lane_id}, alone=True)
        touch.lock([row])
        remove([row.id], reader.tenant_id)
    return {"sr_id": sr_id, "deleted": True}


def _lanes_of_connections(record_ids: Sequence[int]) -> set[int]:
    """Lanes of the records joined to these by stamps: a deletion may take the last stamp off them."""
    rows = sql.fetch(
        "select distinct o.lane_id from memory_edgeproperty e join memory_edgeproperty o on o.key = e.key "
        "where e.record_id = any(%s) and e.label in ('e_connect', 'e_adjust')",
        (list(record_ids),),
    )
    return {lane for (lane,) in rows}


def remove(record_ids: Sequence[int], tenant_id: int) -> int:
    """Delete locked records (their lanes held alone), whoever asked: services, the admin, retention.

    Child rows go by the foreign keys' cascades. What is left to do: stamps that now join nothing, records that no
    longer stand superseded, values nobody uses any more, and the news.
    """
    ids = list(record_ids)
    gone = sql.fetch("select lane_id, public_id, version from memory_record where id = any(%s)", (ids,))
    used = stamps.property_keys(ids)
    joined = [
        key
        for (key,) in sql.fetch(
            "select distinct key from memory_edgeproperty where record_id = any(%s) "
            "and label in ('e_connect', 'e_adjust')",
            (ids,),
        )
    ]
    deleted = sql.execute("delete from memory_record where id = any(%s)", (ids,))
    connections.drop_dangling(joined)
    values.sweep(used)
    for lane_id in sorted({lane for lane, _, _ in gone}):
        events.publish(
            tenant_id=tenant_id,
            lane_id=lane_id,
            records=[(sr_id(public), version) for lane, public, version in gone if lane == lane_id],
            keys=[key for lane, key in used if lane == lane_id],
            kind="delete",
        )
    return deleted
