"""Search by words: what has the words first, then what is close in meaning, each hit with why it is there.

The set of hits does not depend on their order: best first is find's ranking, the other orders put the same hits by
date, in the same two groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from lanes.errors import Invalid
from memory import words as lexical
from memory.find import engine
from memory.gather import cursor as cursors
from memory.gather import paging
from memory.gather.scope import Scope
from memory.gather.terms import Term
from memory.selectors.rows import ids_of, signed
from memory.selectors.search import LOOKED_AT, Filters, hits, passing
from web import present, terms, words
from web.terms import Query

# Something is always nearest. What is less than half as near as the nearest, has none of the words, no name and no
# link, and is not among the best few either, is not said to be close.
NEAR = 0.5
BEST = 10
# With nothing that has the words, facets are counted over so many of the best: what is close in meaning thins out.
FACETS_OF_CLOSE = 50
LEG_WORDS = {
    "structure": "Search by properties and names",
    "words": "Search by words",
    "record_vector": "Search by meaning",
    "window_vector": "Search by meaning of passages",
    "walk": "Following links",
}


@dataclass
class Found:
    """The hits of a question: `having` are those with all the words (or so named), `close` the others."""

    ranking: engine.Ranking
    having: list[int]
    close: list[int]
    lexemes: list[str]
    named: set[int]  # those of `having` whose name the question is, whether or not they have the words
    many: bool  # more have the words than LOOKED_AT: the newest are listed

    @property
    def order(self) -> list[int]:
        return self.having + self.close


def find(scope: Scope, query: Query) -> Found:
    """Every hit, in the order that is asked for."""
    filters = query.filters()
    ranking = engine.rank(
        scope,
        engine.check(query.words),
        terms=query.terms,
        kinds=list(query.kinds) or None,
        start=filters.start,
        end=filters.end,
        graph=query.graph,
    )
    lexemes = lexical.lexemes(query.words)
    exact = _exact(scope, query, filters)
    times = passing(scope, list({*ranking.order, *exact}), filters)
    have = {record for record in exact if record in times}
    named = {record for record in ranking.first if record in times} - have
    ranked = [record for record in ranking.order if record in times]
    at = set(ranked)
    # The legs stop at their depth; the others with the words follow, newest first.
    having = [r for r in ranked if r in have or r in named] + [r for r in exact if r in have and r not in at]
    told = _told(ranking)
    close = [r for r in ranked if r not in have and r not in named and r in told]
    for record in having:
        ranking.scores.setdefault(record, 0.0)
    if query.sort != "best":
        having, close = (_by_event(group, times, query.sort == "oldest") for group in (having, close))
    return Found(ranking, having, close, lexemes, named, len(exact) >= LOOKED_AT)


def _exact(scope: Scope, query: Query, filters: Filters) -> list[int]:
    """The records that have all the words and carry every term, newest first; LOOKED_AT at most."""
    wanted = [*query.terms, Term(None, query.words)]
    return hits(scope, wanted, replace(filters, phrases=query.phrases), sized=False, limit=1).looked_at


def _told(ranking: engine.Ranking) -> set[int]:
    """The records of a ranking that something says for: some of the words, a name, a link, nearness in meaning."""
    told = set(ranking.order[:BEST])
    for name, leg in ranking.legs.items():
        least = NEAR * max((score for _, score in leg.hits), default=0.0) if name.endswith("_vector") else 0.0
        told.update(record for record, score in leg.hits if score >= least)
    return told


def _by_event(group: list[int], times: dict[int, tuple[datetime | None, datetime]], oldest: bool) -> list[int]:
    """Records by date of event; those without one last, by when they were recorded."""
    dated = [record for record in group if times[record][0] is not None]
    undated = [record for record in group if times[record][0] is None]
    place = lambda record: (times[record][1], record)  # noqa: E731
    return [record for part in (dated, undated) for record in sorted(part, key=place, reverse=not oldest)]


def page(scope: Scope, query: Query, *, limit: int, cursor: str | None) -> dict[str, Any]:
    """{hits, looked_at, facet_note, next_url, result, notices}: a page of hits, each with why it was found."""
    key = paging.query_of(scope, "page of find", query.encoded(), scope.lanes)
    after = cursors.unseal(key, cursor)
    found = find(scope, query)
    order = found.order
    begin = _begin(order, after)
    ids = order[begin : begin + limit]
    more = len(order) > begin + limit
    shapes = signed(scope.reader, engine.shapes(found.ranking, ids))
    shown = _hits(scope, query, found, shapes)
    first_close = len(found.having) - begin
    if found.having and found.close and 0 <= first_close < len(shown):
        shown[first_close]["divider"] = _divider(found, query)
    next_cursor = cursors.seal(key, [begin + len(ids), ids[-1]]) if more and ids else None
    looked_at = found.having[:LOOKED_AT] or found.close[:FACETS_OF_CLOSE]
    return {
        "hits": shown,
        "looked_at": [] if after else looked_at,
        "facet_note": _facet_note(found, len(looked_at)),
        "next_url": query.url(cursor=next_cursor) if next_cursor else "",
        "result": {**_counted(found, query), "shown_line": f"Showing {begin + len(ids):,} of {len(order):,}"},
        "notices": _notices(found.ranking),
    }


def _begin(order: list[int], after: list | None) -> int:
    """Where a page begins: after the record the last one ended with, wherever it stands by now."""
    if after is None:
        return 0
    place, record = after
    if not isinstance(place, int):
        raise Invalid.field("cursor", "Not a cursor of this search.")
    return order.index(record) + 1 if record in order else min(place, len(order))


# ---- what is said about all of it
def _these(found: Found, query: Query) -> str:
    """What the question asks for, of a record that has it."""
    asked = query.words.strip()
    if len(query.phrases) == 1 and len(asked) == len(query.phrases[0]) + 2:
        return "this phrase"
    return "this word" if len(found.lexemes) == 1 else "all of these words"


def _some(found: Found, query: Query, verbs: tuple[str, str] = ("", "")) -> str:
    """What the hits that do not have all the words are, as the end of a sentence."""
    have, are = (f"{verb} " if verb else "" for verb in verbs)
    linked = " or linked" if query.graph else ""
    if len(found.lexemes) > 1 and found.ranking.legs["words"].hits:
        return f"{have}some of the words or {are}close in meaning{linked}"
    return f"{are}close in meaning{linked}"


def _counted(found: Found, query: Query) -> dict[str, str]:
    """The line over the hits: how many have the words, and how many are only near."""
    have, close = len(found.having), len(found.close)
    some = _some(found, query, verbs=("has", "is") if close == 1 else ("have", "are"))
    if not found.lexemes:
        line = f"{words.plural(close, 'record')} close in meaning"
        return {"count_line": line, "count_note": "these words are too common to be looked for one by one"}
    if not have:
        none = "Nothing has these words." if not found.ranking.legs["words"].hits else ""
        none = none or f"No record has {_these(found, query)}."
        if len(found.lexemes) == 1:
            none = f"Nothing has {_these(found, query)}."
        if not close:
            return {"count_line": "No records", "count_note": ""}
        if not some.startswith(("has", "have")):
            some = some.replace("close in", "the closest in")
        best = ", best first" if query.sort == "best" else ""
        return {"count_line": none, "count_note": f"{words.plural(close, 'record')} {some}{best}"}
    noun = "record has" if have == 1 else "records have"
    line = f"{words.count_words(have, found.many)} {noun} {_these(found, query)}"
    line += " or that name" if found.named else ""
    if not close:
        return {"count_line": line, "count_note": ""}
    return {"count_line": line, "count_note": f"and {close:,} more {some}"}


def _divider(found: Found, query: Query) -> str:
    without = "Without the phrase" if _these(found, query) == "this phrase" else "Without the word"
    without = "Not all of the words" if len(found.lexemes) > 1 and not query.phrases else without
    some = _some(found, query)
    return f"{without}: {some}"


def _facet_note(found: Found, counted: int) -> str:
    if not counted:
        return ""
    if found.having:
        most = f"the newest {counted:,}" if found.many else f"the {counted:,}"
        one = "the one record that has the words"
        return f"Counted over {one if counted == 1 else f'{most} records that have the words'}."
    return f"Counted over the best {counted:,} of these."


def _notices(ranking: engine.Ranking) -> list[dict[str, str]]:
    """Legs that did not answer, and other limits the person should know of."""
    failed = [name for name, leg in ranking.legs.items() if leg.status == "failed"]
    notices = []
    if failed:
        said = words.listing(list(dict.fromkeys(LEG_WORDS[name] for name in failed)))
        answers = "is" if len(failed) == 1 else "are"
        notices.append(
            {"level": "warn", "bold": f"{said} {answers} not answering.",
             "text": "The rest still does; some hits may be missing."}
        )  # fmt: skip
    if ranking.ask.narrowed:
        notices.append(
            {
                "level": "",
                "bold": "The filter holds very many records.",
                "text": f"The newest {engine.ALLOWED_CAP:,} were searched by meaning.",
            }
        )
    if ranking.newest:
        notices.append(
            {"level": "", "bold": "These words are very common.",
             "text": "Only the newest records with them were compared word by word."}
        )  # fmt: skip
    return notices


# ---- one hit
def _hits(scope: Scope, query: Query, found: Found, shapes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    lexemes = set(found.lexemes)
    ids = ids_of(scope.reader, [shape["sr_id"] for shape in shapes])
    having = set(found.having)
    made = []
    for shape in shapes:
        row = present.row(scope.reader, shape)
        row["title_marked"] = present.highlighted(row["title"], lexemes)
        row["snippet_marked"] = present.highlighted(shape["snippet"], lexemes)
        row["whys"] = _whys(shape, query, lexemes, has_all=ids.get(shape["sr_id"]) in having - found.named)
        made.append(row)
    return made


def _whys(shape: dict[str, Any], query: Query, lexemes: set[str], *, has_all: bool) -> list[dict[str, str]]:
    """Which property, words or meaning brought a hit here: never nothing."""
    legs = shape["legs"]
    carried = [terms.said(t) for t in query.terms if t.label and not t.negated]
    whys = []
    for why in legs.get("structure", {}).get("why", ()):
        lead, text = _named(why)
        if lead == "Carries":
            carried += [text] if text not in carried else []
        else:
            whys.append({"icon": "prop", "lead": lead, "text": text})
    if carried:
        whys.insert(0, {"icon": "prop", "lead": "Carries", "text": ", ".join(carried[:3])})
    said = present.found_words(f"{present.title_of(shape)} {shape['snippet']}", lexemes)
    if said:
        whys.append({"icon": "words", "lead": "Words", "text": ", ".join(said[:5])})
    elif has_all or "words" in legs:
        whys.append({"icon": "words", "lead": "Words", "text": "further on in its text"})
    ranks = [(legs[name]["rank"], name) for name in ("window_vector", "record_vector") if name in legs]
    if ranks:
        rank, name = min(ranks)
        what = "passage" if name == "window_vector" else "record"
        if rank == 1:
            whys.append({"icon": "sense", "lead": "Meaning", "text": f"the closest {what}"})
        elif rank <= 10:
            whys.append({"icon": "sense", "lead": "Meaning", "text": f"one of the ten closest {what}s"})
        elif not whys:
            whys.append({"icon": "sense", "lead": "", "text": "Close in meaning"})
    if "walk" in legs and "shared" in legs["walk"]:
        shared = legs["walk"]["shared"]
        via = ": ".join(words.property_words(shared["label"], shared["value"]))
        whys.append({"icon": "walk", "lead": "Linked by", "text": via})
    if not whys:
        whys.append({"icon": "cal", "lead": "", "text": "Next to a hit in time, and shares a property with it"})
    return whys


def _named(why: str) -> tuple[str, str]:
    """What find says a question names ("client: Acme", "mentions person: Bo", "title", "contains 2024-017"), as a hit
    says it."""
    plain = {"title": ("Title", "as you wrote it"), "identifier": ("Id", "as you wrote it"),
             "its time": ("Date", "of the time you named")}  # fmt: skip
    if why in plain:
        return plain[why]
    if why.startswith("contains "):
        return "Contains", why.removeprefix("contains ")
    lead = "Mentions" if why.startswith("mentions ") else "Carries"
    label, _, value = why.removeprefix("mentions ").partition(": ")
    return lead, ": ".join(words.property_words(label, value))
