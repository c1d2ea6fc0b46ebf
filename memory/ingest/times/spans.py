"""Half-open calendar spans and their normal forms.

Every span is [begins, ends) in one zone. Normal forms follow ISO 8601 where it has one: `2024-05-03`,
`2024-05`, `2024`, `2024-W19`, `2024-05-03/2024-06-06` (both days included), `P30D`. Quarters, halves,
decades and centuries have none and read `2024-Q1`, `2024-H1`, `1990s`, `C19`.
Functions raise ValueError or OverflowError for dates outside years 1 to 9999; callers drop the term.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


@dataclass(frozen=True, slots=True)
class Span:
    """What a term means. `kind` is "time" or "duration"; `unit` is the grain (day, month…).

    A duration has no begins and ends; `days` is its length in days (months as 30.4375, years as 365.25),
    for comparing durations written in different units.
    """

    kind: str
    value: str
    begins: datetime | None = None
    ends: datetime | None = None
    unit: str = ""
    days: float | None = None
    data: dict[str, Any] = field(default_factory=dict)


def day(moment: datetime, zone: tzinfo | None = None) -> Span:
    """The day that holds the moment, in `zone` (the moment's own when none is given)."""
    begins = datetime(moment.year, moment.month, moment.day, tzinfo=zone or moment.tzinfo)
    return Span("time", f"{begins:%Y-%m-%d}".zfill(10), begins, begins + timedelta(days=1), "day")


def ymd(year: int, month: int, dayno: int, zone: tzinfo) -> Span:
    """One day by its numbers."""
    return day(datetime(year, month, dayno, tzinfo=zone))


def week(moment: datetime) -> Span:
    """The ISO week (Monday to Sunday) that holds the moment."""
    start = day(moment).begins - timedelta(days=moment.weekday())
    year, number, _ = start.isocalendar()
    return Span("time", f"{year:04d}-W{number:02d}", start, start + timedelta(days=7), "week")


def weekend(moment: datetime) -> Span:
    """Saturday and Sunday of the moment's ISO week."""
    saturday = week(moment).begins + timedelta(days=5)
    return between(day(saturday), day(saturday + timedelta(days=1)), "weekend")


def add_months(moment: datetime, months: int) -> datetime:
    """The moment so many months later, on the last day of a month that is too short."""
    index = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(index, 12)
    last = (datetime(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))


def month(year: int, number: int, zone: tzinfo) -> Span:
    """One month."""
    begins = datetime(year, number, 1, tzinfo=zone)
    return Span("time", f"{year:04d}-{number:02d}", begins, add_months(begins, 1), "month")


def quarter(year: int, number: int, zone: tzinfo) -> Span:
    """One quarter (1 to 4) of a year."""
    begins = datetime(year, 3 * number - 2, 1, tzinfo=zone)
    return Span("time", f"{year:04d}-Q{number}", begins, add_months(begins, 3), "quarter")


def half(year: int, number: int, zone: tzinfo) -> Span:
    """One half (1 or 2) of a year."""
    begins = datetime(year, 6 * number - 5, 1, tzinfo=zone)
    return Span("time", f"{year:04d}-H{number}", begins, add_months(begins, 6), "half")


def season(year: int, name: str, zone: tzinfo) -> Span:
    """Three whole months, northern hemisphere; winter 2023 is December 2023 to February 2024."""
    begins = datetime(year, SEASONS[name], 1, tzinfo=zone)
    name = "autumn" if name == "fall" else name
    return Span("time", f"{year:04d}-{name}", begins, add_months(begins, 3), "season")


def year(number: int, zone: tzinfo) -> Span:
    """One year."""
    begins = datetime(number, 1, 1, tzinfo=zone)
    return Span("time", f"{number:04d}", begins, datetime(number + 1, 1, 1, tzinfo=zone), "year")


def decade(first: int, zone: tzinfo) -> Span:
    """Ten years from the first one given ("the 1990s")."""
    begins = datetime(first, 1, 1, tzinfo=zone)
    return Span("time", f"{first:04d}s", begins, datetime(first + 10, 1, 1, tzinfo=zone), "decade")


def century(number: int, zone: tzinfo) -> Span:
    """A hundred years by their ordinal ("the 19th century")."""
    begins = datetime(100 * number - 99, 1, 1, tzinfo=zone)
    return Span("time", f"C{number:02d}", begins, datetime(100 * number + 1, 1, 1, tzinfo=zone), "century")


def between(first: Span, last: Span, unit: str = "range") -> Span | None:
    """From the first span's beginning to the last one's end; None when that runs backwards."""
    if first.begins is None or last.ends is None or last.ends <= first.begins:
        return None
    return Span("time", f"{first.value}/{last.value}", first.begins, last.ends, unit)


def part(span: Span, which: str) -> Span:
    """The early, middle or late third of a span; the value stays, `data.part` says which."""
    third = (span.ends - span.begins) / 3
    begins, ends = {
        "early": (span.begins, span.begins + third),
        "mid": (span.begins + third, span.ends - third),
        "late": (span.ends - third, span.ends),
    }[which]
    if third >= timedelta(days=1):
        begins = begins.replace(hour=0, minute=0, second=0, microsecond=0)
        whole = ends.replace(hour=0, minute=0, second=0, microsecond=0)
        ends = whole if whole == ends else whole + timedelta(days=1)
    return replace(span, begins=begins, ends=min(ends, span.ends), data={**span.data, "part": which})


def at_clock(date: Span, hour: int, minute: int, second: int | None = None, zone: tzinfo | None = None) -> Span:
    """One minute (or second) of a day. With a zone of its own it is kept in UTC: Postgres takes no offset of sixteen
    hours or more."""
    begins = date.begins.replace(hour=hour, minute=minute, second=second or 0)
    clock = begins.strftime("%H:%M" if second is None else "%H:%M:%S")
    if zone is not None:
        begins = begins.replace(tzinfo=zone).astimezone(UTC)
    length = timedelta(minutes=1) if second is None else timedelta(seconds=1)
    return Span("time", f"{date.value}T{clock}", begins, begins + length, "time")


_DAYS = {"Y": 365.25, "M": 30.4375, "W": 7.0, "D": 1.0, "h": 1 / 24, "m": 1 / 1440, "s": 1 / 86400}


def duration(parts: list[tuple[float, str]], **data: Any) -> Span:
    """A length. `parts` are (amount, unit) with unit one of Y M W D h m s."""
    dates, clock, days = "", "", 0.0
    for amount, unit in parts:
        number = f"{amount:.4f}".rstrip("0").rstrip(".")
        days += amount * _DAYS[unit]
        if unit in "hms":
            clock += number + unit.upper()
        else:
            dates += number + unit
    value = "P" + dates + ("T" + clock if clock else "")
    return Span("duration", value, unit="duration", days=days, data=data)


def shift(moment: datetime, amount: int, unit: str) -> datetime:
    """Move by whole units (Y M W D h m s)."""
    if unit == "Y":
        return add_months(moment, 12 * amount)
    if unit == "M":
        return add_months(moment, amount)
    return (
        moment + timedelta(days=amount * _DAYS[unit])
        if unit in "WD"
        else moment + timedelta(seconds=amount * {"h": 3600, "m": 60, "s": 1}[unit])
    )


def holding(moment: datetime, unit: str) -> Span:
    """The calendar unit (Y M W D) that holds the moment; the minute for shorter units."""
    zone = moment.tzinfo
    if unit == "Y":
        return year(moment.year, zone)
    if unit == "M":
        return month(moment.year, moment.month, zone)
    if unit == "W":
        return week(moment)
    if unit == "D":
        return day(moment)
    return at_clock(day(moment), moment.hour, moment.minute)
