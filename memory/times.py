"""Times as people write them: a year, a month, a day or an instant; always an instant with an offset inside."""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

from lanes.errors import Invalid

_PARTIAL = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_WEEK = re.compile(r"\d{4}-?[Ww]\d{2}")
_HELP = "Write 2026, 2026-03, 2026-03-05 or 2026-03-05T14:30:00+01:00 (no offset means UTC)."
# What is kept lies in these years: others are slips or stand for "no date", and leave no room to reckon with.
YEAR_MIN, YEAR_MAX = 1000, 9998
EARLIEST = datetime(YEAR_MIN, 1, 1, tzinfo=UTC)
LATEST = datetime(YEAR_MAX, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def parse(raw: str, field: str) -> tuple[datetime, str]:
    """The instant a written time starts at and its precision: year, month, day or time. For what is to be kept: a
    year that nothing happens in is refused."""
    value, precision = _read(raw, field)
    if not EARLIEST <= value <= LATEST:
        raise Invalid.field(field, f"The year must be from {YEAR_MIN} to {YEAR_MAX}.")
    return value, precision


def _read(raw: str, field: str) -> tuple[datetime, str]:
    text = raw.strip()
    try:
        partial = _PARTIAL.fullmatch(text)
        if partial:
            year, month, day = partial.groups()
            start = datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC)
            return start, "day" if day else "month" if month else "year"
        if _WEEK.fullmatch(text):
            raise Invalid.field(field, f"A week is not taken; name its first or last day. {_HELP}")
        if (whole := _day(text)) is not None:  # 20260305, 2026-W10-4
            return whole, "day"
        value = datetime.fromisoformat(text)
        if value.tzinfo is None:
            value = value.replace(tzinfo=UTC)
        return value.astimezone(UTC), "time"
    except (ValueError, OverflowError):
        raise Invalid.field(field, f"Not a time. {_HELP}") from None


def _day(text: str) -> datetime | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return datetime(found.year, found.month, found.day, tzinfo=UTC)


def instant(raw: str, field: str) -> datetime:
    """The instant to read as of; one before or after everything that is kept is the first or last of that time."""
    return min(max(_read(raw, field)[0], EARLIEST), LATEST)


def start_of(raw: str, field: str) -> datetime | None:
    """The first instant a start bound includes; None (no bound) for one before every time that is kept."""
    value = _read(raw, field)[0]
    return None if value < EARLIEST else value


def end_of(raw: str, field: str) -> datetime | None:
    """The first instant an end bound no longer includes: a written day, month or year is included whole. None (no
    bound) for one after every time that is kept: 9999-12-31 usually says just that."""
    value, precision = _read(raw, field)
    return None if value > LATEST else after(value, precision)


def after(value: datetime, precision: str) -> datetime:
    """The first instant after a time of that precision (which lasts one microsecond), if there is one."""
    try:
        if precision == "day":
            return value + timedelta(days=1)
        if precision == "month":
            return (value.replace(day=1) + timedelta(days=32)).replace(day=1)
        if precision == "year":
            return value.replace(year=value.year + 1)
        return value + timedelta(microseconds=1)
    except (ValueError, OverflowError):
        return _LAST


def moved(value: datetime, by: timedelta) -> datetime:
    """A time and a while; where the calendar ends, its end."""
    try:
        return value + by
    except OverflowError:
        return _FIRST if by < timedelta(0) else _LAST


def placed(value: datetime, zone: tzinfo) -> datetime:
    """A time in a zone; where that leads out of the calendar, in UTC."""
    try:
        return value.astimezone(zone)
    except (ValueError, OverflowError):
        return value.astimezone(UTC)


# How much of an instant's ISO form is known.
_SHOWN = {"year": 4, "month": 7, "day": 10}


def shown(value: datetime, precision: str) -> str:
    """A time as honestly as it is known: 2026, 2026-03, 2026-03-05 or the instant with its offset.

    Dates are stored as midnight UTC and are never shifted into anyone's zone, so a day stays that day.
    """
    text = value.astimezone(UTC).isoformat()
    return text[: _SHOWN[precision]] if precision in _SHOWN else text
