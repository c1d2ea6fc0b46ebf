"""Time and duration terms → tags `time` and `duration`, normalised and placed."""

from __future__ import annotations

from memory.ingest.extractors.base import ExtractContext, TagProposal, clip
from memory.ingest.extractors.tense import tense_at
from memory.ingest.timeterms import find_terms


class TimeExtractor:
    """`value` is the normal form ("2024-05-03", "2024-Q1", "P30D"); the span is set where it can be placed.

    `data` holds `unit`, and where they apply `relation` ("since", "by"), `part` ("early"), `business`,
    `ambiguous`, and `days` for durations.
    """

    name = "times"
    titles = True

    def __init__(self, month_first: bool = True) -> None:
        self.month_first = month_first

    def extract(self, text: str, context: ExtractContext) -> list[TagProposal]:
        found = []
        for start, end, span in find_terms(text, context.at, context.zone, tense_at(text), self.month_first):
            data = {k: v for k, v in span.data.items() if k not in ("clock", "zone")}
            if span.kind == "time":
                data["unit"] = span.unit
            else:
                data["days"] = round(span.days, 4)
            found.append(TagProposal(span.kind, clip(span.value), start, end, span.begins, span.ends, data))
        return found
