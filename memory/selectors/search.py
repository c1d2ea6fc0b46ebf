"""A filtered list of hits for the search page: the set algebra of gather, narrowed by date, kind and writer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory import sql, words
from memory.gather import cursor as cursors
from memory.gather import paging, sets
from memory.gather.scope import CAP, Scope, current
from memory.gather.terms import Match, Term

# So many of the hits are looked at for facets and counted exactly; a longer list says "more than".
LOOKED_AT = 2_000


@dataclass(frozen=True)
class Filters:
    """Half-open event time, kinds, who wrote ("people", "agents" or "" for both), and phrases: words that stand
    side by side in the record. Empty means no limit."""

    start: datetime | None = None
    end: datetime | None = None
    kinds: tuple[str, ...] = ()
    by: str = ""
    phrases: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        return bool(self.start or self.end or self.kinds or self.by or self.phrases)

    @property
    def dated(self) -> bool:
        """Only records with a date of event pass."""
        return bool(self.start or self.end)

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
        if self.phrases:
            bounds += (
                " and exists (select 1 from memory_recordtext p where p.record_id = t.record_id "
                "and p.tsv @@ all(%(f_phrases)s::tsquery[]) offset 0)"
            )
        return f"{bounds} and exists (select 1 from memory_record f where {' and '.join(tests)})"

    @property
    def params(self) -> dict[str, Any]:
        phrases = [query for query in map(words.tsquery_phrase, self.phrases) if query]
        return {"f_start": self.start, "f_end": self.end, "f_kinds": list(self.kinds), "f_phrases": phrases}


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
    events: bool = False,
    sized: bool = True,
    limit: int = 25,
    cursor: str | None = None,
) -> Hits:
    """Records that carry every term and pass the filters, newest first (or oldest first).

    A record without a date of event stands at the time it was recorded; with `events` it comes after all that have
    one.
    The first page also brings the ids that facets and counts are taken from; later pages only themselves.
    """
    match = Match(scope, terms)
    # one term needs no choosing of what drives, so whoever does not say its size need not have it counted
    counted = bool(terms) and (len(terms) > 1 or sized)
    found = sets.sizes(match) if counted else [sets.Size(1)] * len(terms)
    source = sets.all_of(match, found) if terms else match.everything
    query = paging.query_of(scope, "search", [str(t) for t in terms], repr(filters), oldest, events, scope.lanes)
    after = cursors.unseal(query, cursor)
    want = limit + 1 if after else LOOKED_AT + 1
    rows: list[tuple[datetime, int, int]] = []
    for part in _parts(scope, filters, events) if source else ():
        if after and part < after[2]:
            continue
        where = after if after and part == after[2] else None
        source_ = _of_part(source or "", part)
        rows += [(*row, part) for row in _rows(match, source_, filters, oldest, want - len(rows), where)]
        if len(rows) >= want:
            break
    more, page = len(rows) > limit, rows[:limit]
    return Hits(
        ids=[record for _, record, _ in page],
        next_cursor=cursors.seal(query, [page[-1][0].isoformat(), *page[-1][1:]]) if more else None,
        total=None if after or len(rows) > LOOKED_AT else len(rows),
        looked_at=[] if after else [record for _, record, _ in rows[:LOOKED_AT]],
        sizes=found,
        match=match,
    )


# Parts of a list: everything in one order, or what has a date of event and then what has none.
_WHOLE, _DATED, _UNDATED = 0, 1, 2
_ANY_UNDATED = "select exists (select 1 from memory_record where lane_id = any(%s) and occurred_at is null)"


def _parts(scope: Scope, filters: Filters, events: bool) -> tuple[int, ...]:
    """The parts that a list is read in. Most lanes have no undated record: one look says so."""
    if not events or filters.dated or not sql.fetch(_ANY_UNDATED, (scope.lanes,))[0][0]:
        return (_WHOLE,)
    return (_DATED, _UNDATED)


def _of_part(source: str, part: int) -> str:
    """SQL: the rows of a source that belong to a part."""
    if part == _WHOLE:
        return source
    if source.startswith("from memory_edgeproperty t "):
        # its own rows say whether the record has a date; the undated ones have an index
        return f"{source} and t.state & 8 = {0 if part == _DATED else 8}"
    return (
        f"{source} and exists (select 1 from memory_record d where d.id = t.record_id "
        f"and d.occurred_at is {'not ' if part == _DATED else ''}null offset 0)"
    )


_PASSING = """
select t.record_id, d.occurred_at, t.at from memory_record d cross join lateral (select d.id as record_id, d.at) t
where d.id = any(%(ids)s) and d.lane_id = any(%(lanes)s){filters}
"""


def passing(scope: Scope, record_ids: Sequence[int], filters: Filters) -> dict[int, tuple[datetime | None, datetime]]:
    """{record id: (event time or None, event time or record time)} of those records in the scope's lanes that pass the
    filters. One statement."""
    params = {"ids": list(record_ids), "lanes": scope.lanes, **filters.params}
    rows = sql.fetch(_PASSING.format(filters=filters.sql()), params)
    return {record: (occurred, at) for record, occurred, at in rows}


_ALL = """
select count(*) from (select 1 from memory_record r where r.lane_id = any(%(lanes)s) and {current} limit %(cap)s) x
""".format(current=current("r"))


def all_in(scope: Scope) -> sets.Size:
    """How many records there are in all: exact up to CAP."""
    count = sql.fetch(_ALL, {"lanes": scope.lanes, "cap": CAP + 1, **scope.params})[0][0]
    return sets.Size(min(count, CAP), count > CAP)


_OF_WORDS = "from memory_recordtext t where t.lane_id"


def _by_hashes(match: Match, source: str) -> str:
    """The source of a long list of records with words, told by the words' index alone.

    The index holds 64-bit hashes of a lane's words. That the word itself is there is asked besides everywhere else; of
    tens of thousands of records it would take twice the time of all the rest, against a chance of one in 10^12 that
    another word of the lane has the same hash. The lane's own index would be read whole to leave nothing out.
    """
    if not source.startswith(_OF_WORDS) or "lane_terms(" not in source:
        return source
    for bound in match.terms:
        asked = f" and t.tsv @@ %(query{bound.index})s::tsquery"
        if bound.query is not None and bound.query == " & ".join(map(words.quote, bound.lexemes)):
            source = source.replace(asked, "", 1)
    return source.replace(_OF_WORDS, f"{_OF_WORDS} + 0", 1)


def _rows(
    match: Match, source: str, filters: Filters, oldest: bool, limit: int, after: list | None
) -> list[tuple[datetime, int]]:
    way, than = ("", ">") if oldest else (" desc", "<")
    beyond = f" and (t.at, t.record_id) {than} (%(p_at)s, %(p_id)s)" if after else ""
    params = {**match.params, **filters.params, "limit": limit}
    if limit > LOOKED_AT:
        source = _by_hashes(match, source)
    if after:
        params |= {"p_at": datetime.fromisoformat(after[0]), "p_id": after[1]}
    return sql.fetch(
        f"select x.at, x.record_id from {match.lanes} cross join lateral "  # noqa: S608
        f"(select t.at, t.record_id {source}{filters.sql()}{beyond} "
        f"order by t.at{way}, t.record_id{way} limit %(limit)s) x order by 1{way}, 2{way} limit %(limit)s",
        params,
    )
