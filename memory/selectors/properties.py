"""The edge properties of one record with all that is said of each: intervals, reasons, what connections carry."""

import re
from collections.abc import Mapping
from typing import Any

from lanes.readers import Reader
from memory import normal, sql
from memory.gather.scope import Scope
from memory.selectors.rows import ids_of

# As everywhere, a stamp is there only with another member in the lanes, one that holds when this one must hold.
_HOLDS = """(%(ended)s or {e}.state & 1 = 0 or (({e}.valid_from is null or {e}.valid_from <= %(as_of)s)
  and ({e}.invalidated_at is null or {e}.invalidated_at > %(as_of)s)))"""
_DETAILS = f"""
select e.label, e.value, e.state, e.valid_from, e.invalidated_at, e.confidence, e.reason, e.role, e.type, e.directed,
  e.strength, e.attributes, e.mentions, e.last_mentioned
from memory_edgeproperty e
where e.record_id = %(record)s and {_HOLDS.format(e="e")}
  and (e.label not in ('e_connect', 'e_adjust') or exists (
    select 1 from memory_edgeproperty o where o.key = e.key and o.record_id <> e.record_id
      and o.lane_id = any(%(lanes)s) and {_HOLDS.format(e="o")}))
order by e.id
"""  # noqa: S608
_RECORD = re.compile(r"sr_[0-9a-f]{32}")
_COLUMNS = (
    "label", "value", "state", "valid_from", "invalidated_at", "confidence", "reason", "role", "type", "directed",
    "strength", "attributes", "mentions", "last_mentioned",
)  # fmt: skip
_OF_STAMPS = (
    "role", "type", "directed", "strength", "confidence", "reason", "attributes", "valid_from", "invalidated_at",
    "mentions", "last_mentioned",
)  # fmt: skip
_OF_OTHERS = ("valid_from", "invalidated_at", "confidence", "reason")


def details(reader: Reader, record_id: int, scope: Scope) -> list[dict[str, Any]]:
    """The properties of a record that the caller has found visible as `reader`, in the order they were written.

    Those valid at the scope's instant; with include_invalidated also ended ones. Members of connections count in the
    scope's lanes.
    """
    params = {"record": record_id, "lanes": scope.lanes, **scope.params}
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in sql.fetch(_DETAILS, params)]
    evidence = {name for row in rows if (name := _evidence(row["attributes"]))}
    seen = ids_of(reader, sorted(evidence)) if evidence else {}
    return [_shown(row, seen) for row in rows]


def _shown(row: dict[str, Any], seen: Mapping[str, int]) -> dict[str, Any]:
    told: dict[str, Any] = {"label": row["label"], "value": row["value"]}
    stamp = row["label"].startswith(normal.RESERVED_PREFIX)
    for name in _OF_STAMPS if stamp else _OF_OTHERS:
        value = row[name] if row[name] != "" else None
        if name in ("valid_from", "invalidated_at", "last_mentioned") and value is not None:
            value = value.isoformat()
        if name == "attributes":
            named = _evidence(value)
            value = {k: v for k, v in (value or {}).items() if k != "source" or named is None or named in seen}
        if stamp or value is not None:
            told[name] = value
    if row["state"] & 2:
        told["skipped"] = True
    return told


def _evidence(attributes: Mapping[str, Any] | None) -> str | None:
    """The record a connection was read from, where its attributes name one: not every member's reader may see it."""
    named = (attributes or {}).get("source")
    return named if isinstance(named, str) and _RECORD.fullmatch(named) else None
