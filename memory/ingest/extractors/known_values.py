"""Mentions of values already in use: the extractor that makes walks from text to records possible.

The words of a text are hashed in runs of one to twelve (memory.normal.norm_key, so that case, accents' Unicode
form and punctuation don't matter) and looked up among the values of **the record's own lane** and the values the
tenant controls. Nothing else is asked: a tag can never tell a reader that a value exists in a lane they can't
read. The longest mention wins; a value that is the record's own title is passed over, but takes its words with it, so
that no shorter value is found inside it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import NamedTuple
from uuid import UUID

import regex

from memory.ingest.extractors.base import ExtractContext, TagProposal
from memory.normal import bare_key, fold, hash64, norm_key, norm_tokens
from memory.words import STOP_WORDS

MAX_WORDS = 12
MAX_RUN = 16  # characters of a value inside a run of a script written without spaces
MAX_GAP = 100  # characters looked back over for what stands before a word
MAX_MENTIONS = 8  # kept of one value in one record
MAX_TOKENS = 50_000  # of one record, and as many characters of scripts written without spaces

# Letters, digits and what modifies them; signs like ™ and № too, because folding turns them into letters.
_PIECE = regex.compile(r"[\p{L}\p{N}\p{M}\p{Cf}\p{So}]+")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々]{2,}")
# Words that are values somewhere ("May", "Does", "Will") and words everywhere: alone they count only when written
# exactly like the value, and not at the beginning of a sentence.
COMMON = STOP_WORDS | frozenset(
    [
        "may",
        "will",
        "does",
        "shall",
        "must",
        "might",
        "would",
        "could",
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
        "first",
        "second",
        "yes",
        "no",
        "new",
        "old",
        "open",
        "closed",
        "high",
        "low",
        "day",
        "date",
        "time",
        "note",
        "other",
        "others",
        "et",
        "al",
        "inc",
        "llc",
        "ltd",
        "plc",
        "co",
        "corp",
        "the",
        "company",
        "party",
        "parties",
        "court",
        "case",
        "order",
        "notice",
        "motion",
        "general",
        "public",
        "state",
        "county",
        "city",
        "united",
        "states",
        "see",
        "also",
    ]
)


class KnownValue(NamedTuple):
    """A value that may be mentioned. `lane_id` is None for a value controlled by the tenant."""

    lane_id: int | None
    norm_key: int
    label: str
    value: str
    key: UUID
    written: str  # the spelling that is in use; `value` is the one to tag (they differ for aliases)
    bare: bool = False  # `written` is the value without the parenthesis at its end


# (tenant_id, lane_id, hashes) → the values of that lane, or controlled by that tenant, with these hashes.
Lookup = Callable[[int, int, Sequence[int]], list[KnownValue]]


class Token(NamedTuple):
    word: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """The words of a text as norm_key sees them, with their places in the text."""
    found: list[Token] = []
    if text.isascii():
        for match in regex.finditer(r"[A-Za-z0-9]+", text):
            found.append(Token(match.group().lower(), match.start(), match.end()))
        return found[:MAX_TOKENS]
    for match in _PIECE.finditer(text):
        piece = match.group()
        words = [piece.lower()] if piece.isascii() else norm_tokens(piece)
        found.extend(Token(word, match.start(), match.end()) for word in words)
        if len(found) >= MAX_TOKENS:
            break
    return found[:MAX_TOKENS]


class Candidate(NamedTuple):
    """A run of words that could be a value. `size` is the number of words, which "longest" compares first."""

    hash: int
    start: int
    end: int
    size: int


class Candidates(NamedTuple):
    """The candidates of a text: hashes, and beside each its place, in one number because there are hundreds of them
    for a short text and only those that are values are looked at."""

    hashes: Sequence[int]
    places: Sequence[int]

    def among(self, wanted: Container[int]) -> list[Candidate]:
        """Those with one of these hashes."""
        return [
            Candidate(hash_, place >> 36, place >> 8 & 0xFFFFFFF, place & 0xFF)
            for hash_, place in zip(self.hashes, self.places, strict=True)
            if hash_ in wanted
        ]


class Prepared(NamedTuple):
    """The candidates of one record."""

    title: Candidates
    text: Candidates


def candidates(text: str) -> Candidates:
    """Every run of words (and of characters in unspaced scripts) that could be a value."""
    words = tokens(text)
    count = len(words)
    written = [word.encode() for word, _, _ in words]
    ends = [word.end << 8 for word in words]
    # Inside one written piece: "¼" is two words, but neither is a mention.
    inside = set() if text.isascii() else {i for i in range(1, count) if words[i].start == words[i - 1].start}
    digests: list[bytes] = []
    places: list[int] = []
    # memory.normal.hash64, written out: this loop is most of the extractor's time.
    for first in range(count):
        if first in inside:
            continue
        # start, end and size; adding one to `last` makes it a size
        start = (words[first].start << 36) - first + 1
        run = b""
        for last in range(first, min(first + MAX_WORDS, count)):
            run = run + b" " + written[last] if run else written[last]
            if last + 1 not in inside:
                digests.append(blake2b(run, digest_size=8).digest())
                places.append(start + ends[last] + last)
    hashes = struct.unpack(f">{len(digests)}q", b"".join(digests))
    if text.isascii():
        return Candidates(hashes, places)
    more: list[int] = []
    left = MAX_TOKENS
    for match in _UNSPACED.finditer(text):
        if left <= 0:
            break
        piece, offset = match.group()[:left], match.start()
        left -= len(piece)
        if fold(piece) != piece:
            continue
        for first in range(len(piece)):
            for last in range(first + 2, min(first + MAX_RUN, len(piece)) + 1):
                if last - first < len(piece):
                    more.append(hash64(piece[first:last]))
                    places.append((offset + first << 36) + (offset + last << 8) + 1)
    return Candidates([*hashes, *more], places)


def plausible(value: KnownValue, text: str, start: int, end: int) -> bool:
    """Whether a mention of one word is more than a coincidence of spelling."""
    mention, written = text[start:end], value.written
    words = norm_tokens(written)
    if (
        value.bare
        and _capital(written)
        and (not any(c.isupper() for c in mention) or (len(words) == 1 and _inside_name(text, start, end)))
    ):
        return False  # "a second wife" is not "Second Wife (film)", and "Princess Ada" not "Princess (film)"
    if len(words) > 1:
        # Two or more words; but not only words like "the company".
        return not all(word in COMMON for word in words) or mention == written
    word = words[0] if words else ""
    if word.isdigit():
        return len(word) >= 5 or mention == written and len(word) == 4 and value.label in ("year", "number")
    if len(word) < 2 and word.isascii():
        return False
    if word in COMMON:
        before = text[max(0, start - MAX_GAP) : start].rstrip(" \t\"'“‘(")
        return mention == written and mention[:1].isupper() and bool(before) and before[-1] not in ".!?\n:;"
    # A name written with a capital is mentioned with one; "indemnity" may be written either way.
    return not _capital(written) or _capital(mention) or mention == written


def _capital(text: str) -> bool:
    """Whether the first letter or digit is a capital letter."""
    return next((c for c in text if c.isalnum()), "").isupper()


def _inside_name(text: str, start: int, end: int) -> bool:
    """Whether a capitalised word stands right before or after: the mention is part of a longer name."""
    after = regex.match(r"[ -]\p{Lu}", text[end : end + 2])
    before = regex.search(r"(?<![.!?:]\s)\b\p{Lu}[\p{L}.]*[ -]$", text[max(0, start - 30) : start])
    return bool(after or (before and before.group().rstrip(" -").lower() not in STOP_WORDS))


def mentions(text: str, title: str, values: Sequence[KnownValue], spans: Candidates) -> list[TagProposal]:
    """The tags for one text, from what the lookup returned for its candidates."""
    by_hash: dict[int, list[KnownValue]] = {}
    for value in values:
        if not value.label.startswith("e_"):
            by_hash.setdefault(value.norm_key, []).append(value)
    own = {norm_key(title), bare_key(title)} if norm_tokens(title) else set()
    hits = sorted(spans.among(by_hash), key=lambda hit: (-hit.size, hit.start - hit.end, hit.start))
    taken = bytearray(len(text) + 1)
    found: list[TagProposal] = []
    counts: dict[UUID, int] = {}
    for hash_, start, end, _ in hits:
        if 1 in taken[start:end]:
            continue
        if hash_ in own:
            taken[start:end] = b"\x01" * (end - start)
            continue
        good = [v for v in by_hash[hash_] if plausible(v, text, start, end)]
        if not good:
            continue
        taken[start:end] = b"\x01" * (end - start)
        seen = set()
        for value in good:
            if value.key in seen:
                continue
            seen.add(value.key)
            counts[value.key] = counts.get(value.key, 0) + 1
            if counts[value.key] <= MAX_MENTIONS:
                data = {"controlled": True} if value.lane_id is None else {}
                found.append(TagProposal(value.label, value.value, start, end, data=data, key=value.key))
    return sorted(found, key=lambda p: p.start)


class KnownValueExtractor:
    """Label and value of the mention are those of the value in use, and so is its key: the hyperedge's own."""

    name = "known_values"

    def __init__(self, lookup: Lookup | None = None) -> None:
        self._lookup = lookup

    def lookup(self, tenant_id: int, lane_id: int, hashes: Sequence[int]) -> list[KnownValue]:
        if self._lookup is not None:
            return self._lookup(tenant_id, lane_id, hashes)
        from memory.ingest.lookup import known_values  # the database side

        return known_values(tenant_id, lane_id, hashes)

    def extract(self, text: str, context: ExtractContext) -> list[TagProposal]:
        return self.extract_many([text], [context])[0]

    def extract_many(self, texts: Sequence[str], contexts: Sequence[ExtractContext]) -> list[list[TagProposal]]:
        prepared = [self.prepare(context.title, text) for text, context in zip(texts, contexts, strict=True)]
        return self.finish(texts, contexts, prepared)

    def prepare(self, title: str, text: str) -> Prepared:
        """The part that needs no database: the candidates of title and text."""
        return Prepared(candidates(title), candidates(text))

    def finish(
        self, texts: Sequence[str], contexts: Sequence[ExtractContext], prepared: Sequence[Prepared]
    ) -> list[list[TagProposal]]:
        """Tags for each text, with one lookup for each lane in the batch.

        What only the title mentions becomes a tag without a place.
        """
        lanes: dict[tuple[int, int], set[int]] = {}
        for found, context in zip(prepared, contexts, strict=True):
            hashes = lanes.setdefault((context.tenant_id, context.lane_id), set())
            hashes.update(found.title.hashes)
            hashes.update(found.text.hashes)
        values: dict[tuple[int, int], dict[int, list[KnownValue]]] = {}
        for lane, hashes in lanes.items():
            by_hash = values.setdefault(lane, {})
            for value in self.lookup(*lane, sorted(hashes)) if hashes else ():
                by_hash.setdefault(value.norm_key, []).append(value)
        result = []
        for text, context, found in zip(texts, contexts, prepared, strict=True):
            by_hash = values[context.tenant_id, context.lane_id]
            tags = mentions(text, context.title, _among(by_hash, found.text), found.text)
            named = {tag.key for tag in tags}
            for tag in mentions(context.title, context.title, _among(by_hash, found.title), found.title):
                if tag.key not in named:
                    named.add(tag.key)
                    tags.append(replace(tag, start=None, end=None, data={**tag.data, "in": "title"}))
            result.append(tags)
        return result


def _among(by_hash: dict[int, list[KnownValue]], spans: Candidates) -> list[KnownValue]:
    return [value for hash_ in by_hash.keys() & spans.hashes for value in by_hash[hash_]]
