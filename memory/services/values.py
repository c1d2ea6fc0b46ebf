"""The value list of a lane: filled by writes, swept by removals, consulted for old spellings."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from django.db import transaction

from memory import normal, sql
from memory.services import locks
from memory.services.drafts import Property


def spelled(items: Sequence[tuple[int, Property]]) -> tuple[list[Property], set[tuple[int, UUID]]]:
    """(the properties as their lanes spell them, the (lane, key) of those that are on the lanes' value lists).

    What is written under an old spelling lands on the new one.
    """
    if not items:
        return [], set()
    rows = sql.fetch(
        "select v.lane_id, v.key, v.alias_of, v.alias_value "
        "from (select distinct l, k from unnest(%s::int[], %s::uuid[]) u(l, k)) u "
        "join memory_lanevalue v on v.lane_id = u.l and v.key = u.k",
        ([lane for lane, _ in items], sql.array(item.key for _, item in items)),
    )
    targets = {(lane, key): (target, value) for lane, key, target, value in rows if target is not None}
    made = []
    for lane, item in items:
        target = targets.get((lane, item.key))
        made.append(replace(item, key=target[0], value=target[1]) if target else item)
    return made, {(lane, key) for lane, key, _, _ in rows}


def apply_aliases(items: Sequence[tuple[int, Property]]) -> list[Property]:
    """The properties as their lanes spell them."""
    return spelled(items)[0]


def remember(
    tenant_id: int, items: Iterable[tuple[int, str, str, UUID]], known: set[tuple[int, UUID]] | None = None
) -> None:
    """Put (lane, label, value, key) on the lanes' value lists; those already there stay as they are.

    Rows go in ascending order of (lane, key), so that writers of the same values cannot deadlock. `known`: those the
    caller has seen there since it holds the lanes; None: look.
    """
    wanted = {(lane, key): (label, value) for lane, label, value, key in items}
    if known is None:
        known = set(
            sql.fetch(
                "select v.lane_id, v.key from unnest(%s::int[], %s::uuid[]) u(l, k) "
                "join memory_lanevalue v on v.lane_id = u.l and v.key = u.k",
                ([lane for lane, _ in wanted], sql.array(key for _, key in wanted)),
            )
            if wanted
            else ()
        )
    new = sorted(pair for pair in wanted if pair not in known)
    if not new:
        return
    folded = [normal.fold(wanted[pair][1]) for pair in new]
    sql.execute(
        "insert into memory_lanevalue (tenant_id, lane_id, label, value, key, folded, norm_key, bare_key, grams) "
        "select %s, l, label, value, k, folded, norm, bare, string_to_array(grams, ',')::int[] "
        "from unnest(%s::int[], %s::text[], %s::text[], %s::uuid[], %s::text[], %s::bigint[], %s::bigint[], "
        "%s::text[]) u(l, label, value, k, folded, norm, bare, grams) on conflict (lane_id, key) do nothing",
        (
            tenant_id,
            [lane for lane, _ in new],
            [wanted[pair][0] for pair in new],
            [wanted[pair][1] for pair in new],
            [key for _, key in new],
            folded,
            [normal.norm_key(wanted[pair][1]) for pair in new],
            [normal.bare_key(wanted[pair][1]) for pair in new],
            # Arrays of different lengths cannot go side by side into unnest, so each is sent as text.
            [",".join(map(str, normal.grams(text))) for text in folded],
        ),
    )


def sweep_later(pairs: Iterable[tuple[int, UUID]]) -> None:
    """Sweep once the transaction is committed, in one of its own: for writers who share their lanes. A lane is taken
    alone, for a moment, only where a value is used by nothing any more."""
    wanted = sorted(set(pairs))
    if wanted:
        transaction.on_commit(lambda: _sweep_unused(wanted), robust=True)


def _sweep_unused(pairs: list[tuple[int, UUID]]) -> None:
    unused = sql.fetch(
        "select v.lane_id, v.key from unnest(%s::int[], %s::uuid[]) u(l, k) "
        "join memory_lanevalue v on v.lane_id = u.l and v.key = u.k and v.alias_of is null "
        "where not exists (select 1 from memory_edgeproperty e where e.key = v.key and e.lane_id = v.lane_id)",
        ([lane for lane, _ in pairs], [key for _, key in pairs]),
    )
    if unused:
        with transaction.atomic():
            locks.lanes({lane for lane, _ in unused}, alone=True)
            sweep(unused)


def sweep(pairs: Iterable[tuple[int, UUID]]) -> None:
    """Take (lane, key) off the value lists where no edge property uses them and no old spelling leads to them.

    The caller holds the lanes alone (locks.lanes(..., alone=True)).
    """
    wanted = sorted(set(pairs))
    if not wanted:
        return
    sql.execute(
        "delete from memory_lanevalue v using unnest(%s::int[], %s::uuid[]) u(l, k) "
        "where v.lane_id = u.l and v.key = u.k and v.alias_of is null "
        "and not exists (select 1 from memory_edgeproperty e where e.key = v.key and e.lane_id = v.lane_id) "
        "and not exists (select 1 from memory_lanevalue a where a.lane_id = v.lane_id and a.alias_of = v.key)",
        ([lane for lane, _ in wanted], [key for _, key in wanted]),
    )
