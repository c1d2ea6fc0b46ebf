"""The home page's reads: lanes with fresh counts, what changed, what happened last. All bounded, all per lane."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from lanes.readers import Reader
from memory import sql
from memory.gather.scope import CAP

WEEKS = 12
WEEK_CAP = 250  # a bar stands for "250 or more" at most: the picture is about rhythm, not about totals

# Each number is a bounded index scan in one lane: (lane, at) for totals and weeks, (lane, updated) for news.
_LANES = """
select l.id,
  (select count(*) from (select 1 from memory_record r where r.lane_id = l.id limit %(cap)s + 1 + gone.n) x) - gone.n,
  news.fresh, news.changed, news.superseded, last.updated_at,
  coalesce(p.name, nullif(trim(u.first_name || ' ' || u.last_name), ''), u.username, ''),
  (select array_agg((select count(*) from (select 1 from memory_record r where r.lane_id = l.id
      and r.updated_at > now() - make_interval(weeks => w + 1) and r.updated_at <= now() - make_interval(weeks => w)
      limit %(week)s) x) order by w desc) from generate_series(0, %(weeks)s - 1) w),
  exists (select 1 from memory_holdlane hl join memory_hold h on h.id = hl.hold_id
    where hl.lane_id = l.id and h.released_at is null)
from unnest(%(lanes)s::int[]) l(id)
cross join lateral (select count(*) as n from memory_record r
  where r.lane_id = l.id and r.superseded_at is not null and r.superseded_at <= %(now)s) gone
left join lateral (
  select count(*) filter (where recorded_at > %(since)s) as fresh,
         count(*) filter (where recorded_at <= %(since)s and (superseded_at is null or superseded_at <= %(since)s))
           as changed,
         count(*) filter (where superseded_at > %(since)s) as superseded
  from (select recorded_at, superseded_at from memory_record r
        where r.lane_id = l.id and r.updated_at > %(since)s
        order by r.updated_at desc limit %(cap)s + 1) x) news on true
left join lateral (
  select updated_at, case when version = 1 then written_by_id else changed_by_id end as person,
         case when version = 1 then profile_id else changed_profile_id end as profile
  from memory_record r where r.lane_id = l.id order by r.updated_at desc, r.id desc limit 1) last on true
left join lanes_user u on u.id = last.person
left join lanes_agentprofile p on p.id = last.profile
"""


def lanes(reader: Reader, since: datetime | None) -> list[dict[str, Any]]:
    """Every readable lane with its number of records (capped; without the superseded ones, as a search counts), what
    is new and changed since an instant, its weeks.

    `since` None counts nothing as new. One statement.
    """
    now = datetime.now().astimezone()
    params = {"lanes": reader.lane_list, "since": since or now, "now": now}
    rows = sql.fetch(_LANES, {**params, "cap": CAP, "week": WEEK_CAP, "weeks": WEEKS})
    return [
        {
            "lane": reader.lanes[lane],
            "records": min(records, CAP),
            "capped": records > CAP,
            "new": fresh,
            "changed": changed,
            "superseded": superseded,
            "last_at": last_at,
            "last_by": last_by,
            "weeks": list(weeks),
            "on_hold": on_hold,
        }
        for lane, records, fresh, changed, superseded, last_at, last_by, weeks, on_hold in rows
    ]


# Newest first over all lanes, a few rows from each: merging the lanes' own orders.
_CHANGED = """
select x.id, x.updated_at, x.recorded_at, x.superseded_at, x.version from unnest(%(lanes)s::int[]) l(id)
cross join lateral (select id, updated_at, recorded_at, superseded_at, version from memory_record r
  where r.lane_id = l.id order by r.updated_at desc, r.id desc limit %(limit)s) x
order by x.updated_at desc, x.id desc limit %(limit)s
"""


def changed(reader: Reader, limit: int = 12) -> list[dict[str, Any]]:
    """The records changed last: id, when, and whether that was writing, changing or superseding."""
    return [
        {"id": record, "at": updated, "what": _what(updated, superseded, version)}
        for record, updated, recorded, superseded, version in sql.fetch(
            _CHANGED, {"lanes": reader.lane_list, "limit": limit}
        )
    ]


def _what(updated: datetime, superseded: datetime | None, version: int) -> str:
    """What the newest version is. A record superseded earlier may be changed again: whoever does so is not whoever
    superseded it."""
    if superseded and updated - superseded < timedelta(seconds=5):
        return "superseded"
    return "added" if version == 1 else "changed"


_RECENT = """
select x.id from unnest(%(lanes)s::int[]) l(id)
cross join lateral (select id, recorded_at from memory_record r
  where r.lane_id = l.id and r.superseded_at is null order by r.recorded_at desc, r.id desc limit %(limit)s) x
order by x.recorded_at desc, x.id desc limit %(limit)s
"""


def recent(reader: Reader, limit: int = 8) -> list[int]:
    """Ids of the records that were recorded last, newest first."""
    return [record for (record,) in sql.fetch(_RECENT, {"lanes": reader.lane_list, "limit": limit})]


def last_changes(reader: Reader) -> list[tuple[int, datetime | None]]:
    """(lane id, when its newest change was) for every readable lane."""
    return sql.fetch(
        "select l.id, (select r.updated_at from memory_record r where r.lane_id = l.id "
        "order by r.updated_at desc, r.id desc limit 1) from unnest(%s::int[]) l(id)",
        (reader.lane_list,),
    )
