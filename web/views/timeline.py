"""The timeline page and its exports."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lanes.errors import NotVisible
from web import chronology, present, terms, words
from web.chronology import Ask
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
        cursor = request.GET.get("cursor") or None
        wrong = ask.query.wrong_dates()
        if wrong:
            found = chronology.nothing()
        else:
            found = chronology.read(self.reader, ask, cursor=cursor, undated=chronology.UNDATED_SHOWN)
        notices = []
        if wrong:
            notices.append(
                {"level": "danger", "bold": "Nothing is listed, because a date could not be read.",
                 "text": " ".join(wrong.values())}
            )  # fmt: skip
        context = {"tl": self._context(ask, found, cursor) | {"wrong": wrong}, "notices": notices}
        template = "web/timeline/_part.html" if request.GET.get("part") == "data" else "web/timeline.html"
        return render(request, template, context, status=400 if wrong else 200)

    def _context(self, ask: Ask, found: dict[str, Any], cursor: str | None) -> dict[str, Any]:
        dropped = set(found["dropped"])
        facts = found["facts"]
        lanes = {f["row"]["lane"].slug for f in facts} | {r["lane"].slug for r in found["undated"]}
        chosen = ask.query.lanes
        return {
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
            "part_url": ask.url(part="data", **({"cursor": cursor} if cursor else {})),
            "exports": [{"name": name, "url": ask.export_url(fmt)} for fmt, (name, _, _) in FORMATS.items()],
            "data": chronology.picture(facts),
            "empty": self._empty(ask),
        }

    @staticmethod
    def _undated(found: dict[str, Any]) -> str:
        return words.count_words(found["undated_count"], found["undated_capped"])

    @staticmethod
    def _empty(ask: Ask) -> dict[str, str]:
        if ask.query.terms or ask.query.start or ask.query.end:
            return {"title": "No dated facts match", "text": "Take a term away, or widen the dates."}
        return {"title": "No dated facts yet", "text": "Records with a date of event appear here in their order."}


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
