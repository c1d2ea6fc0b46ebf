"""The home page: matters with fresh counts, what changed since the last look, what happened last, saved searches."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lanes.errors import Invalid, NotVisible
from lanes.readers import walled_lanes
from memory import normal
from memory.gather.scope import Scope
from memory.selectors import home
from memory.selectors.records import by_id
from memory.selectors.rows import rows, signed
from web import present, words
from web.chips import rarest_first
from web.models import LastLook, SavedSearch
from web.terms import Query
from web.views.base import PageView, Posted

# After a pause this long a visit is a new look, and "what changed" counts from the end of the one before.
PAUSE = timedelta(minutes=30)
# So many matters stand on the page at first; a firm has hundreds.
MATTERS_OPEN = 12
ORDERS = (("latest", "Latest change first"), ("name", "Name"), ("new", "Most new"))


class Home(PageView):
    def get(self, request: HttpRequest) -> HttpResponse:
        part = request.GET.get("part", "")
        order = request.GET.get("order", "latest")
        order = order if order in dict(ORDERS) else "latest"
        since = self._look()
        whole = request.GET.get("matters") == "all"
        context: dict[str, Any] = {"order": order, "orders": ORDERS, "whole": whole}
        if part in ("", "summary", "matters", "changed"):
            lanes = home.lanes(self.reader, since)
            matters = self._matters(lanes, order)
            # two more are shown rather than a link to two more
            shown = matters if whole or len(matters) <= MATTERS_OPEN + 2 else matters[:MATTERS_OPEN]
            context |= {"matters": shown, "matter_count": len(matters), "summary": self._summary(lanes, since)}
        if part in ("", "recent"):
            context["recent"] = present.rows(self.reader, rows(self.reader, home.recent(self.reader)))
            rarest_first(Scope(self.reader), context["recent"])
        if part in ("", "changed"):
            context["changed"] = self._changed(since)
        if part == "":
            saved = SavedSearch.objects.filter(user=self.seat.user, tenant=self.seat.tenant)[:50]
            context["saved"] = [
                {"id": s.pk, "name": s.name, "url": f"{present.search_url()}?{s.query}"} for s in saved
            ]
            return render(request, "web/home.html", context)
        if part not in ("summary", "matters", "recent", "changed"):
            raise NotVisible()
        return render(request, f"web/home/_{part}.html", context)

    def _look(self) -> Any:
        """Note the visit; returns the instant that "new" counts from (None on the first one)."""
        now = timezone.now()
        look = LastLook.objects.filter(user=self.seat.user, tenant=self.seat.tenant).first()
        if look is None:
            try:
                with transaction.atomic():
                    LastLook.objects.create(user=self.seat.user, tenant=self.seat.tenant, visited_at=now)
            except IntegrityError:
                pass  # two pages opened at once; the other one noted it
            return None
        if now - look.visited_at > PAUSE:
            look.seen_at, look.visited_at = look.visited_at, now
            look.save(update_fields=["seen_at", "visited_at"])
        elif now - look.visited_at > timedelta(minutes=1):
            look.visited_at = now
            look.save(update_fields=["visited_at"])
        return look.seen_at

    def _matters(self, lanes: list[dict[str, Any]], order: str) -> list[dict[str, Any]]:
        keys = {
            "latest": lambda m: -(m["last_at"].timestamp() if m["last_at"] else 0),
            "name": lambda m: m["lane"].name.lower(),
            "new": lambda m: (-m["new"], -m["changed"], m["lane"].name.lower()),
        }
        walled = walled_lanes(self.reader)
        found = []
        for lane in sorted(lanes, key=keys[order]):
            most = max(lane["weeks"]) or 1
            heights = [round(20 * n / most, 1) if n else 0 for n in lane["weeks"]]
            found.append(
                lane
                | {
                    "url": present.search_url(lane=lane["lane"].slug),
                    "records_words": words.count_words(lane["records"], lane["capped"]),
                    "new_words": words.count_words(min(lane["new"], home.CAP), lane["new"] > home.CAP),
                    "changed_words": words.count_words(min(lane["changed"], home.CAP), lane["changed"] > home.CAP),
                    "writable": self.reader.can_write(lane["lane"].id),
                    "walled": lane["lane"].id in walled,
                    "spark": [
                        {"x": 6 * i, "y": round(20 - max(h, 1), 1), "h": max(h, 1)} for i, h in enumerate(heights)
                    ],
                }
            )
        return found

    def _summary(self, lanes: list[dict[str, Any]], since: Any) -> dict[str, Any]:
        totals = {name: sum(lane[name] for lane in lanes) for name in ("new", "changed", "superseded")}
        said = {f"{name}_words": words.count_words(n) for name, n in totals.items()}
        moved = sum(1 for lane in lanes if lane["new"] or lane["changed"] or lane["superseded"])
        fresh = since is not None and any(totals.values())
        return {"first": since is None, "any": fresh, "since": since, "lanes": moved, **totals, **said}

    def _changed(self, since: Any) -> list[dict[str, Any]]:
        feed = home.changed(self.reader)
        shapes = by_id(self.reader, [item["id"] for item in feed])
        written = dict(zip(shapes, signed(self.reader, list(shapes.values())), strict=True))
        found = []
        for item in feed:
            if item["id"] not in written:
                continue  # deleted since the feed was read
            row = present.row(self.reader, written[item["id"]])
            new = since is not None and item["at"] > since
            by = row["author"] if item["what"] == "added" else row["changer"]
            found.append({"row": row, "by": by, "what": item["what"], "at": item["at"], "new": new})
        return found


class Seen(Posted):
    """Mark everything as seen: "what changed" starts again from now."""

    def post(self, request: HttpRequest) -> HttpResponse:
        now = timezone.now()
        LastLook.objects.update_or_create(
            user=self.seat.user, tenant=self.seat.tenant, defaults={"seen_at": now, "visited_at": now}
        )
        return redirect("web:home")


class SaveSearch(Posted):
    """Keep a search under a name. The same name again replaces it."""

    def place(self, **kwargs: Any) -> str:
        return present.search_url()

    def post(self, request: HttpRequest) -> HttpResponse:
        name = normal.check_text(" ".join(request.POST.get("name", "").split())[:120], "name")
        if not name:
            raise Invalid.field("name", "Give the search a name.")
        query = Query.from_string(request.POST.get("query", "")[:4000])
        SavedSearch.objects.update_or_create(
            user=self.seat.user, tenant=self.seat.tenant, name=name, defaults={"query": query.encoded()}
        )
        messages.success(request, f"Saved as “{name}”. It is on your home page.", extra_tags="ok")
        return redirect(query.url())


class ForgetSearch(Posted):
    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        deleted, _ = SavedSearch.objects.filter(pk=pk, user=self.seat.user, tenant=self.seat.tenant).delete()
        if not deleted:
            raise NotVisible()
        return redirect("web:home")
