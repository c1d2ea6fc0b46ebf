"""A record's own page: text, properties, provenance, history, and its blast radius, live."""

from __future__ import annotations

import logging
import re
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone

from lanes.errors import NotVisible
from lanes.readers import walled_lanes
from memory import normal
from memory.gather.path import path
from memory.gather.scope import Scope
from memory.gather.terms import Term
from memory.gather.traverse import origin_edges
from memory.selectors import picture, values
from memory.selectors.records import Row, resolve
from memory.selectors.rows import detail, rows
from memory.selectors.search import Filters, hits
from web import picture as pictures
from web import present, words
from web.views.base import PageView

log = logging.getLogger(__name__)

HUB_PAGE = 25
MAX_STEPS = 6
# Of very many properties, so many are shown at first; a few more than that are shown whole.
CHIPS_SHOWN, CHIPS_MOST = 24, 30
_NUMBER = re.compile(r"(\d+)")
SAID = {
    "supersedes": ("Supersedes", "Superseded by"),
    "corrects": ("Corrects", "Corrected by"),
    "retracts": ("Retracts", "Retracted by"),
}


class RecordView(PageView):
    """Shared by the page and its parts: one record as templates want it."""

    def record(self, sr_id: str, *, full: bool = True) -> dict[str, Any]:
        """The record for head, text, properties and provenance. NotVisible when this reader cannot see it."""
        found = resolve(self.reader, sr_id)
        shape = rows(self.reader, [found.id])
        if not shape:
            raise NotVisible()
        row = present.row(self.reader, shape[0])
        row |= {
            "found": found,
            "writable": self.reader.can_write(found.lane_id),
            "walled": found.lane_id in walled_lanes(self.reader),
            "lane_url": present.search_url(lane=row["lane"].slug),
            "timeline_url": (f"{present.reverse('web:timeline')}?lane={row['lane'].slug}&around={sr_id}#around"),
        }
        return row | self._more(found, shape[0], row) if full else row

    def _more(self, found: Any, shape: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
        scope = Scope(self.reader)
        more = detail(self.reader, found)
        counts = {e.key: e for e in origin_edges(scope, found)}
        properties = shape["edge_properties"]
        chips = []
        for p in properties:
            if p["label"].startswith(normal.RESERVED_PREFIX):
                continue
            edge = counts.get(normal.edge_key(p["label"], p["value"]))
            chips.append(
                present.chip(
                    p["label"], p["value"], skipped=bool(p.get("skipped")),
                    count=edge.count + (not edge.capped) if edge else None, capped=bool(edge and edge.capped),
                )
            )  # fmt: skip
        chips.sort(key=lambda c: (c["count"] is None, c["count"] or 0, c["label"], _natural(c["value"])))
        ended = [
            present.chip(e["label"], e["value"], ended=words.date_words(e["invalidated_at"], "day"),
                         title=e["reason"] or "")
            for e in more["ended"]
        ]  # fmt: skip
        others = {
            r["sr_id"]: present.row(self.reader, r)
            for r in rows(self.reader, list(dict.fromkeys(s["record_id"] for s in more["stamps"])))
        }
        names = {record: public for public, record in self._ids(others).items()}
        paragraphs, mentions, tagged = present.marked_paragraphs(more["text"], properties, more["tags"])
        adjustments, superseded_by = self._adjustments(more["stamps"], others, names)
        return {
            "text": more["text"],
            "paragraphs": paragraphs,
            "has_mentions": mentions,
            "has_found": tagged,
            "chips": chips + ended,
            **_folded(chips + ended),
            "tags": more["tags"],
            "connections": self._connections(more["stamps"], others, names),
            "adjustments": adjustments,
            "superseded_by": superseded_by,
            "retracted": any(a["hint"] == "retracts" for a in superseded_by),
            "source_words": self._source(more["source"]),
            "valid_words": self._valid(row, superseded_by),
            "history": self._history(shape, row),
            "history_words": self._history_words(shape, adjustments),
            "ingest": self._ingest(more, row["version"]),
            "label_choices": values.offered_labels(self.reader) if row["writable"] else [],
        }

    def _ids(self, others: dict[str, Any]) -> dict[str, int]:
        from memory.selectors.rows import ids_of

        return ids_of(self.reader, list(others)) if others else {}

    @staticmethod
    def _connections(stamps: list[Any], others: dict[str, Any], names: dict[int, str]) -> list[dict[str, Any]]:
        made: dict[Any, dict[str, Any]] = {}
        for stamp in stamps:
            if stamp["label"] != normal.CONNECT or stamp["record_id"] not in names:
                continue
            _, hint = words.connection_words(stamp["label"], stamp["value"])
            said = [stamp["type"].replace("_", " ")] if stamp["type"] else []
            said += [f"strength {stamp['strength']:.2f}"] if stamp["strength"] is not None else []
            said += [stamp["reason"]] if stamp["reason"] else []
            said += [f"by {stamp['by']}"] if stamp["by"] else []
            entry = made.setdefault(stamp["key"], {"hint": hint, "said": " · ".join(said), "members": []})
            entry["members"].append(others[names[stamp["record_id"]]])
        return list(made.values())

    @staticmethod
    def _adjustments(
        stamps: list[Any], others: dict[str, Any], names: dict[int, str]
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """What this record adjusts and what adjusts it; the latter again, as links for the page's head."""
        made, by = [], []
        for stamp in stamps:
            if stamp["label"] != normal.ADJUST or stamp["record_id"] not in names:
                continue
            _, hint = words.connection_words(stamp["label"], stamp["value"])
            acting = stamp["role"] == "source"
            other = others[names[stamp["record_id"]]]
            note = ", ".join(filter(None, [stamp["by"], words.date_words(stamp["at"], "day"),
                                           f"“{stamp['reason']}”" if stamp["reason"] else ""]))  # fmt: skip
            said = SAID.get(hint, (hint.capitalize(), f"{hint} by".capitalize()))
            entry = {"verb": said[0] if acting else said[1], "note": note, "hint": hint, **other}
            made.append(entry)
            if not acting:
                by.append(entry)
        return made, by

    @staticmethod
    def _source(source: dict[str, Any]) -> str:
        """Where it came from, as the writer said it."""
        parts = []
        for name, value in source.items():
            if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
                plain = name in ("name", "title", "file", "source", "system")
                parts.append(str(value) if plain else f"{words.label_words(name)} {value}")
        return ", ".join(parts[:6])

    @staticmethod
    def _valid(row: dict[str, Any], superseded_by: list[Any]) -> str:
        start = f"From {row['when']}" if row["occurred_at"] else "From when it was recorded"
        if row["superseded"]:
            what = f"“{superseded_by[0]['title']}” took its place" if superseded_by else "it was superseded"
            return f"{start}, until {what}"
        return f"{start}, still valid"

    def _history(self, shape: dict[str, Any], row: dict[str, Any]) -> list[dict[str, str]]:
        zone = timezone.get_current_timezone()
        history = []
        if shape["version"] > 1:
            by = f"{row['changer']['name']}, " if row["changer"] else "changed "
            note = f"{by}{words.date_words(shape['updated_at'], 'time', zone)}"
            history.append({"title": f"Version {shape['version']}", "note": note})
        by = f"{row['author']['name']}, " if row["author"]["name"] else ""
        note = f"{by}{words.date_words(shape['recorded_at'], 'time', zone)}"
        history.append({"title": "Version 1", "note": note})
        return history

    @staticmethod
    def _history_words(shape: dict[str, Any], adjustments: list[Any]) -> str:
        said = words.plural(shape["version"], "version")
        return f"{said}, {words.plural(len(adjustments), 'adjustment')}" if adjustments else said

    @staticmethod
    def _ingest(more: dict[str, Any], version: int) -> str:
        if more["ingest_failed"]:
            return (
                "Reading this text failed and will be tried again. It is found by its words and properties meanwhile."
            )
        if more["ingested_version"] < version:
            return "Being read: what is found in the text, and search by meaning, follow in a moment."
        return ""

    def radius(self, request: HttpRequest, found: Row) -> dict[str, Any]:
        return pictures.build(self.reader, found, pictures.Controls.of(request))


def _natural(value: str) -> list[str | int]:
    """A value to sort by, its numbers as numbers: texts stand at even places, numbers at odd ones."""
    return [int(part) if part.isdecimal() else part for part in _NUMBER.split(value.casefold())]


def _folded(chips: list[Any]) -> dict[str, list[Any]]:
    """The properties that are shown and those that are folded away, of a record that carries very many."""
    most = CHIPS_SHOWN if len(chips) > CHIPS_MOST else len(chips)
    return {"chips_first": chips[:most], "chips_rest": chips[most:]}


class RecordPage(RecordView):
    def get(self, request: HttpRequest, sr_id: str) -> HttpResponse:
        record = self.record(sr_id)
        context = {"r": record, "radius": self.radius(request, record["found"]), "now": timezone.now()}
        return render(request, "web/record.html", context)


class RecordPart(RecordView):
    """One part of the page again: what live news asks for."""

    parts = ("head", "text", "carries", "about")

    def get(self, request: HttpRequest, sr_id: str, part: str) -> HttpResponse:
        if part not in self.parts:
            raise NotVisible()
        return render(request, f"web/record/_{part}.html", {"r": self.record(sr_id)})


class RecordRadius(RecordView):
    """The walk again, with other controls: the list with the picture's data in it."""

    def get(self, request: HttpRequest, sr_id: str) -> HttpResponse:
        context = {"radius": self.radius(request, resolve(self.reader, sr_id))}
        return render(request, "web/record/_radius.html", context)


class RecordHub(RecordView):
    """A page of what carries a hub, newest first, as nodes."""

    def get(self, request: HttpRequest, sr_id: str) -> HttpResponse:
        resolve(self.reader, sr_id)
        scope = Scope(self.reader)
        label = normal.label(request.GET.get("label", ""), "label")
        term = Term(label, normal.value(request.GET.get("value", ""), "value"))
        page = hits(scope, [term], Filters(), limit=HUB_PAGE, cursor=request.GET.get("cursor") or None)
        read = picture.nodes(scope, page.ids)
        nodes = [pictures.node_of(self.reader, read[i]) for i in page.ids if i in read]
        return JsonResponse({"nodes": nodes, "next": page.next_cursor})


class RecordPath(RecordView):
    """The strongest short chain between two records, as steps in words and as parts of the picture."""

    def get(self, request: HttpRequest, sr_id: str) -> HttpResponse:
        scope = Scope(self.reader)
        start, end = request.GET.get("from", sr_id), request.GET.get("to", "")
        reply = path(scope, start, end, max_depth=MAX_STEPS)
        ids = self._ids({shape["sr_id"]: shape for shape in reply["srs"]})
        read = picture.nodes(scope, list(ids.values()))
        names = {i: read[i]["sr_id"] for i in read}
        steps = []
        for step in reply["steps"]:
            said, value = words.property_words(step["via"]["label"], step["via"]["value"])
            key = normal.edge_key(step["via"]["label"], step["via"]["value"]).hex
            steps.append({"from": step["from"], "to": step["to"], "words": said, "value": value, "key": key})
        wanted = {step["key"] for step in steps}
        props = [pictures.prop_of(s, names) for s in picture.shared(scope, list(read)) if s["key"].hex in wanted]
        nodes = [pictures.node_of(self.reader, read[i]) for i in ids.values() if i in read]
        return JsonResponse({"steps": steps, "nodes": nodes, "props": props, "maxDepth": MAX_STEPS})
