"""Radius: the blast radius of a record, walked breadth first, best weight first (`walk.py` has the formula)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from lanes.readers import Reader
from memory import sql
from memory.gather.reach import Reach
from memory.gather.scope import CAP, Scope, live
from memory.gather.spared import spare
from memory.gather.traverse import alone
from memory.gather.walk import Node, Walk, walk
from memory.models import SR_PREFIX
from memory.selectors.records import resolve

DEPTH, DEPTH_MAX = 2, 8
NODES, NODES_MAX = 200, 2_000
HUB_LIMIT, HUB_LIMIT_MAX = 100, 2_000
HUBS_SHOWN = 12


def radius(
    scope: Scope,
    sr_id: str,
    *,
    depth: int = DEPTH,
    max_nodes: int = NODES,
    labels: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    hub_limit: int = HUB_LIMIT,
    reader_of_origin: Any = None,
    spare_origin: bool = False,
) -> dict[str, Any]:
    """{sr_id, nodes, edges, hubs, truncated, cut, left_out_invalid, hint}.

    `nodes` in the order of the walk, the record itself first; `edges` the properties followed, with the nodes that
    carry them; `hubs` the properties that more than `hub_limit` other records carry: named, counted, not followed.
    `spare_origin`: the record itself takes part even where it was superseded.
    """
    origin = resolve(reader_of_origin or scope.reader, sr_id)
    spared = spare(scope, origin) if spare_origin else None
    reach = Reach(scope, ends=[origin], labels=labels, types=types, spared=spared)
    found = walk(reach, origin.id, depth=depth, max_nodes=max_nodes, hub_limit=hub_limit)
    ids = [node.id for node in found.nodes]
    shown = heads(scope, ids, [origin.id], reader_of_origin)
    carriers = {hub.key: hub.parent for hub in found.hubs[:HUBS_SHOWN]}
    carriers |= {node.via: node.id for node in found.nodes if node.via}
    carriers |= {key: members[0] for key, members in found.edges.items()}
    names = named(reach, carriers)
    sizes = _sizes(reach, [hub.key for hub in found.hubs[:HUBS_SHOWN]])
    return {
        "sr_id": sr_id,
        "nodes": [
            _node(node, head, shown.get(node.parent), names) for node in found.nodes if (head := shown.get(node.id))
        ],
        "edges": _edges(found, shown, names, _directed(reach, found, names)),
        "hubs": [
            {**names[hub.key], **sizes[hub.key], "depth": hub.depth}
            for hub in found.hubs[:HUBS_SHOWN]
            if hub.key in names
        ],
        "hubs_total": len(found.hubs),
        "truncated": found.truncated,
        "cut": found.reasons,
        "left_out_invalid": left_out(scope, ids[1:] if spared else ids),
        "hint": _hint(found, max_nodes, hub_limit, labels, types),
    }


def _node(node: Node, head: dict[str, Any], parent: dict[str, Any] | None, names: dict[UUID, dict]) -> dict[str, Any]:
    """The record's head, made a node of the graph."""
    head["depth"] = node.depth
    head["score"] = round(node.score, 6)
    head["via"] = names.get(node.via) if node.via else None
    head["from"] = parent["sr_id"] if parent else None
    return head


def _edges(
    found: Walk, shown: dict[int, dict], names: dict[UUID, dict], directed: dict[UUID, dict[int, str]]
) -> list[dict[str, Any]]:
    edges = []
    for key, members in found.edges.items():
        inside = [record for record in members if record in shown]
        if len(inside) > 1 and key in names:
            edge = {**names[key], "members": [shown[record]["sr_id"] for record in inside]}
            edges.append(edge | ends_of(directed[key], shown) if key in directed else edge)
    return edges


def _directed(reach: Reach, found: Walk, names: dict[UUID, dict]) -> dict[UUID, dict[int, str]]:
    return roles(reach, {key: members for key, members in found.edges.items() if names.get(key, {}).get("directed")})


_ROLES = f"""
select e.key, e.record_id, e.role from unnest(%(keys)s::uuid[], %(ids)s::bigint[]) f(key, id)
join memory_edgeproperty e on e.record_id = f.id and e.key = f.key
where e.lane_id = any(%(lanes)s) and e.role in ('source', 'target') and {live("e")}
"""  # noqa: S608


def roles(reach: Reach, members: Mapping[UUID, Sequence[int]]) -> dict[UUID, dict[int, str]]:
    """Which of these readable members of directed connections are source and target: {key: {record id: role}}."""
    pairs = [(key, record) for key, records in members.items() for record in records]
    made: dict[UUID, dict[int, str]] = {key: {} for key in members}
    if pairs:
        given = {"keys": sql.array(key for key, _ in pairs), "ids": sql.array(record for _, record in pairs)}
        for key, record, role in sql.fetch(_ROLES, {**reach.params, **given}):
            made[key][record] = role
    return made


def ends_of(held: Mapping[int, str], shown: Mapping[int, dict[str, Any]]) -> dict[str, list[str]]:
    """The ends of a directed connection as replies show them: {source: [sr_id], target: [sr_id, …]}."""
    return {
        end: [shown[record]["sr_id"] for record, role in held.items() if role == end and record in shown]
        for end in ("source", "target")
    }


def _hint(found: Walk, max_nodes: int, hub_limit: int, *filters: Any) -> str | None:
    if "properties" in found.reasons:
        return "So many properties were met that not all were looked at; name labels, or start from fewer records."
    if found.truncated:
        return f"Stopped at max_nodes ({max_nodes}); the nearest and rarest are here."
    if len(found.nodes) == 1 and found.hubs:
        return (
            f"Only properties that more than {hub_limit} other records carry lead on; raise hub_limit to follow them."
        )
    if len(found.nodes) == 1:
        return alone(*filters)
    return None


# The public id as bytes: making a thousand UUIDs of them takes longer than all the rest.
_HEADS = """
select id, uuid_send(public_id), lane_id, title, kind, at, version, superseded_at from memory_record
where id = any(%s::bigint[]) and (lane_id = any(%s) or id = any(%s))
"""


def heads(
    scope: Scope, ids: Sequence[int], ends: Sequence[int] = (), reader: Reader | None = None
) -> dict[int, dict[str, Any]]:
    """What a graph shows of a record: {id: {sr_id, title, kind, lane, at, version}}, readable ones only.

    `ends` are shown whatever lanes the walk was narrowed to: the caller resolved them, as `reader`.
    """
    slugs = {number: lane.slug for number, lane in (reader or scope.reader).lanes.items()}
    out = {}
    for record, raw, lane, title, kind, at, version, superseded in sql.fetch(
        _HEADS, (sql.array(ids), scope.lanes, list(ends))
    ):
        out[record] = {
            "sr_id": f"{SR_PREFIX}{raw.hex()}",
            "title": title,
            "kind": kind,
            "lane": slugs.get(lane),
            "at": at.isoformat(),
            "version": version,
        }
        if superseded:
            out[record]["superseded_at"] = superseded.isoformat()
    return out


# The spelling shown is that of a carrier the reader can see.
_NAMES = """
select distinct on (e.key) e.key, e.label, e.value, e.type, e.directed, e.strength, e.confidence, e.reason,
  e.valid_from, e.invalidated_at
from unnest(%(keys)s::uuid[], %(ids)s::bigint[]) f(key, id)
join memory_edgeproperty e on e.record_id = f.id and e.key = f.key
where e.lane_id = any(%(lanes)s) and {holds}
order by e.key, e.seq
"""


def named(reach: Reach, carriers: Mapping[UUID, int]) -> dict[UUID, dict[str, Any]]:
    """How properties are shown: {key: {label, value}}, for connections with what is said of them. `carriers`: a record
    for each key that carries it."""
    if not carriers:
        return {}
    statement = _NAMES.format(holds=reach.holds("e"))
    rows = sql.fetch(statement, {**reach.params, "keys": sql.array(carriers), "ids": sql.array(carriers.values())})
    out = {}
    for key, label, value, kind, directed, strength, confidence, reason, begins, ends in rows:
        shape: dict[str, Any] = {"label": label, "value": value}
        extra = {
            "type": kind or None,
            "directed": directed,
            "strength": strength,
            "confidence": confidence,
            "reason": reason or None,
            "valid_from": begins.isoformat() if begins else None,
            "invalidated_at": ends.isoformat() if ends else None,
        }
        out[key] = shape | {name: given for name, given in extra.items() if given is not None}
    return out


def _sizes(reach: Reach, keys: Sequence[UUID]) -> dict[UUID, dict[str, Any]]:
    """How many other readable records carry each hub: exact up to CAP, else CAP and a flag."""
    counts = reach.count(keys, CAP + 2)
    return {
        key: {"sr_count": CAP, "sr_count_capped": True} if count - 1 > CAP else {"sr_count": count - 1}
        for key, count in counts.items()
    }


# A connection with fewer than two visible members is none, ended or not.
_LEFT_OUT = f"""
select count(distinct (e.record_id, e.key)) from memory_edgeproperty e
where e.record_id = any(%(ids)s::bigint[]) and e.lane_id = any(%(lanes)s) and e.state & 5 <> 0 and e.state & 2 = 0
  and not {live("e")}
  and not exists (select 1 from memory_edgeproperty o
    where o.record_id = e.record_id and o.key = e.key and {live("o")})
  and (not %(only)s or e.label = 'e_connect')
  and (e.label not in ('e_connect', 'e_adjust') or exists (
    select 1 from memory_edgeproperty o where o.key = e.key and o.record_id <> e.record_id
      and o.lane_id = any(%(lanes)s)))
"""  # noqa: S608


def left_out(scope: Scope, ids: Sequence[int], *, connections_only: bool = False) -> int:
    """How many properties (or connections) of these records were left out because they do not hold at the instant."""
    if scope.include_invalidated:
        return 0
    params = {"ids": sql.array(ids), "lanes": scope.lanes, "only": connections_only, **scope.params}
    return sql.fetch(_LEFT_OUT, params)[0][0]
