"""Communities and central records of a bounded, readable subgraph (`subgraph.py` has the measures).

The subgraph is at most `max_nodes` records: the newest that match, or those nearest to one record. Everything said of
it is about these records; when there were more, the reply says so and how the cut was made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from lanes.errors import Invalid
from memory import sql
from memory.gather import sets, subgraph
from memory.gather.radius import heads, left_out, named
from memory.gather.reach import Reach
from memory.gather.scope import Scope, followed, told
from memory.gather.terms import Match, Term
from memory.gather.traverse import UNWALKED_LABEL
from memory.gather.walk import walk
from memory.selectors.records import Row, resolve

NODES, NODES_MAX = 500, 2_000
WALK_DEPTH, WALK_HUB_LIMIT = 4, 100
MEMBERSHIPS_MAX = 100_000
SHARED_SHOWN = 5
MEASURES = ("pagerank", "degree", "betweenness", "in_degree", "out_degree")


@dataclass
class Bounded:
    """The records looked at, newest or nearest first, what they share, and how they were cut."""

    ids: list[int]
    properties: list[subgraph.Property]
    reach: Reach
    origin: Row | None = None
    cut: list[str] = field(default_factory=list)


def communities(
    scope: Scope,
    *,
    terms: list[Term] | None = None,
    sr_id: str | None = None,
    max_nodes: int = NODES,
    labels: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    limit: int = 50,
    reader_of_origin: Any = None,
) -> dict[str, Any]:
    """{communities, alone, nodes, truncated, cut, left_out_invalid, hint}: Leiden clusters, largest first.

    Each names its members and the properties most of them share; `alone` counts records that share nothing here.
    """
    found = _bounded(scope, terms, sr_id, max_nodes, labels, types, reader_of_origin)
    groups = subgraph.clusters(found.ids, found.properties)
    shown = heads(scope, found.ids, [found.origin.id] if found.origin else (), reader_of_origin)
    together = [group for group in groups if len(group) > 1]
    typical = [_typical(group, found.properties) for group in together[:limit]]
    carrier = {prop.key: prop.members[0].record for prop in found.properties}
    names = named(found.reach, {key: carrier[key] for keys in typical for key, _ in keys})
    return {
        "communities": [
            {
                "size": len(group),
                "srs": [shown[record] for record in group if record in shown],
                "shared": [{**names[key], "members": count} for key, count in keys if key in names],
            }
            for group, keys in zip(together, typical, strict=False)
        ],
        "communities_total": len(together),
        "alone": len(groups) - len(together),
        **_about(scope, found, len(together) > limit),
    }


def central(
    scope: Scope,
    *,
    terms: list[Term] | None = None,
    sr_id: str | None = None,
    max_nodes: int = NODES,
    labels: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    by: str = "pagerank",
    limit: int = 50,
    reader_of_origin: Any = None,
) -> dict[str, Any]:
    """{srs, by, nodes, truncated, cut, left_out_invalid, hint}: the most central records first.

    Each carries degree, in_degree, out_degree (along directed connections), pagerank and betweenness.
    """
    found = _bounded(scope, terms, sr_id, max_nodes, labels, types, reader_of_origin)
    standings = subgraph.standings(found.ids, found.properties)
    standings.sort(key=lambda s: -getattr(s, by))
    sampled = len(found.ids) > subgraph.SOURCES_MAX
    shown = heads(scope, found.ids, [found.origin.id] if found.origin else (), reader_of_origin)
    return {
        "by": by,
        "betweenness_from": min(len(found.ids), subgraph.SOURCES_MAX) if sampled else None,
        "srs": [
            {
                **shown[s.record],
                "degree": s.degree,
                "in_degree": s.in_degree,
                "out_degree": s.out_degree,
                "pagerank": s.pagerank,
                "betweenness": s.betweenness,
            }
            for s in standings[:limit]
            if s.record in shown
        ],
        **_about(scope, found, len(standings) > limit),
    }


def _about(scope: Scope, found: Bounded, more: bool) -> dict[str, Any]:
    hint = None
    if not found.ids:
        hint = "No readable record matches."
    elif found.cut:
        hint = f"Of {len(found.ids)} records only: {'; '.join(found.cut)}."
    elif more:
        hint = "More were found than shown; raise limit."
    return {
        "nodes": len(found.ids),
        "truncated": bool(found.cut),
        "cut": found.cut,
        "left_out_invalid": left_out(scope, found.ids),
        "hint": hint,
    }


def _typical(group: list[int], properties: list[subgraph.Property]) -> list[tuple[UUID, int]]:
    """The properties that most of a community share, those that say more (rarer outside) first among equals."""
    inside = set(group)
    counts: Counter[UUID] = Counter()
    size: dict[UUID, int] = {}
    for prop in properties:
        held = sum(member.record in inside for member in prop.members)
        if held > 1:
            counts[prop.key], size[prop.key] = held, len(prop.members)
    return sorted(counts.items(), key=lambda item: (-item[1], size[item[0]], item[0]))[:SHARED_SHOWN]


def _bounded(
    scope: Scope,
    terms: list[Term] | None,
    sr_id: str | None,
    max_nodes: int,
    labels: Sequence[str] | None,
    types: Sequence[str] | None,
    reader_of_origin: Any,
) -> Bounded:
    if (terms is None) == (sr_id is None):
        raise Invalid.field("match", "Name either match or sr_id.")
    cut: list[str] = []
    if sr_id is not None:
        origin = resolve(reader_of_origin or scope.reader, sr_id)
        reach = Reach(scope, ends=[origin], labels=labels, types=types)
        found = walk(reach, origin.id, depth=WALK_DEPTH, max_nodes=max_nodes, hub_limit=WALK_HUB_LIMIT)
        ids = [node.id for node in found.nodes]
        if found.truncated:
            cut.append(f"the {len(ids)} nearest to the record were taken")
    else:
        origin, reach = None, Reach(scope, labels=labels, types=types)
        match = Match(scope, terms or [])
        source = sets.all_of(match, sets.sizes(match))
        rows = sets.page(match, [source] if source else [], max_nodes + 1, None)
        ids = [row[1] for row in rows[:max_nodes]]
        if len(rows) > max_nodes:
            cut.append(f"the newest {max_nodes} that match were taken")
    properties, over = _shared(reach, ids, labels, types)
    if over:
        cut.append(f"the first {MEMBERSHIPS_MAX} edge properties of them were looked at")
    return Bounded(ids, properties, reach, origin, cut)


_SHARED = """
select e.key, e.record_id, e.role, e.strength, e.directed
from unnest(%(ids)s::bigint[]) with ordinality f(id, ord) join memory_edgeproperty e on e.record_id = f.id
where {followed} and e.label <> %(unwalked)s and e.lane_id = any(%(lanes)s) and {told}
  and (%(labels)s::text[] is null or e.label = any(%(labels)s))
  and (%(types)s::text[] is null or e.type = any(%(types)s))
order by f.ord, e.key, e.seq limit %(most)s + 1
"""


def _shared(
    reach: Reach, ids: list[int], labels: Sequence[str] | None, types: Sequence[str] | None
) -> tuple[list[subgraph.Property], bool]:
    """The properties at least two of the records carry, and whether there were too many to look at all."""
    rows = sql.fetch(
        _SHARED.format(followed=followed("e"), told=told("e")),
        {
            **reach.params,
            "unwalked": UNWALKED_LABEL,
            "ids": ids,
            "labels": list(labels) if labels is not None else None,
            "types": list(types) if types is not None else None,
            "most": MEMBERSHIPS_MAX,
        },
    )
    over = len(rows) > MEMBERSHIPS_MAX
    # with ended intervals counted too, a record that had a property twice is one carrier
    once = {(row[0], row[1]): row for row in reversed(rows[:MEMBERSHIPS_MAX])}
    return subgraph.gathered(list(reversed(once.values()))), over
