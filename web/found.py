"""The search page's best-first list: find's ranking, said in words."""

from __future__ import annotations

from typing import Any

from lanes.errors import Invalid
from memory.find import engine
from memory.gather import cursor as cursors
from memory.gather import paging
from memory.gather.scope import Scope
from memory.selectors.rows import signed
from web import present, terms, words
from web.terms import Query

FACETS_OF = 200
LEG_WORDS = {
    "structure": "Search by properties and names",
    "words": "Search by words",
    "record_vector": "Search by meaning",
    "window_vector": "Search by meaning of passages",
    "walk": "Following links",
}


def page(scope: Scope, query: Query, *, limit: int, cursor: str | None) -> dict[str, Any]:
    """{hits, looked_at, next_url, result, notices}: a page of find, each hit with why it was found."""
    filters = query.filters()
    key = paging.query_of(scope, "page of find", query.encoded(), scope.lanes)
    after = cursors.unseal(key, cursor)
    skipped = int(after[0]) if after else 0
    ranking = engine.rank(
        scope,
        engine.check(query.words),
        terms=query.terms,
        kinds=list(query.kinds) or None,
        start=filters.start,
        end=filters.end,
        graph=query.graph,
    )
    engine.lengthen(ranking, skipped + limit + 1)
    begin = _begin(ranking.order, after)
    ids = ranking.order[begin : begin + limit]
    more = len(ranking.order) > begin + limit
    shapes = signed(scope.reader, engine.shapes(ranking, ids))
    lexemes = set(ranking.ask.lexemes)
    totals = {name: len(leg.hits) for name, leg in ranking.legs.items()}
    hits = [_hit(scope, shape, lexemes, totals, query) for shape in shapes]
    next_cursor = cursors.seal(key, [begin + len(ids), ids[-1]]) if more and ids else None
    found = len(ranking.order)
    return {
        "hits": hits,
        "looked_at": [] if after else ranking.order[:FACETS_OF],
        "next_url": query.url(cursor=next_cursor) if next_cursor else "",
        "result": {
            "count_line": f"{words.plural(found, 'record')} found",
            "count_note": "by wording, properties and meaning, best first",
            "shown_line": f"Showing {begin + len(ids):,} of {found:,}",
        },
        "notices": _notices(ranking),
    }


def _begin(order: list[int], after: list | None) -> int:
    """Where a page begins: after the record the last one ended with, wherever it stands by now."""
    if after is None:
        return 0
    place, record = after
    if not isinstance(place, int):
        raise Invalid.field("cursor", "Not a cursor of this search.")
    return order.index(record) + 1 if record in order else min(place, len(order))


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
                "text": f"The newest {engine.ALLOWED_CAP:,} were searched.",
            }
        )
    if ranking.newest:
        notices.append(
            {"level": "", "bold": "These words are very common.",
             "text": "Only the newest records with them were compared word by word."}
        )  # fmt: skip
    return notices


def _hit(
    scope: Scope, shape: dict[str, Any], lexemes: set[str], totals: dict[str, int], query: Query
) -> dict[str, Any]:
    row = present.row(scope.reader, shape)
    row["title_marked"] = present.highlighted(row["title"], lexemes)
    row["snippet_marked"] = present.highlighted(shape["snippet"], lexemes)
    row["whys"] = _whys(shape, lexemes, totals, query)
    return row


def _whys(shape: dict[str, Any], lexemes: set[str], totals: dict[str, int], query: Query) -> list[dict[str, str]]:
    """Which property, words or meaning brought a hit here."""
    legs = shape["legs"]
    carried = [terms.said(t) for t in query.terms if t.label and not t.negated]
    if "structure" in legs:
        carried += [w for w in legs["structure"]["why"] if w not in carried]
    whys = []
    if carried:
        whys.append({"icon": "prop", "lead": "Carries", "text": ", ".join(carried[:3])})
    if "words" in legs:
        said = present.found_words(f"{shape['title']} {shape['snippet']}", lexemes)
        rank = words.ordinal(legs["words"]["rank"])
        whys.append(
            {"icon": "words", "lead": "Words", "text": ", ".join(said[:5]) or f"{rank} of {totals['words']:,}"}
        )
    nearest = min(
        ((legs[name]["rank"], name) for name in ("window_vector", "record_vector") if name in legs), default=None
    )
    if nearest:
        rank, name = nearest
        what = "passage" if name == "window_vector" else "record"
        meaning = f"closest {what}" if rank == 1 else f"{words.ordinal(rank)} of {totals[name]:,}"
        whys.append({"icon": "sense", "lead": "Meaning", "text": meaning})
    if "walk" in legs and "shared" in legs["walk"]:
        shared = legs["walk"]["shared"]
        via = f"{words.label_words(shared['label'])}: {shared['value']}"
        whys.append({"icon": "walk", "lead": "Linked by", "text": via})
    return whys
