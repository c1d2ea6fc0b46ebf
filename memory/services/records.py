"""Writing records: validate, lock in order, write, defer the ingest, announce. One transaction each."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db import transaction

from lanes.errors import Conflict, LanewiseError
from lanes.readers import Reader
from memory import events, sql, times
from memory.ingest import queue
from memory.models import sr_id
from memory.services import aliases, connections, drafts, held, locks, rows, stamps, touch, values
from memory.services.drafts import Draft, Property


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
    try:
        for (index, _), written in zip(good, save(reader, [draft for _, draft in good]), strict=True):
            report[index] = written
    except held.Held:  # which are in the way is found one by one: those stay as they are, the others are written
        for index, draft in good:
            try:
                (report[index],) = save(reader, [draft])
            except held.Held as error:
                report[index] = error
    return report  # type: ignore[return-value]


@locks.retried
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
            now: list[tuple[int, Draft]] = []
            later: list[tuple[int, Draft]] = []
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
    made = rows.upsert(reader, batch)
    pairs = list(zip(made, batch, strict=True))
    rows.write_words([pair for pair in pairs if pair[0].created or pair[0].changed])
    values.sweep_later(rows.write_properties(reader, pairs))
    rows.write_tags(reader, [pair for pair in pairs if pair[1].tags is not None])
    touched = [row for row in made if row.changed]
    if touched:
        queue.enqueue([row.id for row in touched])
        events.publish_lanes(tenant_id=reader.tenant_id, news=_news(touched))
    return [
        Written(row.id, sr_id(row.public_id), row.created, row.version, row.kept, row.skipped, row.changed)
        for row in made
    ]


def _news(touched: Sequence[rows.Row]) -> list[tuple[int, list[tuple[str, int]], list[UUID]]]:
    """(lane, records, keys) for every lane that changed; a lane of which much changed is told without keys."""
    lanes: dict[int, list[rows.Row]] = {}
    for row in touched:
        lanes.setdefault(row.lane_id, []).append(row)
    keys: dict[int, set[UUID]] = {}
    told = [row for mine in lanes.values() if len(mine) <= 100 for row in mine]
    for row in told:
        if row.created:  # a new record has what was just written, nothing else
            keys.setdefault(row.lane_id, set()).update(item.key for item in (*row.kept, *row.skipped))
    older = [row.id for row in told if not row.created]
    for lane_id, key in stamps.property_keys(older) if older else ():
        keys.setdefault(lane_id, set()).add(key)
    return [
        (lane_id, [(sr_id(row.public_id), row.version) for row in mine], sorted(keys.get(lane_id, ())))
        for lane_id, mine in sorted(lanes.items())
    ]


@locks.retried
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
        adjusted = connections.adjusted_by([row.id]) if lane_id != row.lane_id else []
        _, current_lane, at, public_id, version, _ = touch.lock([row], also=adjusted)[row.id]
        if expected_version is not None and expected_version != version:
            raise Conflict(
                f"The record is at version {version}, not {expected_version}: somebody changed it meanwhile.",
                {"expected_version": [f"The record is at version {version}."]},
            )
        draft = _merged(row.id, lane_id, fields)
        before = stamps.property_keys([row.id])
        changed = bool(sql.fetch(rows.UPDATE, rows.changes(reader, [row.id], [draft])))
        if changed:
            stamps.sync([row.id])
        _, _, at, _, version, _ = locks.records([row.id])[0]
        state = rows.Row(row.id, lane_id, at, public_id, version, False, changed)
        if changed:
            rows.write_words([(state, draft)])
        # What is written comes before the move: in its new lane the record may be under a hold.
        rows.write_properties(reader, [(state, draft)])
        if draft.tags is not None:
            rows.write_tags(reader, [(replace(state, lane_id=current_lane), draft)])
        if lane_id != current_lane:
            _move(reader, row.id, current_lane, lane_id)
            connections.settle([row.id, *adjusted])
            state.changed = True
            rows.report([state])
        state.version = locks.records([row.id])[0][4]
        values.sweep(before)
        if state.changed:
            queue.enqueue([row.id])
            news: dict[str, Any] = {"tenant_id": reader.tenant_id, "records": [(sr_id, state.version)]}
            left, now = {key for _, key in before}, {key for _, key in stamps.property_keys([row.id])}
            if lane_id == current_lane:
                events.publish(**news, lane_id=lane_id, keys=left | now, kind="update")
            else:  # whoever reads one of the lanes hears of a record that came, or of one that went
                events.publish(**news, lane_id=lane_id, keys=now, kind="update")
                events.publish(**news, lane_id=current_lane, keys=left, kind="delete", to=lane_id)
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
    carried = sql.fetch(
        "select distinct label, value, key from memory_edgeproperty where record_id = %s", (record_id,)
    )
    items = [(new, Property(label, value, key)) for label, value, key in carried]
    # Respelled while it is still in its old lane: in the new one it may be under a hold.
    for (_, before), after in zip(items, values.apply_aliases(items), strict=True):
        if after.key != before.key:
            aliases.respell([record_id], before.key, after)
    sql.execute(
        "update memory_record set lane_id = %s, version = version + 1, updated_at = clock_timestamp(), "
        "changed_by_id = %s, changed_profile_id = %s where id = %s",
        (new, reader.user_id, reader.profile_id, record_id),
    )
    values.remember(
        reader.tenant_id,
        (
            (new, label, value, key)
            for label, value, key in sql.fetch(
                "select distinct label, value, key from memory_edgeproperty where record_id = %s", (record_id,)
            )
        ),
    )


@locks.retried
def delete(reader: Reader, *, sr_id: str) -> dict[str, Any]:
    """Delete a record and everything derived from it, in every store, in one transaction."""
    (row,) = touch.writable(reader, sr_id)
    with transaction.atomic():
        lane_ids = _lanes_of_connections([row.id]) | {row.lane_id}
        locks.lanes(lane_ids, alone=True)
        touch.lock([row])
        if _lanes_of_connections([row.id]) - lane_ids:  # joined meanwhile to a record of yet another lane
            raise locks.Again()
        remove([row.id], reader.tenant_id)
    return {"sr_id": sr_id, "deleted": True}


def _lanes_of_connections(record_ids: Sequence[int]) -> set[int]:
    """Lanes of the records joined to these by stamps: a deletion may take the last stamp off them."""
    found = sql.fetch(
        "select distinct o.lane_id from memory_edgeproperty e join memory_edgeproperty o on o.key = e.key "
        "where e.record_id = any(%s) and e.label in ('e_connect', 'e_adjust')",
        (list(record_ids),),
    )
    return {lane for (lane,) in found}


def remove(record_ids: Sequence[int], tenant_id: int) -> int:
    """Delete locked records (their lanes held alone), whoever asked: services, the admin, retention.

    Child rows go by the foreign keys' cascades. What is left to do: stamps that now join nothing, records that no
    longer stand superseded, values nobody uses any more, and the news. Records they were joined to have no new version
    for it: what is gone from a page of theirs is the deleted record, which is told to who could see it.
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
