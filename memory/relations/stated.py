"""Entities and relations from a language model's answer, as far as the text bears them out.

The answer is treated as hostile. A quote must stand verbatim in the text and gives the place. A name must stand in the
text, or be made of words that stand close together there ("Ana Lopez" of "Lopez, Ana"); a relation needs two such
names, one of them in its quote. Types are brought to the words of the local grammar. A date counts only where the text
has a time term that means it. So a model can point at what is stated, and can't invent who is related to whom.
"""

from __future__ import annotations

import logging
import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memory import normal, times
from memory.ingest.extractors.known_values import COMMON
from memory.ingest.extractors.tense import tense_at
from memory.ingest.language_model import LLMUnusable, Places, clean
from memory.ingest.timeterms import find_terms
from memory.relations.findings import ENTITY_TYPES, Entity, Findings, Relation
from memory.relations.lexicon import NOUNS, OTHER_NAMES, PURPOSES, UNDIRECTED, VERBS

logger = logging.getLogger(__name__)

MAX_ENTITIES, MAX_RELATIONS = 60, 60
MAX_NAME, MAX_QUOTE, MAX_TYPE = 120, 400, 40
# Words that may stand between the words of a name: "Ana (Maria) Lopez".
APART = 2
# How sure a model's finding may be at most: what the grammar is sure of, and no more than a caller's.
CONFIDENCE, CONFIDENCE_MAX = 0.7, 0.9
READ_BY = "language_model"

TYPES = sorted(
    {frame.type for frames in VERBS.values() for frame in frames}
    | set(NOUNS.values())
    | set(PURPOSES.values())
    | {"LOCATED_IN", "WORKS_WITH", "RELATED"}
)
_NOUN = re.compile("(?:IS_)?(?:THE_|A_|AN_)?([A-Z]+)_(?:OF|FOR|AT|TO)")
_KIND = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+){0,5}")

_NAMED = {"type": "string", "maxLength": MAX_NAME}
_QUOTE = {"type": "string", "maxLength": MAX_QUOTE}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object", "additionalProperties": False, "required": list(properties), "properties": properties,
    }  # fmt: skip


def _list(most: int, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "maxItems": most, "items": item}


_TRIPLE = {"source": _NAMED, "type": {"type": "string", "maxLength": MAX_TYPE}, "target": _NAMED}
ENTITIES = _list(
    MAX_ENTITIES, _object({"name": _NAMED, "type": {"type": "string", "enum": list(ENTITY_TYPES)}, "quote": _QUOTE})
)
RELATIONS = _list(
    MAX_RELATIONS,
    _object({**_TRIPLE, "confidence": {"type": "number"}, "since": {"type": ["string", "null"]}, "quote": _QUOTE}),
)
ENDED = _list(MAX_RELATIONS, _object({**_TRIPLE, "ended": {"type": ["string", "null"]}, "quote": _QUOTE}))
PROPERTIES = {"entities": ENTITIES, "relations": RELATIONS, "ended": ENDED}
WHAT = (
    f"entities: the people and things it names, each with a type ({', '.join(ENTITY_TYPES)}), its name as the record "
    "writes it, and a quote. relations: what the record states to be so between two of them: source, type, target "
    f"(types such as {', '.join(TYPES[:12])}), how sure it is (confidence, 0 to 1), the date it began where the "
    "record says one (since, 2026-03-05, or null), and a quote of the words that state it. ended: relations that the "
    "record says are over, with the date they ended. Leave out what is only asked, planned, denied or supposed."
)


def findings(answer: dict[str, Any], text: str, written_at: datetime | None = None) -> Findings:
    """What an answer states of a text and the text bears out; `written_at` places relative dates.

    Raises LLMUnusable when the answer lacks one of the lists, or when it lists something and nothing of it stands.
    """
    lists = {}
    for name, most in (("entities", MAX_ENTITIES), ("relations", MAX_RELATIONS), ("ended", MAX_RELATIONS)):
        given = answer.get(name)
        if not isinstance(given, list):
            raise LLMUnusable(f"the language model's reply has no list of {name}")
        lists[name] = given[:most]
    reading = _Reading(text, written_at)
    for item in lists["entities"]:
        reading.entity(item)
    held = _once([found for item in lists["relations"] if (found := reading.relation(item, "since"))])
    over = _once([found for item in lists["ended"] if (found := reading.relation(item, "ended"))])
    # What is said to hold and to be over says nothing.
    both = {reading.same(r) for r in held} & {reading.same(r) for r in over}
    held = [r for r in held if reading.same(r) not in both]
    over = [r for r in over if reading.same(r) not in both]
    given, kept = len(lists["relations"]) + len(lists["ended"]), len(held) + len(over)
    if given > kept:
        logger.info(
            "dropped %d of %d relations of a language model that the text does not bear out", given - kept, given
        )
    if given and not kept:
        raise LLMUnusable(f"the language model named {given} relations and the text bears out none of them")
    used = {normal.fold(end) for r in (*held, *over) for end in (r.source, r.target)}
    return Findings([e for e in reading.entities.values() if e.same in used], held, over, READ_BY)


def _once(found: list[Relation]) -> list[Relation]:
    unique: dict[tuple[str, str, str], Relation] = {}
    for relation in found:
        unique.setdefault(_Reading.same(relation), relation)
    return list(unique.values())


class _Reading:
    """One answer against one text."""

    def __init__(self, text: str, written_at: datetime | None) -> None:
        self.text, self.written_at = text, written_at
        self.tokens = normal.norm_tokens(text)
        self.where: dict[str, list[int]] = {}
        for place, token in enumerate(self.tokens):
            self.where.setdefault(token, []).append(place)
        self.places = Places(text)
        self.entities: dict[str, Entity] = {}

    @staticmethod
    def same(relation: Relation) -> tuple[str, str, str]:
        """Equal for two spellings of one relation; undirected ones read either way."""
        ends = (normal.fold(relation.source), normal.fold(relation.target))
        if relation.type in UNDIRECTED:
            ends = (min(ends), max(ends))
        return ends[0], relation.type, ends[1]

    def entity(self, item: Any) -> None:
        """Take in an entity that the text names."""
        if not isinstance(item, dict):
            return
        name, kind = clean(item.get("name"), MAX_NAME), item.get("type")
        kind = kind if isinstance(kind, str) and kind in ENTITY_TYPES else "thing"
        if name is None or self.places.find(item.get("quote"), MAX_QUOTE) is None or not self.stands(name, kind):
            return
        self.entities.setdefault(normal.fold(name), Entity(name, kind))

    def relation(self, item: Any, date: str) -> Relation | None:
        """A relation whose ends and words stand in the text, or None."""
        if not isinstance(item, dict):
            return None
        source, target = (self._end(item.get(end)) for end in ("source", "target"))
        kind = relation_type(item.get("type"))
        place = self.places.find(item.get("quote"), MAX_QUOTE)
        if source is None or target is None or kind is None or place is None:
            return None
        if normal.norm_tokens(source.name) == normal.norm_tokens(target.name):
            return None
        quote = self.text[slice(*place)]
        if not any(self._near(end, quote) for end in (source, target)):
            return None
        for end in (source, target):
            self.entities.setdefault(end.same, end)
        if kind.startswith("<"):
            source, target, kind = target, source, kind[1:]
        return Relation(
            source.name, kind, target.name, _confidence(item.get("confidence")), (),
            self._date(item.get(date), quote), quote, *place,
        )  # fmt: skip

    def _end(self, raw: Any) -> Entity | None:
        name = clean(raw, MAX_NAME)
        if name is None:
            return None
        known = self.entities.get(normal.fold(name))
        if known is not None:
            return known
        return Entity(name, "thing") if self.stands(name, "thing") else None

    def stands(self, name: str, kind: str) -> bool:
        """Whether the text has all words of a name close together; the word for what it is may be missing."""
        return _together(_said(normal.norm_tokens(name), kind, self.where), self.where)

    def _near(self, entity: Entity, quote: str) -> bool:
        where: dict[str, list[int]] = {}
        for place, token in enumerate(normal.norm_tokens(quote)):
            where.setdefault(token, []).append(place)
        return _together(_said(normal.norm_tokens(entity.name), entity.type, where), where)

    def _date(self, raw: Any, quote: str) -> datetime | None:
        """The date an answer gives, where a time term of the quote means it."""
        said = clean(raw, 40)
        if said is None:
            return None
        try:
            at, precision = times.parse(said, "since")
        except Exception:  # noqa: BLE001 - whatever is not a date is none
            return None
        terms = find_terms(quote, self.written_at, UTC, tense_at(quote))
        for _, _, span in terms:
            if span.kind != "time" or span.begins is None or span.ends is None:
                continue
            if span.begins <= at < span.ends or at <= span.begins < times.after(at, precision):
                return span.begins
        return None


def _said(tokens: list[str], kind: str, where: dict[str, list[int]]) -> list[str]:
    """The words of a name that must stand in the text: all but a word that only says what it is ("team")."""
    return [token for token in tokens if token in where or token != kind]


def _together(tokens: list[str], where: dict[str, list[int]]) -> bool:
    """Whether the words stand within a stretch hardly longer than they are, each as often as it is asked for."""
    if not tokens or all(token in COMMON for token in tokens) or not any(c.isalpha() for c in "".join(tokens)):
        return False
    if any(token not in where for token in tokens):
        return False
    rarest = min(tokens, key=lambda token: len(where[token]))
    reach = len(tokens) - 1 + APART
    for place in where[rarest]:
        for first in range(max(0, place - reach), place + 1):
            if all(_within(where[token], first, first + reach) >= tokens.count(token) for token in set(tokens)):
                return True
    return False


def _within(places: list[int], first: int, last: int) -> int:
    return bisect_right(places, last) - bisect_left(places, first)


def relation_type(raw: Any) -> str | None:
    """A type as the local grammar names it: capitals joined by underscores; "<" before it where the ends change
    places; RELATED for one of many words; None for what is no type."""
    said = clean(raw, 4 * MAX_TYPE)
    if said is None:
        return None
    bare = "".join(c for c in unicodedata.normalize("NFKD", said.upper()) if not unicodedata.combining(c))
    kind = re.sub(r"[^A-Z0-9]+", "_", bare).strip("_")
    if kind in OTHER_NAMES:
        return OTHER_NAMES[kind]
    noun = _NOUN.fullmatch(kind)
    if noun and noun[1].lower() in NOUNS:  # "is guarantor for"
        return NOUNS[noun[1].lower()]
    if not re.search("[A-Z]", kind):
        return None
    return kind if _KIND.fullmatch(kind) and len(kind) <= MAX_TYPE else "RELATED"


def _confidence(raw: Any) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not math.isfinite(raw):
        return CONFIDENCE
    return round(min(CONFIDENCE_MAX, max(0.1, float(raw))), 4)


def followed_by(found: Findings, rest: Findings, by: int) -> Findings:
    """Findings of a text's head with those of what comes after it, whose offsets begin at `by`; what both state
    counts once, as the head states it."""
    named = {entity.same: entity for entity in (*rest.entities, *found.entities)}
    said = {_Reading.same(relation) for relation in (*found.relations, *found.ended)}

    def more(relations: list[Relation]) -> list[Relation]:
        return [
            replace(
                relation,
                source=named[normal.fold(relation.source)].name,
                target=named[normal.fold(relation.target)].name,
                start=relation.start + by,
                end=relation.end + by,
            )
            for relation in relations
            if _Reading.same(relation) not in said
        ]

    relations, ended = [*found.relations, *more(rest.relations)], [*found.ended, *more(rest.ended)]
    return Findings(list(named.values()), relations, ended, found.read_by)
