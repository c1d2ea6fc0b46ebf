"""News for open pages: what changed, as ids and versions, never as content.

Sent with NOTIFY inside the writing transaction, so a rolled-back write sends nothing and a committed one is heard
after it can be read. Listeners fetch what they show again, under their own permissions.
"""

import json
from collections.abc import Iterable, Iterator
from uuid import UUID

from memory import sql

CHANNEL = "lanewise"
# A NOTIFY payload holds under 8,000 bytes: an id with its version takes about 50, a key 35.
_RECORDS, _KEYS = 60, 90


def publish(
    *,
    tenant_id: int,
    lane_id: int,
    records: Iterable[tuple[str, int]],
    keys: Iterable[UUID] = (),
    kind: str = "write",
    to: int | None = None,
) -> None:
    """Announce records (sr_id, version) of one lane and the hyperedges (keys) they touch.

    `kind` is write, update, delete or ingested. A record that moves leaves its lane, which is told `delete` with the
    lane it went `to`: whoever cannot read that one hears what a deletion sounds like. What does not fit one notice
    goes into more of them; a lane that changed wholesale (over 600 records) is announced with `"many": true` and no
    ids.
    """
    publish_lanes(tenant_id=tenant_id, news=[(lane_id, records, keys)], kind=kind, to=to)


def publish_lanes(
    *,
    tenant_id: int,
    news: Iterable[tuple[int, Iterable[tuple[str, int]], Iterable[UUID]]],
    kind: str = "write",
    to: int | None = None,
) -> None:
    """The same for several lanes, (lane id, records, keys) each, in one statement."""
    notices = [
        json.dumps(notice, separators=(",", ":"))
        for lane_id, records, keys in news
        for notice in _notices(
            {"t": tenant_id, "l": lane_id, "kind": kind} | ({"to": to} if to is not None else {}), list(records), keys
        )
    ]
    if notices:
        sql.execute("select pg_notify(%s, notice) from unnest(%s::text[]) notice", (CHANNEL, notices))


def publish_wholesale(*, tenant_id: int, lane_ids: Iterable[int]) -> None:
    """Announce that something changed for all records of lanes: open pages of their readers look again."""
    head = {"t": tenant_id, "kind": "update", "many": True}
    notices = [json.dumps({**head, "l": lane}, separators=(",", ":")) for lane in sorted(set(lane_ids))]
    sql.execute("select pg_notify(%s, notice) from unnest(%s::text[]) notice", (CHANNEL, notices))


def publish_joined(*, tenant_id: int, members: Iterable[tuple[str, int]], keys: Iterable[UUID]) -> None:
    """Announce that what joins records (sr_id, lane id) of several lanes changed.

    Only whoever reads two of them can see it, so it concerns nobody else; no record has a new version for it.
    """
    # a connection has at most 100 members, which fit one notice
    notice = {"t": tenant_id, "kind": "joined", "members": list(members), "keys": sorted({key.hex for key in keys})}
    sql.execute("select pg_notify(%s, %s)", (CHANNEL, json.dumps(notice, separators=(",", ":"))))


def _notices(head: dict, changed: list[tuple[str, int]], keys: Iterable[UUID]) -> Iterator[dict]:
    if len(changed) > 600:
        yield {**head, "many": True}
        return
    touched = sorted({key.hex for key in keys})
    while changed or touched:
        yield {**head, "sr": changed[:_RECORDS], "keys": touched[:_KEYS]}
        changed, touched = changed[_RECORDS:], touched[_KEYS:]


def person_left(user_id: int) -> None:
    """Announce that a person signed out somewhere, or changed their password: their open pages ask who they are."""
    sql.execute("select pg_notify(%s, %s)", (CHANNEL, json.dumps({"kind": "session", "u": user_id})))
