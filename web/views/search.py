"""The search page: chips, words, facets, hits that say why; suggestions while typing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from lanes.errors import Invalid
from lanes.readers import Reader, description, walled_lanes
from memory import normal
from memory import words as lexical
from memory.gather import sets
from memory.gather.scope import CAP, Scope
from memory.gather.terms import Match, Term
from memory.selectors import search as lists
from memory.selectors import values
from memory.selectors.rows import rows
from web import found, present, terms, words
from web.chips import typed_chip
from web.chronology import Ask
from web.facets import facets
from web.terms import Query
from web.views.base import PageView

PAGE = 25


class Search(PageView):
    """`?part=results` answers the results alone; `?cursor=` the next page's rows."""

    def get(self, request: HttpRequest) -> HttpResponse:
        query = Query.of(request, dates_may_be_wrong=True)
        moved = self._typed_term(query)
        if moved is not None:
            return redirect(moved.url())
        scope = Scope(self.reader.narrow(query.lanes or None), include_invalidated=query.ended)
        cursor = request.GET.get("cursor") or None
        wrong = query.wrong_dates()
        self.limit = PAGE if cursor else terms.shown_of(request, PAGE)
        if wrong:
            listing = self._nothing()
        elif query.words:
            listing = found.page(scope, query, limit=self.limit, cursor=cursor)
        else:
            listing = self._list(scope, query, cursor)
        context = {**listing, "search": self._state(query) | {"wrong": wrong}}
        if cursor and not wrong:
            return render(request, "web/search/_page.html", context)
        more = terms.more_of(self.limit, PAGE)
        offered = facets(self.reader, scope, query, listing["looked_at"], listing["facet_note"])
        if listing["result"].get("in_lanes") and (query.terms or query.filter_count) and len(query.lanes) != 1:
            listing["result"]["count_note"] = f"in {words.plural(offered['lanes_met'], 'matter')}"
        context |= {
            "more_url": query.url(shown=more) if more else "",
            "facets": offered,
            "empty": None if listing["hits"] or wrong else self._empty(scope, query),
        }
        template = "web/search/_results.html" if request.GET.get("part") == "results" else "web/search.html"
        return render(request, template, context, status=400 if wrong else 200)

    @staticmethod
    def _nothing() -> dict[str, Any]:
        """No list at all, for a date that cannot be read: a typo must never widen one."""
        return {"hits": [], "looked_at": [], "facet_note": "", "next_url": "", "result": {}, "notices": []}

    def _typed_term(self, query: Query) -> Query | None:
        """ "client:Acme" typed as words becomes a chip, and the address says so."""
        term = typed_chip(self.reader, query.words) if query.words else None
        return replace(query, words="").with_term(term) if term else None

    # ---- hits
    def _list(self, scope: Scope, query: Query, cursor: str | None) -> dict[str, Any]:
        """Everything that carries the terms, in order of event."""
        page = lists.hits(
            scope,
            query.terms,
            query.filters(),
            oldest=query.sort == "oldest",
            events=True,
            limit=self.limit,
            cursor=cursor,
        )
        lexemes = self._lexemes(query)
        shown = []
        carried = [terms.said(t) for t in query.terms if t.label and not t.negated]
        for row in present.rows(self.reader, rows(self.reader, page.ids)):
            row["whys"] = [{"icon": "prop", "lead": "Carries", "text": ", ".join(carried)}] if carried else []
            row["title_marked"] = present.highlighted(row["title"], lexemes)
            row["snippet_marked"] = present.highlighted(row["snippet"], lexemes)
            hit_words = present.found_words(f"{row['title']} {row['snippet']}", lexemes)
            if hit_words:
                row["whys"].append({"icon": "words", "lead": "Words", "text": ", ".join(hit_words[:5])})
            shown.append(row)
        total, capped = self._total(scope, page, query)
        whole = page.total is not None and page.total == len(page.looked_at)
        return {
            "hits": shown,
            "looked_at": page.looked_at,
            "facet_note": "" if whole else f"Counted over the first {lists.LOOKED_AT:,} of these records.",
            "next_url": query.url(cursor=page.next_cursor) if page.next_cursor else "",
            "result": {
                "count_line": f"{words.count_words(total, capped)} {'record' if total == 1 else 'records'}",
                "count_note": "you can read" if not query.terms and not query.filter_count else "",
                "in_lanes": whole and bool(page.looked_at),
                "shown_line": f"Showing {len(shown):,}{' more' if cursor else ''}"
                + (f" of {words.count_words(total, capped)}" if not cursor else ""),
            },
            "notices": [],
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

    @staticmethod
    def _lexemes(query: Query) -> set[str]:
        said = [t.value or "" for t in query.terms if not t.negated]
        return {lexeme for text in said for lexeme in lexical.lexemes(text)}

    # ---- everything round the hits
    def _state(self, query: Query) -> dict[str, Any]:
        plain = replace(query, words="", kinds=(), by="", order="", graph=False)
        # a matter's own page has its timeline beside the heading
        tells = bool(plain.terms or plain.start or plain.end or len(plain.lanes) > 1)
        return {
            "terms": [terms.shown(t) for t in query.terms],
            "words": query.words,
            "start": query.start,
            "end": query.end,
            "filters": query.filter_count,
            "orders": query.orders(),
            "graph": query.graph,
            "graph_url": replace(query, graph=not query.graph).url(),
            "ended": query.ended,
            "described": query.described(),
            "query": query.encoded(),
            "url": query.url(),
            # a timeline shows the same terms, matters and dates; what is found by words alone has none
            "timeline_url": Ask(plain, "all" if len(plain.terms) > 1 else "any").url() if tells else "",
            "matter": self._matter(query),
        }

    def _matter(self, query: Query) -> dict[str, Any] | None:
        """The matter whose page this is: the only one that is asked for."""
        if len(query.lanes) != 1:
            return None
        lane = self.reader.lanes[self.reader.lane_id(query.lanes[0])]
        return {
            "lane": lane,
            "description": description(self.reader, lane.id),
            "walled": lane.id in walled_lanes(self.reader),
            "new_url": f"{reverse('web:record-new')}?{urlencode({'lane': lane.slug})}"
            if self.reader.can_write(lane.id)
            else "",
            "timeline_url": Query(lanes=(lane.slug,)).url("web:timeline"),
        }

    def _empty(self, scope: Scope, query: Query) -> dict[str, Any]:
        """Why nothing was found, with the nearest way out: what to take away so that something is found."""
        if not (query.terms or query.words or query.filter_count):
            return {"title": "No records yet", "text": "Nothing has been written in the matters you can read.",
                    "actions": [{"name": "Add a note", "url": reverse("web:record-new")}]
                    if self.reader.writable else []}  # fmt: skip
        wanted = [t for t in query.terms if not t.negated]
        asked_for = [terms.said(t) for t in wanted] + ([f"“{query.words}”"] if query.words else [])
        sought = [*wanted, *([Term(None, query.words)] if query.words else [])]
        sizes = sets.sizes(Match(scope, sought)) if sought else []
        asked = len(query.terms) + bool(query.words)
        if asked > 1:
            title = f"No records match {'both' if asked == 2 else f'all {asked}'}"
            none = [said for said, size in zip(asked_for, sizes, strict=True) if not size.count]
            said = [
                f"{said} has {words.count_words(size.count, size.capped)}"
                for said, size in zip(asked_for, sizes, strict=True)
            ]
            all_left_out = len(said) == 1 and len(query.terms) > 1 and not query.filter_count
            but = "but each of them also carries what you left out" if all_left_out else "but none matches everything"
            text = f"{words.listing(said)}, {but}." if said else "Every record carries what you left out."
            if none:
                text = f"No record that you can read has {words.listing(none)}."
        elif query.terms:
            title, text = f"No records carry {terms.said(query.terms[0])}", "Nothing that you can read does."
            if query.terms[0].negated:
                title, text = "No records are left", f"Every record here carries {terms.said(query.terms[0])[4:]}."
        elif query.words:
            title, text = "Nothing was found", "Try other words, or fewer of them."
        else:
            title, text = "No records match these filters", "Take a filter away to see more."
        return {"title": title, "text": text, "actions": self._ways_out(scope, query)}

    def _ways_out(self, scope: Scope, query: Query) -> list[dict[str, str]]:
        """Searches with one thing less that find something, those that stay nearest first."""
        tried: list[tuple[str, Query]] = []
        if query.words and query.terms:
            tried.append((f"Take away “{query.words}”", replace(query, words="", order="")))
        if len(query.terms) + bool(query.words) > 1:
            tried += [(f"Take away {terms.said(term)}", query.without_term(term)) for term in query.terms[:8]]
        ways = []
        for name, less in tried:
            found = self._how_many(scope, less)
            if found:
                ways.append((found, {"name": f"{name} ({words.count_words(found)})", "url": less.url()}))
        actions = [way for _, way in sorted(ways, key=lambda way: way[0])[:2]]
        if query.filter_count:
            cleared = replace(query, lanes=(), kinds=(), start="", end="", by="", ended=False)
            actions.append({"name": "Clear the filters", "url": cleared.url()})
        return actions or [{"name": "See all records", "url": present.search_url()}]

    @staticmethod
    def _how_many(scope: Scope, query: Query) -> int:
        """How many records a search finds, up to what is looked at; with words, by its words."""
        wanted = [*query.terms, *([Term(None, query.words)] if query.words else [])]
        filters = replace(query.filters(), phrases=query.phrases)
        return len(lists.hits(scope, wanted, filters, limit=1).looked_at)


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
            "label": terms.ANY.get(anyone.label) or words.label_words(anyone.label), "values": shown,
            "next_url": more, "among": [terms.said(t) for t in others], "back": base.url(),
        }  # fmt: skip
        return render(request, "web/values.html", context)
