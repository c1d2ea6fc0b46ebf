# ruff: noqa: E501 - a pattern is easier to check in one piece
"""Legal citations: cases, statutes, regulations and journals (eyecite), and neutral citations.

The text keeps the citation as it was written; the value is the corrected form ("531 U.S. 98"). Where a
reporter's abbreviation could mean several, all of them are in `data.candidates` and none is picked.
"""

from __future__ import annotations

import logging
import re

from memory.ingest.extractors.base import ExtractContext, TagProposal, clip

logger = logging.getLogger(__name__)

_LIKELY = re.compile(
    r"[0-9]\s+(?:[A-Z§][\w.’'& ]{0,30}?[.\s])\s{0,3}(?:§{1,2}\s*)?[0-9]|§\s*[0-9]|[0-9]\s+[A-Z][A-Za-z.]+\s+[0-9]"
)
_NEUTRAL = re.compile(
    r"\[(?P<year>1[89][0-9]{2}|20[0-9]{2})\]\s{1,2}(?:(?P<volume>[0-9]{1,2})\s)?(?P<court>[A-Z][A-Za-z]{1,9}(?:\s(?:Civ|Crim|Ch|QB|KB|Fam|Admin|Comm|TCC|Pat|IPEC|CSIH|Lloyd['’]s\sRep))?)\s(?P<number>[0-9]{1,5})(?:\s\((?P<division>[A-Z][A-Za-z]{1,8})\))?(?![\w-])"
)
_SECTIONS = re.compile(r"(?:\bSections?\b|\bSecs?\.|§{1,2})\s*", re.IGNORECASE)
_CHUNK = 20_000
_OVERLAP = 400


class CitationExtractor:
    """Label `citation`; `data` has kind (case, law, journal, neutral), parties, year, court and pinpoint."""

    name = "citations"
    titles = True

    def extract(self, text: str, context: ExtractContext) -> list[TagProposal]:
        found = list(self._neutral(text))
        if _LIKELY.search(text):
            for offset in range(0, len(text), _CHUNK):
                # Pieces overlap, and a citation belongs to the piece it starts in: time stays linear in length.
                piece = text[offset : offset + _CHUNK + _OVERLAP]
                for proposal in self._cited(piece):
                    if proposal.start < _CHUNK:
                        found.append(_moved(proposal, offset))
        found.sort(key=lambda p: (p.start, -p.end))
        kept: list[TagProposal] = []
        for proposal in found:
            if not kept or proposal.start >= kept[-1].end:
                kept.append(proposal)
        return kept

    def _neutral(self, text: str):
        for match in _NEUTRAL.finditer(text):
            data = {"kind": "neutral", "year": int(match["year"]), "court": match["court"]}
            yield TagProposal("citation", clip(match.group()), match.start(), match.end(), data=data)

    def _cited(self, text: str):
        from eyecite import get_citations  # here, because it loads every reporter's pattern (worker only)
        from eyecite.models import FullCaseCitation, FullJournalCitation, FullLawCitation

        try:
            citations = get_citations(text)
        except Exception:  # noqa: BLE001 - a parser's fault on odd text must not cost the other tags
            logger.warning("citations could not be read", exc_info=True)
            return
        kinds: dict[type, str] = {FullCaseCitation: "case", FullLawCitation: "law", FullJournalCitation: "journal"}
        for citation in citations:
            kind = kinds.get(type(citation))
            start, end = citation.span()
            if kind is None or not 0 <= start < end <= len(text):
                continue
            data: dict = {"kind": kind}
            meta = citation.metadata
            for name in ("plaintiff", "defendant", "court", "year", "pin_cite"):
                value = getattr(meta, name, None)
                if value:
                    data[name] = clip(str(value))
            editions = {e.reporter.short_name for e in getattr(citation, "all_editions", ()) or ()}
            if getattr(citation, "edition_guess", None) is None and len(editions) > 1:
                data["candidates"] = sorted(editions)
            value = clip(_SECTIONS.sub("§ ", citation.corrected_citation()))
            if value and text[start:end].strip():
                yield TagProposal("citation", value, start, end, data=data)


def _moved(proposal: TagProposal, offset: int) -> TagProposal:
    return TagProposal(
        proposal.label, proposal.value, proposal.start + offset, proposal.end + offset, data=proposal.data
    )
