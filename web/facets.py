"""The search page's filters: what a list of hits could be narrowed to, with counts over hits the reader may see."""

from __future__ import annotations

from typing import Any

from lanes.readers import Reader
from memory import normal
from memory.gather.scope import Scope
from memory.gather.terms import Term
from memory.selectors import facets as counted
from web import terms, words
from web.terms import Query

# So many matters stand open in the filter; a firm has hundreds.
LANES_OPEN = 8


def facets(reader: Reader, scope: Scope, query: Query, ids: list[int], note: str) -> dict[str, Any]:
    """What the filters offer, counted over `ids`; the chosen ones stay offered. `note` says what was counted."""
    read = counted.facets(scope, ids)
    lanes: list[dict[str, Any]] = [
        {"lane": reader.lanes[i], "count_words": words.count_words(n), "on": False}
        for i, n in sorted(read["lanes"].items(), key=lambda item: (-item[1], reader.lanes[item[0]].name))
    ]
    for lane in lanes:
        lane["on"] = lane["lane"].slug in query.lanes
    missing = [slug for slug in query.lanes if slug not in {lane["lane"].slug for lane in lanes}]
    lanes += [{"lane": reader.lanes[reader.lane_id(s)], "count_words": "0", "on": True} for s in missing]
    lanes.sort(key=lambda lane: not lane["on"])  # chosen ones first, else as they were: most hits first
    front = max(LANES_OPEN, sum(lane["on"] for lane in lanes))
    if len(lanes) <= front + 2:  # two more are shown rather than a link to two more
        front = len(lanes)
    chosen = {(t.label, normal.fold(t.value or "")) for t in query.terms if not t.negated}
    groups = []
    for group in read["labels"]:
        shown = []
        for value in group["values"]:
            term = Term(group["label"], value["value"])
            shown.append(
                {
                    "value": value["value"],
                    "raw": terms.raw_of(term),
                    "count_words": words.count_words(value["count"]),
                    "on": (term.label, normal.fold(term.value or "")) in chosen,
                }
            )
        groups.append(
            {
                "label": group["label"],
                "heading": words.heading(group["label"]),
                "values": shown,
                "more": max(0, group["different"] - len(shown)),
                "more_url": query.with_term(Term(group["label"], None)).url("web:values-of-label"),
            }
        )
    kinds = [
        {"value": k, "name": words.kind_words(k), "count_words": words.count_words(n), "on": k in query.kinds}
        for k, n in sorted(read["kinds"].items(), key=lambda item: (-item[1], item[0]))
    ]
    kinds += [
        {"value": k, "name": words.kind_words(k), "count_words": "0", "on": True}
        for k in query.kinds
        if k not in read["kinds"]
    ]
    writers = [
        {"value": v, "name": name, "count_words": words.count_words(read["by"][v]), "on": query.by == v}
        for v, name in (("people", "People"), ("agents", "Agents"))
        if read["by"][v] or query.by == v
    ]
    return {
        "lanes": lanes[:front],
        "more_lanes": lanes[front:],
        "labels": groups,
        "kinds": kinds,
        "by": writers,
        "note": note,
        "lanes_met": len(read["lanes"]),
    }
