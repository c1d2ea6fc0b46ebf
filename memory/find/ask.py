"""A question as the legs of find see it: what is asked, and the rows it may be answered from."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
from django.db import connection, transaction

from memory import normal, sql, words
from memory.gather import sets
from memory.gather.scope import Scope
from memory.gather.terms import Match, Term

ALLOWED_CAP = 10_000  # records a filter by terms, kind or tags hands to the legs; the newest, where there are more
EXCLUDED_CAP = 20_000
TERMS_MAX = 32  # lexemes of a question that are scored


@dataclass
class Ask:
    """`start` and `end` bound the records' time, half-open. `allowed` None: no filter but lanes and times.

    Every number that a leg computes with (counts, averages) comes from `scope.lanes` alone.
    """

    scope: Scope
    question: str
    start: datetime | None = None
    end: datetime | None = None
    allowed: list[int] | None = None
    narrowed: bool = False  # `allowed` was cut at ALLOWED_CAP
    excluded: list[int] = field(default_factory=list)
    depth: int = 100
    vector: np.ndarray | None = None

    def __post_init__(self) -> None:
        self.lexemes = words.lexemes(self.question)
        self.pairs = words.pairs(self.question)

    @property
    def lanes(self) -> list[int]:
        return self.scope.lanes

    @property
    def params(self) -> dict[str, Any]:
        """What `rows` refers to."""
        return {
            "lanes": self.lanes,
            "start": self.start,
            "end": self.end,
            **self._ids,
        }

    @cached_property
    def _ids(self) -> dict[str, str]:
        """The two lists of ids as Postgres writes arrays: put into that form once, and not for each of the dozen
        statements that take them."""
        return {
            name: f"{{{','.join(map(str, ids))}}}"
            for name, ids in (("allowed", self.allowed or ()), ("excluded", self.excluded))
        }

    def rows(self, alias: str, *, lane_index: bool = True, record: str = "record_id", driven: bool = False) -> str:
        """SQL: row `alias` of a record's table may answer. `lane_index` False keeps the planner from reading the
        lane's own index beside a better one; `driven`: the list of allowed records is the way to the rows."""
        lane = f"{alias}.lane_id{'' if lane_index else ' + 0'} = any(%(lanes)s)"
        return f"{lane}{self.filters(alias, record=record, driven=driven)}"

    def filters(self, alias: str, *, record: str = "record_id", driven: bool = False) -> str:
        """SQL: what `rows` asks besides the lane, beginning with " and".

        The lists of ids are hashed once (`in (select …) is true`) and looked in row by row; `= any(…)` of a parameter
        is gone through from its beginning for each row, unless an index is asked for each of them.
        """
        parts = ""
        if self.start is not None:
            parts += f" and {alias}.at >= %(start)s"
        if self.end is not None:
            parts += f" and {alias}.at < %(end)s"
        if self.allowed is not None and driven:
            parts += f" and {alias}.{record} = any(%(allowed)s::bigint[])"
        elif self.allowed is not None:
            parts += f" and ({alias}.{record} in (select unnest(%(allowed)s::bigint[]))) is true"
        if self.excluded:
            parts += f" and ({alias}.{record} in (select unnest(%(excluded)s::bigint[]))) is not true"
        return parts

    def keep(self, alias: str, *, record: str = "record_id") -> str:
        """SQL: row `alias`, reached from another record, may answer."""
        return self.rows(alias, record=record)


@contextmanager
def bounded(milliseconds: int):
    """A savepoint (or transaction) whose statements end in time; what fails inside leaves the rest unharmed."""
    nested = connection.in_atomic_block
    with transaction.atomic():
        before = sql.fetch(
            "select current_setting('statement_timeout'), set_config('statement_timeout', %s, true)",
            (str(milliseconds),),
        )[0][0]
        yield
        if nested:  # else it ends with the transaction
            sql.fetch("select set_config('statement_timeout', %s, true)", (before,))


_SUPERSEDED = """
select id from memory_record where superseded_at is not null and superseded_at <= %s and lane_id = any(%s)
order by id desc limit %s
"""


def superseded(scope: Scope) -> list[int]:
    """The readable records that another one has replaced at the scope's instant; [] when ended things count."""
    if scope.include_invalidated:
        return []
    return [row[0] for row in sql.fetch(_SUPERSEDED, (scope.instant, scope.lanes, EXCLUDED_CAP))]


def allow(
    scope: Scope,
    terms: Sequence[Term],
    kinds: Sequence[str] | None,
    tags: Sequence[Term] | None,
    start: datetime | None,
    end: datetime | None,
) -> tuple[list[int] | None, bool]:
    """(record ids that satisfy terms, kinds and tags, whether they were cut); (None, False) when none is asked."""
    if not terms and not kinds and not tags:
        return None, False
    match = Match(scope, list(terms))
    source = sets.all_of(match, sets.sizes(match)) if terms else match.everything
    if source is None:
        return [], False
    filters, bound = tests(kinds, tags, start, end)
    where = " and ".join([source, *filters])
    params: dict[str, Any] = {**match.params, **bound, "cap": ALLOWED_CAP + 1}
    rows = sql.fetch(
        f"select x.record_id from {match.lanes} cross join lateral "
        f"(select t.at, t.record_id {where} order by t.at desc, t.record_id desc limit %(cap)s) x "
        "order by x.at desc, x.record_id desc limit %(cap)s",
        params,
    )
    ids = [row[0] for row in rows]
    return ids[:ALLOWED_CAP], len(ids) > ALLOWED_CAP


def tests(
    kinds: Sequence[str] | None, tags: Sequence[Term] | None, start: datetime | None, end: datetime | None
) -> tuple[list[str], dict[str, Any]]:
    """(SQL conditions on a row t with record_id and at, their parameters): of these kinds, with all tags, within the
    times."""
    made = []
    params: dict[str, Any] = {"start": start, "end": end}
    if start is not None:
        made.append("t.at >= %(start)s")
    if end is not None:
        made.append("t.at < %(end)s")
    if kinds:
        made.append(
            "exists (select 1 from memory_record k where k.id = t.record_id and k.kind = any(%(kinds)s) offset 0)"
        )
        params["kinds"] = list(kinds)
    for index, tag in enumerate(tags or ()):
        test, bound = _tag(tag, index)
        made.append(test)
        params |= bound
    return made, params


def _tag(tag: Term, index: int) -> tuple[str, dict[str, Any]]:
    """SQL: record t has the tag; a tag without a label is sought by its value under any label."""
    name = f"tag{index}"
    bound: dict[str, Any]
    if tag.label is not None and tag.value is not None:
        where, bound = f"g.key = %({name})s", {name: normal.edge_key(tag.label, tag.value)}
    elif tag.label is not None:
        where, bound = f"g.label = %({name})s", {name: tag.label}
    else:
        where, bound = f"g.folded = %({name})s", {name: normal.fold(tag.value or "")}
    test = f"exists (select 1 from memory_tag g where g.record_id = t.record_id and {where} offset 0)"
    return (f"not {test}" if tag.negated else test), bound
