"""Insights: clusters and central records of a matter, or of what surrounds a record."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from lanes.errors import Invalid
from memory import normal
from memory.gather.clusters import central, communities
from memory.gather.scope import Scope
from memory.selectors import home, picture
from memory.selectors.rows import ids_of, rows
from web import picture as pictures
from web import present, words
from web.views.base import PageView

RECORDS = 300  # looked at, newest or nearest first
CLUSTERS = 12
CENTRAL = 15
MEASURES = {
    "pagerank": ("Weight of links", "A record is central when central records share rare properties with it."),
    "betweenness": ("Standing between", "A record is central when the shortest chains between others run through it."),
    "degree": ("Number of neighbours", "A record is central when many others share a property with it."),
}


class Insights(PageView):
    def get(self, request: HttpRequest) -> HttpResponse:
        by = request.GET.get("by", "pagerank")
        if by not in MEASURES:
            raise Invalid.field("by", f"One of {', '.join(MEASURES)}.")
        origin = request.GET.get("from", "")
        lane = "" if origin else request.GET.get("lane", "") or self._liveliest()
        if lane:
            self.reader.lane_id(lane)  # NotVisible for one that is not this reader's
        context = {"ins": self._read(origin, lane, by)}
        template = "web/insights/_data.html" if request.GET.get("part") == "data" else "web/insights.html"
        return render(request, template, context)

    def _liveliest(self) -> str:
        """The matter that changed last: the one to look at first."""
        changes = [(at, lane) for lane, at in home.last_changes(self.reader) if at is not None]
        return self.reader.lanes[max(changes)[1]].slug if changes else ""

    def _read(self, origin: str, lane: str, by: str) -> dict[str, Any]:
        scope = Scope(self.reader.narrow([lane]) if lane else self.reader)
        what: dict[str, Any] = {"sr_id": origin} if origin else {"terms": []}
        groups = communities(scope, **what, max_nodes=RECORDS, limit=CLUSTERS)
        leaders = central(scope, **what, max_nodes=RECORDS, by=by, limit=CENTRAL)
        publics = [r["sr_id"] for g in groups["communities"] for r in g["srs"]]
        publics += [r["sr_id"] for r in leaders["srs"]]
        ids = ids_of(self.reader, list(dict.fromkeys(publics)))
        read = picture.nodes(scope, list(ids.values()))
        names = {i: read[i]["sr_id"] for i in read}
        node = {r["sr_id"]: pictures.node_of(self.reader, r) for r in read.values()}
        everyone = [r["sr_id"] for g in groups["communities"] for r in g["srs"] if r["sr_id"] in node]
        shared = picture.shared(scope, [ids[name] for name in everyone])
        # what nearly all of them carry says nothing about clusters and would only tie the picture together
        telling = [s for s in shared if len(s["records"]) <= max(6, len(everyone) * 0.3)]
        clusters, drawn = self._clusters(groups, node, {s["key"] for s in telling})
        most = max((r[by] for r in leaders["srs"]), default=0)
        url = f"from={origin}" if origin else f"lane={lane}"
        return {
            "nodes": len(everyone),
            "clusters": clusters,
            "central": [
                {"row": self._row(node[r["sr_id"]]), "score": r[by], "score_words": _score(by, r[by])}
                for r in leaders["srs"]
                if r["sr_id"] in node
            ],
            "most": most,
            "by": by,
            "by_words": MEASURES[by][0].lower(),
            "by_explained": MEASURES[by][1],
            "measures": [(k, v[0]) for k, v in MEASURES.items()],
            "lane": lane,
            "choices": [] if origin else present.lane_choices(self.reader, self.reader.readable),
            "origin": self._origin(origin, by) if origin else None,
            "bound": self._bound(groups, origin),
            "watch": "all",
            "part_url": f"{present.reverse('web:insights')}?{url}&by={by}&part=data",
            "empty": {
                "title": "Nothing to show yet",
                "text": "Clusters appear once records in this matter share properties.",
            },
            "data": {"origin": origin or None, "nodes": drawn, "props": [pictures.prop_of(s, names) for s in telling]},
        }

    def _origin(self, sr_id: str, by: str) -> dict[str, Any]:
        """The record in the middle, also when it shares nothing and is in no cluster, and the way to its matter."""
        found = list(ids_of(self.reader, [sr_id]).values())
        row = present.row(self.reader, rows(self.reader, found)[0])
        asked = {"lane": row["lane"].slug} | ({"by": by} if by != "pagerank" else {})
        return {**row, "matter_url": f"{present.reverse('web:insights')}?{urlencode(asked)}"}

    def _clusters(
        self, groups: dict[str, Any], node: dict[str, dict[str, Any]], telling: set[Any]
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        clusters, drawn = [], []
        for number, group in enumerate(groups["communities"], 1):
            colour = (number - 1) % 8 + 1
            members = [node[r["sr_id"]] for r in group["srs"] if r["sr_id"] in node]
            drawn += [
                m | {"depth": 2, "group": number, "groupColour": colour, "from": None, "via": []} for m in members
            ]
            clusters.append(
                {
                    "number": number,
                    "colour": colour,
                    "size": group["size"],
                    "chips": [
                        present.chip(s["label"], s["value"]) | {"count_words": ""}
                        for s in group["shared"]
                        if normal.edge_key(s["label"], s["value"]) in telling
                        and not s["label"].startswith(normal.RESERVED_PREFIX)
                    ][:4],
                    # its ties are properties that many records here carry: none of them tells it from the others
                    "plain": bool(group["shared"]),
                    "top": [self._row(m) for m in members[:3]],
                }
            )
        return clusters, drawn

    @staticmethod
    def _row(node: dict[str, Any]) -> dict[str, Any]:
        return {"sr_id": node["id"], "version": node["version"], "title": node["title"], "url": node["url"]}

    @staticmethod
    def _bound(groups: dict[str, Any], origin: str) -> str:
        drawn = sum(g["size"] for g in groups["communities"])
        said = f"{words.plural(drawn, 'record')} drawn in {len(groups['communities'])} clusters"
        if groups["communities_total"] > len(groups["communities"]):
            said += f" of {groups['communities_total']}, the largest first"
        if groups["alone"]:
            verbs = ("shares", "is") if groups["alone"] == 1 else ("share", "are")
            said += f"; {groups['alone']} {verbs[0]} nothing with the others and {verbs[1]} left out"
        if groups["truncated"]:
            said += f". Only the {groups['nodes']} {'nearest' if origin else 'newest'} were looked at"
        return said + "."


def _score(by: str, score: float) -> str:
    return f"{score:,}" if by == "degree" else f"{100 * score:.1f} %"
