"""The timeline page and its exports."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lanes.errors import NotVisible
from web import chronology, present, terms, words
from web.chronology import Around, Ask
from web.exports import Chronology, write_csv, write_docx, write_pdf
from web.views.base import PageView

FORMATS = {
    "csv": ("CSV", "text/csv; charset=utf-8", write_csv),
    "docx": ("DOCX", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", write_docx),
    "pdf": ("PDF", "application/pdf", write_pdf),
}


class Timeline(PageView):
    def get(self, request: HttpRequest) -> HttpResponse:
        ask = Ask.of(request, dates_may_be_wrong=True)
        moved = ask.with_typed(self.reader)
        if moved is not None:
            return redirect(moved.url())
        part = request.GET.get("part") == "data"
        wrong = ask.query.wrong_dates()
        around = None if wrong else self._around(ask, request.GET.get("around", ""), part)
        cursor = request.GET.get("cursor") or (around.place.cursor if around and not ask.terms() else None)
        if wrong:
            found = chronology.nothing()
        else:
            found = chronology.read(self.reader, ask, cursor=cursor, undated=chronology.UNDATED_SHOWN)
        notices = []
        if wrong:
            notices.append(
                {"level": "danger", "bold": "Nothing is listed until the dates are put right.",
                 "text": " ".join(wrong.values())}
            )  # fmt: skip
        context = {"tl": self._context(ask, found, cursor, around) | {"wrong": wrong}, "notices": notices}
        template = "web/timeline/_part.html" if part else "web/timeline.html"
        return render(request, template, context, status=400 if wrong else 200)

    def _around(self, ask: Ask, sr_id: str, part: bool) -> Around | None:
        """The record in the middle. One that goes while the page is open leaves the others standing."""
        try:
            return chronology.around(self.reader, ask, sr_id) if sr_id else None
        except NotVisible:
            if part:
                return None
            raise

    def _context(
        self, ask: Ask, found: dict[str, Any], cursor: str | None, around: Around | None = None
    ) -> dict[str, Any]:
        dropped = set(found["dropped"])
        facts = found["facts"]
        lanes = {f["row"]["lane"].slug for f in facts} | {r["lane"].slug for r in found["undated"]}
        chosen = ask.query.lanes
        centre = around.row["sr_id"] if around else ""
        if around and not around.place.occurred_at:
            rest = [r for r in found["undated"] if r["sr_id"] != centre]
            found["undated"] = [around.row, *rest]
        more = {"around": centre} if centre else {}
        return {
            "around": around and {**around.row, "said": self._said(around, facts), "whole_url": ask.url()},
            "facts": facts,
            "undated": found["undated"],
            "undated_words": self._undated(found),
            "undated_shown": len(found["undated"]),
            "undated_cut": len(found["undated"]) < found["undated_count"],
            "dated": found["count"],
            "dated_words": f"{words.count_words(found['count'], found['capped'])} dated "
            + ("fact" if found["count"] == 1 else "facts"),
            # matters of the facts shown: said only when these are all there are
            "lane_count": 0 if found["next_cursor"] or cursor else len(lanes),
            "terms": [terms.shown(t, dropped=t in dropped) for t in ask.query.terms],
            "require": ask.require,
            "start": ask.query.start,
            "end": ask.query.end,
            "ended": ask.query.ended,
            "lane": chosen[0] if len(chosen) == 1 else "",
            "lane_choices": present.lane_choices(self.reader, self.reader.readable),
            "limit": found["limit"],
            "dropped": found["dropped"],
            "dropped_words": f"{len(dropped)} of your terms" if len(dropped) > 1 else "one of your terms",
            "dropped_list": ", ".join(terms.said(t) for t in found["dropped"]),
            "kept_words": ", ".join(terms.said(t) for t in found["kept"]),
            "all_url": Ask(ask.query, "all").url(),
            "next_url": ask.url(cursor=found["next_cursor"]) if found["next_cursor"] else "",
            "page_size": chronology.PAGE,
            "part_url": ask.url(part="data", **more, **({"cursor": cursor} if cursor and not around else {})),
            "exports": [{"name": name, "url": ask.export_url(fmt)} for fmt, (name, _, _) in FORMATS.items()],
            "data": chronology.picture(facts, around.centre if around else None),
            "empty": self._empty(ask, found),
            "no_undated": self._no_undated(ask, found),
        }

    @staticmethod
    def _said(around: Around, facts: list[dict[str, Any]]) -> str:
        """Where the record is that the timeline was opened around."""
        if around.place.superseded:
            return "It was superseded, so the timeline leaves it out. The picture shows the time about it."
        if not around.place.occurred_at:
            return "It carries no date of event, so it stands under Undated."
        if all(f["row"]["sr_id"] != around.row["sr_id"] for f in facts):
            return "It is not among the facts asked for."
        return "It is marked in the picture and in the table."

    @staticmethod
    def _undated(found: dict[str, Any]) -> str:
        return words.count_words(found["undated_count"], found["undated_capped"])

    def _empty(self, ask: Ask, found: dict[str, Any]) -> dict[str, Any]:
        """Why no dated fact is listed, with the nearest ways out."""
        query = ask.query
        actions = []
        if query.start or query.end:
            actions.append(
                {"name": "Take the dates away", "url": replace(ask, query=replace(query, start="", end="")).url()}
            )
        if len(query.terms) > 1 and ask.require == "all":
            actions.append({"name": "Match any term instead", "url": replace(ask, require="any").url()})
        elif query.terms:
            last = query.terms[-1]
            actions.append(
                {"name": f"Take away {terms.said(last)}", "url": replace(ask, query=query.without_term(last)).url()}
            )
        if query.lanes and (query.terms or query.start or query.end):
            actions.append({"name": "Look in all matters", "url": replace(ask, query=replace(query, lanes=())).url()})
        if query.terms or query.start or query.end:
            text = "None of the records that match carries a date of event in this time."
            if not found["undated_count"]:
                text = "Nothing that you can read matches."
            return {"title": "No dated facts match", "text": text, "actions": actions}
        if query.lanes:
            actions.append({"name": "Look in all matters", "url": replace(ask, query=replace(query, lanes=())).url()})
        if self.reader.writable and not found["undated_count"]:
            actions.append({"name": "Add a note", "url": present.reverse("web:record-new")})
        return {"title": "No dated facts yet", "text": "Records with a date of event appear here in their order.",
                "actions": actions}  # fmt: skip

    @staticmethod
    def _no_undated(ask: Ask, found: dict[str, Any]) -> str:
        if found["facts"]:
            return "Everything here carries a date."
        return "Nothing without a date matches either." if ask.query.terms else "Nothing without a date either."


class TimelineExport(PageView):
    """The timeline as a file: the order, the terms and the counts of the page, and nothing the page would not show."""

    def get(self, request: HttpRequest, fmt: str) -> HttpResponse:
        if fmt not in FORMATS:
            raise NotVisible()
        ask = Ask.of(request)
        facts: list[dict[str, Any]] = []
        cursor: str | None = None
        found: dict[str, Any] = {}
        undated: list[dict[str, Any]] = []
        while True:
            most = 0 if cursor else chronology.EXPORT_MAX
            found = chronology.read(self.reader, ask, limit=1_000, cursor=cursor, undated=most)
            facts += found["facts"]
            undated += found["undated"]
            cursor = found["next_cursor"]
            if cursor is None or len(facts) >= chronology.EXPORT_MAX:
                break
        _, content_type, write = FORMATS[fmt]
        response = HttpResponse(
            write(self._document(ask, {**found, "undated": undated}, facts, cursor)), content_type=content_type
        )
        name = f"timeline-{timezone.now():%Y-%m-%d}.{fmt}"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        response["Cache-Control"] = "no-store"
        return response

    def _document(
        self, ask: Ask, found: dict[str, Any], facts: list[dict[str, Any]], cursor: str | None
    ) -> Chronology:
        said = [terms.said(t) for t in found["kept"]]
        about = [f"Terms ({'every' if ask.require == 'all' else 'any'}): {', '.join(said)}"] if said else []
        if found["dropped"]:
            dropped = ", ".join(terms.said(t) for t in found["dropped"])
            about.append(f"Left out, because more than {found['limit']} facts matched: {dropped}")
        if ask.query.lanes:
            names = [self.reader.lanes[self.reader.lane_id(s)].name for s in ask.query.lanes]
            about.append(f"Matters: {', '.join(names)}")
        if ask.query.start or ask.query.end:
            about.append(f"Dates: {ask.query.start or 'the beginning'} to {ask.query.end or 'now'}, both included")
        undated = found["undated"]
        without = Timeline._undated(found)
        if cursor:
            about.append(f"The first {len(facts):,} of {found['count']:,} dated facts")
        about.append(f"{words.plural(len(facts), 'dated fact')} and {without} undated")
        if len(undated) < found["undated_count"]:
            about.append(f"The newest {len(undated):,} undated ones are listed")
        zone = timezone.get_current_timezone()
        made = words.date_words(timezone.now(), "time", zone)
        about.append(f"Made {made} UTC for {self.seat.user.get_full_name() or self.seat.user.get_username()}")
        return Chronology(
            title=f"Timeline, {self.seat.tenant.name}", about=about, facts=facts, undated=undated,
        )  # fmt: skip
