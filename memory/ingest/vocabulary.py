"""Mentions of new controlled values in earlier records of all lanes of a tenant.

As for a lane's own new values (`seek`): few are sought by the words they consist of, for many every record is read
again, some thousands a job. A value counts as sought once every record has been looked at; what is cut off goes on
from where its job began.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction

from memory import sql, words
from memory.ingest import queue, seek
from memory.services import locks

FEW = 200  # spellings
RECORDS_A_JOB = 2_000


def unsought() -> list[int]:
    """Tenants with controlled values whose mentions have not been sought."""
    return [row[0] for row in sql.fetch("select distinct tenant_id from memory_controlledvalue where not sought")]


def search(tenant_id: int, after: int = 0, through: int | None = None) -> int:
    """Tag the mentions of a tenant's new controlled values; returns in how many records they were looked for.

    `after` and `through`: the last record that was read, and the last change of a value that is being sought.
    """
    if through is None:
        through = _begun(tenant_id)
    if through is None:
        return 0
    spelled = sql.fetch(
        "select s.label, s.written from memory_controlledvalue v join memory_controlledspelling s on s.of_id = v.id "
        "where v.tenant_id = %s and not v.sought and v.revision <= %s limit %s",
        (tenant_id, through, FEW + 1),
    )
    lanes = [row[0] for row in sql.fetch("select id from lanes_lane where tenant_id = %s order by id", (tenant_id,))]
    if len(spelled) <= FEW:
        found = _mentioning(lanes, [written for label, written in spelled if seek.worth_seeking(label, written)])
    else:
        found = _next(lanes, after)
    looked_at = seek.again(found)
    if len(spelled) > FEW and len(found) == RECORDS_A_JOB:
        queue.defer_vocabulary(tenant_id, 0, after=found[-1], through=through)
        return looked_at
    sql.execute(
        "update memory_controlledvalue set sought = true where tenant_id = %s and not sought and revision <= %s",
        (tenant_id, through),
    )
    if tenant_id in unsought():
        queue.defer_vocabulary(tenant_id, 0)
    return looked_at


def _begun(tenant_id: int) -> int | None:
    """The newest change to seek now. Had alone for an instant, the vocabulary has no change under way, and every
    record that was stored without it can be seen."""
    with transaction.atomic():
        locks.vocabulary([tenant_id], alone=True)
        return sql.fetch(
            "select max(revision) from memory_controlledvalue where tenant_id = %s and not sought", (tenant_id,)
        )[0][0]


# So many of each lane: how often another lane has the words makes no difference to what is found in one.
_MENTIONING = """
select x.record_id from unnest(%(lanes)s::int[]) l(lane) cross join lateral (
  select t.record_id from memory_recordtext t where t.lane_id = l.lane and t.tsv @@ %(query)s::tsquery
    and lane_terms(t.lane_id, t.tsv) @>
      (select array_agg(hashtextextended(w, l.lane)) from unnest(%(lexemes)s::text[]) w)
  limit %(limit)s) x
"""


def _mentioning(lanes: Sequence[int], spellings: Iterable[str]) -> list[int]:
    found: set[int] = set()
    for written in sorted(set(spellings)):
        query, lexemes = words.tsquery_all(written), words.required(written)
        if query is not None and lexemes:
            given = {"query": query, "lexemes": lexemes, "lanes": list(lanes), "limit": seek.RECORDS_A_VALUE}
            found.update(row[0] for row in sql.fetch(_MENTIONING, given))
    return sorted(found)


def _next(lanes: Sequence[int], after: int) -> list[int]:
    rows = sql.fetch(
        "select id from memory_record where id > %s and lane_id = any(%s) order by id limit %s",
        (after, list(lanes), RECORDS_A_JOB),
    )
    return [row[0] for row in rows]


def schedule() -> None:
    """Defer a search for each tenant that has new controlled values."""
    for tenant_id in unsought():
        queue.defer_vocabulary(tenant_id)
