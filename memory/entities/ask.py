"""Questions to the graph: which entities a question is about, and a block of context for a prompt."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from memory import normal, sql, words
from memory.entities import context, neighbourhood, vertices
from memory.entities.neighbourhood import Neighbourhood
from memory.entities.vertices import Vertex
from memory.gather.scope import Scope
from memory.relations import scoring

SEEDS = 20
# What a name match, a word of the name, and being one hop from such an entity are worth as similarity.
NAMED, SPREAD = 1.0, 0.7
VECTOR_LEAST = 0.35
TOKEN_BUDGET, TOKEN_BUDGET_MAX = 1_500, 16_000


def weights() -> scoring.Weights:
    """The configured weights of the composite score."""
    return scoring.Weights.parse(
        getattr(settings, "LANEWISE_SCORE_WEIGHTS", ""), getattr(settings, "LANEWISE_SCORE_HALF_LIFE_DAYS", 30)
    )


def query_graph(
    scope: Scope,
    query: str,
    *,
    max_nodes: int = 10,
    types: list[str] | None = None,
    min_confidence: float | None = None,
) -> dict[str, Any]:
    """{nodes, edges, left_out_invalid, hint}: entities a question is about and those related to them, best first.

    Each node has its relationships. Similarity comes from names, words of names, meaning (where vectors are there) and
    relationship types named in the question; being related to such an entity counts by the strength of the relation.
    """
    found, similar = _about(scope, query, depth=1, types=types, min_confidence=min_confidence)
    ranked = _ranked(scope, found, similar)[:max_nodes]
    kept = {key for key, _ in ranked}
    told = [found.told(scope, relation, hop) | {"_ends": found.ends(relation)} for hop, relation in found.relations]
    edges = [edge for edge in told if edge["_ends"] & kept]
    nodes = []
    for key, worth in ranked:
        mine = [{k: v for k, v in edge.items() if k != "_ends"} for edge in edges if key in edge["_ends"]]
        nodes.append({**found.vertices[key].shown(), "score": worth, "relationships": mine})
    return {
        "nodes": nodes,
        "edges": [{k: v for k, v in edge.items() if k != "_ends"} for edge in edges if edge["_ends"] <= kept],
        "left_out_invalid": neighbourhood.ended(scope, list(found.of_record)),
        "hint": None if nodes else "No readable entity has to do with this.",
    }


def build_context(
    scope: Scope,
    text: str,
    *,
    max_nodes: int = 15,
    max_depth: int = 2,
    types: list[str] | None = None,
    min_confidence: float | None = 0.3,
    token_budget: int = TOKEN_BUDGET,
) -> dict[str, Any]:
    """{context, nodes, edges, sources, tokens, token_budget, left_out, left_out_invalid, hint}.

    `context` is text for a prompt within the budget; every line names the records it comes from, and `sources` lists
    them. Only what the reader can read is told, and only what holds unless ended things are asked for.
    """
    found, similar = _about(scope, text, depth=max_depth, types=types, min_confidence=min_confidence)
    ranked = _ranked(scope, found, similar)[:max_nodes]
    worth = dict(ranked)
    things = [
        context.Thing(v.name, v.type, worth[v.key], v.attributes, tuple(v.sr_ids[:3]))
        for v in (found.vertices[key] for key, _ in ranked)
    ]
    facts = []
    for hop, relation in found.relations:
        ends = found.ends(relation)
        if not ends or not ends <= worth.keys():
            continue
        told = found.told(scope, relation, hop)
        facts.append(
            context.Fact(
                str(told["source"]),
                told["type"],
                str(told["target"]),
                max(worth[key] for key in ends) * (told["confidence"] or 1.0),
                told["confidence"],
                told["valid_from"],
                told["invalidated_at"],
                tuple(told["sources"]),
            )
        )
    block = context.build(things, facts, token_budget)
    return {
        "context": block.text,
        "nodes": [{"name": t.name, "type": t.type, "score": t.score, "sr_ids": list(t.sources)} for t in block.things],
        "edges": [{"source": f.source, "type": f.type, "target": f.target} for f in block.facts],
        "sources": _sources(scope, block.sources),
        "tokens": block.tokens,
        "token_budget": token_budget,
        "left_out": block.left_out,
        "left_out_invalid": neighbourhood.ended(scope, list(found.of_record)),
        "hint": None if block.things else "No readable entity has to do with this.",
    }


def _sources(scope: Scope, sr_ids: list[str]) -> list[dict[str, Any]]:
    from memory.selectors.records import resolve_many

    rows = resolve_many(scope.reader, sr_ids) if sr_ids else []
    titles = dict(sql.fetch("select id, title from memory_record where id = any(%s)", ([row.id for row in rows],)))
    return [
        {"sr_id": public, "title": titles.get(row.id, ""), "lane": scope.reader.lanes[row.lane_id].slug}
        for public, row in zip(sr_ids, rows, strict=True)
    ]


def _about(
    scope: Scope, text: str, *, depth: int, types: list[str] | None, min_confidence: float | None
) -> tuple[Neighbourhood, dict[UUID, float]]:
    """The neighbourhood of the entities a text is about, and how similar each start is to it."""
    asked = set(words.lexemes(text))
    similar: dict[UUID, float] = {}
    start: dict[UUID, Vertex] = {}
    for vertex in vertices.mentioned_in(scope, text):
        start[vertex.key], similar[vertex.key] = vertex, NAMED
    for key, vertex in vertices.by_words(scope, text).items():
        own = set(words.lexemes(vertex.name))
        share = len(own & asked) / len(own) if own else 0.0
        start[key] = vertex
        similar[key] = max(similar.get(key, 0.0), 0.9 * share)
    for key, vertex, likeness in _by_meaning(scope, text):
        start[key] = vertex
        similar[key] = max(similar.get(key, 0.0), likeness)
    best = sorted(similar, key=lambda key: (-similar[key], key))[:SEEDS]
    found = neighbourhood.around(
        scope, [start[key] for key in best], depth=depth, types=types, min_confidence=min_confidence
    )
    _spread(found, similar, asked)
    return found, similar


def _spread(found: Neighbourhood, similar: dict[UUID, float], asked: set[str]) -> None:
    """Entities related to similar ones are about the question too, more so along a type the question names."""
    for _ in range(2):
        gained: dict[UUID, float] = {}
        for _, relation in found.relations:
            named = bool(asked & set(words.lexemes(relation.type.replace("_", " "))))
            worth = relation.strength if relation.strength is not None else relation.confidence
            share = (SPREAD + (0.25 if named else 0.0)) * (1.0 if worth is None else worth)
            ends = found.ends(relation)
            for key in ends:
                near = max((similar.get(other, 0.0) for other in ends if other != key), default=0.0)
                gained[key] = max(gained.get(key, 0.0), min(0.99, near * share))
        for key, value in gained.items():
            similar[key] = max(similar.get(key, 0.0), value)


def _ranked(scope: Scope, found: Neighbourhood, similar: dict[UUID, float]) -> list[tuple[UUID, float]]:
    now: datetime = scope.as_of or timezone.now()
    degree: dict[UUID, int] = {}
    for _, relation in found.relations:
        for key in found.ends(relation):
            degree[key] = degree.get(key, 0) + 1
    made = weights()
    scores = {}
    for key in found.depth:
        vertex = found.vertices[key]
        scores[key] = scoring.score(
            made,
            similarity=similar.get(key, 0.0),
            last_mentioned=vertex.last_mentioned,
            importance=max(vertex.confidence or 0.0, scoring.connectedness(degree.get(key, 0))),
            mentions=vertex.mentions,
            now=now,
        )
    return sorted(scores.items(), key=lambda item: (-item[1], found.vertices[item[0]].name, item[0]))


# The newest entities only: older ones are found by name, whatever their number.
_MEANING = """
select r.id, 1 - (v.embedding <=> %(asked)s::halfvec) as likeness
from (select id from memory_record where kind = 'entity' and lane_id = any(%(lanes)s)
      order by at desc, id desc limit %(most)s) r
join memory_recordvector v on v.record_id = r.id
order by likeness desc, r.id limit %(limit)s
"""
MEANING_MOST = 2_000


def _by_meaning(scope: Scope, text: str) -> list[tuple[UUID, Vertex, float]]:
    """Entities whose vector is near the text's; none where there are no vectors."""
    if not text.strip() or not sql.fetch(_ANY_VECTOR, {"lanes": scope.lanes}):
        return []
    from memory.ingest.embedders import configured
    from memory.ingest.vectors import literal

    asked = literal(configured().query(normal.check_text(text, "text")[:2_000]))
    params = {"asked": asked, "lanes": scope.lanes, "most": MEANING_MOST, "limit": SEEDS}
    near = {record: likeness for record, likeness in sql.fetch(_MEANING, params) if likeness >= VECTOR_LEAST}
    loaded = vertices.by_keys(scope, list(vertices.load(scope, near)))
    return [(key, vertex, max(near.get(record, 0.0) for record in vertex.records)) for key, vertex in loaded.items()]


# Loading the model only to compare with nothing would cost more than the whole answer.
_ANY_VECTOR = """
select 1 from (select id from memory_record where kind = 'entity' and lane_id = any(%(lanes)s)
               order by at desc, id desc limit 50) r
join memory_recordvector v on v.record_id = r.id limit 1
"""
