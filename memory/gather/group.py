"""Group: the values of one label with the number of records under each, most first."""

from typing import Any
from uuid import UUID

from memory import normal, sql
from memory.gather import cursor as cursors
from memory.gather import hints, left_out, paging, sets
from memory.gather.scope import Scope, live
from memory.gather.terms import STAMPS, Match, Term

# From this many values in the reader's lanes on a label is counted in one pass over all of them.
MANY_VALUES = 5_000
# A cursor remembers the values that were returned, so that one whose count changes meanwhile neither comes twice nor
# is missed. After this many the rest comes in the fixed order of the keys.
SEEN_MAX = 5_000
# Of each key, bytes enough to tell a label's values apart.
_TOKEN = 6


def group(
    scope: Scope,
    label: str,
    *,
    terms: list[Term] | None = None,
    prefix: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> dict[str, Any]:
    """{label, values: [{value, sr_count}], next_cursor, left_out_invalid, hint}: exact counts of readable records.

    `terms` limits the records that are counted to an intersection; `prefix` the values to those starting so. A page
    holds the most frequent of the values that no page before it held, by the counts of its own moment.
    """
    label = normal.label(label)
    query = paging.query_of(scope, "group", label, [str(term) for term in terms or ()], prefix, scope.lanes)
    place, tokens = cursors.opened(query, cursor)
    seen = {tokens[at : at + _TOKEN] for at in range(0, len(tokens), _TOKEN)}
    beyond = UUID(hex=place[0]) if place else None
    counted = _counted(scope, label, terms, prefix)
    rows = _page(counted, label, limit + 1, seen, beyond) if counted else []
    more, rows = len(rows) > limit, rows[:limit]
    spelled = spellings(scope, [key for key, _ in rows])
    return {
        "label": label,
        "values": [{"value": spelled[key], "sr_count": count} for key, count in rows if key in spelled],
        "next_cursor": _seal(query, rows, tokens, beyond) if more else None,
        "left_out_invalid": left_out.of_group(scope, label, terms, _starting(prefix)),
        "hint": None if rows or cursor else _why_none(scope, label),
    }


def _why_none(scope: Scope, label: str) -> str:
    none = f'No readable record has a value for "{label}" here.'
    return hints.of_labels(scope, [Term(label, None)]) or none


def _seal(query: list, rows: list[tuple[UUID, int]], tokens: bytes, beyond: UUID | None) -> str:
    last = rows[-1][0]
    if beyond is None and len(tokens) < SEEN_MAX * _TOKEN:
        tokens += b"".join(key.bytes[:_TOKEN] for key, _ in rows)
        if len(tokens) < SEEN_MAX * _TOKEN:
            return cursors.seal(query, [], tokens)
        last = UUID(int=0)
    return cursors.seal(query, [last.hex], tokens)


def _counted(
    scope: Scope, label: str, terms: list[Term] | None, prefix: str | None
) -> tuple[str, dict[str, Any]] | None:
    """SQL for (key, n) of every value, and its parameters."""
    each = "count(distinct e.record_id)" if scope.include_invalidated else "count(*)"
    params: dict[str, Any] = {"lanes": scope.lanes, "label": label, **scope.params}
    values = ""
    if prefix is not None:
        params["prefix"] = _starting(prefix)
        values = (
            " and e.key in (select v.key from memory_lanevalue v where v.lane_id = l.lane and v.label = %(label)s "
            "and v.folded like %(prefix)s)"
        )
    if terms:
        match = Match(scope, terms)
        source = sets.all_of(match, sets.sizes(match))
        if source is None:
            return None
        params |= match.params
        return (
            f"select e.key, {each} as n from {match.lanes} cross join lateral (select t.record_id {source}) t "
            "join memory_edgeproperty e on e.record_id = t.record_id and e.lane_id = l.lane "
            f"and e.label = %(label)s where {live('e')}{values} group by e.key",
            params,
        )
    if prefix is None and _many_values(params):
        return (
            f"select e.key, {each} as n from memory_edgeproperty e where e.lane_id = any(%(lanes)s::int[]) "
            f"and e.label = %(label)s and {live('e')} group by e.key",
            params,
        )
    return (
        "select x.key, sum(x.n)::bigint as n from unnest(%(lanes)s::int[]) as l(lane) cross join lateral ("
        f"select e.key, {each} as n from memory_edgeproperty e where e.lane_id = l.lane and e.label = %(label)s "
        f"and {live('e')}{values} group by e.key) x group by x.key",
        params,
    )


def _many_values(params: dict[str, Any]) -> bool:
    """Whether the label has so many values that summing them up lane by lane in the order of the index, and then over
    the lanes, costs more than counting all rows at once."""
    rows = sql.fetch(
        "select count(*) from (select 1 from memory_lanevalue "
        "where lane_id = any(%(lanes)s) and label = %(label)s limit %(most)s) v",
        {"lanes": params["lanes"], "label": params["label"], "most": MANY_VALUES},
    )
    return rows[0][0] == MANY_VALUES


def _page(
    counted: tuple[str, dict[str, Any]], label: str, limit: int, seen: set[bytes], beyond: UUID | None
) -> list[tuple[UUID, int]]:
    """The next values but those seen: most records first, or by key once there are too many to remember."""
    statement, params = counted
    where = ["true"]
    if label in STAMPS:  # a stamp of which only one member is visible is no connection for this reader
        where.append("n >= 2")
    if beyond is not None:
        where.append("key > %(beyond)s")
    rows = sql.fetch(
        f"select key, n from ({statement}) g where {' and '.join(where)} "
        f"order by {'n desc, key' if beyond is None else 'key'} limit %(limit)s",
        {**params, "beyond": beyond, "limit": limit + len(seen)},
    )
    return [(key, count) for key, count in rows if key.bytes[:_TOKEN] not in seen][:limit]


def spellings(scope: Scope, keys: list[UUID]) -> dict[UUID, str]:
    """How each value is written in the reader's own lanes (the first spelling of the lane made first)."""
    rows = sql.fetch(
        "select distinct on (key) key, value from memory_lanevalue "
        "where key = any(%s) and lane_id = any(%s) order by key, lane_id",
        (keys, scope.lanes),
    )
    return dict(rows)


def _starting(prefix: str | None) -> str | None:
    """The pattern of folded values that start so."""
    return None if prefix is None else _like(normal.fold(normal.check_text(prefix, "prefix"))) + "%"


def _like(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
