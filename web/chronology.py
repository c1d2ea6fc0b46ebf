"""The timeline as pages and exports show it: one reading of the address, one order, the same terms and counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, timedelta
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from lanes.errors import Invalid
from lanes.readers import Reader
from memory import normal, times
from memory.gather.scope import Scope
from memory.gather.terms import Term
from memory.gather.timeline import MATCHES_MAX, Bounds, timeline
from memory.selectors.chronology import Place, everything
from memory.selectors.chronology import place as place_of
from memory.selectors.rows import rows, signed
from web import present, words
from web.chips import typed_chip
from web.terms import Query

PAGE = 200
# Undated records beside the table; an export holds all that the timeline gives.
UNDATED_SHOWN = 50
# An export holds the whole timeline; this many facts are as much as a document of facts can be.
EXPORT_MAX = 5_000


@dataclass(frozen=True)
class Ask:
    """What is asked of the timeline page."""

    query: Query
    require: str = "any"

    @classmethod
    def of(cls, request: HttpRequest, *, dates_may_be_wrong: bool = False) -> Ask:
        require = request.GET.get("require", "any")
        if require not in ("any", "all"):
            raise Invalid.field("require", "any or all.")
        return cls(Query.of(request, dates_may_be_wrong=dates_may_be_wrong), require)

    def terms(self) -> list[Term]:
        return list(self.query.terms)

    def bounds(self) -> Bounds:
        f = self.query.filters()
        return Bounds(f.start, f.end)

    def url(self, view: str = "web:timeline", **more: str) -> str:
        extra = {"require": self.require} if self.require != "any" else {}
        return self.query.url(view, **(extra | more))

    def export_url(self, fmt: str) -> str:
        _, _, query = self.url().partition("?")
        return reverse("web:timeline-export", args=[fmt]) + (f"?{query}" if query else "")

    def with_typed(self, reader: Reader) -> Ask | None:
        """Words typed into the box become a chip: label and value where they read so, else a value of any label."""
        if not self.query.words:
            return None
        term = typed_chip(reader, self.query.words) or Term(None, normal.value(self.query.words, "q"))
        return replace(self, query=replace(self.query, words="").with_term(term))


@dataclass(frozen=True)
class Around:
    """The record that a timeline was opened around."""

    place: Place
    row: dict[str, Any]

    @property
    def centre(self) -> int | None:
        at = self.place.occurred_at
        return int(at.timestamp() * 1000) if at else None


def around(reader: Reader, ask: Ask, sr_id: str) -> Around:
    """The record with its place in the timeline asked for; NotVisible when it is not there for this reader."""
    scope = Scope(reader.narrow(ask.query.lanes or None), include_invalidated=ask.query.ended)
    bounds = ask.bounds()
    found = place_of(scope, sr_id, start=bounds.start, end=bounds.end, before=PAGE // 2)
    return Around(found, present.row(reader, rows(reader, [found.id])[0]))


def read(reader: Reader, ask: Ask, *, limit: int = PAGE, cursor: str | None = None, undated: int) -> dict[str, Any]:
    """The timeline, decorated: facts, undated rows (the newest `undated` of them), kept and dropped terms, counts.

    Without terms counts stop at CAP: `capped` and `undated_capped` say so.
    """
    scope = Scope(reader.narrow(ask.query.lanes or None), include_invalidated=ask.query.ended)
    if ask.terms():
        reply = timeline(
            scope, ask.terms(), bounds=ask.bounds(), require=ask.require, limit=limit, cursor=cursor,
            undated_on_every_page=undated,
        )  # fmt: skip
    else:
        bounds = ask.bounds()
        reply = everything(
            scope, start=bounds.start, end=bounds.end, limit=limit, cursor=cursor,
            undated_on_every_page=undated,
        )  # fmt: skip
    shapes = signed(reader, [*reply["srs"], *reply["undated"]])
    dated, rest = shapes[: len(reply["srs"])], shapes[len(reply["srs"]) :]
    kept = [_term(t) for t in reply["kept"]]
    return {
        "facts": [_fact(reader, shape, ask) for shape in sorted(dated, key=_order)],
        "undated": present.rows(reader, rest),
        "undated_count": reply["undated_count"],
        "undated_capped": bool(reply.get("undated_capped")),
        "count": reply["count"],
        "capped": bool(reply.get("count_capped")),
        "kept": kept,
        "dropped": [_term(t) for t in reply["dropped"]],
        "next_cursor": reply["next_cursor"],
        "limit": MATCHES_MAX,
    }


def nothing() -> dict[str, Any]:
    """A timeline that lists nothing: for dates that cannot be read."""
    return {
        "facts": [], "undated": [], "undated_count": 0, "undated_capped": False, "count": 0, "capped": False,
        "kept": [], "dropped": [], "next_cursor": None, "limit": MATCHES_MAX,
    }  # fmt: skip


def _term(shape: dict[str, Any]) -> Term:
    return Term(shape.get("label"), shape.get("value"), bool(shape.get("not")))


WIDTH = {"time": 0, "day": 1, "month": 2, "year": 3}


def _order(shape: dict[str, Any]) -> tuple[Any, int, str]:
    """Order of event; a vague date after the exact ones at its start."""
    return words.moment(shape["occurred_at"]), WIDTH.get(shape.get("date_precision") or "day", 1), shape["recorded_at"]


def _fact(reader: Reader, shape: dict[str, Any], ask: Ask) -> dict[str, Any]:
    row = present.row(reader, shape)
    at = words.moment(shape["occurred_at"])
    assert at is not None
    start = at.astimezone(UTC)
    precision = row["date_precision"] or "day"
    end = times.after(start, precision) if precision != "time" else times.moved(start, timedelta(minutes=1))
    return {"row": row, "year": str(start.year), "start": start, "end": end, "precision": precision,
            "matched": _matched(row, ask)}  # fmt: skip


def _matched(row: dict[str, Any], ask: Ask) -> str:
    """Which of the terms a fact carries, in words: why it is here."""
    said = []
    for term in ask.query.terms:
        if term.negated or term.value is None:
            continue
        needle = normal.fold(term.value)
        for chip in row["chips"]:
            if term.label in (None, chip["label"]) and needle in normal.fold(chip["value"]):
                said.append(f"{chip['label_words']}: {chip['value']}")
                break
    return ", ".join(said[:3])


def picture(facts: list[dict[str, Any]], centre: int | None = None) -> dict[str, Any]:
    """What the picture draws, in milliseconds since 1970 as scripts count."""
    return {
        "centre": centre,
        "now": int(timezone.now().timestamp() * 1000),
        "facts": [
            {
                "i": i,
                "a": int(f["start"].timestamp() * 1000),
                "b": int(f["end"].timestamp() * 1000),
                "p": f["precision"],
                "lane": f["row"]["lane"].colour,
                "laneSlug": f["row"]["lane"].slug,
                "laneName": f["row"]["lane"].name,
                "t": f["row"]["title"],
                "when": f["row"]["when"],
            }
            for i, f in enumerate(facts)
        ],
    }
