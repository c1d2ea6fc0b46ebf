# ruff: noqa: E501 - a pattern is easier to check in one piece
"""Past, present or future: one tag for each tense a record's sentences are written in.

A local grammar of English verb forms, without a parser: it looks for the first finite verb form of a
sentence. Modal and auxiliary verbs decide; after them irregular and -ed pasts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from memory.ingest.extractors.base import ExtractContext, TagProposal

_SENTENCE = re.compile(r"[^.!?\n。！？]+(?:[.!?。！？](?![\s\"')\]]|$)[^.!?\n。！？]*)*[.!?。！？]*")
_IRREGULAR = [
    "was",
    "were",
    "had",
    "did",
    "said",
    "went",
    "made",
    "took",
    "came",
    "got",
    "gave",
    "found",
    "told",
    "became",
    "left",
    "felt",
    "brought",
    "began",
    "kept",
    "held",
    "wrote",
    "stood",
    "heard",
    "met",
    "ran",
    "paid",
    "sat",
    "spoke",
    "led",
    "grew",
    "lost",
    "fell",
    "sent",
    "built",
    "understood",
    "drew",
    "broke",
    "spent",
    "rose",
    "drove",
    "bought",
    "wore",
    "chose",
    "sought",
    "taught",
    "caught",
    "fought",
    "sold",
    "won",
    "thought",
    "knew",
    "saw",
    "showed",
    "swore",
    "withdrew",
    "forgot",
    "slept",
    "woke",
    "sang",
    "drank",
    "flew",
    "threw",
    "rode",
    "bore",
    "slid",
    "struck",
    "dealt",
    "meant",
    "arose",
    "forbade",
    "undertook",
    "overheard",
]
_FORMS = re.compile(
    r"\b(?:(?P<future>will(?!\s+of\b)|shall|won['’]t|shan['’]t|(?:is|are|am|['’]re|['’]s|['’]m)\s+(?:about|going|due|set|scheduled)\s+to"
    r"|plans?\s+to|planning\s+to|intends?\s+to|expects?\s+to|hopes?\s+to)"
    r"|(?P<perfect>(?:has|have|['’]ve)\s+(?:not\s+|never\s+|already\s+|since\s+|also\s+|just\s+)?(?:been|\w{2,}ed|\w{2,}en|"
    + "|".join(w for w in _IRREGULAR if w not in ("was", "were", "did"))
    + r"))"
    r"|(?P<past>" + "|".join(_IRREGULAR) + r"|didn['’]t|wasn['’]t|weren['’]t|hadn['’]t)"
    r"|(?P<present>is|are|am|has|have|does|do|isn['’]t|aren['’]t|doesn['’]t|don['’]t|can|may|must|means?|remains?|contains?|requires?|provides?)"
    r"|(?P<ed>[a-z]{3,}ed))\b",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(
    r"\b\w+['’](?P<future>ll)\b|\b(?:I['’](?P<present>m)|(?:you|we|they)['’](?P<present2>re)|(?:he|she|it|that|there|who)['’](?P<present3>s))\b",
    re.IGNORECASE,
)
# Forms in -ed that are adjectives or nouns far more often than verbs, or not pasts at all.
_NOT_PAST = {
    "need",
    "speed",
    "proceed",
    "exceed",
    "succeed",
    "indeed",
    "feed",
    "seed",
    "deed",
    "agreed",
    "limited",
    "united",
    "named",
    "attached",
    "related",
    "unless",
    "hundred",
    "bleed",
    "breed",
    "embed",
    "shed",
    "sacred",
    "naked",
    "wicked",
    "red",
    "bed",
    "concerned",
    "interested",
    "detailed",
    "aged",
}
MAX_SENTENCES = 5_000


class Clause(NamedTuple):
    """A sentence's place and tense, and the verb form that shows it."""

    start: int
    end: int
    tense: str
    verb_start: int
    verb_end: int


def clauses(text: str) -> list[Clause]:
    """The sentences whose tense is clear, in order; at most 5,000."""
    found = []
    for number, sentence in enumerate(_SENTENCE.finditer(text)):
        if number >= MAX_SENTENCES:
            break
        verb = _finite(text, sentence.start(), sentence.end())
        if verb is not None:
            tense, start, end = verb
            found.append(Clause(sentence.start(), sentence.end(), tense, start, end))
    return found


def _finite(text: str, start: int, end: int) -> tuple[str, int, int] | None:
    best: tuple[int, str, int] | None = None
    fallback = None
    for match in _FORMS.finditer(text, start, end):
        kind = match.lastgroup
        if kind == "ed":
            word = match.group().lower()
            follows_article = re.search(
                r"\b(?:the|a|an|of|its|their|his|her|any|by)\s$",
                text[max(start, match.start() - 8) : match.start()],
                re.IGNORECASE,
            )
            if word not in _NOT_PAST and not follows_article and fallback is None:
                fallback = ("past", match.start(), match.end())
            continue
        tense = "past" if kind == "perfect" else kind
        best = (match.start(), tense, match.end())
        break
    short = _CONTRACTED.search(text, start, end)
    if short is not None and (best is None or short.start() < best[0]):
        best = (short.start(), "future" if short["future"] else "present", short.end())
    if best is not None and (fallback is None or best[0] < fallback[1]):
        return best[1], best[0], best[2]
    return fallback


def tense_at(text: str):
    """A function from a place in the text to the tense of its sentence, computed once when first asked."""
    cache: list[Clause] | None = None
    starts: list[int] = []

    def at(place: int) -> str:
        nonlocal cache
        if cache is None:
            cache = clauses(text)
            starts.extend(c.start for c in cache)
        index = bisect_right(starts, place) - 1
        return cache[index].tense if index >= 0 and place < cache[index].end else ""

    return at


class TenseExtractor:
    """Label `tense`; the mention is the first verb form that shows it, `data.sentences` how many do."""

    name = "tense"

    def extract(self, text: str, context: ExtractContext) -> list[TagProposal]:
        seen: dict[str, list[Clause]] = {}
        for clause in clauses(text):
            seen.setdefault(clause.tense, []).append(clause)
        return [
            TagProposal("tense", tense, found[0].verb_start, found[0].verb_end, data={"sentences": len(found)})
            for tense, found in seen.items()
        ]
