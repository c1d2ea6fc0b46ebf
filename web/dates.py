"""Dates as people type them into a field: "14 March 2025", "March 2025", "2025", or the form the API takes."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from lanes.errors import Invalid
from memory import times
from memory.ingest.timeterms import parse_term

HELP = "Write 14 March 2025, March 2025 or 2025."
# A day or a month in words with its year. "3/4/2025" is refused: it is another day in another country.
_WRITTEN = re.compile(
    r"(?:[A-Za-z]+,?\s+)?(?:the\s+)?(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?)?[A-Za-z]{3,9}\.?(?:\s+\d{1,2}(?:st|nd|rd|th)?)?"
    r",?\s+\d{4}"
)
_ISO = {"day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}


def iso(text: str, field: str) -> str:
    """A written date as the rest of the product takes it, as exact as it was written: "2025-03-14", "2025-03", "2025".

    What is in that form already comes back as it is. Invalid names the field and says what to write.
    """
    text = " ".join(text.split())
    if not text:
        return ""
    if _WRITTEN.fullmatch(text):
        span = parse_term(text, datetime.now(UTC), UTC, month_first=False)
        if span is not None and span.kind == "time" and span.begins is not None and span.unit in _ISO:
            return span.begins.astimezone(UTC).strftime(_ISO[span.unit])
    try:
        times.parse(text, field)
    except Invalid:
        raise Invalid.field(field, f"“{text[:40]}” is not a date. {HELP}") from None
    return text
