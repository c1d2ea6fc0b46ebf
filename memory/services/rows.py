"""Writing the rows of records: the record itself, its words, its edge properties, its own tags. No checks, no news."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone

from lanes.readers import Reader
from memory import normal, sql
from memory.services import held, locks, stamps, values
from memory.services.drafts import Draft, Property

WRITER = "writer"  # the extractor name of tags that came with the record


@dataclass
class Row:
    """A record as it was written, and what became of the properties of its draft."""

    id: int
    lane_id: int
    at: datetime
    public_id: UUID
    version: int
    created: bool
    changed: bool
    kept: list[Property] = field(default_factory=list)
    skipped: list[Property] = field(default_factory=list)


# Ids are drawn in the order the records were given, and not in the order they are locked in: of records of one time,
# the one written first comes first (a conversation, the entries of one day).
_INSERT = """
insert into memory_record (id, public_id, tenant_id, lane_id, kind, title, text, external_id, source, occurred_at,
  date_precision, recorded_at, at, updated_at, version, written_by_id, profile_id, ingested_version, ingest_error)
select i, p, %(tenant)s, l, kind, title, text, ext, source::jsonb, occ, prec, coalesce(rec, %(now)s),
  coalesce(occ, rec, %(now)s), %(now)s, 1, %(user)s, %(profile)s, 0, ''
from (
  select nextval(pg_get_serial_sequence('memory_record', 'id')) as i, u.*
  from unnest(%(p)s::uuid[], %(l)s::int[], %(kind)s::text[], %(title)s::text[], %(text)s::text[], %(ext)s::text[],
    %(source)s::text[], %(occ)s::timestamptz[], %(prec)s::text[], %(rec)s::timestamptz[])
    with ordinality u(p, l, kind, title, text, ext, source, occ, prec, rec, n) offset 0) u
order by case when ext is null then 0 else l end, ext, n  -- named ones in one order, so that writers cannot deadlock
on conflict (lane_id, external_id) do nothing
returning id, lane_id, at, public_id
"""

_EXISTING = """
select r.lane_id, r.external_id, r.id from unnest(%s::int[], %s::text[]) u(l, ext)
join memory_record r on r.lane_id = u.l and r.external_id = u.ext order by r.id for update of r
"""

_DIFFERENT = """
unnest(%(id)s::bigint[], %(kind)s::text[], %(title)s::text[], %(text)s::text[], %(source)s::text[],
  %(occ)s::timestamptz[], %(prec)s::text[], %(rec)s::timestamptz[]) u(id, kind, title, text, source, occ, prec, rec)
where r.id = u.id and (r.kind, r.title, r.text, r.source, r.date_precision, r.occurred_at, r.recorded_at)
  is distinct from (u.kind, u.title, u.text, u.source::jsonb, u.prec, u.occ, coalesce(u.rec, r.recorded_at))
"""
UPDATE = f"""
update memory_record r set kind = u.kind, title = u.title, text = u.text, source = u.source::jsonb,
  occurred_at = u.occ, date_precision = u.prec, recorded_at = coalesce(u.rec, r.recorded_at),
  at = coalesce(u.occ, u.rec, r.recorded_at), updated_at = clock_timestamp(), version = r.version + 1,
  changed_by_id = %(user)s, changed_profile_id = %(profile)s
from {_DIFFERENT} returning r.id
"""
_CHANGING = f"select r.id from memory_record r, {_DIFFERENT} and r.id = any(%(held)s)"  # noqa: S608 - our own text


def columns(batch: Sequence[Draft]) -> dict[str, list]:
    """Drafts as the array parameters of the statements."""
    return {
        "kind": [draft.kind for draft in batch],
        "title": [draft.title for draft in batch],
        "text": [draft.text for draft in batch],
        "source": [json.dumps(draft.source) for draft in batch],
        "occ": [draft.occurred_at for draft in batch],
        "prec": [draft.date_precision for draft in batch],
        "rec": [draft.recorded_at for draft in batch],
    }


def changes(reader: Reader, ids: Sequence[int | None], batch: Sequence[Draft]) -> dict[str, Any]:
    """The parameters of UPDATE: drafts of these records, and who changes them."""
    return {"id": list(ids), "user": reader.user_id, "profile": reader.profile_id, **columns(batch)}


def upsert(reader: Reader, batch: Sequence[Draft]) -> list[Row]:
    """Rows for the drafts. Two writers of one external_id: the constraint lets one insert, the other updates."""
    found: dict[int, Row] = {}
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
            given = changes(reader, ids, [batch[i] for i in old])
            kept = held.standing(ids)  # type: ignore[arg-type]
            if kept:  # written again just as they are, nothing happens to them
                held.refuse(record for (record,) in sql.fetch(_CHANGING, {**given, "held": sorted(kept)}))
            changed = {row[0] for row in sql.fetch(UPDATE, given)}
            stamps.sync(sorted(changed))
            rows = {row[0]: row for row in locks.records(ids)}  # type: ignore[arg-type]
            for i, record in zip(old, ids, strict=True):
                _, lane, at, public, version, _ = rows[record]
                found[i] = Row(record, lane, at, public, version, False, record in changed)  # type: ignore[arg-type]
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
                    "p": sql.array(public),
                    "l": [draft.lane_id for draft in drafts_],
                    "ext": [draft.external_id for draft in drafts_],
                    **columns(drafts_),
                },
            )
            for record, lane, at, public_id in made:
                found[public[public_id]] = Row(record, lane, at, public_id, 1, True, True)
            left = [i for i in new if i not in found]  # someone else inserted these first: update theirs
    return [found[i] for i in range(len(batch))]


def write_words(items: Sequence[tuple[Row, Draft]]) -> None:
    """Write the words of records anew."""
    if not items:
        return
    vectors = [draft.words for _, draft in items]
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


def write_properties(reader: Reader, items: Sequence[tuple[Row, Draft]]) -> list[tuple[int, UUID]]:
    """Give each record exactly the caller's properties its draft names (none named: leave them); returns the (lane,
    key) of those taken away, which nothing may use any more."""
    rewritten = [row for row, _ in items if not row.created]
    items = [(row, draft) for row, draft in items if draft.properties is not None]
    flat, known = values.spelled([(row.lane_id, item) for row, draft in items for item in draft.properties or ()])
    present: dict[int, dict[UUID, tuple]] = {}
    old = [row.id for row, _ in items if not row.created]
    for record, *rest in sql.fetch(_PRESENT, (old,)) if old else ():
        present.setdefault(record, {})[rest[0]] = tuple(rest[1:])
    inserts: list[tuple[int, int, Property]] = []
    taken: list[tuple[int, UUID]] = []
    beyond: list[int] = []
    position = 0
    for row, draft in items:
        count = len(draft.properties or ())
        wanted = {item.key: item for item in reversed(flat[position : position + count])}
        ordered = list(reversed(wanted.values()))
        position += count
        if not row.created:
            ordered, gone = _replace_properties(reader, row, ordered, present.get(row.id, {}))
            stamps.walk_skipped(row.id)
            taken += [(row.lane_id, key) for key in gone if key not in wanted]
            beyond_from = stamps.walked(row.id)
        else:
            beyond_from = 0
        skipped = set(stamps.beyond_budget(beyond_from, len(ordered)))
        beyond += [len(inserts) + offset for offset in skipped]
        inserts += [(row.id, row.lane_id, item) for item in ordered]
        if row.created:
            row.kept = [item for offset, item in enumerate(ordered) if offset not in skipped]
            row.skipped = [ordered[offset] for offset in sorted(skipped)]
    stamps.insert(reader, inserts, beyond, known)
    report(rewritten)
    return taken


_HELD = """
select record_id, state & 2 > 0, label, value, key, valid_from, invalidated_at, confidence from memory_edgeproperty
where record_id = any(%s) and seq = 0 and left(label, 2) <> 'e_'
  and (invalidated_at is null or invalidated_at > clock_timestamp()) order by id
"""


def report(written: Sequence[Row]) -> None:
    """Say what became of the properties of records that were there before: all they hold now."""
    rows = {row.id: row for row in written}
    for row in written:
        row.kept, row.skipped = [], []
    for record, skipped, *told in sql.fetch(_HELD, (list(rows),)) if rows else ():
        (rows[record].skipped if skipped else rows[record].kept).append(Property(*told))


def _replace_properties(
    reader: Reader, row: Row, wanted: list[Property], present: dict[UUID, tuple]
) -> tuple[list[Property], list[UUID]]:
    """Remove what is no longer named (never the engine's own stamps); returns what is yet to be inserted, and the keys
    of what was removed."""
    keep = {item.key for item in wanted}
    same = {
        item.key
        for item in wanted
        if item.key in present and present[item.key][1:4] == (item.valid_from, item.invalidated_at, item.confidence)
    }
    gone = [key for key, (_, _, _, _, reserved) in present.items() if not reserved and key not in same]
    if gone or keep - set(present):
        held.refuse([row.id])
    if gone:
        sql.execute(
            "delete from memory_edgeproperty where record_id = %s and key = any(%s) and seq = 0", (row.id, gone)
        )
    if gone or keep - set(present):
        if not row.changed:
            row.version += 1
            sql.execute(
                "update memory_record set version = %s, updated_at = clock_timestamp(), changed_by_id = %s, "
                "changed_profile_id = %s where id = %s",
                (row.version, reader.user_id, reader.profile_id, row.id),
            )
        row.changed = True
    return [item for item in wanted if item.key not in same], gone


def write_tags(reader: Reader, items: Sequence[tuple[Row, Draft]]) -> None:
    """The writer's own tags: exactly those its drafts name."""
    if not items:
        return
    old = [row.id for row, _ in items if not row.created]
    if old:
        kept = held.standing(old)
        held.refuse(row.id for row, draft in items if row.id in kept and set(draft.tags or ()) != _own_tags(row.id))
        old = [record for record in old if record not in kept]
        sql.execute("delete from memory_tag where record_id = any(%s) and extractor = %s", (old, WRITER))
        items = [(row, draft) for row, draft in items if row.id not in kept]
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


def _own_tags(record_id: int) -> set[str]:
    found = sql.fetch("select value from memory_tag where record_id = %s and extractor = %s", (record_id, WRITER))
    return {value for (value,) in found}
