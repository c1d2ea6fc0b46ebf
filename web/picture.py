"""The blast radius as pages show it: steps for the list, nodes and properties for the picture, one walk for both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone

from lanes.errors import Invalid
from lanes.readers import Reader
from memory import normal, times
from memory.gather.radius import radius
from memory.gather.scope import CAP, Scope
from memory.gather.spared import spare
from memory.models import sr_id as public
from memory.selectors import picture
from memory.selectors.records import Row
from memory.selectors.rows import ids_of
from web import present, words

DEPTHS = (1, 2, 3)
DEPTH_MAX = 4
SHOWN, SHOWN_MAX = 60, 400  # records drawn at first, and at most
# A property on more records than this ties a picture into a knot nobody can read: it goes on the shelf.
HUB_LIMIT = 30
NEWEST_OF_HUB = 3
REPLACED = {"supersedes": "Superseded by", "retracts": "Retracted by"}
COUNTED = 1_000  # records a walk goes on to, so that the page can say how many there are


@dataclass(frozen=True)
class Controls:
    """What the toolbar over the picture is set to."""

    depth: int = 2
    labels: tuple[str, ...] | None = None
    most: int = SHOWN
    asked: int | None = None
    as_of: datetime | None = None

    @classmethod
    def of(cls, request: HttpRequest) -> Controls:
        given = request.GET
        depth = _number(given.get("depth"), "depth", 2, 1, DEPTH_MAX)
        most = _number(given.get("max"), "max", SHOWN, 2, SHOWN_MAX)
        named = [normal.label(x, "label") for x in given.getlist("label") if x]
        labels = tuple(named) if "label" in given else None
        at = times.instant(given["as_of"], "as_of") if given.get("as_of") else None
        return cls(depth, labels, most, most if given.get("max") else None, at)


def _number(raw: str | None, field: str, default: int, least: int, most: int) -> int:
    if raw is None or raw == "":
        return default
    if not raw.isascii() or not raw.isdigit() or not least <= int(raw[:9]) <= most:
        raise Invalid.field(field, f"A whole number from {least} to {most}.")
    return int(raw)


def node_of(reader: Reader, read: Mapping[str, Any]) -> dict[str, Any]:
    """A record as the picture and the panel beside it show it."""
    lane = reader.lanes[read["lane_id"]]
    return {
        "id": read["sr_id"],
        "title": read["title"],
        "url": present.record_url(read["sr_id"]),
        "lane": lane.colour,
        "laneName": lane.name,
        "kind": read["kind"],
        "kindWords": words.kind_words(read["kind"]),
        "kindColour": present.kind_colour(read["kind"]),
        "icon": words.kind_icon(read["kind"]),
        "when": words.date_words(read["occurred_at"], read["date_precision"], timezone.get_current_timezone()),
        "at": read["at"].isoformat(),
        "version": read["version"],
        "agent": read["agent"],
        "superseded": read["superseded"],
        "privileged": read["privileged"],
    }


def prop_of(shared: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    said, value = words.property_words(shared["label"], shared["value"])
    return {
        "key": shared["key"].hex,
        "label": shared["label"],
        "words": said,
        "value": value,
        "members": [names[i] for i in shared["records"] if i in names],
    }


def build(reader: Reader, origin: Row, controls: Controls) -> dict[str, Any]:
    """Everything the radius section shows of a record that the reader can see.

    The walk goes on past what is drawn (up to COUNTED), so that shown, total and cut are all true numbers. The record
    itself takes part even where it was superseded: the page is about it.
    """
    sr_id = public(origin.public_id)
    labels = picture.labels_near(Scope(reader), origin.id, spare(Scope(reader), origin))
    scope = Scope(reader, as_of=controls.as_of)
    spared = spare(scope, origin)
    nothing = controls.labels is not None and not controls.labels
    reply = radius(
        scope, sr_id, depth=controls.depth, max_nodes=COUNTED, hub_limit=HUB_LIMIT,
        labels=None if controls.labels is None else list(controls.labels) or ["e_connect"],
        spare_origin=True,
    )  # fmt: skip
    walked = reply["nodes"][:1] if nothing else _existing(reply["nodes"], controls.as_of)
    drawn = walked[: controls.most]
    ids = ids_of(reader, [n["sr_id"] for n in drawn])
    read = picture.nodes(scope, list(ids.values()))
    names = {i: read[i]["sr_id"] for i in read}
    by_name = {r["sr_id"]: r for r in read.values()}
    drawn = [n for n in drawn if n["sr_id"] in by_name]

    hubs = [] if nothing else _hubs(reply["hubs"])
    hub_keys = {h["key"] for h in hubs}
    shared = picture.shared(scope, list(read), spared)
    by_key = {s["key"].hex: s for s in shared}
    for hub in hubs:
        hub["members"] = [names[i] for i in by_key[hub["key"]]["records"]] if hub["key"] in by_key else [sr_id]
    walkable = [
        s for s in shared
        if s["key"].hex not in hub_keys and (controls.labels is None or s["label"] in controls.labels)
    ]  # fmt: skip
    pairs = _Pairs(walkable, names)

    nodes = []
    for n in drawn:
        node = node_of(reader, by_name[n["sr_id"]])
        via = n.get("via")
        node |= {
            "depth": n["depth"],
            "from": n.get("from"),
            "via": [normal.edge_key(via["label"], via["value"]).hex] if via else [],
            "shares": _shares(pairs, n, via),
        }
        nodes.append(node)
    newest = picture.newest(scope, [UUID(hex=h["key"]) for h in hubs], ids.get(sr_id, 0), NEWEST_OF_HUB)
    if controls.as_of:
        newest = {key: [r for r in found if r["at"] <= controls.as_of] for key, found in newest.items()}
    total, truncated = len(walked) - 1, bool(reply["truncated"]) and len(walked) >= COUNTED
    cut = total - (len(nodes) - 1)
    start, end = _range(picture.span(scope, list(read)), controls.as_of)
    at = controls.as_of
    offered = [
        {"label": x, "words": words.label_words(x), "on": controls.labels is None or x in controls.labels}
        for x in labels
    ]
    data = {
        "origin": sr_id,
        "depth": controls.depth,
        "maxNodes": controls.most,
        "mostAllowed": SHOWN_MAX,
        "asked": controls.asked,
        "asOf": at.isoformat() if at else None,
        "asOfWords": words.date_words(at, "day") if at else "Now",
        "nodes": nodes,
        "props": [prop_of(s, names) for s in walkable],
        "hubs": hubs,
        "watchKeys": [k.hex for k in picture.keys_of(scope, ids[sr_id], spared)] if sr_id in ids else [],
        "cut": cut,
        "totalWords": words.count_words(total, truncated),
        "cutWords": words.count_words(cut, truncated),
        "labels": offered,
        "range": {"start": start.isoformat(), "end": end.isoformat()},
    }
    return {
        "data": data,
        "steps": _steps(nodes, by_name, reader),
        "hubs": [
            {
                **h,
                "label_words": h["words"],
                "count_words": h["countWords"],
                "newest": [_item(node_of(reader, r), reader, r) for r in newest.get(h["key"], ())],
            }
            for h in hubs
        ],
        "depth": controls.depth,
        "depths": DEPTHS if controls.depth in DEPTHS else (*DEPTHS, controls.depth),
        "labels": offered,
        "replaced": [
            {"verb": REPLACED[how], "sr_id": r["sr_id"], "title": r["title"], "url": present.record_url(r["sr_id"])}
            for how, r in picture.replacements(scope, spared)
        ],
        "empty": _why_empty(nothing, hubs, controls, spared is not None),
    }


def _existing(nodes: list[dict[str, Any]], as_of: datetime | None) -> list[dict[str, Any]]:
    """The record itself, and of the others those whose event (or recording) had come by the instant looked at: the
    walk goes by what holds, a picture of a day shows nothing of later days."""
    if as_of is None:
        return nodes
    return nodes[:1] + [node for node in nodes[1:] if datetime.fromisoformat(node["at"]) <= as_of]


def _hubs(read: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    made = []
    for hub in read:
        said, value = words.property_words(hub["label"], hub["value"])
        count, capped = hub["sr_count"], bool(hub.get("sr_count_capped"))
        made.append(
            {
                "label": hub["label"], "words": said, "value": value,
                "key": normal.edge_key(hub["label"], hub["value"]).hex,
                "count": count, "countWords": words.count_words(min(count + (not capped), CAP), capped),
            }
        )  # fmt: skip
    return made


class _Pairs:
    """What any two of the drawn records share: one intersection of two small sets of indexes."""

    def __init__(self, shared: Sequence[Mapping[str, Any]], names: Mapping[int, str]) -> None:
        self.shared = shared
        self.held: dict[str, set[int]] = defaultdict(set)
        for index, s in enumerate(shared):
            for i in s["records"]:
                if i in names:
                    self.held[names[i]].add(index)

    def said(self, one: str, two: str) -> list[str]:
        """What two records share, rarest first, in words."""
        common = sorted(self.held.get(one, set()) & self.held.get(two, set()))
        return [": ".join(words.property_words(self.shared[i]["label"], self.shared[i]["value"])) for i in common]


def _shares(pairs: _Pairs, node: Mapping[str, Any], via: Mapping[str, Any] | None) -> str:
    """What a record shares with the one it was reached from."""
    source = node.get("from")
    said = pairs.said(node["sr_id"], source) if source else []
    if via:
        first = ": ".join(words.property_words(via["label"], via["value"]))
        said = [first, *(s for s in said if s != first)]
    return " · ".join(said[:4])


def _steps(nodes: list[dict[str, Any]], read: Mapping[str, Any], reader: Reader) -> list[dict[str, Any]]:
    """The list beside the picture: by depth, in the order of the walk."""
    steps: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for node in nodes:
        if node["depth"]:
            steps[node["depth"]].append(_item(node, reader, read[node["id"]]))
    return [{"words": words.plural(d, "step"), "nodes": steps[d]} for d in sorted(steps)]


def _item(node: Mapping[str, Any], reader: Reader, read: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the list."""
    return {
        "sr_id": node["id"], "version": node["version"], "title": node["title"], "lane": reader.lanes[read["lane_id"]],
        "kind_colour": node["kindColour"], "author": {"agent": node["agent"]}, "superseded": node["superseded"],
        "shares": node.get("shares", ""), "when": node["when"], "url": node["url"],
    }  # fmt: skip


def _why_empty(nothing: bool, hubs: list[Any], controls: Controls, superseded: bool) -> str:
    if nothing:
        return "No label is chosen. Choose at least one to walk along."
    if controls.labels is not None or controls.as_of:
        return "Nothing here. Fewer filters, more steps or a later date will bring records back."
    if hubs:
        return "Only hubs lead on from here: each is carried by so many records that it says little. Show them below."
    if superseded:
        return "This record was superseded, and no other record you can read shares a property with it."
    return "No other record you can read shares a property with this one. Add properties to join it to others."


def _range(span: tuple[datetime | None, datetime | None], as_of: datetime | None) -> tuple[datetime, datetime]:
    """The ends of the as-of slider: from the first record drawn to now."""
    now = timezone.now()
    first = min(filter(None, (span[0], as_of, now - timedelta(days=30))))
    return times.moved(first, timedelta(days=-1)), now
