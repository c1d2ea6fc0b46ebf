"""How many records of a lane a word occurs in, and how long they are: what BM25 weighs words by.

Counted lane by lane, and a question sums the lanes its reader may read, so neither a score nor an order can tell
of a record that is not readable. The counts of large lanes are taken by the worker now and then: a count that is
a little old moves scores a little and never the set. Small scopes are counted on the spot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from memory import sql

SMALL = 5_000  # readable records up to which a question is answered by reading each of them
UNCOUNTED_ROWS = 5_000  # records read of lanes that were never counted, for their number and length
UNCOUNTED_CAP = 2_000  # rows read for a word of a lane that was never counted
STALE = 0.1  # of a lane's records, come or gone since it was counted


@dataclass(frozen=True)
class Totals:
    """Readable records, their mean length in lexemes, and each word's number of records."""

    records: int
    length: float
    frequency: dict[str, int]


_SMALL = "select count(*) from (select 1 from memory_recordtext where lane_id = any(%s) limit %s) x"


def small(lanes: Sequence[int]) -> bool:
    """Whether so few records are readable that each can be scored."""
    return sql.fetch(_SMALL, (list(lanes), SMALL + 1))[0][0] <= SMALL


def on_the_spot(lanes: Sequence[int], lexemes: Sequence[str]) -> Totals:
    """Exact counts, from one pass over the readable records."""
    from memory.words import quote

    counts = ", ".join(f"count(*) filter (where tsv @@ %(q{i})s::tsquery)" for i in range(len(lexemes)))
    row = sql.fetch(
        f"select count(*), coalesce(avg(dl), 0)::float8{', ' + counts if counts else ''} "
        "from memory_recordtext where lane_id = any(%(lanes)s)",
        {"lanes": list(lanes), **{f"q{i}": quote(lexeme) for i, lexeme in enumerate(lexemes)}},
        prepare=False,
    )[0]
    return Totals(row[0], row[1], dict(zip(lexemes, row[2:], strict=True)))


_STATS = "select lane_id, records, lexemes from memory_lanestat where lane_id = any(%s)"
_FREQUENCIES = """
select q.i, sum(t.records)::bigint from unnest(%s::text[]) with ordinality q(x, i)
join memory_termfrequency t on t.term = hashtextextended(q.x, 0) and t.lane_id = any(%s) group by 1
"""
_UNCOUNTED = """
select q.i, (select count(*) from unnest(%(lanes)s::int[]) l(lane) cross join lateral (
  select 1 from memory_recordtext t
  where lane_terms(t.lane_id, t.tsv) @> array[hashtextextended(q.x, l.lane)] limit %(cap)s) x)
from unnest(%(words)s::text[]) with ordinality q(x, i)
"""
_LENGTHS = """
select count(*), coalesce(sum(dl), 0)::bigint from unnest(%s::int[]) l(lane) cross join lateral (
  select dl from memory_recordtext t where t.lane_id = l.lane limit %s) x
"""


def counted(lanes: Sequence[int], lexemes: Sequence[str]) -> Totals:
    """Sums of the readable lanes' counts; lanes that were never counted are counted on the spot, up to a cap."""
    lanes, lexemes = list(lanes), list(lexemes)
    stats = {row[0]: row[1:] for row in sql.fetch(_STATS, (lanes,))}
    records = sum(row[0] for row in stats.values())
    length = sum(row[1] for row in stats.values())
    frequency = dict.fromkeys(lexemes, 0)
    for i, count in sql.fetch(_FREQUENCIES, (lexemes, lanes)):
        frequency[lexemes[i - 1]] += count
    missing = [lane for lane in lanes if lane not in stats]
    if missing:
        more, longer = sql.fetch(_LENGTHS, (missing, UNCOUNTED_ROWS))[0]
        records, length = records + more, length + longer
        for i, count in sql.fetch(_UNCOUNTED, {"words": lexemes, "lanes": missing, "cap": UNCOUNTED_CAP}):
            frequency[lexemes[i - 1]] += count
    return Totals(records, length / records if records else 0.0, frequency)


_COUNT_LANE = """
insert into memory_termfrequency (term, lane_id, tenant_id, records)
select hashtextextended(s.word, 0), l.id, l.tenant_id, sum(s.ndoc) from lanes_lane l cross join ts_stat(
  format('select tsv from memory_recordtext where lane_id = %%s', %(lane)s::int)) s
where l.id = %(lane)s and left(s.word, 1) <> '=' group by 1, 2, 3 order by 1
"""


def refresh(lane_id: int) -> bool:
    """Count one lane anew; False when someone else is at it."""
    with transaction.atomic():
        if not sql.fetch("select pg_try_advisory_xact_lock(%s, %s)", (0x1A9E, lane_id))[0][0]:
            return False
        sql.execute("delete from memory_termfrequency where lane_id = %s", (lane_id,))
        sql.execute(_COUNT_LANE, {"lane": lane_id}, prepare=False)
        sql.execute(
            "insert into memory_lanestat (lane_id, tenant_id, records, lexemes, counted_at) "
            "select l.id, l.tenant_id, count(t.dl), coalesce(sum(t.dl), 0), now() from lanes_lane l "
            "left join memory_recordtext t on t.lane_id = l.id where l.id = %(lane)s group by l.id "
            "on conflict (lane_id) do update set records = excluded.records, lexemes = excluded.lexemes, "
            "counted_at = excluded.counted_at",
            {"lane": lane_id},
        )
    return True


_STALE = """
select l.id, (select count(*) from memory_recordtext t where t.lane_id = l.id), s.records
from lanes_lane l left join memory_lanestat s on s.lane_id = l.id
"""


def refresh_stale() -> int:
    """Count the lanes that have grown or shrunk noticeably since; returns how many. For the worker."""
    done = 0
    for lane, now, then in sql.fetch(_STALE):
        if then is None and now == 0:
            continue
        if then is None or abs(now - then) > STALE * max(now, then, 1):
            done += refresh(lane)
    return done
