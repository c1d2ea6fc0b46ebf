"""Path: the strongest of the shortest chains of records and shared properties between two records (`chain.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory.gather.chain import Chain, strongest_chain
from memory.gather.radius import ends_of, heads, left_out, named, roles
from memory.gather.reach import Reach
from memory.gather.scope import Scope
from memory.selectors.records import hydrate, resolve

DEPTH, DEPTH_MAX = 6, 8
HUB_LIMIT, BEAM = 1_000, 2_000


def path(
    scope: Scope,
    start: str,
    end: str,
    *,
    max_depth: int = DEPTH,
    labels: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    reader_of_ends: Any = None,
) -> dict[str, Any]:
    """{from, to, found, length, score, srs, steps, truncated, left_out_invalid, hint}.

    `srs` are the records of the chain in order, both ends included; `steps` name, for each hop, the property and what
    it is worth. When there is no chain, `found` is false and both lists are empty.
    """
    reader = reader_of_ends or scope.reader
    one, two = resolve(reader, start), resolve(reader, end)
    reach = Reach(scope, ends=[one, two], labels=labels, types=types)
    found = strongest_chain(reach, one.id, two.id, max_depth=max_depth, hub_limit=HUB_LIMIT, beam=BEAM)
    ids = [one.id, *(link.target for link in found.links)] if found.found else []
    shown = heads(scope, ids, [one.id, two.id], reader)
    names = named(reach, {link.key: link.source for link in found.links})
    directed = {
        link.key: ends_of(held, shown)
        for link in found.links
        if names[link.key].get("directed")
        for held in roles(reach, {link.key: [link.source, link.target]}).values()
    }
    return {
        "from": start,
        "to": end,
        "found": found.found,
        "length": len(found.links) if found.found else None,
        "score": round(found.score, 6) if found.found else None,
        "srs": hydrate(reader, ids, scope.instant),
        "steps": [
            {
                "from": shown[link.source]["sr_id"],
                "to": shown[link.target]["sr_id"],
                "via": names[link.key] | directed.get(link.key, {}),
                "weight": round(link.weight, 6),
            }
            for link in found.links
        ],
        "truncated": found.truncated,
        "left_out_invalid": left_out(scope, ids or [one.id, two.id]),
        "hint": _hint(found, max_depth),
    }


def _hint(found: Chain, max_depth: int) -> str | None:
    if found.found and found.closed_hubs:
        return "A shorter chain may lead through a property that very many records carry."
    if found.found:
        return None
    if found.truncated or found.closed_hubs:
        return f"No chain of at most {max_depth} hops was found, but properties of very many records were not opened."
    return f"No chain of at most {max_depth} hops joins the two records in the lanes you can read."
