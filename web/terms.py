"""The search page's state is its address. This reads it, checks it and writes it back; no database."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import reverse

from lanes.errors import Invalid
from memory import normal, times
from memory.gather.terms import TERMS_MAX, Term
from memory.selectors.search import Filters
from web import dates, words

ORDERS = (("best", "Best match"), ("newest", "Newest event"), ("oldest", "Oldest event"))
# Words in double quotes are wanted side by side.
_QUOTED = re.compile(r"[\"“”„]([^\"“”„]+)[\"“”]")
_TYPED = re.compile(r"(?P<no>not\s+|-)?(?P<label>[A-Za-z][A-Za-z0-9_ ]{0,62}):\s*(?P<value>.*)", re.DOTALL)


def term_of(raw: str) -> Term:
    """A term as the address writes it: "label:value", "label:" for any value, with "-" (or "not ") before it for
    "not"."""
    negated = raw.startswith("-") or (raw[:4].lower() == "not " and ":" in raw)
    bare = raw.removeprefix("-") if raw.startswith("-") else raw[4:].lstrip() if negated else raw
    label, colon, value = bare.partition(":")
    if not colon:
        return Term(None, normal.value(bare, "t"), negated)
    return Term(normal.label(label, "t"), normal.value(value, "t") if value.strip() else None, negated)


def raw_of(term: Term) -> str:
    sign = "-" if term.negated else ""
    return f"{sign}{term.value}" if term.label is None else f"{sign}{term.label}:{term.value or ''}"


def typed(text: str) -> Term | None:
    """What a person typed as one term, "client: Acme" or "not person:Bob"; None when it is words."""
    match = _TYPED.fullmatch(text.strip())
    if not match:
        return None
    label = match["label"].strip().lower().replace(" ", "_")
    if not normal.is_label(label) or label.startswith(normal.RESERVED_PREFIX):
        return None
    value = match["value"].strip()
    # a docket number ("1:08-cv") is words, and so is a sentence with a colon in it
    if len(label) > 40 or "  " in match["label"]:
        return None
    return Term(label, normal.value(value, "q") if value else None, bool(match["no"]))


# What a record has that has any value of a reserved label.
ANY = {"e_connect": "connection", "e_adjust": "adjustment"}


def said(term: Term) -> str:
    """A term in words: "client: Acme", "not person: Bob", "any batch"."""
    if term.label is None:
        text = f"“{term.value}”"
    elif term.value is None:
        text = f"any {ANY.get(term.label) or words.label_words(term.label)}"
    else:
        text = ": ".join(words.property_words(term.label, term.value))
    return f"not {text}" if term.negated else text


def shown(term: Term, *, dropped: bool = False) -> dict[str, Any]:
    value = words.property_words(term.label, term.value)[1] if term.label and term.value else term.value
    return {
        "label": term.label, "value": value, "not": term.negated, "raw": raw_of(term), "said": said(term),
        "dropped": dropped,
    }  # fmt: skip


KNOWN = {
    "t",
    "q",
    "lane",
    "kind",
    "from",
    "to",
    "by",
    "order",
    "graph",
    "ended",
    "require",
    "part",
    "cursor",
    "shown",
    "around",
}
SHOWN_MAX = 500  # of a list that was opened page by page, as many come back at once


def shown_of(request: HttpRequest, page: int) -> int:
    """How many rows of a list its address asks for: whole pages, one at least."""
    raw = request.GET.get("shown", "")
    if not raw:
        return page
    if not raw.isascii() or not raw.isdigit() or not 1 <= int(raw[:9]) <= SHOWN_MAX:
        raise Invalid.field("shown", f"A whole number from 1 to {SHOWN_MAX}.")
    return min(SHOWN_MAX, -(-int(raw) // page) * page)


def more_of(shown: int, page: int) -> str:
    """What `shown` says once another page is shown; empty past the end of what an address may ask for."""
    return str(shown + page) if shown + page <= SHOWN_MAX else ""


@dataclass(frozen=True)
class Query:
    """What is asked of the search page."""

    terms: tuple[Term, ...] = ()
    words: str = ""
    lanes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    start: str = ""
    end: str = ""
    by: str = ""
    order: str = ""
    graph: bool = False
    ended: bool = False  # what was superseded or has ended counts too

    @classmethod
    def of(cls, request: HttpRequest, *, dates_may_be_wrong: bool = False) -> Query:
        """The query of a page's address; a name that no page knows is refused, as it may be a filter misspelt.

        A page that has fields for the dates takes those that cannot be read too, or that end before they begin, and
        says so beside the field (`wrong_dates`); it must list nothing then.
        """
        for name in request.GET:
            if name not in KNOWN:
                name = normal.check_text(name, "address")[:40]
                raise Invalid.field(name, f"This page cannot be asked for “{name}”.")
        made = cls.read(request.GET)
        if not dates_may_be_wrong:
            made.filters()
        return made

    @classmethod
    def from_string(cls, text: str) -> Query:
        made = cls.read(QueryDict(text))
        made.filters()
        return made

    @classmethod
    def read(cls, given: QueryDict) -> Query:
        """The query of an address. What cannot be read is refused, naming the field: a typo must never widen it. The
        dates are looked at in `filters`."""
        terms = list(dict.fromkeys(term_of(raw) for raw in given.getlist("t") if raw.strip()))
        if len(terms) > TERMS_MAX:
            raise Invalid.field("t", f"At most {TERMS_MAX} terms.")
        q = normal.check_text(given.get("q", ""), "q").strip()
        if len(q) > 2_000:
            raise Invalid.field("q", "At most 2,000 characters.")
        order = given.get("order", "")
        if order and order not in dict(ORDERS):
            raise Invalid.field("order", "Best, newest or oldest.")
        writers = set(filter(None, given.getlist("by")))
        by = "" if writers == {"people", "agents"} else given.get("by", "")
        if by not in ("", "people", "agents"):
            raise Invalid.field("by", "People or agents.")
        return cls(
            terms=tuple(terms),
            words=q,
            lanes=tuple(dict.fromkeys(filter(None, given.getlist("lane")))),
            kinds=tuple(dict.fromkeys(normal.check_text(k, "kind") for k in given.getlist("kind") if k)),
            start=normal.check_text(given.get("from", ""), "from").strip(),
            end=normal.check_text(given.get("to", ""), "to").strip(),
            by=by,
            order=order,
            graph=given.get("graph") == "1",
            ended=given.get("ended") == "1",
        )

    def filters(self) -> Filters:
        """The filters besides terms and matters; Invalid for a date that cannot be read."""
        start, end = dates.iso(self.start, "from"), dates.iso(self.end, "to")
        return Filters(
            start=times.start_of(start, "from") if start else None,
            end=times.end_of(end, "to") if end else None,
            kinds=self.kinds,
            by=self.by,
        )

    def wrong_dates(self) -> dict[str, str]:
        """What is wrong with the dates, by the name of the field."""
        wrong = {}
        bounds = []
        for field, text, bound in (("from", self.start, times.start_of), ("to", self.end, times.end_of)):
            try:
                bounds.append(bound(dates.iso(text, field), field) if text else None)
            except Invalid as error:
                wrong[field] = " ".join(error.errors[field])
        if not wrong:
            start, end = bounds
            if start and end and end <= start:
                wrong["to"] = "The end is before the beginning."
        return wrong

    @property
    def phrases(self) -> tuple[str, ...]:
        """What of the words stands in double quotes."""
        return tuple(dict.fromkeys(found.strip() for found in _QUOTED.findall(self.words) if found.strip()))

    @property
    def filter_count(self) -> int:
        return len(self.lanes) + len(self.kinds) + bool(self.start or self.end) + bool(self.by) + self.ended

    def pairs(self) -> list[tuple[str, str]]:
        made = [("t", raw_of(term)) for term in self.terms]
        made += [("q", self.words)] if self.words else []
        made += [("lane", slug) for slug in self.lanes] + [("kind", kind) for kind in self.kinds]
        made += [(n, v) for n, v in (("from", self.start), ("to", self.end), ("by", self.by)) if v]
        if self.order and self.order != self.default_order:
            made.append(("order", self.order))
        made += [("graph", "1")] if self.graph else []
        return made + ([("ended", "1")] if self.ended else [])

    def encoded(self) -> str:
        return urlencode(self.pairs())

    def url(self, view: str = "web:search", **more: str) -> str:
        query = urlencode([*self.pairs(), *more.items()])
        return reverse(view) + (f"?{query}" if query else "")

    @property
    def default_order(self) -> str:
        return "best" if self.words else "newest"

    @property
    def sort(self) -> str:
        """How hits are put in order: "best", "newest" or "oldest". There is no best without words to match."""
        order = self.order or self.default_order
        return "newest" if order == "best" and not self.words else order

    def orders(self) -> list[tuple[str, str, bool]]:
        """(value, name, whether chosen) of the orders one can choose. The usual one has no value: it does not stand in
        the address, so that words added later come best first."""
        offered = ORDERS if self.words else ORDERS[1:]
        return [("" if o == self.default_order else o, name, o == self.sort) for o, name in offered]

    def with_term(self, term: Term) -> Query:
        return replace(self, terms=tuple(dict.fromkeys([*self.terms, term])))

    def without_term(self, term: Term) -> Query:
        return replace(self, terms=tuple(t for t in self.terms if t != term))

    def described(self) -> str:
        """The search in a few words, for a title or the name of a saved search."""
        parts = [said(term) for term in self.terms] + ([self.words] if self.words else [])
        return ", ".join(parts)[:120]
