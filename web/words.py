"""How the pages say things: dates with their precision, counts, labels, initials. No database, no Django models."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LONG_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
               "October", "November", "December")  # fmt: skip
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

COUNT_CAP = 10_000

# The icon a kind of record is drawn with; everything else is a document.
KIND_ICONS = {
    "call": "call", "phone": "call", "meeting": "call", "email": "mail", "mail": "mail", "letter": "mail",
    "message": "mail", "note": "words", "memo": "words", "entity": "prop", "fact": "target", "event": "cal",
    "hearing": "cal", "deadline": "cal", "decision": "check",
}  # fmt: skip
KIND_WORDS = {"email": "E-mail", "mail": "E-mail", "": "Record"}


def moment(value: datetime | str | None) -> datetime | None:
    """An aware datetime out of a datetime or an ISO 8601 string with offset; None stays None."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        value = datetime.fromisoformat(value.replace("Z", "+00:00"))
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def date_words(value: datetime | str | None, precision: str = "", zone: tzinfo = UTC) -> str:
    """A date as exact as it is known: "2024", "Feb 2025", "14 Mar 2025", "14 Mar 2025, 10:05" or "No date".

    Year, month and day are read in UTC whatever the reader's zone: a filing date never moves to the day before.
    """
    at = moment(value)
    if at is None:
        return "No date"
    if precision == "time":
        at = at.astimezone(zone)
        return f"{at.day} {MONTHS[at.month - 1]} {at.year}, {at:%H:%M}"
    at = at.astimezone(UTC)
    if precision == "year":
        return str(at.year)
    if precision == "month":
        return f"{MONTHS[at.month - 1]} {at.year}"
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}"


def written_date(value: datetime | str | None, precision: str) -> str:
    """A date as a form shows it, to be changed: "14 March 2025", "March 2025", "2025"; an instant as it is kept."""
    at = moment(value)
    if at is None:
        return ""
    at = at.astimezone(UTC)
    if precision == "time":
        return at.isoformat()
    parts = {"year": str(at.year), "month": f"{LONG_MONTHS[at.month - 1]} {at.year}"}
    return parts.get(precision) or f"{at.day} {LONG_MONTHS[at.month - 1]} {at.year}"


def period_words(start: datetime, unit: str) -> tuple[str, str]:
    """A month, year, decade or century that a bar stands for, and the same for the axis: ("March 2025", "Mar")."""
    if unit == "month":
        return f"{LONG_MONTHS[start.month - 1]} {start.year}", MONTHS[start.month - 1]
    if unit == "year":
        return str(start.year), str(start.year)
    if unit == "decade":
        return f"the {start.year}s", f"{start.year}s"
    return f"{start.year} to {start.year + 99}", str(start.year)


def precision_words(precision: str) -> str:
    """What is said beside a date that is not exact to the day."""
    return {"year": "year only", "month": "month only"}.get(precision, "")


def clock_words(value: datetime | str | None, now: datetime | None = None, zone: tzinfo = UTC) -> str:
    """When something was recorded: "14:26" today, "Mon 11:20" this week, "12 Jun" this year, then with the year."""
    at = moment(value)
    if at is None:
        return ""
    at = at.astimezone(zone)
    now = (now or datetime.now(UTC)).astimezone(zone)
    if at.date() == now.date():
        return f"{at:%H:%M}"
    if timedelta(0) <= now - at < timedelta(days=6):
        return f"{DAYS[at.weekday()]} {at:%H:%M}"
    day = f"{at.day} {MONTHS[at.month - 1]}"
    return day if at.year == now.year else f"{day} {at.year}"


def since_words(value: datetime | str | None, now: datetime | None = None, zone: tzinfo = UTC) -> str:
    """A past moment inside a sentence: "today 14:26", "yesterday 17:42", "Mon 11:20", "12 Jun"."""
    at = moment(value)
    if at is None:
        return "the beginning"
    at = at.astimezone(zone)
    now = (now or datetime.now(UTC)).astimezone(zone)
    if at.date() == now.date():
        return f"today {at:%H:%M}"
    if at.date() == now.date() - timedelta(days=1):
        return f"yesterday {at:%H:%M}"
    return clock_words(at, now, zone)


def count_words(n: int | None, capped: bool = False) -> str:
    """A count with thousands separated; a capped one says so."""
    if n is None:
        return ""
    return f"more than {n:,}" if capped else f"{n:,}"


RESERVED = {"e_connect": "connected as", "e_adjust": "adjustment"}


def label_words(label: str) -> str:
    """A label as people read it: purchase_order becomes "purchase order"."""
    return RESERVED.get(label) or label.replace("_", " ")


# What the pages themselves call something: a property of that name is told apart.
OWN_WORDS = {"matter", "kind", "date_of_event", "written_by"}


def heading(label: str) -> str:
    """A label over a list of its values: "Purchase order"; "Property “matter”" where the page has matters too."""
    said = label_words(label)
    return f"Property “{said}”" if label in OWN_WORDS else said[:1].upper() + said[1:]


def connection_words(label: str, value: str) -> tuple[str, str]:
    """A reserved property in words: ("connected as", "same incident") for e_connect:same_incident_<32 hex>."""
    hint = value[:-33] if len(value) > 33 and value[-33] == "_" else value
    return label_words(label), hint.replace("_", " ") or "related"


def property_words(label: str, value: str) -> tuple[str, str]:
    """Label and value of any property as people read them: a reserved one never shows its id."""
    return connection_words(label, value) if label in RESERVED else (label_words(label), value)


def kind_icon(kind: str) -> str:
    return KIND_ICONS.get(kind, "doc")


def kind_words(kind: str) -> str:
    return KIND_WORDS.get(kind) or kind.replace("_", " ").replace("-", " ").capitalize()


def initials(name: str) -> str:
    """One or two capitals for an avatar."""
    parts = [p for p in name.replace(".", " ").replace("_", " ").replace("@", " ").split() if p[0].isalnum()]
    if not parts:
        return "?"
    return (parts[0][0] + (parts[-1][0] if len(parts) > 1 else parts[0][1:2])).upper()


def plural(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def listing(words: list[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return ", ".join(words[:-1]) + " and " + words[-1]


def ordinal(n: int) -> str:
    """ "1st", "2nd", "3rd", "11th"."""
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n:,}{ending}"
