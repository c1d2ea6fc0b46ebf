# ruff: noqa: E501 - a pattern is easier to check in one piece
"""Terms that name their date: "3 May 2024", "2024-Q1", "the 1990s", "19 January".

Every handler gets the match and the scene and returns a Span, or None when it is no date after all. A date that
does not exist raises ValueError, which drops the term.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone

from memory.ingest.times import spans
from memory.ingest.times.grammar import (
    AFTER,
    AMBIGUOUS,
    BEFORE,
    DASH,
    DAY,
    DTH,
    LEAD,
    PART,
    YEAR,
    M,
    Rules,
    S,
    leading_int,
    month_number,
    parted,
    rule,
    yearless,
)
from memory.ingest.times.numbers import ORDINALS
from memory.ingest.times.spans import Span

RULES: Rules = []


@rule(
    RULES,
    rf"{BEFORE}(?P<y>[12][0-9]{{3}})-(?P<mo>[01][0-9])-(?P<d>[0-3][0-9])"
    r"(?:[T ](?P<h>[0-2][0-9]):(?P<mi>[0-5][0-9])(?::(?P<s>[0-5][0-9])(?:\.[0-9]{1,9})?)?"
    r"\s?(?P<z>Z|UTC|[+-][0-2][0-9]:?[0-5][0-9])?)?(?![\w-])",
)
def iso_date(match, scene):
    """2024-05-03."""
    date = spans.ymd(int(match["y"]), int(match["mo"]), int(match["d"]), scene.zone)
    if not match["h"]:
        return date
    zone = None
    if match["z"]:
        digits = match["z"].replace(":", "")
        minutes = 0 if digits[0] in "zZuU" else int(digits[0] + "1") * (int(digits[1:3]) * 60 + int(digits[3:5]))
        zone = timezone(timedelta(minutes=minutes))
    return spans.at_clock(date, int(match["h"]), int(match["mi"]), int(match["s"]) if match["s"] else None, zone)


@rule(RULES, r"(?P<y>[12][0-9]{3})年(?:(?P<m>1[0-2]|0?[1-9])月(?:(?P<d>" + DAY + r")[日号])?)?")
def cjk_date(match, scene):
    """2024年5月3日."""
    if match["d"]:
        return spans.ymd(int(match["y"]), int(match["m"]), int(match["d"]), scene.zone)
    if match["m"]:
        return spans.month(int(match["y"]), int(match["m"]), scene.zone)
    return spans.year(int(match["y"]), scene.zone)


@rule(RULES, rf"{BEFORE}(?P<y>[12][0-9]{{3}})/(?P<m>1[0-2]|0?[1-9])/(?P<d>{DAY})(?![\w/-])")
def ymd_slashes(match, scene):
    """2024/05/03."""
    return spans.ymd(int(match["y"]), int(match["m"]), int(match["d"]), scene.zone)


@rule(
    RULES,
    rf"{BEFORE}(?P<a>[0-3]?[0-9])(?P<sep>[/.-])(?P<b>[0-3]?[0-9])(?P=sep)(?P<y>[12][0-9]{{3}}|[0-9]{{2}})(?![\w/]|[-.:,][0-9])",
)
def numeric_date(match, scene):
    """3/5/2024 is read month first (a setting); dots always mean day first; "-" needs a full year."""
    year, first, second = int(match["y"]), int(match["a"]), int(match["b"])
    if len(match["y"]) == 2:
        if match["sep"] != "/":
            return None
        year += 2000 if year < 70 else 1900
    month_first = scene.month_first and match["sep"] != "."
    data = {}
    if first <= 12 and second <= 12 and first != second and match["sep"] != ".":
        data = {"ambiguous": "day and month"}
    elif (first > 12) == month_first and first != second:
        month_first = not month_first
    monthno, dayno = (first, second) if month_first else (second, first)
    return replace(spans.ymd(year, monthno, dayno, scene.zone), data=data)


@rule(
    RULES,
    rf"{BEFORE}(?:(?P<m>{M}){S}(?P<a>{DTH})\s?(?:{DASH}|to|through|and)\s?(?P<b>{DTH})(?:,?{S}(?P<y>{YEAR}))?"
    rf"|(?P<a2>{DTH})\s?(?:{DASH}|to|through|and)\s?(?P<b2>{DTH}){S}(?:of{S})?(?P<m2>{M})(?:,?{S}(?P<y2>{YEAR}))?)(?![0-9:]|[-/][0-9])",
    months=True,
)
def day_range(match, scene):
    """3 to 6 May 2024: from one day of a month to another."""
    first, last = leading_int(match["a"] or match["a2"]), leading_int(match["b"] or match["b2"])
    number = month_number(match["m"] or match["m2"])

    def make(year: int) -> Span:
        found = spans.between(spans.ymd(year, number, first, scene.zone), spans.ymd(year, number, last, scene.zone))
        if found is None:
            raise ValueError("a range of days runs forward")
        return found

    written = match["y"] or match["y2"]
    if written:
        return make(int(written))
    return yearless(make, match.group(), "range", scene, match.start()) if first < last else None


@rule(
    RULES,
    rf"{BEFORE}(?:the{S})?(?P<d>{DTH})(?:{S}|-)?(?:day{S})?(?:of{S}|de{S})?(?P<m>{M})(?:(?:,?{S}|-)(?:de{S})?(?P<y>{YEAR}))?(?!\w|[-/:][0-9])",
    months=True,
)
def day_month(match, scene):
    """3 May 2024."""
    number, dayno = month_number(match["m"]), leading_int(match["d"])
    if match["y"]:
        return spans.ymd(int(match["y"]), number, dayno, scene.zone)
    if len(match["m"].rstrip(".")) <= 3 and match["m"][0].islower():
        return None
    return yearless(
        lambda year: spans.ymd(year, number, dayno, scene.zone), match.group(), "day", scene, match.start()
    )


@rule(
    RULES,
    rf"{BEFORE}(?P<m>{M}){S}(?:the{S})?(?P<d>{DTH})(?![0-9:])(?:(?:,\s{{0,2}}|{S})(?P<y>{YEAR})(?![0-9]|-[0-9]))?(?!\w|[-/][0-9]|[.,][0-9])",
    months=True,
)
def month_day(match, scene):
    """May 3, 2024."""
    number, dayno = month_number(match["m"]), leading_int(match["d"])
    if match["y"]:
        return spans.ymd(int(match["y"]), number, dayno, scene.zone)
    if match["m"][0].islower() and match["m"].lower().rstrip(".") in AMBIGUOUS:
        return None
    return yearless(
        lambda year: spans.ymd(year, number, dayno, scene.zone), match.group(), "day", scene, match.start()
    )


@rule(RULES, rf"{BEFORE}{PART}(?P<m>{M})(?:,?{S}|-)(?:of{S}|de{S})?(?P<y>{YEAR}){AFTER}", months=True)
def month_year(match, scene):
    """May 2024."""
    return parted(match, spans.month(int(match["y"]), month_number(match["m"]), scene.zone))


@rule(
    RULES,
    rf"{BEFORE}{PART}(?:(?P<h>[QH])(?P<n>[1-4])[\s,/'’-]{{0,3}}(?:of\s)?(?:FY\s?)?(?P<y>{YEAR}|(?<=['’])[0-9]{{2}})"
    rf"|(?P<y2>{YEAR})[\s/-]?(?P<h2>[QH])(?P<n2>[1-4]))(?![\w-])",
)
def quarter_code(match, scene):
    """Q1 2024."""
    year = int(match["y"] or match["y2"])
    year += 2000 if year < 100 else 0
    number, kind = int(match["n"] or match["n2"]), (match["h"] or match["h2"]).upper()
    if kind == "H" and number > 2:
        return None
    make = spans.quarter if kind == "Q" else spans.half
    return parted(match, make(year, number, scene.zone))


@rule(RULES, rf"{BEFORE}Q(?P<n>[1-4])(?![\w'’/-])")
def bare_quarter(match, scene):
    """Q1, of the record's own year."""
    number = int(match["n"])
    return yearless(
        lambda year: spans.quarter(year, number, scene.zone), match.group(), "quarter", scene, match.start()
    )


@rule(
    RULES,
    rf"\b{PART}(?P<n>first|second|third|fourth|1st|2nd|3rd|4th|last){S}(?P<k>quarter|half){S}(?:of{S})?(?:the{S}year{S})?(?:FY\s?)?(?P<y>{YEAR}){AFTER}",
)
def quarter_words(match, scene):
    """the first quarter of 2024."""
    number, year = ORDINALS[match["n"].lower()], int(match["y"])
    if match["k"].lower() == "half":
        return spans.half(year, 2 if match["n"].lower() == "last" else number, scene.zone)
    return parted(match, spans.quarter(year, number, scene.zone))


@rule(RULES, rf"\b{PART}(?P<s>spring|summer|autumn|fall|winter){S}(?:of{S})?(?P<y>{YEAR}){AFTER}")
def season_year(match, scene):
    """spring 2024."""
    return parted(match, spans.season(int(match["y"]), match["s"].lower(), scene.zone))


@rule(
    RULES,
    r"(?:\b(?:the\s)?(?:(?P<part>early|mid|late)[\s-])?(?P<y>1[0-9]|20)(?P<d>[0-9])0['’]?s\b)|(?:\bthe\s['’]?|['’])(?P<short>[2-9])0['’]?s\b",
)
def decade(match, scene):
    """the 1990s."""
    if match["short"]:
        return spans.decade(1900 + 10 * int(match["short"]), scene.zone)
    return parted(match, spans.decade(int(match["y"] + match["d"] + "0"), scene.zone))


@rule(RULES, r"\b(?:(?P<part>early|mid|late)[\s-])?(?P<n>1?[0-9]|2[01])(?:st|nd|rd|th)[\s-]century\b")
def century(match, scene):
    """the 19th century."""
    return parted(match, spans.century(int(match["n"]), scene.zone))


@rule(RULES, rf"{BEFORE}(?:FY|fiscal{S}year|financial{S}year)\s?(?P<y>{YEAR}|[0-9]{{2}}){AFTER}")
def fiscal_year(match, scene):
    """FY 2024."""
    year = int(match["y"])
    return replace(spans.year(year + 2000 if year < 100 else year, scene.zone), data={"fiscal": True})


@rule(
    RULES,
    rf"(?<![\w./:$€£¥§#,-])(?P<a>1[5-9][0-9]{{2}}|20[0-9]{{2}})\s?{DASH}\s?(?P<b>1[5-9][0-9]{{2}}|20[0-9]{{2}})(?![\w/-]|[.,:][0-9])",
)
def year_range(match, scene):
    """2019-2021: both years included."""
    return spans.between(spans.year(int(match["a"]), scene.zone), spans.year(int(match["b"]), scene.zone))


@rule(
    RULES,
    rf"(?:\b(?:{LEAD}|{PART.replace('?P<part>', '?P<lead>')[:-1]})(?:{S})?(?:the{S}year{S})?|\()(?P<y>1[5-9][0-9]{{2}}|20[0-9]{{2}})(?![\w%/§]|[-.:,][0-9]|\s?(?:shares|people|dollars|euros|units|pages|words))",
)
def year_alone(match, scene):
    """in 2024: a year that a word before it marks as one."""
    span = spans.year(int(match["y"]), scene.zone)
    which = (match["lead"] or "").lower()
    if which:
        which = {"beginning": "early", "start": "early", "middle": "mid", "end": "late"}.get(which, which)
        return spans.part(span, which)
    return span
