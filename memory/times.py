"""Times as people write them: a year, a month, a day or an instant; always an instant with an offset inside."""

import re
from datetime import UTC, datetime, timedelta

from lanes.errors import Invalid

_PARTIAL = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_HELP = "Write 2026, 2026-03, 2026-03-05 or 2026-03-05T14:30:00+01:00 (no offset means UTC)."


def parse(raw: str, field: str) -> tuple[datetime, str]:
    """The instant a written time starts at and its precision: year, month, day or time."""
    text = raw.strip()
    try:
        partial = _PARTIAL.fullmatch(text)
        if partial:
            year, month, day = partial.groups()
            start = datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC)
            return start, "day" if day else "month" if month else "year"
        value = datetime.fromisoformat(text)
        if value.tzinfo is None:
            value = value.replace(tzinfo=UTC)
        return value.astimezone(UTC), "time"
    except (ValueError, OverflowError):
        raise Invalid.field(field, f"Not a time. {_HELP}") from None


def start_of(raw: str, field: str) -> datetime:
    """The first instant a start bound includes."""
    return parse(raw, field)[0]


def end_of(raw: str, field: str) -> datetime:
    """The first instant an end bound no longer includes: a written day, month or year is included whole."""
    value, precision = parse(raw, field)
    return after(value, precision, field)


def after(value: datetime, precision: str, field: str = "end_date") -> datetime:
    """The first instant after a time of that precision (an instant lasts one microsecond)."""
    try:
        if precision == "day":
            return value + timedelta(days=1)
        if precision == "month":
            return (value.replace(day=1) + timedelta(days=32)).replace(day=1)
        if precision == "year":
            return value.replace(year=value.year + 1)
        return value + timedelta(microseconds=1)
    except (ValueError, OverflowError):
        raise Invalid.field(field, "Too late a time.") from None


# How much of an instant's ISO form is known.
_SHOWN = {"year": 4, "month": 7, "day": 10}


def shown(value: datetime, precision: str) -> str:
    """A time as honestly as it is known: 2026, 2026-03, 2026-03-05 or the instant with its offset.

    Dates are stored as midnight UTC and are never shifted into anyone's zone, so a day stays that day.
    """
    text = value.astimezone(UTC).isoformat()
    return text[: _SHOWN[precision]] if precision in _SHOWN else text
