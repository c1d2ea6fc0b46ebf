"""Controlled values: put, removed, read from lines. Everything that hangs on them follows in the same transaction.

Who may call this is decided by the caller (the admin); the values themselves are for every member of the tenant.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from lanes.errors import Invalid
from memory import normal, sql
from memory.ingest import queue
from memory.services import locks

ALIASES_MAX = 50
LINES_MAX = 200_000
FOLDED_MAX = 2_000  # bytes: what an index takes
_CHUNK = 5_000
_ERRORS = 20
HEADER = ("label", "value")


@dataclass(frozen=True)
class Entry:
    """A value to put, checked. `aliases` None leaves those of a value that is there."""

    label: str
    value: str
    key: UUID
    aliases: tuple[str, ...] | None = None

    @property
    def spellings(self) -> Iterator[tuple[str, int, bool]]:
        """(written, norm_key, bare) of each way it is written, each hash once."""
        seen: set[int] = set()
        bare = normal.bare_key(self.value)
        ways = [(self.value, normal.norm_key(self.value), False)]
        ways += [(alias, normal.norm_key(alias), False) for alias in self.aliases or ()]
        if bare is not None:
            ways.append((self.value.rpartition("(")[0].strip(), bare, True))
        for written, norm, is_bare in ways:
            if norm not in seen:
                seen.add(norm)
                yield written, norm, is_bare


def entry(label: str, value: str, aliases: Iterable[str] | None = None, where: str = "") -> Entry:
    """A checked entry; Invalid names `label`, `value` or `aliases` (after `where` and a dot)."""
    at = f"{where}." if where else ""
    name = normal.label(label, f"{at}label")
    if name.startswith(normal.RESERVED_PREFIX):
        raise Invalid.field(f"{at}label", f'The label "{name}" is reserved.')
    kept = _spelling(value, f"{at}value")
    others: dict[str, str] = {}
    for alias in aliases or ():
        if alias.strip():
            written = _spelling(alias, f"{at}aliases")
            if normal.fold(written) != normal.fold(kept):
                others.setdefault(normal.fold(written), written)
    if len(others) > ALIASES_MAX:
        raise Invalid.field(f"{at}aliases", f"At most {ALIASES_MAX} aliases.")
    return Entry(name, kept, normal.edge_key(name, kept), None if aliases is None else tuple(others.values()))


def _spelling(text: str, where: str) -> str:
    written = normal.value(text, where)
    if len(normal.fold(written).encode()) > FOLDED_MAX:
        raise Invalid.field(where, "Too long once its letters are written out.")
    return written


def read_lines(text: str) -> list[Entry]:
    """Entries from pasted lines or CSV: label, value, and any aliases in further columns, separated by commas or tabs;
    or "label: value". A first line "label,value" is a heading. Invalid names the lines that are wrong."""
    normal.check_text(text, "lines")
    lines = text.removeprefix("\ufeff").splitlines()
    first = next((line for line in lines if line.strip()), "")
    if len(lines) > LINES_MAX:
        raise Invalid.field("lines", f"At most {LINES_MAX:,} lines at a time; these are {len(lines):,}.")
    reader = csv.reader(lines, delimiter="\t" if "\t" in first else ",")
    made: list[Entry] = []
    errors: list[str] = []
    begun = False
    try:
        for cells in reader:
            row = [_uncell(cell.strip()) for cell in cells]
            if not any(row):
                continue
            heading, begun = not begun and tuple(cell.lower() for cell in row[:2]) == HEADER, True
            if heading:
                continue
            try:
                made.append(_line(row))
            except Invalid as error:
                said = "; ".join(text for texts in error.errors.values() for text in texts) or error.detail
                errors.append(f"Line {reader.line_num}: {said}")
                if len(errors) >= _ERRORS:
                    break
    except csv.Error as error:
        errors.append(f"Line {reader.line_num}: {error}.")
    if errors:
        raise Invalid("Some lines are wrong; nothing was imported.", {"lines": errors})
    if not made:
        raise Invalid.field("lines", "There is no value in these lines.")
    return made


def _line(row: list[str]) -> Entry:
    if len(row) == 1:
        label, colon, value = row[0].partition(":")
        if not colon:
            raise Invalid.field("lines", "Write label,value (and aliases in further columns) or label: value.")
        row = [label.strip(), value]
    aliases = [cell for cell in row[2:] if cell]
    return entry(row[0], row[1], aliases or None)


def cell(text: str) -> str:
    """A cell of an exported CSV: a spreadsheet would run one that starts so, an apostrophe makes it text."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r", "'") else text


def _uncell(text: str) -> str:
    return text[1:] if text[:1] == "'" and text[1:2] in ("=", "+", "-", "@", "'") else text


_PUT = """
insert into memory_controlledvalue as c (tenant_id, label, value, key, folded, aliases, revision, sought, updated_at)
select %(tenant)s, label, value, k, folded, coalesce(array(select jsonb_array_elements_text(aliases::jsonb)), '{}'),
  nextval('memory_controlledvalue_revision'), false, clock_timestamp()
from unnest(%(labels)s::text[], %(values)s::text[], %(keys)s::uuid[], %(folded)s::text[], %(aliases)s::text[])
  u(label, value, k, folded, aliases)
on conflict (tenant_id, key) do update set value = excluded.value, aliases = excluded.aliases,
  revision = excluded.revision, sought = false, updated_at = excluded.updated_at
where (c.value, c.aliases) is distinct from (excluded.value, excluded.aliases)
returning c.id, c.key, c.xmax = 0
"""
_SPELL = """
insert into memory_controlledspelling (tenant_id, of_id, label, written, folded, norm_key, bare)
select %s, * from unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::bigint[], %s::bool[])
"""


def put(tenant_id: int, entries: Sequence[Entry]) -> dict[str, int]:
    """Add values, or change those that are there; returns {added, changed, unchanged}.

    Mentions of them in earlier records are sought by a job. Of repeated values the last counts.
    """
    wanted = {item.key: item for item in entries}
    done = {"added": 0, "changed": 0}
    with transaction.atomic():
        locks.vocabulary([tenant_id], alone=True)
        keys = sorted(wanted)
        for start in range(0, len(keys), _CHUNK):
            added, changed = _put(tenant_id, [wanted[key] for key in keys[start : start + _CHUNK]])
            done["added"] += added
            done["changed"] += changed
        if done["added"] or done["changed"]:
            queue.defer_vocabulary(tenant_id)
    return {**done, "unchanged": len(wanted) - sum(done.values())}


def _put(tenant_id: int, entries: list[Entry]) -> tuple[int, int]:
    kept = dict(
        sql.fetch(
            "select key, aliases from memory_controlledvalue where tenant_id = %s and key = any(%s)",
            (tenant_id, [item.key for item in entries if item.aliases is None]),
        )
    )
    full = [
        item if item.aliases is not None else Entry(item.label, item.value, item.key, tuple(kept.get(item.key, ())))
        for item in entries
    ]
    rows = sql.fetch(
        _PUT,
        {
            "tenant": tenant_id,
            "labels": [item.label for item in full],
            "values": [item.value for item in full],
            "keys": [item.key for item in full],
            "folded": [normal.fold(item.value) for item in full],
            "aliases": [json.dumps(item.aliases) for item in full],
        },
    )
    changed = [(row, key) for row, key, new in rows if not new]
    if changed:
        sql.execute("delete from memory_controlledspelling where of_id = any(%s)", ([row for row, _ in changed],))
        _forget(tenant_id, [key for _, key in changed])
    by_key = {item.key: item for item in full}
    ways = [(row, by_key[key].label, *way) for row, key, _ in rows for way in by_key[key].spellings]
    if ways:
        sql.execute(
            _SPELL,
            (
                tenant_id,
                [way[0] for way in ways],
                [way[1] for way in ways],
                [way[2] for way in ways],
                [normal.fold(way[2]) for way in ways],
                [way[3] for way in ways],
                [way[4] for way in ways],
            ),
        )
    return len(rows) - len(changed), len(changed)


def remove(tenant_id: int, ids: Sequence[int]) -> int:
    """Remove controlled values; mentions of them go, except where a record's lane uses the value itself."""
    with transaction.atomic():
        locks.vocabulary([tenant_id], alone=True)
        sql.execute(
            "delete from memory_controlledspelling where tenant_id = %s and of_id = any(%s)", (tenant_id, list(ids))
        )
        gone = sql.fetch(
            "delete from memory_controlledvalue where tenant_id = %s and id = any(%s) returning key",
            (tenant_id, list(ids)),
        )
        _forget(tenant_id, [key for (key,) in gone])
    return len(gone)


# Mentions that the vocabulary alone accounts for. The words they stood on are read anew: something shorter may stand
# there.
_FORGET = """
delete from memory_tag t where t.key = any(%(keys)s) and t.tenant_id = %(tenant)s and t.extractor = 'known_values'
  and (coalesce(t.data ? 'controlled', false) or not exists (
    select 1 from memory_lanevalue v where v.lane_id = t.lane_id and v.key = t.key))
returning t.record_id
"""


def _forget(tenant_id: int, keys: Sequence[UUID]) -> None:
    if keys:
        gone = sql.fetch(_FORGET, {"tenant": tenant_id, "keys": list(keys)})
        queue.defer(queue.AGAIN, {record for (record,) in gone})
