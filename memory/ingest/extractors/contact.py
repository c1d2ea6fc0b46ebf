# ruff: noqa: E501 - a pattern is easier to check in one piece
"""E-mail addresses and telephone numbers."""

from __future__ import annotations

import re

from memory.ingest.extractors.base import ExtractContext, TagProposal

# Both sides of an "@" are bounded (RFC 5321: 64 and 255 characters), so a long run of letters costs nothing.
_LOCAL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}$")
_DOMAIN = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_][\w-]{1,61}(?<![-_])")

_PHONE = re.compile(
    r"""(?<![\w.@/:$€£¥§#+-])
    (?P<number>
      (?:\+|00)[1-9][0-9]{0,2}[\s.()/-]{0,3}(?:\(0\)\s?)?(?:[0-9]{1,5}[\s.()/-]{0,2}){1,6}[0-9]   # international
      | (?:1[\s.-])?(?:\([2-9][0-9]{2}\)\s?|[2-9][0-9]{2}[\s.-])[2-9][0-9]{2}[\s.-][0-9]{4}       # North America
      | (?:(?<=\bTel\s)|(?<=\bTel:\s)|(?<=\bTel\.\s)|(?<=\bFax\s)|(?<=\bFax:\s)|(?<=\bphone\s)|(?<=\bphone:\s)|(?<=\bmobile\s)|(?<=\bmobile:\s)|(?<=\bcell:\s)|(?<=\bcall\s))
        0?[0-9]{2,5}(?:[\s.()/-]{1,2}[0-9]{2,8}){1,4}
    )
    (?:\s{0,2}(?:ext\.?|extension|x)\s?(?P<ext>[0-9]{1,6}))?
    (?![\w@]|[-./:][0-9])""",
    re.VERBOSE | re.IGNORECASE,
)


class EmailExtractor:
    """Label `email`; the value is the address in lower case, `data.domain` what follows the "@"."""

    name = "email"
    titles = True

    def extract(self, text: str, context: ExtractContext) -> list[TagProposal]:
        found = []
        place, free = text.find("@"), 0  # `free`: where the last address ended
        while place != -1:
            local = _LOCAL.search(text, max(free, place - 64), place)
            domain = _DOMAIN.match(text, place + 1, place + 256)
            if local and domain:
                start = local.start()
                while start < place and text[start] in ".'`{|}*/=":  # quotes and brackets around the address
                    start += 1
                name = text[start:place]
                if name and not name.endswith(".") and ".." not in name:
                    value = f"{name}{text[place : domain.end()]}".lower()
                    found.append(
                        TagProposal("email", value, start, domain.end(), data={"domain": domain.group().lower()})
                    )
                    free = domain.end()
            place = text.find("@", max(free, place + 1))
        return found


class PhoneExtractor:
    """Label `phone`; the value is digits led by "+" and the country, where the country is known.

    Numbers in the North American shape get +1. Other national numbers are tagged only where a word like "Tel"
    leads them, and keep their digits as written: guessing a country would join numbers of different people.
    """

    name = "phone"
    titles = True

    def extract(self, text: str, context: ExtractContext) -> list[TagProposal]:
        found = []
        for match in _PHONE.finditer(text):
            number = match["number"].replace("(0)", "")
            digits = re.sub(r"[^0-9]", "", number)
            if number.startswith("+") or (number.startswith("00") and len(digits) > 9):
                digits = digits[2:] if number.startswith("00") else digits
                value = "+" + digits
            elif re.fullmatch(r"1?[2-9][0-9]{2}[2-9][0-9]{6}", digits):
                value = "+1" + digits[-10:]
            else:
                value = digits
            if not 7 <= len(digits) <= 15:
                continue
            data = {"extension": match["ext"]} if match["ext"] else {}
            found.append(TagProposal("phone", value, match.start("number"), match.end(), data=data))
        return found
