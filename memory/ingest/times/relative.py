# ruff: noqa: E501 - a pattern is easier to check in one piece
"""Terms that lean on the record's own date ("last Tuesday", "two weeks ago"), lengths and times of day."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

from memory.ingest.times import spans
from memory.ingest.times.grammar import (
    AMBIGUOUS,
    COUNT,
    ME,
    MONTHS,
    MULTIPLES,
    PART,
    UNIT,
    UNITS,
    WEEKDAY,
    WEEKDAYS,
    ZONES,
    Rules,
    S,
    direction,
    month_number,
    parted,
    rule,
    unplaced,
    yearless,
)
from memory.ingest.times.numbers import parse_number
from memory.ingest.times.spans import Span

RULES: Rules = []


@rule(
    RULES,
    r"\b(?:the\sday\sbefore\syesterday|the\sday\safter\stomorrow|yesterday|tomorrow|today|tonight|last\snight"
    r"|(?:this|yesterday|tomorrow)\s(?:morning|afternoon|evening))\b",
)
def near_day(match, scene):
    """ "today", "tomorrow", "last Tuesday": a day near the record's own."""
    words = " ".join(match.group().lower().split())
    if scene.at is None:
        return unplaced(words, "day")
    away = 0
    if "yesterday" in words or words == "last night":
        away = -2 if "before" in words else -1
    elif "tomorrow" in words:
        away = 2 if "after" in words and "afternoon" not in words else 1
    return spans.day(scene.at + timedelta(days=away))


@rule(
    RULES,
    rf"\b(?P<which>last|next|this(?:{S}(?:past|coming))?|past|coming|previous){S}(?P<wd>{WEEKDAY})\b"
    rf"|\b(?P<wd2>{WEEKDAY}){S}(?:of{S})?(?P<wk>last|next|this){S}week\b|\b(?P<wd3>{WEEKDAY})(?!\w)",
)
def weekday(match, scene):
    """last = the one before the record's day; next = the first one after it; this = in the same week."""
    number = WEEKDAYS[(match["wd"] or match["wd2"] or match["wd3"]).lower()]
    if match["wd3"] and not match["wd3"][0].isupper():
        return None
    if scene.at is None:
        return unplaced(match.group(), "day")
    today = spans.day(scene.at).begins
    back = (today.weekday() - number) % 7 or 7
    ahead = (number - today.weekday()) % 7 or 7
    if match["wd2"]:
        weeks = {"last": -7, "this": 0, "next": 7}[match["wk"].lower()]
        return spans.day(today + timedelta(days=number - today.weekday() + weeks))
    which = " ".join((match["which"] or "").lower().split())
    if which in ("last", "past", "previous", "this past"):
        return spans.day(today - timedelta(days=back))
    if which in ("next", "coming", "this coming"):
        return spans.day(today + timedelta(days=ahead))
    if which == "this":
        return spans.day(today + timedelta(days=number - today.weekday()))
    if direction(scene, match.start()) == "future":
        return spans.day(today + timedelta(days=ahead % 7))
    return spans.day(today - timedelta(days=back % 7))


@rule(
    RULES,
    rf"\b(?:the{S})?(?P<part>beginning|start|middle|end){S}of{S}(?P<which>the|this|last|next){S}(?P<u>week|month|quarter|year)\b|\b(?P<ye>year-end)\b",
)
def part_of_unit(match, scene):
    """ "early this month", "the end of the year": a unit near the record's own, with the part named."""
    if scene.at is None:
        return unplaced(match.group(), "part")
    unit = {"week": "W", "month": "M", "year": "Y"}.get((match["u"] or "year").lower())
    step = {"last": -1, "next": 1}.get((match["which"] or "").lower(), 0)
    if unit is None:
        moved = spans.add_months(scene.at.replace(day=1), 3 * step)
        span = spans.quarter(moved.year, (moved.month + 2) // 3, scene.zone)
    else:
        span = spans.holding(spans.shift(scene.at.replace(day=1) if unit == "M" else scene.at, step, unit), unit)
    return spans.part(span, "late") if match["ye"] else parted(match, span)


@rule(
    RULES,
    rf"\b(?P<which>last|past|previous|this|current|next|coming|following){S}(?:fiscal{S}|calendar{S})?"
    r"(?P<u>week|weekend|month|quarter|year|decade|spring|summer|autumn|fall|winter"
    rf"|{ME})\b(?![\s-]long)|\bthe{S}(?P<u2>week|month|year){S}before{S}last\b",
)
def near_unit(match, scene):
    """ "last week", "next quarter": a unit near the record's own."""
    if (
        match["u2"] is None
        and match["which"].lower() in ("following", "coming")
        and not re.search(r"(?:this|the)\s*$", match.string[max(0, match.start() - 6) : match.start()], re.IGNORECASE)
    ):
        return None
    unit = (match["u2"] or match["u"]).lower()
    if scene.at is None:
        return unplaced(match.group(), unit)
    step = (
        -2
        if match["u2"]
        else {"this": 0, "current": 0, "next": 1, "coming": 1, "following": 1}.get(match["which"].lower(), -1)
    )
    at = scene.at
    if unit in ("week", "weekend"):
        return getattr(spans, unit)(at + timedelta(days=7 * step))
    if unit == "month":
        return spans.holding(spans.add_months(at.replace(day=1), step), "M")
    if unit == "quarter":
        moved = spans.add_months(at.replace(day=1), 3 * step)
        return spans.quarter(moved.year, (moved.month + 2) // 3, scene.zone)
    if unit == "year":
        return spans.year(at.year + step, scene.zone)
    if unit == "decade":
        return spans.decade(at.year // 10 * 10 + 10 * step, scene.zone)
    if unit in spans.SEASONS:
        choices = [spans.season(at.year + away, unit, scene.zone) for away in (-2, -1, 0, 1)]
    else:
        if match["u"][0].islower() and unit in AMBIGUOUS:
            return None
        choices = [spans.month(at.year + away, MONTHS[unit], scene.zone) for away in (-2, -1, 0, 1)]
    if step < 0:
        return [c for c in choices if c.ends <= at][-1]
    if step > 0:
        return next(c for c in choices if c.begins > at)
    return next((c for c in choices if c.begins.year == at.year), None)


@rule(
    RULES,
    rf"\b(?:(?P<n>{COUNT}|an?|a{S}couple{S}of|a{S}few){S}(?P<u>{UNIT}){S}(?P<way>ago|from{S}now|hence)"
    rf"|(?:the{S})?(?P<ways>last|past|previous|next|coming){S}(?P<n2>{COUNT}|few|couple{S}of)(?:{S}\([0-9]{{1,4}}\))?{S}(?P<u2>{UNIT}))\b",
)
def counted(match, scene):
    """ "two weeks ago" is the week that was; "the last three months" is the stretch up to the record."""
    words = (match["n"] or match["n2"]).lower()
    amount = 2 if "couple" in words else 3 if "few" in words else parse_number(words)
    unit = (match["u"] or match["u2"]).lower()
    unit = unit if unit in UNITS else unit[:-1]
    code = UNITS[unit]
    if scene.at is None or amount is None:
        return unplaced(match.group(), unit)
    amount = int(amount * MULTIPLES.get(unit, 1))
    if match["n"]:
        back = match["way"].lower() == "ago"
        span = spans.holding(spans.shift(scene.at, -amount if back else amount, code), code)
        return replace(span, data={"about": True}) if "few" in words or "couple" in words else span
    today = spans.day(scene.at)
    if match["ways"].lower() in ("next", "coming"):
        return spans.between(today, spans.day(spans.shift(scene.at, amount, code)))
    return spans.between(spans.day(spans.shift(scene.at, -amount, code)), today)


@rule(
    RULES,
    rf"\b(?P<lead>in|since|by|until|till|during|from|of|through|to|before|after|and|between|early|mid|late){S}{PART}(?P<m>{ME})\b(?![.,]?\s?[0-9])",
    months=True,
)
def month_alone(match, scene):
    """ "in May": the month that the tense of the sentence points to."""
    if not match["m"][0].isupper() or (
        match["m"].lower() in AMBIGUOUS and match["lead"].lower() in ("of", "to", "and", "from", "after", "before")
    ):
        return None
    number = month_number(match["m"])
    words = match.group().split(None, 1)[1]
    which = match["lead"].lower()
    span = yearless(lambda year: spans.month(year, number, scene.zone), words, "month", scene, match.start())
    if which in ("early", "mid", "late") and span.begins:
        return spans.part(span, which)
    return parted(match, span)


_PIECE = rf"(?:{COUNT})(?:{S}\([0-9]{{1,5}}\))?(?:{S}|-)(?:(?:business|calendar|working|consecutive|full|clear)(?:{S}|-))?{UNIT}"


@rule(
    RULES,
    rf"(?<![\w$€£.,-])(?P<first>{_PIECE})(?:(?:{S}and{S}|{S})(?P<second>{_PIECE}))?(?P<old>[\s-]old)?\b"
    rf"|\b(?:for|within|over|after|about|almost|nearly|than|took|lasted|least|every){S}(?P<one>an?){S}(?P<u>{UNIT})\b"
    rf"|\b(?P<half>half{S}an?){S}(?P<u2>hour|day|year)\b",
)
def length(match, scene):
    """ "thirty (30) days": a duration."""
    parts, data = [], {}
    if match["first"]:
        for piece in filter(None, (match["first"], match["second"])):
            found = re.fullmatch(rf"(?P<n>{COUNT}).*?(?P<u>{UNIT})", piece, re.IGNORECASE | re.DOTALL)
            amount, unit = parse_number(found["n"]), found["u"].lower()
            unit = unit if unit in UNITS else unit[:-1]
            parts.append((amount * MULTIPLES.get(unit, 1), UNITS[unit]))
            if re.search(r"business|working", piece, re.IGNORECASE):
                data["business"] = True
        if match["old"]:
            data["age"] = True
    else:
        unit = (match["u"] or match["u2"]).lower()
        unit = unit if unit in UNITS else unit[:-1]
        amount = (0.5 if match["half"] else 1) * MULTIPLES.get(unit, 1)
        parts = [(amount, UNITS[unit])]
    return spans.duration(parts, **data)


@rule(
    RULES,
    r"(?<![\w:.,/-])(?:(?P<h>[01]?[0-9]|2[0-3])[:.](?P<mi>[0-5][0-9])(?::(?P<s>[0-5][0-9]))?(?:\s?(?P<ap>[ap]m\b|[ap]\.m\.))?"
    r"|(?P<h2>1[0-2]|0?[1-9])\s?(?P<ap2>[ap]m\b|[ap]\.m\.)|(?P<word>noon|midnight))"
    r"(?:\s?(?P<z>UTC|GMT|E[SD]T|C[SD]T|M[SD]T|P[SD]T|CEST|CET|BST)\b)?(?![\w/-]|[:.][0-9])",
)
def clock(match, scene):
    """A time of day; joined to the day beside it, or kept without a span."""
    if match["word"]:
        hour, minute = (12, 0) if match["word"].lower() == "noon" else (0, 0)
    else:
        hour, minute = int(match["h"] or match["h2"]), int(match["mi"] or 0)
        half = (match["ap"] or match["ap2"] or "").lower()
        lead = match.string[max(0, match.start() - 4) : match.start()].lower()
        if not half and (match.group()[len(match["h"])] == "." or not re.search(r"(?:at|\d,|t|by|,)\s$", lead)):
            return None
        if half and not 1 <= hour <= 12:
            return None
        if half:
            hour = hour % 12 + (12 if half[0] == "p" else 0)
    data: dict[str, Any] = {"clock": (hour, minute, int(match["s"]) if match["s"] else None)}
    if match["z"]:
        data["zone"] = ZONES[match["z"].lower()]
    return Span("time", f"T{hour:02d}:{minute:02d}", unit="clock", data=data)
