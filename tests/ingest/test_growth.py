"""Texts made to be slow: whatever reads them takes time that grows with their length, not with its square.

Each reader gets each pattern at one length and at four times that. Linear work takes four times as long and quadratic
work sixteen times; what takes more than nine times as long, three times in a row, fails.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from memory import words
from memory.find.snippets import snippet
from memory.ingest.extractors import ExtractContext
from memory.ingest.extractors.entities import EntityExtractor
from memory.ingest.extractors.known_values import KnownValue, KnownValueExtractor
from memory.ingest.steps import extractors
from memory.ingest.windows import windows
from memory.normal import edge_key, norm_key
from memory.relations.grammar import find_relations

WRITTEN = datetime(2026, 3, 5, tzinfo=UTC)
CONTEXT = ExtractContext(at=WRITTEN)
TRIFLE = 0.03  # seconds of work that say nothing of growth

PATTERNS = [
    "[", "(", '"', "'", ".", ". ", "?!", "! ", "x", "x ", "X ", "9", "9 ", "9,", "9.", "1-", "1 2", "-", "@", "a@",
    "a.", "a@b.", "$", "$1", "$1,", "$9,999", "U.S. ", "v. ", "Aa ", "Aa v. Bb ", "http://a.b/", "May ", "May 1, ",
    "1/", "1/1/", "12:", "last ", "Monday ", "in ", "the ", "will ", "was ", "No. 1-", "\n", " ", "\t", "\n ", ".\n",
    "\u3000", "漢", "漢 ", "あ", "é", "e\u0301", "\u0301", "½", "Case No. ", ":", "1:08-cv-", "one hundred ",
    "twenty-", "thirty (", "§ ", "+1 ", "(555) ", "Inc. ", "_", "*", "<a>", "{", "&", "\u200b", "A.B.", "Id. ",
    "at 1, ", "1 U.S. 1, ", "(2d Cir. ", "1st ", "to ", "1 to ", "from 1 May to ", "2026-03-05T10:00+", "two weeks ",
]  # fmt: skip
# The parser takes milliseconds a sentence, so it gets what is worst for a tokenizer, a tree and a register of names.
PARSED = ["[", '("', "he X ", "A, ", "signed and "]
VALUES = [
    KnownValue(1, norm_key(value), "client", value, edge_key("client", value), value)
    for value in ("The", "Was", "x", "May", "Aa", "9 9")
]


def known(text: str):
    return KnownValueExtractor(lambda *_: VALUES).extract(text, CONTEXT)


READERS = {extractor.name: lambda text, e=extractor: e.extract(text, CONTEXT) for extractor in extractors()}
READERS |= {"known_values": known, "windows": windows, "words": lambda text: words.vector(text, text)}
READERS["snippets"] = lambda text: snippet(text, {"x", "may"}, {})
MODELS = {
    "names": lambda text: EntityExtractor().extract(text, CONTEXT),
    "relations": lambda text: find_relations(text, written_at=WRITTEN),
}


def seconds(read, text: str) -> float:
    began = time.process_time()
    read(text)
    return time.process_time() - began


def grows_linearly(read, pattern: str, length: int) -> bool:
    short, long = (pattern * length)[:length], (pattern * length * 4)[: length * 4]
    for _ in range(3):
        before, after = seconds(read, short), seconds(read, long)
        if after < TRIFLE or after < 9 * before:
            return True
    return False


@pytest.mark.parametrize("name", READERS)
def test_time_grows_with_the_length_of_the_text(name):
    READERS[name]("Warm up on 5 May 2024, for USD 5.")
    assert [p for p in PATTERNS if not grows_linearly(READERS[name], p, 2_000)] == []


@pytest.mark.parametrize("name", MODELS)
def test_time_of_the_models_grows_with_the_length_of_the_text(name):
    MODELS[name]("Raj works for Acme Ltd.")
    assert [p for p in PARSED if not grows_linearly(MODELS[name], p, 1_200)] == []
