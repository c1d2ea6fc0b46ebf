"""Pages of records, newest first, as every set operation returns them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memory.gather import cursor
from memory.gather.scope import Scope
from memory.gather.sets import Place
from memory.selectors.records import by_id


def query_of(scope: Scope, operation: str, *parts: Any) -> list:
    """What a cursor is bound to: who reads what, in which lanes, as of when."""
    return [
        operation, scope.reader.tenant_id, scope.reader.user_id, scope.reader.profile_id,
        str(scope.as_of), scope.include_invalidated, *parts,
    ]  # fmt: skip


def place(query: list, given: str | None) -> Place | None:
    """The place a cursor of this query stands for."""
    found = cursor.unseal(query, given)
    return Place(datetime.fromisoformat(found[0]), found[1]) if found else None


def records(
    scope: Scope,
    query: list,
    rows: Sequence[tuple],
    limit: int,
    more_of: dict[int, dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """{srs, next_cursor} from up to limit + 1 rows (at, record id, …); `more_of` adds keys to a record's shape."""
    more, rows = len(rows) > limit, rows[:limit]
    shapes = by_id(scope.reader, [row[1] for row in rows], scope.instant)
    return {
        "srs": [shapes[row[1]] | (more_of or {}).get(row[1], {}) for row in rows if row[1] in shapes],
        "next_cursor": cursor.seal(query, [rows[-1][0].isoformat(), rows[-1][1]]) if more else None,
    }
