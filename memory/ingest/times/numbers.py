"""Numbers written as words or digits, as contracts write them: "thirty (30)", "twenty-one", "1,000"."""

from __future__ import annotations

import re

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
WORDS = {word: number for number, word in enumerate(_ONES)}
WORDS |= {word: 10 * (number + 2) for number, word in enumerate(_TENS)}
SCALES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12}

_TEN = "|".join(_TENS)
_SMALL = "|".join(sorted((w for w in WORDS if w != "zero"), key=len, reverse=True))
# 1 to 99 in words, then optionally "hundred" and a rest: enough for notice periods and terms.
NUMBER_WORDS = (
    rf"(?:(?:{_TEN})[- ](?:one|two|three|four|five|six|seven|eight|nine)|{_SMALL})"
    rf"(?:[ ]hundred(?:[ ](?:and[ ])?(?:(?:{_TEN})[- ](?:one|two|three|four|five|six|seven|eight|nine)|{_SMALL}))?)?"
    r"|(?:a|one)[ ]hundred(?:[ ](?:and[ ])?(?:" + _SMALL + "))?"
)

ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "last": 4,
}  # fmt: skip

_DIGITS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+(?:\.[0-9]+)?")


def parse_number(written: str) -> float | None:
    """The number a phrase of digits or number words means, or None."""
    written = written.strip().lower()
    if _DIGITS.fullmatch(written):
        return float(written.replace(",", ""))
    total, current, seen = 0.0, 0.0, False
    for word in re.split(r"[\s-]+", written):
        if word in ("and", ""):
            continue
        if word in ("a", "an"):
            current, seen = current or 1, True
        elif word in WORDS:
            current, seen = current + WORDS[word], True
        elif word == "hundred":
            current, seen = (current or 1) * 100, True
        elif word in SCALES:
            total, current, seen = total + (current or 1) * SCALES[word], 0.0, True
        else:
            return None
    return total + current if seen else None
