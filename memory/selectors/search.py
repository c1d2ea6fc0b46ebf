"""A filtered list of hits for the search page: the set algebra of gather, narrowed by date, kind and writer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory import sql
from memory.gather import cursor as cursors
from memory.gather import paging, sets
from memory.gather.scope import CAP, Scope, current
from memory.gather.terms import Match, Term

# So many of the hits are looked at for facets and counted exactly; a longer list says "more than".
LOOKED_AT = 2_000


@dataclass(frozen=True)
class Filters:
    """Half-open event time, kinds, and who wrote: "people", "agents" or "" for both. Empty means no limit."""

    start: datetime | None = None
    end: datetime | None = None
    kinds: tuple[str, ...] = ()
    by: str = ""

    @property
    def any(self) -> bool:
        return bool(self.start or self.end or self.kinds or self.by)

    def sql(self) -> str:
        """SQL: further conditions on the row t (at, record_id)."""
        if not self.any:
            return ""
        tests = ["f.id = t.record_id"]
        bounds = ""
        if self.start or self.end:
            # t.at bounds the index scan; the record tells a date of event from a date of writing
            tests.append("f.occurred_at is not null")
            if self.start:
                bounds += " and t.at >= %(f_start)s"
            if self.end:
                bounds += " and t.at < %(f_end)s"
        if self.kinds:
            tests.append("f.kind = any(%(f_kinds)s)")
        if self.by:
            tests.append(f"f.profile_id is {'not ' if self.by == 'agents' else ''}null")
        return f"{bounds} and exists (select 1 from memory_record f where {' and '.join(tests)})"

    @property
    def params(self) -> dict[str, Any]:
        return {"f_start": self.start, "f_end": self.end, "f_kinds": list(self.kinds)}


@dataclass
class Hits:
    """A page of record ids, and what is known of the whole list."""

    ids: list[int]
    next_cursor: str | None
    total: int | None = None  # None: more than LOOKED_AT
    looked_at: list[int] = field(default_factory=list)
    sizes: list[sets.Size] = field(default_factory=list)
    match: Match | None = None


def hits(
    scope: Scope,
    terms: Sequence[Term],
    filters: Filters,
    *,
    oldest: bool = False,
    limit: int = 25,
    cursor: str | None = None,
) -> Hits:
    """Records that carry every term and pass the filters, newest first (or oldest first).

    The first page also brings the ids that facets and counts are taken from; later pages only themselves.
    """
    match = Match(scope, terms)
    found = sets.sizes(match) if terms else []
    source = sets.all_of(match, found) if terms else match.everything
    query = paging.query_of(scope, "search", [str(t) for t in terms], repr(filters), oldest, scope.lanes)
    after = cursors.unseal(query, cursor)
    want = limit + 1 if after else LOOKED_AT + 1
    rows = _rows(match, source, filters, oldest, want, after) if source else []
    more, page = len(rows) > limit, rows[:limit]
    return Hits(
        ids=[record for _, record in page],
        next_cursor=cursors.seal(query, [page[-1][0].isoformat(), page[-1][1]]) if more else None,
        total=None if after or len(rows) > LOOKED_AT else len(rows),
        looked_at=[] if after else [record for _, record in rows[:LOOKED_AT]],
        sizes=found,
        match=match,
    )


_ALL = """
select count(*) from (select 1 from memory_record r where r.lane_id = any(%(lanes)s) and {current} limit %(cap)s) x
""".format(current=current("r"))


def all_in(scope: Scope) -> sets.Size:
    """How many records there are in all: exact up to CAP."""
    count = sql.fetch(_ALL, {"lanes": scope.lanes, "cap": CAP + 1, **scope.params})[0][0]
    return sets.Size(min(count, CAP), count > CAP)


def _rows(
    match: Match, source: str, filters: Filters, oldest: bool, limit: int, after: list | None
) -> list[tuple[datetime, int]]:
    way, than = ("", ">") if oldest else (" desc", "<")
    beyond = f" and (t.at, t.record_id) {than} (%(p_at)s, %(p_id)s)" if after else ""
    params = {**match.params, **filters.params, "limit": limit}
    if after:
        params |= {"p_at": datetime.fromisoformat(after[0]), "p_id": after[1]}
    return sql.fetch(
        f"select x.at, x.record_id from {match.lanes} cross join lateral "  # noqa: S608
        f"(select t.at, t.record_id {source}{filters.sql()}{beyond} "
        f"order by t.at{way}, t.record_id{way} limit %(limit)s) x order by 1{way}, 2{way} limit %(limit)s",
        params,
    )
