"""find: one ranked page from structure, words and meaning."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.db import DatabaseError

from lanes.errors import Invalid
from memory import normal, words
from memory.find import context, fusion, snippets
from memory.find.ask import ALLOWED_CAP, Ask, allow, bounded, superseded, tests
from memory.find.legs import structure, vectors, walk
from memory.find.legs import words as word_leg
from memory.gather import cursor as cursors
from memory.gather import left_out, paging
from memory.gather.scope import Scope
from memory.gather.terms import Term
from memory.ingest.embedders import configured
from memory.selectors.records import by_id

log = logging.getLogger(__name__)

QUESTION_MAX = 4_000
LEGS = ("structure", "words", "record_vector", "window_vector")
TAIL_MAX = 10_000  # records that the pages of one question can reach
LEG_MS = 1_500  # a leg that takes longer is given up, and said so


@dataclass
class Leg:
    """What became of one leg: its hits, best first, and how it went."""

    name: str
    hits: list[tuple[int, float]] = field(default_factory=list)
    status: str = "ok"
    ms: float = 0.0
    note: str = ""

    def shown(self) -> dict[str, Any]:
        told = {"leg": self.name, "status": self.status, "found": len(self.hits), "ms": round(self.ms, 1)}
        return {**told, "note": self.note} if self.note else told


@dataclass
class Ranking:
    """Every record that any leg returned, best first, and why."""

    order: list[int]
    scores: dict[int, float]
    first: dict[int, int]
    legs: dict[str, Leg]
    ask: Ask
    named: structure.Found
    steps: dict[int, walk.Step]
    windows: dict[int, tuple[int, int]]
    weights: dict[str, float]
    newest: bool = False


def find(
    scope: Scope,
    question: str,
    *,
    terms: Sequence[Term] = (),
    kinds: Sequence[str] | None = None,
    tags: Sequence[Term] | None = None,
    start: datetime | None = None,
    end: datetime | None = None,
    graph: bool = False,
    limit: int = 50,
    cursor: str | None = None,
) -> dict[str, Any]:
    """{srs, legs, next_cursor, left_out_invalid, hint}: the records that answer best, each with its score, snippet and
    legs.

    `terms` (all of them), `kinds` (any) and `tags` (all) filter; `start` and `end` bound the records' time,
    half-open. `graph` adds the walk. A leg that fails is reported in `legs` and the others answer.
    """
    question = check(question)
    query = paging.query_of(
        scope, "find", question, [str(t) for t in terms], list(kinds or ()), [str(t) for t in tags or ()],
        str(start), str(end), graph, scope.lanes,
    )  # fmt: skip
    after = cursors.unseal(query, cursor)
    skipped = int(after[0]) if after else 0
    ranking = rank(
        scope, question, terms=terms, kinds=kinds, tags=tags, start=start, end=end, graph=graph,
    )  # fmt: skip
    lengthen(ranking, skipped + limit + 1)
    place = _place(ranking, after)
    page = ranking.order[place : place + limit]
    filtered = tests(kinds, tags, start, end)
    left = _run(Leg("left_out"), lambda: _left_out(ranking, terms, *filtered))
    more = len(ranking.order) > place + limit
    return {
        "srs": shapes(ranking, page),
        "legs": [leg.shown() for leg in ranking.legs.values()],
        "next_cursor": cursors.seal(query, [place + limit, *_mark(ranking, page[-1])]) if more and page else None,
        "left_out_invalid": left,
        "hint": _hint(ranking, bool(page) or bool(after)),
    }


def _left_out(ranking: Ranking, terms: Sequence[Term], filters: list[str], params: dict[str, Any]) -> int:
    ask = ranking.ask
    saying = words.tsquery_all(ask.question)
    return left_out.of_find(
        ask.scope, terms, named=ranking.named.keys, superseded=ask.excluded, saying=saying, tests=filters,
        params=params,
    )  # fmt: skip


def check(question: str) -> str:
    """The question, or Invalid."""
    question = normal.check_text(question, "question").strip()
    if not question:
        raise Invalid.field("question", "Ask something.")
    if len(question) > QUESTION_MAX:
        raise Invalid.field("question", f"At most {QUESTION_MAX} characters; this one has {len(question)}.")
    return question


def rank(
    scope: Scope,
    question: str,
    *,
    terms: Sequence[Term] = (),
    kinds: Sequence[str] | None = None,
    tags: Sequence[Term] | None = None,
    start: datetime | None = None,
    end: datetime | None = None,
    graph: bool = False,
    without: Collection[str] = (),
) -> Ranking:
    """The whole ranking. `without` leaves parts out, to measure what they are worth: any of LEGS, "context"."""
    allowed, narrowed = allow(scope, terms, kinds, tags, start, end)
    ask = Ask(scope, question, start, end, allowed, narrowed, superseded(scope), fusion.DEPTH)
    legs = {name: Leg(name, status="off" if name in without else "ok") for name in LEGS}
    found: dict[str, Any] = {}

    def run(name: str, work: Callable[[], Any]) -> Any:
        if name in without:
            return None
        found[name] = _run(legs[name], work)
        return found[name]

    if not scope.lanes or allowed == []:
        return Ranking([], {}, {}, legs, ask, structure.Found(), {}, {}, {})
    by_words: word_leg.Found = run("words", lambda: word_leg.search(ask)) or word_leg.Found([])
    legs["words"].hits = by_words.hits
    if not {"record_vector", "window_vector"} <= set(without):
        failed = _embed(ask)
        for name in ("record_vector", "window_vector"):
            nearest = vectors.records if name == "record_vector" else vectors.windows
            if failed:
                legs[name].status, legs[name].note = "failed", failed
            else:
                hits = run(name, partial(nearest, ask)) or []
                legs[name].hits = [(hit.record_id, hit.similarity) for hit in hits]
    windows = {hit.record_id: (hit.start, hit.end) for hit in found.get("window_vector") or []}
    _fill_windows(ask, legs, without)
    named = run("structure", lambda: structure.search(ask, by_words.records)) or structure.Found()

    ranked = {name: leg.hits for name, leg in legs.items() if name in fusion.WEIGHTS}
    scores = fusion.fuse(ranked, by_words.records)
    for record in (*named.lifts, *named.dated):
        scores.setdefault(record, 0.0)
    if "context" not in without:
        lent = _run(Leg("context"), lambda: context.lend(ask, scores)) or {}
        for record, gain in lent.items():
            scores[record] = scores.get(record, 0.0) + gain
    times = _times(named, scores)
    lifts = {r: fusion.LIFT * named.lifts.get(r, 0.0) + fusion.DATED * times.get(r, 0.0) for r in scores}
    scores = {record: score + lifts[record] for record, score in scores.items()}
    fusion.floor(scores, named.carried, named.meant)
    legs["structure"].hits = sorted(
        ((record, lift) for record, lift in lifts.items() if lift > 0), key=lambda hit: (-hit[1], hit[0])
    )
    steps: dict[int, walk.Step] = {}
    if graph and "walk" not in without:
        legs["walk"] = Leg("walk")
        reached = _run(legs["walk"], lambda: walk.search(ask, scores)) or {}
        legs["walk"].hits = sorted(
            ((record, step.gain) for record, (_, step) in reached.items()), key=lambda hit: (-hit[1], hit[0])
        )
        for record, (score, step) in reached.items():
            scores[record] = max(score, scores.get(record, score))
            steps[record] = step
    order = sorted(scores, key=lambda r: (-named.first.get(r, 0), -scores[r], -r))
    return Ranking(order, scores, named.first, legs, ask, named, steps, windows, by_words.weights, by_words.newest)


def lengthen(ranking: Ranking, wanted: int) -> None:
    """For pages beyond what the legs returned: further records by meaning, then by words, at the end.

    What is already ranked keeps its place, so the pages of a question hold each record once.
    """
    wanted = min(wanted, TAIL_MAX)
    if len(ranking.order) >= wanted or not ranking.order:
        return
    ask = replace(ranking.ask, depth=wanted + len(ranking.order))
    ask.vector = ranking.ask.vector
    for name in ("record_vector", "words"):
        leg = ranking.legs[name]
        if leg.status != "ok" or len(leg.hits) < fusion.DEPTH:
            continue
        if name == "words":
            hits = (_run(leg, partial(word_leg.search, ask)) or word_leg.Found([])).hits
        else:
            hits = [(hit.record_id, hit.similarity) for hit in _run(leg, partial(vectors.records, ask)) or []]
        have = {record for record, _ in leg.hits}
        leg.hits += [hit for hit in hits if hit[0] not in have]
        for record, _ in leg.hits:
            if record not in ranking.scores:
                ranking.scores[record] = 0.0
                ranking.order.append(record)


def _run(leg: Leg, work: Callable[[], Any]) -> Any:
    """Run one leg within its time, in a savepoint; a failure is its status, never the request's."""
    began = time.perf_counter()
    try:
        with bounded(LEG_MS):
            return work()
    except Exception as error:  # noqa: BLE001 - whatever a leg dies of, the others answer
        leg.status = "failed"
        late = isinstance(error, DatabaseError) and "timeout" in str(error)
        leg.note = "It took too long." if late else "It did not answer."
        log.warning("find: leg %s failed", leg.name, exc_info=error)
        return None
    finally:
        leg.ms = (time.perf_counter() - began) * 1000


def _embed(ask: Ask) -> str:
    """Make the question's vector; '' or the sentence that says why there is none."""
    from memory.ingest.space import WrongEmbedder

    try:
        vectors.embed(ask, configured())
    except WrongEmbedder as error:
        log.warning("find: %s", error)
        return "The stored vectors belong to another embedder than this server's."
    except Exception as error:  # noqa: BLE001 - an endpoint can fail in any way
        log.warning("find: the question could not be embedded", exc_info=error)
        return "The question could not be embedded."
    return ""


def _fill_windows(ask: Ask, legs: dict[str, Leg], without: Collection[str]) -> None:
    """A text of one window is its own best window: its record's similarity goes among the windows'."""
    if "window_vector" in without or "record_vector" in without or legs["window_vector"].status != "ok":
        return
    have = {record for record, _ in legs["window_vector"].hits}
    rest = [(record, score) for record, score in legs["record_vector"].hits if record not in have]
    if not rest:
        return
    single = _run(Leg("window_vector"), lambda: vectors.whole(ask, [record for record, _ in rest])) or set()
    merged = legs["window_vector"].hits + [hit for hit in rest if hit[0] in single]
    legs["window_vector"].hits = sorted(merged, key=lambda hit: (-hit[1], hit[0]))[: ask.depth]


def _times(named: structure.Found, scores: dict[int, float]) -> dict[int, float]:
    """{record id: how much it is of a time that the question names}."""
    if not named.spans:
        return {}
    from memory import sql

    rows = sql.fetch(
        "select id, occurred_at from memory_record where id = any(%s) and occurred_at is not null", (list(scores),)
    )
    lifts = {record: max(span.lift(at) for span in named.spans) for record, at in rows}
    return {record: lift for record, lift in lifts.items() if lift > 0.01}


def _mark(ranking: Ranking, record: int) -> list:
    return [ranking.first.get(record, 0), round(ranking.scores[record], 9), record]


def _place(ranking: Ranking, after: list | None) -> int:
    """Where a page begins: after the record the last one ended with, wherever it stands by now."""
    if after is None:
        return 0
    _, first, score, record = after
    if record in ranking.scores:
        return ranking.order.index(record) + 1
    key = (-first, -score, -record)
    return sum(1 for r in ranking.order if (-ranking.first.get(r, 0), -round(ranking.scores[r], 9), -r) <= key)


def shapes(ranking: Ranking, page: Sequence[int]) -> list[dict[str, Any]]:
    """The hits of a page in SPEC's shape, with score, snippet, highlights, and the legs that found them."""
    ask = ranking.ask
    records = by_id(ask.scope.reader, page, ask.scope.instant)
    texts = _texts(ask, page)
    missing = [record for record in page if record not in ranking.windows]
    windows = ranking.windows | (_run(Leg("snippet"), lambda: vectors.best_windows(ask, missing)) or {})
    places = {
        name: {record: place for place, (record, _) in enumerate(leg.hits, 1)} for name, leg in ranking.legs.items()
    }
    public = {record: shape["sr_id"] for record, shape in records.items()}
    sources = [step.source for record, step in ranking.steps.items() if record in records]
    public |= {r: s["sr_id"] for r, s in by_id(ask.scope.reader, [s for s in sources if s not in public]).items()}
    made = []
    for record in page:
        if record not in records:
            continue
        passage, highlights = snippets.snippet(
            texts.get(record, ""), ask.lexemes, ranking.weights, windows.get(record)
        )
        why: dict[str, dict[str, Any]] = {
            name: {"rank": ranks[record]} for name, ranks in places.items() if record in ranks
        }
        if "structure" in why:
            why["structure"]["why"] = ranking.named.why.get(record, []) or ["its time"]
        step = ranking.steps.get(record)
        if step is not None and "walk" in why and step.source in public:
            why["walk"] |= {"from": public[step.source], "shared": {"label": step.label, "value": step.value}}
        made.append(
            {
                **records[record],
                "score": round(ranking.scores[record], 4),
                "snippet": passage,
                "highlights": highlights,
                "legs": why,
            }
        )
    return made


def _texts(ask: Ask, page: Sequence[int]) -> dict[int, str]:
    from memory import sql

    return dict(
        sql.fetch(
            "select id, text from memory_record where id = any(%s) and lane_id = any(%s)", (list(page), ask.lanes)
        )
    )


def _hint(ranking: Ranking, found: bool) -> str | None:
    parts = []
    failed = [leg.name for leg in ranking.legs.values() if leg.status == "failed"]
    if failed:
        parts.append(f"Answered without {', '.join(failed)}.")
    if ranking.ask.narrowed:
        parts.append(f"The filter holds very many records: the newest {ALLOWED_CAP:,} of them were searched.")
    if ranking.newest:
        parts.append("The words are very common: only the newest records with them were read for the words leg.")
    if not found:
        parts.append("No readable record answers this.")
    return " ".join(parts) or None
