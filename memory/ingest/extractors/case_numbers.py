# ruff: noqa: E501 - a pattern is easier to check in one piece
"""Docket numbers of courts and matter numbers of firms, in the spellings they are written in.

Values are brought to one form where the parts are certain: `1:08-cv-284`, `1:08-CV-00284 (JSR)` and
`08 Civ. 284` share `data.short` = `08-cv-00284`; the office number, where it is written, stays in the value.
Numbers are never qualified by a court: the same number exists in many courts, and which one is meant is for a
caller's edge property to say.
"""

from __future__ import annotations

import re

from memory.ingest.extractors.base import ExtractContext, TagProposal

_D = "[-\u2010\u2011\u2012\u2013]"
_TYPES = {
    "cv": "cv", "civ": "cv", "civil": "cv", "cr": "cr", "crim": "cr", "criminal": "cr", "mc": "mc", "misc": "mc",
    "mj": "mj", "mag": "mj", "md": "md", "mdl": "md", "bk": "bk", "bkr": "bk", "ap": "ap", "adv": "ap", "po": "po",
    "br": "br", "sw": "sw", "cm": "cm", "gj": "gj", "mb": "mb", "pt": "pt", "tp": "tp",
}  # fmt: skip
_TYPE = "(?:" + "|".join(sorted(_TYPES, key=len, reverse=True)) + r")\.?"
_NOT_BEFORE = r"(?<![\w./:$€£¥§#-])"
_NOT_AFTER = r"(?![\w/]|[-.:,][0-9])"
_JUDGE = r"(?:\s?\((?P<judge>[A-Z]{2,4})\)|(?P<judges>(?:-[A-Z]{2,4}){1,3})(?![A-Za-z]))?"

_FEDERAL = re.compile(
    rf"{_NOT_BEFORE}(?:(?P<office>[0-9]{{1,2}})\s?:\s?)?(?P<year>(?:19|20)?[0-9]{{2}})(?:\s?{_D}\s?|\s)(?P<type>{_TYPE})(?:\s?{_D}\s?|\s?)(?P<number>[0-9]{{1,6}}){_JUDGE}(?![0-9A-Za-z/])"
    rf"|{_NOT_BEFORE}(?P<type2>CV|CR|MC|MD|MJ|BK|AP){_D}?(?P<year2>[0-9]{{2}}){_D}(?P<number2>[0-9]{{1,6}})(?P<judges2>(?:-[A-Z]{{2,4}}){{1,3}})?(?![0-9A-Za-z/])",
    re.IGNORECASE,
)
_BANKRUPTCY = re.compile(
    rf"{_NOT_BEFORE}(?P<year>[0-9]{{2}}){_D}(?P<number>[0-9]{{5}})(?:\s?\((?P<judge>[A-Z]{{2,4}})\)|-(?P<judge2>[a-z]{{2,4}}[0-9]{{0,2}})\b)?{_NOT_AFTER}"
)
_NO = r"(?:Nos?\.?|Numbers?|\#)"
_LED = re.compile(
    rf"\b(?P<lead>Case|Docket|Index|Cause|Civil\sAction|Civil\sCase|Criminal\sCase|Adv(?:ersary|\.)?\s(?:Pro(?:ceeding|c)?\.?|Case)|Appeal|Claim|Suit|Petition|Appl(?:ication|\.)|File|Matter|Client[-/\s]Matter|Our\sRef(?:erence)?|Your\sRef(?:erence)?|Ref(?:erence)?|MDL)"
    rf"\.?\s{{0,2}}(?:{_NO}|:)?\s{{0,2}}:?\s{{0,2}}(?P<number>(?=[A-Z0-9./:\u2010-\u2013-]*[0-9])[A-Z0-9](?:[A-Z0-9]|[./:\u2010-\u2013-](?=[A-Z0-9])){{2,30}})",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    rf"\bNos?\.\s{{0,2}}(?P<number>[0-9]{{2}}{_D}[0-9]{{1,6}}|[0-9]{{2,6}}/[0-9]{{2,4}})(?P<more>(?:(?:,\s|,?\sand\s|\s&\s)[0-9]{{2}}{_D}[0-9]{{1,6}}){{0,8}}){_NOT_AFTER}"
)
_MATTER = re.compile(
    rf"{_NOT_BEFORE}(?P<prefix>[A-Z]{{1,4}}{_D})?(?P<year>(?:19|20)[0-9]{{2}}){_D}(?P<number>[0-9]{{3,6}}){_NOT_AFTER}"
)
_EUROPEAN = re.compile(
    rf"{_NOT_BEFORE}(?:[CTF]{_D}[0-9]{{1,4}}/[0-9]{{2}}(?:\s?P)?|[IVX]{{1,4}}\s?ZR\s?[0-9]{{1,4}}/[0-9]{{2}}|[1-9]\sBv[RFLNQE]\s[0-9]{{1,4}}/[0-9]{{2}}|[A-Z]{{2}}{_D}(?:19|20)[0-9]{{2}}{_D}[0-9]{{6}}){_NOT_AFTER}"
)
_MATTER_LEADS = ("matter", "client", "file", "our", "your", "ref")


def _plain(text: str) -> str:
    return re.sub("[\u2010-\u2013]", "-", text)


def _year(two: str) -> int:
    number = int(two)
    return number if number > 99 else number + (2000 if number < 70 else 1900)


class CaseNumberExtractor:
    """Labels `docket` and `matter_number`; `data` has the parts: year, number, type, office, judge, short."""

    name = "case_numbers"
    titles = True

    def extract(self, text: str, context: ExtractContext) -> list[TagProposal]:
        found: list[TagProposal] = []
        for read in (self._federal, self._european, self._bankruptcy, self._matter, self._numbered, self._led):
            for proposal in read(text):
                if not any(p.start < proposal.end and proposal.start < p.end for p in found):
                    found.append(proposal)
        return sorted(found, key=lambda p: p.start)

    def _federal(self, text):
        for match in _FEDERAL.finditer(text):
            year = match["year"] or match["year2"]
            kind = _TYPES[(match["type"] or match["type2"]).lower().rstrip(".")]
            number = int(match["number"] or match["number2"])
            if len(year) == 4 and not match["office"] and kind != "cv" and "-" not in _plain(match.group()):
                continue  # "2019 cr 5": prose
            short = f"{_year(year) % 100:02d}-{kind}-{number:05d}"
            data = {"year": _year(year), "type": kind, "number": number, "short": short}
            value = short
            if match["office"]:
                data["office"] = int(match["office"])
                value = f"{int(match['office'])}:{short}"
            judge = match["judge"] or (match["judges"] or match["judges2"] or "").strip("-")
            if judge:
                data["judge"] = judge
            yield TagProposal("docket", value, match.start(), match.end(), data=data)

    def _bankruptcy(self, text):
        for match in _BANKRUPTCY.finditer(text):
            value = f"{match['year']}-{match['number']}"
            data = {"year": _year(match["year"]), "number": int(match["number"]), "short": value}
            if match["judge"] or match["judge2"]:
                data["judge"] = match["judge"] or match["judge2"]
            yield TagProposal("docket", value, match.start(), match.end(), data=data)

    def _matter(self, text):
        for match in _MATTER.finditer(text):
            if re.fullmatch(r"(?:19|20)[0-9]{2}", match["number"]) and not match["prefix"]:
                continue  # "2001-2021": years
            value = _plain(match.group())
            data = {"year": int(match["year"]), "number": int(match["number"])}
            yield TagProposal("matter_number", value, match.start(), match.end(), data=data)

    def _european(self, text):
        for match in _EUROPEAN.finditer(text):
            yield TagProposal("docket", " ".join(_plain(match.group()).split()), match.start(), match.end())

    def _numbered(self, text):
        for match in _NUMBERED.finditer(text):
            value = _plain(match["number"])
            yield TagProposal("docket", value, match.start("number"), match.end("number"), data={"led_by": "No."})
            for more in re.finditer(rf"[0-9]{{2}}{_D}[0-9]{{1,6}}", match["more"] or ""):
                start = match.start("more") + more.start()
                yield TagProposal(
                    "docket", _plain(more.group()), start, start + len(more.group()), data={"led_by": "No."}
                )

    def _led(self, text):
        """Any number that is named as one: "Index No. 650123/2020", "Matter No. 12345.0001"."""
        for match in _LED.finditer(text):
            number = match["number"]
            if re.search(r"[a-z]{3}", number) or sum(c.isdigit() for c in number) < 3:
                continue
            if re.fullmatch(r"(?:19|20)[0-9]{2}(?:[-/.][01]?[0-9](?:[-/.][0-3]?[0-9])?)?", number):
                continue  # a date, as in "ref 2024-05-03"
            named = match["lead"].lower()
            if not re.search(
                rf"{_NO}|:", match.group()[len(match["lead"]) : match.start("number") - match.start()], re.IGNORECASE
            ) and not re.search(r"[-/:]|[0-9]\.[0-9]", number):
                continue  # "case 1234" in prose
            label = "matter_number" if named.startswith(_MATTER_LEADS) else "docket"
            yield TagProposal(
                label, _plain(number).upper(), match.start("number"), match.end("number"),
                data={"led_by": " ".join(match["lead"].split())},
            )  # fmt: skip
