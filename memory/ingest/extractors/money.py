# ruff: noqa: E501 - a pattern is easier to check in one piece
"""Sums of money: currency and amount, normalised."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from memory.ingest.extractors.base import ExtractContext, TagProposal
from memory.ingest.times.numbers import NUMBER_WORDS, parse_number

_SYMBOLS = {
    "US$": "USD", "C$": "CAD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD",
    "R$": "BRL", "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW", "₽": "RUB", "₪": "ILS",
}  # fmt: skip
_CODES = [
    "USD",
    "EUR",
    "GBP",
    "CHF",
    "JPY",
    "CAD",
    "AUD",
    "NZD",
    "HKD",
    "SGD",
    "CNY",
    "RMB",
    "INR",
    "SEK",
    "NOK",
    "DKK",
    "PLN",
    "CZK",
    "HUF",
    "BRL",
    "ZAR",
    "MXN",
    "KRW",
    "ILS",
    "TRY",
    "RUB",
    "AED",
    "SAR",
]
_WORDS = {
    "us dollars": "USD", "u.s. dollars": "USD", "united states dollars": "USD", "dollars": "USD", "dollar": "USD",
    "euros": "EUR", "euro": "EUR", "pounds sterling": "GBP", "pounds": "GBP", "swiss francs": "CHF", "francs": "CHF",
    "yen": "JPY", "rupees": "INR", "canadian dollars": "CAD", "australian dollars": "AUD", "cents": "USD",
}  # fmt: skip
_SCALE = {
    "k": 3, "thousand": 3, "m": 6, "mm": 6, "mn": 6, "mio": 6, "million": 6, "millions": 6, "bn": 9, "b": 9,
    "billion": 9, "billions": 9, "trillion": 12, "tn": 12,
}  # fmt: skip

_AMOUNT = r"[0-9]{1,3}(?:[,.'’\u00a0\u202f ][0-9]{3}){1,5}(?:[.,][0-9]{1,2})?(?![0-9])|[0-9]{1,15}(?:[.,][0-9]{1,4})?"
_SCALES = r"(?:\s?(?P<scale{0}>thousand|millions?|billions?|trillion|mio|mm|mn|bn|tn|[kKmMbB])\b)?"
_CURRENCY_WORDS = "|".join(re.escape(word) for word in sorted(_WORDS, key=len, reverse=True))
_MONEY = re.compile(
    rf"""(?<![\w$€£¥])(?:
      (?P<sign>(?:US|CA?|AU?|NZ|HK|S|R)?\$|[€£¥₹₩₽₪]|(?:{"|".join(_CODES)})(?=[\s0-9]))\s?(?P<a>{_AMOUNT})(?:\s?[-\u2013]\s?(?:US)?[$€£¥]?(?P<upto>{_AMOUNT})(?![-/.0-9]))?{_SCALES.format(1)}
      | (?P<b>{_AMOUNT}){_SCALES.format(2)}[\s-]?(?P<after>[€£¥₹]|(?:{"|".join(_CODES)})\b|(?:{_CURRENCY_WORDS})\b)
      | (?P<words>(?:{NUMBER_WORDS})(?:[\s-](?:(?:hundred|thousand|million|billion)|and|(?:{NUMBER_WORDS}))){{0,8}})\s(?P<unit>{_CURRENCY_WORDS})\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_TRIGGER = re.compile(
    r"[$€£¥₹₩₽₪]|\b(?:" + "|".join(_CODES) + r")\b|dollar|euro|pound|franc|\byen\b|rupee|\bcents\b", re.IGNORECASE
)


def parse_amount(written: str) -> Decimal | None:
    """The number of "1,234.56", "1.234,56", "1'234", "1 234,5"; None when it is none.

    A single separator followed by exactly three digits groups thousands; otherwise the last separator is the
    decimal mark.
    """
    digits = re.sub(r"['’\u00a0\u202f ]", "", written)
    marks = [c for c in digits if c in ",."]
    if len(set(marks)) == 2:
        decimal = marks[-1]
        digits = digits.replace("," if decimal == "." else ".", "").replace(decimal, ".")
    elif len(marks) > 1:
        digits = digits.replace(marks[0], "")
    elif marks:
        head, tail = digits.split(marks[0])
        digits = head + tail if len(tail) == 3 and head != "0" else f"{head}.{tail}"
    try:
        return Decimal(digits)
    except InvalidOperation:
        return None


def written_amount(amount: Decimal) -> str:
    """Without exponent and without needless zeros; cents always as two digits: 1250000, 1250.50, 0.125."""
    text = f"{amount:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
        if "." in text and len(text.split(".")[1]) == 1:
            text += "0"
    return text


class MoneyExtractor:
    """Label `money`; the value reads "USD 1250000", `data` has `currency` and `amount`.

    "$" alone is taken as US dollars and marked `assumed`.
    """

    name = "money"
    titles = True

    def extract(self, text: str, context: ExtractContext) -> list[TagProposal]:
        if not _TRIGGER.search(text):
            return []
        found: list[TagProposal] = []
        for match in _MONEY.finditer(text):
            proposal = self._proposal(match)
            if proposal is None:
                continue
            # "Ten Thousand Dollars ($10,000)" is one sum, written twice.
            if found and proposal.value == found[-1].value and text[found[-1].end : proposal.start].strip() == "(":
                continue
            found.append(proposal)
        return found

    def _proposal(self, match: re.Match[str]) -> TagProposal | None:
        data: dict[str, Any] = {}
        scale = None
        if match["words"]:
            number = parse_number(match["words"])
            amount = None if number is None else Decimal(int(number))
            currency = _WORDS[match["unit"].lower()]
            cents = match["unit"].lower() == "cents"
        else:
            amount = parse_amount(match["a"] or match["b"])
            sign = match["sign"] or match["after"]
            cents = sign.lower() == "cents"
            currency = _SYMBOLS.get(sign.upper()) or _WORDS.get(sign.lower()) or sign.upper()
            currency = "CNY" if currency == "RMB" else currency
            if sign in ("$",):
                data["assumed"] = True
            if currency in _CODES and sign.isalpha() and not sign.isupper() and sign.lower() not in _WORDS:
                return None  # "try 5", "sek" in running text
            scale = match["scale1"] or match["scale2"]
            if amount is not None and scale:
                amount = amount.scaleb(_SCALE[scale.lower()])
        if amount is None or amount >= Decimal(10) ** 18:
            return None
        if cents:
            amount /= 100
        written = written_amount(amount)
        data |= {"currency": currency, "amount": written}
        if match["upto"]:  # "$5-7 million": the scale holds for both ends
            upto = parse_amount(match["upto"])
            if upto is not None:
                data["upto"] = written_amount(upto.scaleb(_SCALE[scale.lower()]) if scale else upto)
        return TagProposal("money", f"{currency} {written}", match.start(), match.end(), data=data)
