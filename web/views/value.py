"""A value's page: what carries it, its company, its spellings, over time. Joining spellings."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lanes.errors import LanewiseError, NotVisible
from lanes.readers import LaneInfo
from memory import normal
from memory.gather.scope import Scope
from memory.gather.terms import Term
from memory.selectors import values
from memory.selectors.rows import rows
from memory.selectors.search import Filters, hits
from memory.services import aliases
from web import present, words
from web.chips import rarest_first
from web.terms import Query, more_of, shown_of
from web.views.base import PageView, Posted

PAGE = 25
OVER_TIME_OF = 5_000  # records that months are counted over, newest first
LANES_DRAWN = 7  # matters told apart in the picture: there are eight colours
COMPANY_OF = 2_000  # records that co-occurring values are counted over, newest first


class Value(PageView):
    """A value nobody in the reader's lanes ever used is answered like one that does not exist: with nothing."""

    def get(self, request: HttpRequest, label: str, value: str) -> HttpResponse:
        label, value = normal.label(label), normal.value(value)
        if label.startswith(normal.RESERVED_PREFIX):
            raise NotVisible()
        known = values.find(self.reader, label, value)
        if known is None:
            raise NotVisible()
        if known["alias_value"]:
            return redirect("web:value", label=label, value=known["alias_value"])
        self.scope = Scope(self.reader)
        self.key: UUID = known["key"]
        self.known = known
        cursor = request.GET.get("cursor") or None
        part = request.GET.get("part", "")
        if cursor:
            return render(request, "web/value/_page.html", self._records(cursor, PAGE))
        if part not in ("", "summary", "time", "records", "company"):
            raise NotVisible()
        context = self._records(None, shown_of(request, PAGE)) | {"v": self._value(part)}
        return render(request, f"web/value/_{part}.html" if part else "web/value.html", context)

    def _records(self, cursor: str | None, limit: int) -> dict[str, Any]:
        term = Term(self.known["label"], self.known["value"])
        page = hits(self.scope, [term], Filters(), events=True, limit=limit, cursor=cursor)
        shown = present.rows(self.reader, rows(self.reader, page.ids), without=self.key.hex)
        rarest_first(self.scope, shown)
        url = present.value_url(self.known["label"], self.known["value"])
        return {
            "records": shown,
            "next_url": f"{url}?cursor={page.next_cursor}" if page.next_cursor else "",
            "more_url": f"{url}?shown={more}" if not cursor and (more := more_of(limit, PAGE)) else "",
            "result": {"shown_line": f"Showing {len(shown)} more" if cursor else f"Showing {len(shown)}"},
        }

    def _value(self, part: str) -> dict[str, Any]:
        label, value = self.known["label"], self.known["value"]
        count = values.counts(self.scope, [self.key]).get(self.key, 0)
        over = values.over_time(self.scope, self.key, limit=OVER_TIME_OF)
        ids = over.pop("ids")
        said, _ = present.capped(count)
        # the oldest of the newest carriers is not the first of all
        cut, zone = over["counted"] == OVER_TIME_OF, timezone.get_current_timezone()
        query = Query(terms=(Term(label, value),))
        made: dict[str, Any] = {
            "label": label,
            "label_words": words.label_words(label),
            "value": value,
            "key": self.key.hex,
            "count_words": said,
            "count_noun": "record" if count == 1 else "records",
            "lane_count": over["lanes"],
            "first": words.date_words(over["first"][0], over["first"][1], zone) if over["first"] and not cut else "",
            "last": words.date_words(over["last"][0], over["last"][1], zone) if over["last"] else "",
            "any_url": Query(terms=(Term(label, None),)).url("web:values-of-label"),
            "search_url": query.url(),
            "timeline_url": query.url("web:timeline"),
            "part_url": f"{present.value_url(label, value)}?part=",
            "can_rename": bool(self.reader.writable),
            "time": self._time(over),
        }
        if part in ("", "company"):
            made |= self._company(ids[:COMPANY_OF], len(ids) > COMPANY_OF)
        if part == "":
            made["aliases"] = [{"value": a, "note": "joined to it"} for a in values.aliases(self.reader, self.key)]
            near = values.similar(self.reader, label, value, self.key)
            held = values.counts(self.scope, [n["key"] for n in near])
            made["similar"] = [
                {
                    "value": n["value"],
                    "count_words": words.plural(held[n["key"]], "record"),
                    "url": present.value_url(label, n["value"]),
                }
                for n in near
                if held.get(n["key"])
            ]
        return made

    def _time(self, over: dict[str, Any]) -> dict[str, Any]:
        held: Counter[int] = Counter()
        for _, by in over["buckets"]:
            held.update(by)
        most = [lane for lane, _ in held.most_common(LANES_DRAWN if len(held) > LANES_DRAWN + 1 else None)]
        lane_ids, rest = sorted(most), len(held) - len(most)
        lanes = told_apart([self.reader.lanes[i] for i in lane_ids])
        if rest:
            lanes.append({"name": f"{rest} other matters", "colour": 0, "again": 0})
        months: list[dict[str, Any]] = []
        for start, by in over["buckets"]:
            said, short = words.period_words(start, over["unit"])
            year = str(start.year) if over["unit"] == "month" else ""
            counts = self._counts(by, lane_ids, bool(rest))
            months.append({"words": said, "short": short, "year": year, "counts": counts})
        totals = [sum(m["counts"]) for m in months]
        described = ""
        if months:
            top = max(range(len(months)), key=lambda i: totals[i])
            described = (
                f"Records by {over['unit']}, {months[0]['words']} to {months[-1]['words']}. "
                f"Most in {months[top]['words']}: {totals[top]:,}. A table follows."
            )
        return {
            "unit": over["unit"],
            "lanes": lanes,
            "months": months,
            "undated": over["undated"],
            "undated_verb": "carries" if over["undated"] == 1 else "carry",
            "undated_are": "is" if over["undated"] == 1 else "are",
            "described": described,
            "note": f"Counted over the newest {OVER_TIME_OF:,} of its records."
            if over["counted"] == OVER_TIME_OF
            else "",
            "data": {"months": months, "lanes": lanes},
        }

    @staticmethod
    def _counts(by: dict[int, int], lane_ids: list[int], rest: bool) -> list[int]:
        """Records of one bar by matter; those of all other matters last."""
        counts = [by.get(i, 0) for i in lane_ids]
        return [*counts, sum(by.values()) - sum(counts)] if rest else counts

    def _company(self, ids: list[int], cut: bool) -> dict[str, Any]:
        groups: dict[str, dict[str, Any]] = {}
        for item in values.company(self.scope, self.key, ids):
            group = groups.setdefault(
                item["label"], {"heading": words.heading(item["label"]), "most": item["count"], "values": []}
            )
            group["values"].append(
                {
                    "value": item["value"], "count": item["count"], "key": item["key"].hex,
                    "url": present.value_url(item["label"], item["value"]),
                }
            )  # fmt: skip
        note = f"Counted over the newest {COMPANY_OF:,} of its records." if cut else "Counts cover what you can read."
        return {"company": list(groups.values())[:10], "company_note": note}


def told_apart(lanes: list[LaneInfo]) -> list[dict[str, Any]]:
    """Matters of one picture: each keeps its colour, and of those with the same colour the later ones are hatched.

    There are eight colours; `again` is how many before it have the colour.
    """
    met: Counter[int] = Counter()
    made = []
    for lane in lanes:
        made.append({"name": lane.name, "colour": lane.colour, "again": met[lane.colour]})
        met[lane.colour] += 1
    return made


class RenameValue(Posted):
    """Join two spellings, in the matters one may write."""

    def place(self, **kwargs: Any) -> str:
        return present.reverse("web:value", args=[kwargs["label"], kwargs["value"]])

    def post(self, request: HttpRequest, label: str, value: str) -> HttpResponse:
        to = request.POST.get("to", "")
        if values.find(self.reader, normal.label(label), normal.value(value)) is None:
            raise NotVisible()
        try:
            reply = aliases.rename(self.reader, label=label, value=value, to=to)
        except LanewiseError as error:
            said = " ".join(m for errors in error.errors.values() for m in errors) or error.detail
            messages.error(request, f"The spellings were not joined. {said}", extra_tags="danger")
            return redirect("web:value", label=label, value=value)
        moved = words.plural(reply["records"], "record")
        messages.success(request, f"“{value}” is now “{to}”. {moved} followed.", extra_tags="ok")
        return redirect("web:value", label=label, value=to)
