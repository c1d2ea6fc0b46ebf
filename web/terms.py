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
from web import words

ORDERS = (("best", "Best match"), ("newest", "Newest event"), ("oldest", "Oldest event"))
_TYPED = re.compile(r"(?P<no>not\s+|-)?(?P<label>[A-Za-z][A-Za-z0-9_ ]{0,62}):\s*(?P<value>.*)", re.DOTALL)


def term_of(raw: str) -> Term:
    """A term as the address writes it: "label:value", "label:" for any value, with "-" before it for "not"."""
    negated = raw.startswith("-")
    label, colon, value = raw.removeprefix("-").partition(":")
    if not colon:
        return Term(None, normal.value(raw.removeprefix("-"), "t"), negated)
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


def said(term: Term) -> str:
    """A term in words: "client: Acme", "not person: Bob", "any batch"."""
    if term.label is None:
        text = f"“{term.value}”"
    elif term.value is None:
        text = f"any {words.label_words(term.label)}"
    else:
        text = f"{words.label_words(term.label)}: {term.value}"
    return f"not {text}" if term.negated else text


def shown(term: Term, *, dropped: bool = False) -> dict[str, Any]:
    return {
        "label": term.label, "value": term.value, "not": term.negated, "raw": raw_of(term), "said": said(term),
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

    @classmethod
    def of(cls, request: HttpRequest) -> Query:
        """The query of a page's address; a name that no page knows is refused, as it may be a filter misspelt."""
        for name in request.GET:
            if name not in KNOWN:
                name = normal.check_text(name, "address")[:40]
                raise Invalid.field(name, f"This page cannot be asked for “{name}”.")
        return cls.read(request.GET)

    @classmethod
    def from_string(cls, text: str) -> Query:
        return cls.read(QueryDict(text))

    @classmethod
    def read(cls, given: QueryDict) -> Query:
        """The query of an address. What cannot be read is refused, naming the field: a typo must never widen it."""
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
        made = cls(
            terms=tuple(terms),
            words=q,
            lanes=tuple(dict.fromkeys(filter(None, given.getlist("lane")))),
            kinds=tuple(dict.fromkeys(normal.check_text(k, "kind") for k in given.getlist("kind") if k)),
            start=given.get("from", "").strip(),
            end=given.get("to", "").strip(),
            by=by,
            order=order,
            graph=given.get("graph") == "1",
        )
        made.filters()  # dates are checked here
        return made

    def filters(self) -> Filters:
        return Filters(
            start=times.start_of(self.start, "from") if self.start else None,
            end=times.end_of(self.end, "to") if self.end else None,
            kinds=self.kinds,
            by=self.by,
        )

    @property
    def filter_count(self) -> int:
        return len(self.lanes) + len(self.kinds) + bool(self.start or self.end) + bool(self.by)

    def pairs(self) -> list[tuple[str, str]]:
        made = [("t", raw_of(term)) for term in self.terms]
        made += [("q", self.words)] if self.words else []
        made += [("lane", slug) for slug in self.lanes] + [("kind", kind) for kind in self.kinds]
        made += [(n, v) for n, v in (("from", self.start), ("to", self.end), ("by", self.by)) if v]
        if self.order and self.order != self.default_order:
            made.append(("order", self.order))
        return made + ([("graph", "1")] if self.graph else [])

    def encoded(self) -> str:
        return urlencode(self.pairs())

    def url(self, view: str = "web:search", **more: str) -> str:
        query = urlencode([*self.pairs(), *more.items()])
        return reverse(view) + (f"?{query}" if query else "")

    @property
    def default_order(self) -> str:
        return "best" if self.words else "newest"

    def with_term(self, term: Term) -> Query:
        return replace(self, terms=tuple(dict.fromkeys([*self.terms, term])))

    def without_term(self, term: Term) -> Query:
        return replace(self, terms=tuple(t for t in self.terms if t != term))

    def described(self) -> str:
        """The search in a few words, for a title or the name of a saved search."""
        parts = [said(term) for term in self.terms] + ([self.words] if self.words else [])
        return ", ".join(parts)[:120]
