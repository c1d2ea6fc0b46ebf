# ruff: noqa: E501 - a pattern is easier to check in one piece
"""Time and duration terms of a text, and whether a search term is one.

`find_terms` is what the extractor stores as tags; `parse_term` lets a timeline recognise "Q1 2024",
"last Tuesday" or "30 days" among the terms it was given, in the same grammar.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import NamedTuple

from memory.ingest.times import absolute, grammar, relative, spans
from memory.ingest.times.spans import Span

# Nothing in the grammar matches without a digit or one of these; most short texts end here.
_TRIGGER = re.compile(
    r"day|week|month|year|quarter|tonight|tomorrow|night|morning|afternoon|evening|spring|summer|autumn|fall|winter"
    r"|hour|minute|second|decade|centur|fortnight|noon|midnight|" + "|".join(grammar.MONTHS),
    re.IGNORECASE,
)
_DIGIT = re.compile(r"[0-9]")
_JOIN = re.compile(r"\s{0,3}(?:to|until|till|through|thru|and|up to|[-\u2010-\u2015])\s{0,3}(?:the\s)?", re.IGNORECASE)
_FROM = re.compile(r"(?:\bfrom|\bbetween)(?:\s(?:the|about))?\s{1,3}$", re.IGNORECASE)
_RELATION = re.compile(
    r"\b(since|until|till|before|after|by|as of|through|from|within|prior to)\s+(?:the\s+)?$", re.IGNORECASE
)
_BESIDE = re.compile(r"(?:,?\s{1,3}(?:at|on|by|in the)?\s{0,3}|,\s?|\sat\s(?:about\s)?)", re.IGNORECASE)
_WEEK_OF = re.compile(r"\b(?:the\s)?week\s(?:of|beginning|commencing|starting)\s(?:the\s)?$", re.IGNORECASE)
_LED = re.compile(rf"(?:{grammar.LEAD}|early|mid|late|the|a|an|\()[\s-]+(?:of\s)?(?:the\s)?|\(", re.IGNORECASE)
# Rules register themselves in the order of their modules: absolute dates are tried before relative terms.
RULES = [*absolute.RULES, *relative.RULES]
MAX_TERMS = 2_000


class Term(NamedTuple):
    """A term's place in the text and its meaning."""

    start: int
    end: int
    span: Span


def find_terms(
    text: str,
    at: datetime | None,
    zone: tzinfo = UTC,
    tense: Callable[[int], str] | None = None,
    month_first: bool = True,
) -> list[Term]:
    """Every time and duration term of the text, in order, not overlapping.

    `at` anchors relative terms; `tense(position)` helps to place terms like "in May". At most 2,000
    terms are returned, so that a table of dates can't swamp a record.
    """
    if not (_DIGIT.search(text) or _TRIGGER.search(text)):
        return []
    if at is not None:
        at = at.astimezone(zone)
    scene = grammar.Scene(at, zone, tense or (lambda place: ""), month_first)
    return _join(text, _atoms(text, scene), scene)[:MAX_TERMS]


def _atoms(text: str, scene: grammar.Scene) -> list[Term]:
    """Single terms, the earlier rule winning where two overlap."""
    found: list[Term] = []
    taken = bytearray(len(text) + 1)
    months = grammar.names_month(text)
    # Absolute terms all have a digit.
    for rule in RULES if _DIGIT.search(text) else relative.RULES:
        if rule.months and not months:
            continue
        for match in rule.pattern.finditer(text):
            start, end = _trim(match)
            if 1 in taken[start:end]:
                continue
            try:
                span = rule.handler(match, scene)
            except (ValueError, OverflowError, KeyError, IndexError, StopIteration):
                continue  # 31 February, the year 10000: not a date, so not a term
            if span is not None and start < end:
                taken[start:end] = b"\x01" * (end - start)
                found.append(Term(start, end, span))
    return sorted(found)


def _trim(match: re.Match[str]) -> tuple[int, int]:
    """The mention without the preposition that led to it."""
    start, end = match.span()
    led = match.re.groupindex
    if "lead" in led or "one" in led:
        for name in ("y", "part", "m", "one"):
            if name in led and match[name] is not None:
                start = match.start(name)
                break
        if (
            "lead" in led
            and match["lead"]
            and match["lead"].lower() in ("early", "mid", "late", "end", "beginning", "start", "middle")
        ):
            start = match.start("lead")
    while end > start and match.string[end - 1] in " ,\n\t":
        end -= 1
    return start, end


def _join(text: str, terms: list[Term], scene: grammar.Scene) -> list[Term]:
    """Join neighbours that mean one thing: a weekday and its date, a day and its hour, a range."""
    joined: list[Term] = []
    for term in terms:
        while joined:
            together = _pair(text, joined[-1], term, scene)
            if together is None:
                break
            joined.pop()
            term = together
        joined.append(_widen(text, term))
    return joined


def _pair(text: str, first: Term, second: Term, scene: grammar.Scene) -> Term | None:
    gap = text[first.end : second.start]
    if len(gap) > 14 or first.span.kind != "time" or second.span.kind != "time":
        return None
    units = (first.span.unit, second.span.unit)
    if (
        units == ("day", "day")
        and text[first.start : first.end].lower() in grammar.WEEKDAYS
        and re.fullmatch(r",?\s{1,3}(?:the\s)?", gap)
    ):
        return Term(first.start, second.end, second.span)
    if "clock" in units and "day" in units and (_BESIDE.fullmatch(gap) or gap == " "):
        date, hour = (first, second) if units[0] == "day" else (second, first)
        return Term(first.start, second.end, _clocked(date.span, hour.span, scene))
    if _JOIN.fullmatch(gap) and not {"clock", "range"} & set(units):
        opened = _FROM.search(text[max(0, first.start - 20) : first.start])
        word = gap.strip().lower()
        if word == "and" and not (opened and opened.group().lower().startswith("between")):
            return None
        earlier = first.span
        if (
            earlier.begins is not None
            and second.span.begins is not None
            and not re.search(r"[0-9]{4}", text[first.start : first.end])
            and re.search(r"[0-9]{4}", text[second.start : second.end])
        ):
            earlier = _same_year(earlier, second.span)
        if earlier.begins is None or second.span.begins is None:
            return None
        span = spans.between(earlier, second.span)
        if span is not None:
            return Term(opened.start() + max(0, first.start - 20) if opened else first.start, second.end, span)
    return None


def _same_year(first: Span, second: Span) -> Span:
    """ "from 3 May to 6 June 2024": the year of the end holds for the beginning."""
    if first.unit == "day":
        for year in (second.begins.year, second.begins.year - 1):
            try:
                moved = spans.day(first.begins.replace(year=year))
            except (ValueError, OverflowError):
                continue
            if moved.begins <= second.begins:
                return moved
    if first.unit == "month":
        year = second.begins.year - (first.begins.month > second.begins.month)
        return spans.month(max(year, 1), first.begins.month, first.begins.tzinfo)
    return first


def _clocked(date: Span, hour: Span, scene: grammar.Scene) -> Span:
    if date.begins is None:
        return replace(date, value=f"{date.value} {hour.value}")
    h, m, s = hour.data["clock"]
    zone = timezone(timedelta(hours=hour.data["zone"])) if "zone" in hour.data else None
    return spans.at_clock(date, h, m, s, zone)


def _widen(text: str, term: Term) -> Term:
    """ "the week of 6 May 2024" is the week; "since", "by", "within" are kept as the term's relation."""
    before = text[max(0, term.start - 24) : term.start]
    if term.span.unit == "day" and term.span.begins is not None:
        led = _WEEK_OF.search(before)
        if led:
            start = term.start - len(before) + led.start()
            try:
                return Term(start, term.end, spans.week(term.span.begins))
            except (ValueError, OverflowError):
                return term
    related = _RELATION.search(before)
    if related and "relation" not in term.span.data:
        data = {**term.span.data, "relation": related.group(1).lower()}
        return term._replace(span=replace(term.span, data=data))
    return term


def parse_term(value: str, now: datetime, zone: tzinfo = UTC, month_first: bool = True) -> Span | None:
    """The meaning of a search term that is nothing but a time or a duration, else None.

    "Q1 2024", "May 2024", "2024", "last Tuesday", "from 3 May to 6 June 2024" give a time Span with
    begins and ends (relative terms from `now`); "30 days", "P30D" give a duration Span with `days`.
    "Acme 2024" is None: it names something else too. So is a lone "May", which may be a name.
    """
    words = " ".join(value.split())
    if not words or len(words) > 80:
        return None
    iso = re.fullmatch(
        r"P(?=[0-9T])(?:([0-9.]+)Y)?(?:([0-9.]+)M)?(?:([0-9.]+)W)?(?:([0-9.]+)D)?"
        r"(?:T(?:([0-9.]+)H)?(?:([0-9.]+)M)?(?:([0-9.]+)S)?)?",
        words,
    )
    if iso:
        try:
            parts = [(float(n), u) for n, u in zip(iso.groups(), "YMWDhms", strict=True) if n]
        except ValueError:
            return None
        return spans.duration(parts) if parts else None
    if re.fullmatch(r"1[5-9][0-9]{2}|20[0-9]{2}", words):
        return spans.year(int(words), zone)
    code = re.fullmatch(r"([12][0-9]{3})-(0[1-9]|1[0-2])", words)
    if code:
        return spans.month(int(code[1]), int(code[2]), zone)
    week = re.fullmatch(r"([12][0-9]{3})-?W([0-5][0-9])", words)
    if week:
        try:
            return spans.week(datetime.fromisocalendar(int(week[1]), int(week[2]), 1).replace(tzinfo=zone))
        except ValueError:
            return None
    if words.lower() in grammar.ENGLISH and words.lower() not in ("may", "march", "april", "june", "august"):
        words = "in " + words.capitalize()
    elif words.lower() in grammar.WEEKDAYS:
        words = words.capitalize()
    elif words.lower() in ("a day", "a week", "a month", "a year", "an hour"):
        words = "for " + words
    for term in find_terms(words, now, zone, None, month_first):
        lead = words[: term.start].strip().lower()
        if term.end == len(words.rstrip(" .")) and lead in (
            "",
            "in",
            "on",
            "since",
            "from",
            "the",
            "for",
            "within",
            "during",
            "by",
            "until",
            "before",
            "after",
            "at",
            "of",
        ):
            return term.span
    return None
