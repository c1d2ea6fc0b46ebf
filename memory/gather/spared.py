"""The record a picture is of takes part in it even where it was superseded: as though it were not, and no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory import sql
from memory.gather.scope import Scope
from memory.selectors.records import Row

# What the record carries at the instant, its being superseded left aside.
_HELD = """
select key, seq from memory_edgeproperty
where record_id = %(record)s and lane_id = any(%(lanes)s) and state & 2 = 0
  and (valid_from is null or valid_from <= %(as_of)s) and (invalidated_at is null or invalidated_at > %(as_of)s)
"""


@dataclass(frozen=True)
class Spared:
    """A superseded record, and the intervals of its properties that hold at the instant."""

    record: int
    held: Sequence[tuple[UUID, int]]

    @property
    def params(self) -> dict[str, Any]:
        return {
            "spared": self.record,
            "spared_keys": sql.array(key for key, _ in self.held),
            "spared_seqs": [seq for _, seq in self.held],
        }

    @staticmethod
    def also(condition: str, alias: str) -> str:
        """SQL: the condition, or the edge property row `alias` is one that the spared record holds."""
        return (
            f"({condition} or {alias}.record_id = %(spared)s and ({alias}.key, {alias}.seq) in "
            "(select * from unnest(%(spared_keys)s::uuid[], %(spared_seqs)s::smallint[])))"
        )


def spare(scope: Scope, row: Row) -> Spared | None:
    """The record spared, or None where it needs no sparing: it is not superseded at the scope's instant."""
    if row.superseded_at is None or row.superseded_at > scope.instant or scope.include_invalidated:
        return None
    held = sql.fetch(_HELD, {"record": row.id, "lanes": [row.lane_id], "as_of": scope.instant})
    return Spared(row.id, held)
