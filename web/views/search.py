"""The search page: chips, words, facets, hits that say why; suggestions while typing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from lanes.errors import Invalid
from lanes.readers import Reader
from memory import normal
from memory import words as lexical
from memory.gather import sets
from memory.gather.scope import CAP, Scope
from memory.gather.terms import Match, Term
from memory.selectors import facets as facet_reads
from memory.selectors import search as lists
from memory.selectors import values
from memory.selectors.rows import rows
from web import found, present, terms, words
from web.chips import typed_chip
from web.terms import Query
from web.views.base import PageView

PAGE = 25
# So many matters stand open in the filter; a firm has hundreds.
LANES_OPEN = 8


class Search(PageView):
    """`?part=results` answers the results alone; `?cursor=` the next page's rows."""

    def get(self, request: HttpRequest) -> HttpResponse:
        query = Query.of(request)
        moved = self._typed_term(query)
        if moved is not None:
            return redirect(moved.url())
        scope = Scope(self.reader.narrow(query.lanes or None))
        cursor = request.GET.get("cursor") or None
        by_meaning = bool(query.words) and query.order in ("", "best") and not query.by
        self.limit = PAGE if cursor else terms.shown_of(request, PAGE)
        listing = self._find(scope, query, cursor) if by_meaning else self._list(scope, query, cursor)
        context = {**listing, "search": self._state(query)}
        if cursor:
            return render(request, "web/search/_page.html", context)
        more = terms.more_of(self.limit, PAGE)
        context |= {
            "more_url": query.url(shown=more) if more else "",
            "facets": self._facets(scope, query, listing["looked_at"]),
            "empty": None if listing["hits"] else self._empty(scope, query, listing),
        }
        if request.GET.get("part") == "results":
            return render(request, "web/search/_results.html", context)
        return render(request, "web/search.html", context)

    def _typed_term(self, query: Query) -> Query | None:
        """ "client:Acme" typed as words becomes a chip, and the address says so."""
        term = typed_chip(self.reader, query.words) if query.words else None
        return replace(query, words="").with_term(term) if term else None

    # ---- hits
    def _list(self, scope: Scope, query: Query, cursor: str | None) -> dict[str, Any]:
        """Everything that carries the terms, in order of event."""
        wanted = list(query.terms) + ([Term(None, normal.value(query.words, "q"))] if query.words else [])
        page = lists.hits(
            scope, wanted, query.filters(), oldest=query.order == "oldest", limit=self.limit, cursor=cursor
        )
        lexemes = self._lexemes(query)
        shown = []
        for row in present.rows(self.reader, rows(self.reader, page.ids)):
            whys = []
            carried = [terms.said(t) for t in query.terms if t.label and not t.negated]
            if carried:
                whys.append({"icon": "prop", "lead": "Carries", "text": ", ".join(carried)})
            row |= {
                "title_marked": present.highlighted(row["title"], lexemes),
                "snippet_marked": present.highlighted(row["snippet"], lexemes),
                "whys": whys,
            }
            hit_words = present.found_words(f"{row['title']} {row['snippet']}", lexemes)
            if hit_words:
                whys.append({"icon": "words", "lead": "Words", "text": ", ".join(hit_words[:5])})
            shown.append(row)
        total, capped = self._total(scope, page, query)
        shown_to = len(shown)
        return {
            "hits": shown,
            "looked_at": page.looked_at,
            "next_url": query.url(cursor=page.next_cursor) if page.next_cursor else "",
            "result": {
                "count_line": f"{words.count_words(total, capped)} {'record' if total == 1 else 'records'}",
                "count_note": self._count_note(query),
                "shown_line": f"Showing {shown_to:,}{' more' if cursor else ''}"
                + (f" of {words.count_words(total, capped)}" if not cursor else ""),
            },
            "notices": [],
            "sizes": page.sizes,
        }

    @staticmethod
    def _total(scope: Scope, page: lists.Hits, query: Query) -> tuple[int, bool]:
        if page.total is not None:
            return page.total, False
        if not page.sizes and not query.filters().any:
            size = lists.all_in(scope)
            return size.count, size.capped
        if len(page.sizes) == 1 and not query.filters().any and not query.terms[0].negated:
            return page.sizes[0].count, page.sizes[0].capped
        return lists.LOOKED_AT, True

    def _find(self, scope: Scope, query: Query, cursor: str | None) -> dict[str, Any]:
        """The fused page: structure, words and meaning."""
        return found.page(scope, query, limit=self.limit, cursor=cursor)

    @staticmethod
    def _lexemes(query: Query) -> set[str]:
        said = [query.words] + [t.value or "" for t in query.terms if not t.negated]
        return {lexeme for text in said for lexeme in lexical.lexemes(text)}

    def _count_note(self, query: Query) -> str:
        if not query.terms and not query.words and not query.filter_count:
            return "you can read, newest event first"
        lanes = len(query.lanes) or len(self.reader.readable)
        return f"in {words.plural(lanes, 'matter')}"

    # ---- everything round the hits
    def _state(self, query: Query) -> dict[str, Any]:
        return {
            "terms": [terms.shown(t) for t in query.terms],
            "words": query.words,
            "start": query.start,
            "end": query.end,
            "filters": query.filter_count,
            "order": query.order or query.default_order,
            "orders": terms.ORDERS if query.words else terms.ORDERS[1:],
            "graph": query.graph,
            "graph_url": replace(query, graph=not query.graph).url(),
            "described": query.described(),
            "query": query.encoded(),
            "url": query.url(),
        }

    def _facets(self, scope: Scope, query: Query, ids: list[int]) -> dict[str, Any]:
        read = facet_reads.facets(scope, ids)
        lanes: list[dict[str, Any]] = [
            {"lane": self.reader.lanes[i], "count_words": words.count_words(n), "on": False}
            for i, n in sorted(read["lanes"].items(), key=lambda item: (-item[1], self.reader.lanes[item[0]].name))
        ]
        for lane in lanes:
            lane["on"] = lane["lane"].slug in query.lanes
        missing = [slug for slug in query.lanes if slug not in {lane["lane"].slug for lane in lanes}]
        lanes += [{"lane": self.reader.lanes[self.reader.lane_id(s)], "count_words": "0", "on": True} for s in missing]
        lanes.sort(key=lambda lane: not lane["on"])  # chosen ones first, else as they were: most hits first
        front = max(LANES_OPEN, sum(lane["on"] for lane in lanes))
        if len(lanes) <= front + 2:  # two more are shown rather than a link to two more
            front = len(lanes)
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
                        "on": any(
                            t.label == term.label and normal.fold(t.value or "") == normal.fold(term.value or "")
                            for t in query.terms
                        ),
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
        whole = len(ids) < lists.LOOKED_AT
        note = "" if whole else f"Counted over the first {lists.LOOKED_AT:,} of these records."
        if query.words and not query.order and ids:
            note = f"Counted over the best {len(ids):,} hits."
        return {
            "lanes": lanes[:front],
            "more_lanes": lanes[front:],
            "labels": groups,
            "kinds": kinds,
            "by": writers,
            "note": note,
        }

    def _empty(self, scope: Scope, query: Query, listing: dict[str, Any]) -> dict[str, Any]:
        """Why nothing was found, with the nearest way out."""
        if not (query.terms or query.words or query.filter_count):
            return {"title": "No records yet", "text": "Nothing has been written in the matters you can read.",
                    "actions": [{"name": "Add a note", "url": present.reverse("web:record-new")}]
                    if self.reader.writable else []}  # fmt: skip
        actions = []
        positive = [t for t in query.terms if t.label and t.value]
        counted = sets.sizes(Match(scope, positive)) if positive else []
        said = [
            f"{terms.said(t)} has {words.count_words(size.count, size.capped)}"
            for t, size in zip(positive, counted, strict=True)
        ]
        if len(query.terms) > 1 or (query.terms and query.words):
            asked = len(query.terms) + bool(query.words)
            title = f"No records match {'both' if asked == 2 else f'all {asked}'}"
            none = [terms.said(t) for t, size in zip(positive, counted, strict=True) if not size.count]
            text = (words.listing(said) + ", but none matches everything.") if said else ""
            if none:
                text = f"No record that you can read carries {words.listing(none)}."
            smallest = sorted(zip(positive, counted, strict=True), key=lambda pair: pair[1].count)
            away = smallest[0][0] if smallest else query.terms[-1]
            actions.append({"name": f"Take away {terms.said(away)}", "url": query.without_term(away).url()})
        elif query.terms:
            title, text = f"No records carry {terms.said(query.terms[0])}", "Nothing that you can read does."
        else:
            title, text = "Nothing was found", "Try other words, or fewer of them."
        if query.filter_count:
            cleared = replace(query, lanes=(), kinds=(), start="", end="", by="")
            actions.append({"name": "Clear the filters", "url": cleared.url()})
        if not actions:
            actions.append({"name": "See all records", "url": present.search_url()})
        return {"title": title, "text": text, "actions": actions}


class Suggest(PageView):
    """Suggestions under the search box: labels, and values of the label typed, from readable lanes only."""

    def get(self, request: HttpRequest) -> HttpResponse:
        text = normal.check_text(request.GET.get("q", ""), "q").strip()[:200]
        options = suggestions(self.reader, text)
        return render(request, "web/search/_suggestions.html", {"options": options})


def suggestions(reader: Reader, text: str) -> list[dict[str, Any]]:
    """What the box offers for a text: at most eight values, then what else the text could mean."""
    negated = text.startswith("-") or text.lower().startswith("not ")
    bare = text.removeprefix("-")
    bare = bare[4:] if bare.lower().startswith("not ") else bare
    known = values.offered_labels(reader)
    label, colon, start = bare.partition(":")
    label = label.strip().lower().replace(" ", "_")
    options: list[dict[str, Any]] = []
    if colon and label in known:
        read = values.suggest(reader, [label], start.strip())
        counts = values.counts(Scope(reader), [v["key"] for v in read])
        for v in read:
            n = counts.get(v["key"], 0)
            if n or v["controlled"]:
                options.append(
                    {
                        "term": terms.raw_of(Term(label, v["value"], negated)),
                        "label": label, "start": v["value"][: len(start.strip())],
                        "rest": v["value"][len(start.strip()) :], "negated": negated,
                        "count": words.count_words(min(n, CAP), n > CAP),
                    }
                )  # fmt: skip
        options.append({"term": terms.raw_of(Term(label, None, negated)), "any": label, "negated": negated})
    elif bare:
        for name in [k for k in known if k.startswith(label)][:4]:
            options.append({"fill": f"{'not ' if negated else ''}{name}:", "label_only": name})
        if len(bare) >= 2:
            read = values.suggest(reader, known, bare, limit=6)
            counts = values.counts(Scope(reader), [v["key"] for v in read])
            options += [
                {
                    "term": terms.raw_of(Term(v["label"], v["value"], negated)), "label": v["label"],
                    "start": v["value"][: len(bare)], "rest": v["value"][len(bare) :], "negated": negated,
                    "count": words.count_words(min(counts[v["key"]], CAP), counts[v["key"]] > CAP),
                }
                for v in read
                if counts.get(v["key"]) or v["controlled"]
            ]  # fmt: skip
    if text:
        options.append({"words": text})
    return options


class SuggestValues(PageView):
    """Values of one label for a form's field, as JSON."""

    def get(self, request: HttpRequest) -> HttpResponse:
        raw = request.GET.get("label", "").strip().lower().replace(" ", "_")
        if not normal.is_label(raw) or raw.startswith(normal.RESERVED_PREFIX):
            return JsonResponse({"values": []})
        start = normal.check_text(request.GET.get("q", ""), "q")[:200]
        read = values.suggest(self.reader, [raw], start, limit=12)
        held = values.counts(Scope(self.reader), [v["key"] for v in read], cap=1)
        return JsonResponse({"values": [v["value"] for v in read if held.get(v["key"]) or v["controlled"]]})


class ValuesOfLabel(PageView):
    """Every value of one label, most carried first, by pages."""

    def get(self, request: HttpRequest) -> HttpResponse:
        from memory.gather.group import group

        query = Query.of(request)
        anyone = next((t for t in query.terms if t.label and t.value is None), None)
        if anyone is None or anyone.label is None:
            raise Invalid.field("t", "Name a label, as in t=client:")
        others = [t for t in query.terms if t != anyone]
        scope = Scope(self.reader.narrow(query.lanes or None))
        cursor = request.GET.get("cursor") or None
        reply = group(scope, anyone.label, terms=others or None, limit=100, cursor=cursor)
        base = replace(query, terms=tuple(others))
        shown = [
            {
                **present.chip(anyone.label, v["value"]),
                "count_words": words.count_words(v["sr_count"]),
                "search": base.with_term(Term(anyone.label, v["value"])).url(),
            }
            for v in reply["values"]
        ]
        more = query.url("web:values-of-label", cursor=reply["next_cursor"]) if reply["next_cursor"] else ""
        context = {
            "label": anyone.label, "values": shown, "next_url": more, "among": [terms.said(t) for t in others],
            "back": base.url(),
        }  # fmt: skip
        return render(request, "web/values.html", context)
