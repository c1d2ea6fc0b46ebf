"""Writing edge property rows: the one place that inserts them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings

from lanes.readers import Reader
from memory import sql
from memory.models import DATED, SKIPPED
from memory.services.drafts import Property
from memory.services.values import remember

_INSERT = """
insert into memory_edgeproperty (tenant_id, record_id, lane_id, at, label, value, key, seq, state, valid_from,
  invalidated_at, confidence, asserted_by_id, asserted_profile_id, created_at, role, type, reason)
select r.tenant_id, r.id, r.lane_id, r.at, u.label, u.value, u.k, 0,
  u.state | case when r.superseded_at is null then 0 else 4 end | case when r.occurred_at is null then 8 else 0 end,
  u.vf, u.ia, u.conf, %s, %s, clock_timestamp(), '', '', ''
from unnest(%s::bigint[], %s::text[], %s::text[], %s::uuid[], %s::smallint[], %s::timestamptz[], %s::timestamptz[],
  %s::float8[]) with ordinality u(r, label, value, k, state, vf, ia, conf, n)
join memory_record r on r.id = u.r
order by u.n  -- they are told in the order they were given, whichever way the join went
on conflict (record_id, key, seq) do nothing
"""


def insert(
    reader: Reader,
    items: Sequence[tuple[int, int, Property]],
    skipped: Iterable[int] = (),
    known: set[tuple[int, UUID]] | None = None,
) -> int:
    """Insert current rows (record id, lane id, property); returns how many were not there yet.

    `skipped` holds positions that are beyond the walking budget, `known` what `values.remember` need not look for.
    Uniqueness is the table's, so of two writers of
    the same property one inserts and the other finds it there.
    """
    if not items:
        return 0
    remember(reader.tenant_id, ((lane, item.label, item.value, item.key) for _, lane, item in items), known)
    beyond = set(skipped)
    return sql.execute(
        _INSERT,
        (
            reader.user_id,
            reader.profile_id,
            sql.array(record for record, _, _ in items),
            [item.label for _, _, item in items],
            [item.value for _, _, item in items],
            sql.array(item.key for _, _, item in items),
            [_state(item, index in beyond) for index, (_, _, item) in enumerate(items)],
            [item.valid_from for _, _, item in items],
            [item.invalidated_at for _, _, item in items],
            [item.confidence for _, _, item in items],
        ),
    )


def _state(item: Property, skipped: bool) -> int:
    return (DATED if item.valid_from or item.invalidated_at else 0) | (SKIPPED if skipped else 0)


def sync(record_ids: Sequence[int]) -> None:
    """Bring the bits that say something about the record (superseded, undated) up to date on its rows."""
    sql.execute(
        "update memory_edgeproperty e set state = (e.state & ~12) | f.flags "
        "from (select id, case when superseded_at is null then 0 else 4 end "
        "| case when occurred_at is null then 8 else 0 end as flags from memory_record where id = any(%s)) f "
        "where e.record_id = f.id and e.state & 12 <> f.flags",
        (list(record_ids),),
    )


def reopen(record_ids: Sequence[int], keys: Sequence[UUID]) -> dict[tuple[int, UUID], datetime]:
    """Move ended current rows of these properties into the past (seq 1, 2, …), so that new ones may be current.

    Returns when each of them ended: a new interval may not begin before. The caller has the records locked.
    """
    rows = sql.fetch(
        "update memory_edgeproperty e set seq = 1 + (select max(seq) from memory_edgeproperty o "
        "where o.record_id = e.record_id and o.key = e.key) "
        "where record_id = any(%s) and key = any(%s) and seq = 0 and invalidated_at <= clock_timestamp() "
        "returning record_id, key, invalidated_at",
        (list(record_ids), list(keys)),
    )
    return {(record, key): ended for record, key, ended in rows}


def walked(record_id: int) -> int:
    """How many of a record's own properties are walked. Connections have a cap of their own: did they take room here,
    what is skipped would tell how many a record has with hidden ones."""
    return sql.fetch(
        "select count(*) from memory_edgeproperty where record_id = %s and seq = 0 and state & 2 = 0 "
        "and label not in ('e_connect', 'e_adjust')",
        (record_id,),
    )[0][0]


def walk_skipped(record_id: int) -> None:
    """Room in the walking budget goes to the properties that were skipped for it, the oldest first."""
    sql.execute(
        "update memory_edgeproperty set state = state & ~2 where id in ("
        "select id from memory_edgeproperty where record_id = %(id)s and seq = 0 and state & 2 > 0 order by id "
        "limit %(room)s)",
        {"id": record_id, "room": max(0, settings.LANEWISE_WALK_BUDGET - walked(record_id))},
    )


def hint(skipped: int = 0, dropped: int = 0, refused: bool = False) -> str | None:
    """What a writer is told of properties beyond the walking budget and of connections dropped at their cap."""
    budget, cap = settings.LANEWISE_WALK_BUDGET, settings.LANEWISE_CONNECTION_CAP
    said = []
    if skipped:
        named = "edge property is" if skipped == 1 else "edge properties are"
        said.append(f"{skipped} {named} beyond the {budget} that are walked: kept, not followed.")
    if refused:
        said.append(f"Not connected: a record holds {cap} connections, none of which makes way.")
    elif dropped:
        named = "connection" if dropped == 1 else "connections"
        said.append(f"{dropped} weaker {named} made way: a record holds at most {cap}; see dropped.")
    return " ".join(said) or None


def beyond_budget(already: int, count: int) -> range:
    """Positions of `count` new properties that a record with `already` walked ones may not have walked."""
    room = max(0, settings.LANEWISE_WALK_BUDGET - already)
    return range(min(room, count), count)


def property_keys(record_ids: Sequence[int]) -> list[tuple[int, UUID]]:
    """(lane_id, key) of every property row on these records."""
    return sql.fetch(
        "select distinct lane_id, key from memory_edgeproperty where record_id = any(%s)", (list(record_ids),)
    )
