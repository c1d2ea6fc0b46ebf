"""What the rules of the grammar share: the scene, the names of months and days, and the list of rules.

A rule's handler gets the match and the `Scene` (the record's date, its zone, the tense around a place) and
returns a Span or None. A term that names no day by itself and can't be anchored (no record date) keeps its
words as value and has no span.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import NamedTuple

from memory.ingest.times import spans
from memory.ingest.times.numbers import NUMBER_WORDS
from memory.ingest.times.spans import Span


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a text stands in time. `tense(position)` is past, present, future or ""."""

    at: datetime | None
    zone: tzinfo
    tense: Callable[[int], str]
    month_first: bool = True


_MONTH_NAMES = (
    "january januar janvier enero gennaio januari janeiro jan",
    "february februar février fevrier febrero febbraio februari fevereiro feb",
    "march märz maerz mars marzo maart março mar",
    "april avril abril aprile apr",
    "may mai mayo maggio mei maio",
    "june juni juin junio giugno junho jun",
    "july juli juillet julio luglio julho jul",
    "august août aout agosto augustus aug",
    "september septembre septiembre settembre setembro sept sep",
    "october oktober octobre octubre ottobre outubro oct",
    "november novembre noviembre novembro nov",
    "december dezember décembre decembre diciembre dicembre dezembro dec",
)
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
ENGLISH = [names.split()[0] for names in _MONTH_NAMES]
# Month names that are common words too: alone they count only when capitalised and led by a preposition.
AMBIGUOUS = {"may", "march", "mar", "mars", "mai", "mei", "jun", "jan"}
WEEKDAYS = {
    name: number
    for number, name in enumerate(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
}
UNITS = {
    "second": "s", "minute": "m", "hour": "h", "day": "D", "week": "W", "fortnight": "W", "month": "M",
    "quarter": "M", "year": "Y", "decade": "Y", "century": "Y", "centuries": "Y",
}  # fmt: skip
MULTIPLES = {"fortnight": 2, "quarter": 3, "decade": 10, "century": 100, "centuries": 100}
ZONES = {"utc": 0, "gmt": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
          "pst": -8, "pdt": -7, "cet": 1, "cest": 2, "bst": 1}  # fmt: skip

S = r"\s{1,3}"
M = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\.?"
ME = "(?:" + "|".join(ENGLISH) + ")"
DAY = r"(?:3[01]|[12][0-9]|0?[1-9])"
DTH = DAY + r"(?:st|nd|rd|th|er|\.)?"
YEAR = r"(?:1[0-9]{3}|20[0-9]{2}|2100)"
WEEKDAY = "(?:" + "|".join(WEEKDAYS) + ")"
UNIT = "(?:seconds?|minutes?|hours?|days?|weeks?|fortnights?|months?|quarters?|years?|decades?|century|centuries)"
COUNT = rf"(?:{NUMBER_WORDS}|[0-9]{{1,3}}(?:,[0-9]{{3}})+|[0-9]{{1,5}}(?:\.[0-9]{{1,2}})?)"
DASH = "[-\u2010-\u2015]"
BEFORE = r"(?<![\w./:$€£¥§#-])"
AFTER = r"(?![\w/§]|[-.:,][0-9])"
LEAD = r"(?:in|since|by|until|till|during|from|of|through|to|before|after|around|between|and|for|circa|year|fy)"
PART = r"(?:(?P<part>early|mid|late|beginning|start|middle|end)(?:\s|-)(?:of\s)?(?:the\s)?)?"

Handler = Callable[[re.Match[str], Scene], Span | None]


class Rule(NamedTuple):
    """A pattern and what it means. `months`: it matches only where a month is named."""

    pattern: re.Pattern[str]
    handler: Handler
    months: bool


Rules = list[Rule]


def rule(rules: Rules, pattern: str, *, months: bool = False) -> Callable[[Handler], Handler]:
    """Add the decorated handler to a module's rules, which are tried in the order they are written."""

    def register(handler: Handler) -> Handler:
        rules.append(Rule(re.compile(pattern, re.IGNORECASE), handler, months))
        return handler

    return register


# The words of a lower-case text; "3rdmay" has one behind its ordinal.
_WORDS = re.compile(r"(?:(?<=[0-9])(?:st|nd|rd|th|er))?([a-z]+)")


def names_month(text: str) -> bool:
    """Whether the text may name a month: false only when it surely does not."""
    return not text.isascii() or not MONTHS.keys().isdisjoint(_WORDS.findall(text.lower()))


def month_number(name: str) -> int:
    """1 to 12 for a month's name in any of the languages read."""
    return MONTHS[name.lower().rstrip(".")]


def leading_int(text: str) -> int:
    """The number a text begins with."""
    return int(re.match(r"[0-9]+", text).group())


def unplaced(words: str, unit: str) -> Span:
    """A term whose time cannot be told, because the record has none."""
    return Span("time", " ".join(words.lower().split()), unit=unit)


def parted(match: re.Match[str], span: Span | None) -> Span | None:
    """A span with the part of it that is named (early, mid, late)."""
    which = match.groupdict().get("part")
    if not which or span is None or span.begins is None:
        return span
    which = {"beginning": "early", "start": "early", "middle": "mid", "end": "late"}.get(which.lower(), which.lower())
    return spans.part(span, which)


def direction(scene: Scene, place: int) -> str:
    """Whether a relative term looks back or ahead, by its words or else the sentence's tense."""
    return scene.tense(place)


def nearest(candidates: list[Span], scene: Scene, place: int) -> Span:
    """The candidate the sentence means: before the record in the past tense, after it in the future."""
    tense = direction(scene, place)
    if tense == "past":
        earlier = [c for c in candidates if c.begins <= scene.at]
        candidates = earlier[-1:] or candidates
    elif tense == "future":
        later = [c for c in candidates if c.ends > scene.at]
        candidates = later[:1] or candidates
    return min(candidates, key=lambda c: abs(c.begins + (c.ends - c.begins) / 2 - scene.at))


def yearless(make: Callable[[int], Span], words: str, unit: str, scene: Scene, place: int) -> Span | None:
    """The year of a date written without one: the nearest that fits the tense."""
    if scene.at is None:
        return unplaced(words, unit)
    found = []
    for year in (scene.at.year - 1, scene.at.year, scene.at.year + 1):
        try:
            found.append(make(year))
        except (ValueError, OverflowError):  # 29 February, or the edge of the calendar
            continue
    return nearest(found, scene, place) if found else None
