"""Text to lexemes: the tokeniser behind full text search, phrases, scoring and highlights.

Postgres's own parser turns ``1:08-cv-00284`` into ``-00284, 1, 08, cv``, ``C++`` into ``c`` and a Chinese
sentence into one word, so the product builds its own ``tsvector`` and ``tsquery`` literals:

* a compound (``1:08-cv-00284``, ``AC/DC``, ``u.s.c``, ``2024-017``) is kept whole **and** as parts. The whole
  stands on the position of its first part, so a phrase may be asked in either spelling;
* ``C++``, ``C#`` and ``F#`` keep their signs; ``U.S.C.`` is also ``usc``; ``2,000`` is ``2000``;
* scripts written without spaces become overlapping pairs of characters, and single characters beside them;
* case, accents and compatibility forms are folded; English words are stemmed (Snowball);
* stop words get a position, so that phrases keep their distances, but no lexeme;
* a title is also one lexeme of its own (`title_term`), so that a record titled exactly like a question is found
  in one look, whatever its words.

Nothing here touches Django or the database.
"""

from __future__ import annotations

import hashlib
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import regex
import Stemmer

MAX_POSITION = 16_383  # Postgres folds later positions into this one
MAX_POSITIONS = 255  # a lexeme; Postgres keeps fewer than 256
MAX_LEXEME = 128  # characters; far below Postgres's 2,046 bytes
MAX_VECTOR_BYTES = 900_000  # Postgres refuses a tsvector of 1 MB
TITLE_GAP = 4  # positions between title and text, so that no phrase spans the two

_STOP = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves what which who whom this that these those am is
are was were be been being have has had having do does did doing a an the and but if or because as until
while of at by for with about against between into through during before after above below to from up
down in out on off over under again further then once here there when where why how all any both each
few more most other some such no nor not only own same so than too very s t can will just don should now
don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't won't wouldn't can't couldn't
shouldn't i'm i've i'll i'd you're you've you'll you'd he'll he'd she'll she'd it'll we're we've we'll
we'd they're they've they'll they'd that'll
"""
STOP_WORDS = frozenset(_STOP.split())

_UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    r"\u3005\u3007\u30FC\u3099\u309A\uFF70\uFF9E\uFF9F"
)
_WORD = rf"[[\p{{L}}\p{{N}}\p{{M}}]--[{_UNSPACED}]]"
_JOIN = r"[.\-\u2010\u2011/\\:@&'\u2019_+#]"
_TOKEN = regex.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)"
    rf"|(?P<grouped>\d{{1,3}}(?:,\d{{3}})+(?!{_WORD}))"
    rf"|(?P<word>{_WORD}+(?:{_JOIN}{_WORD}+)*(?P<sign>(?:\+\+|\#)(?!{_WORD}))?)",
    regex.V1,
)
_PART = regex.compile(_JOIN)
_TITLE_WORD = regex.compile(r"[\p{L}\p{N}\p{M}]+(?:\+\+|#)?")
_INITIALS = regex.compile(r"\p{L}(?:\.\p{L})+")
_LETTERS = regex.compile(r"[a-z]+(?:'[a-z]+)?")
# Marks that distinguish spellings of one word in Latin, Greek, Cyrillic, Hebrew and Arabic; the vowel signs
# of other scripts are letters in all but name and stay.
_ACCENTS = regex.compile(r"[\u0300-\u036F\u0591-\u05C7\u064B-\u065F\u0670\u1AB0-\u1AFF\u1DC0-\u1DFF\u200C\u200D]")
_LETTER_FORMS = str.maketrans(
    {
        "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ŋ": "n",
        "ς": "σ", "\u2010": "-", "\u2011": "-", "\u2019": "'",
    }
)  # fmt: skip
_MAX_PARTS = 16  # of a compound that is kept whole

_local = threading.local()


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    stemmer = getattr(_local, "stemmer", None)  # a Stemmer must not be shared between threads
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer.Stemmer("english", 0)
    return stemmer.stemWord(word)


def fold_word(word: str) -> str:
    """The word without case, accents and compatibility forms: ``Ærø`` → ``aero``, ``ＡＢＣ`` → ``abc``."""
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", word).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", folded)).translate(_LETTER_FORMS)


def _plain(word: str) -> str | None:
    """The lexeme of one folded word without separators; None for a stop word."""
    if word.endswith("'s"):
        word = word[:-2]
    if word in STOP_WORDS or not word:
        return None
    if len(word) > 2 and _LETTERS.fullmatch(word):
        word = _stem(word)
    return word[:MAX_LEXEME]


@lru_cache(maxsize=200_000)
def _analyse(surface: str, unspaced: bool) -> tuple[tuple[tuple[str | None, int, bool], ...], int]:
    """One token → ((lexeme or None, position offset, belongs in a phrase), …) and the positions it takes."""
    if unspaced:
        run = unicodedata.normalize("NFKC", surface)
        if len(run) == 1:
            return ((run, 0, True),), 1
        pairs = [(run[i : i + 2], i, True) for i in range(len(run) - 1)]
        singles = [(char, i, False) for i, char in enumerate(run)]
        return tuple(pairs + singles), len(run)

    word = fold_word(surface)
    if word[:1].isdigit() and "," in word:
        return ((word.replace(",", "")[:MAX_LEXEME], 0, True),), 1
    sign = "++" if word.endswith("++") else "#" if word.endswith("#") else ""
    if sign:
        # The sign is part of the name: the bare letter stands beside it for those who write only that.
        bare = word[: -len(sign)]
        inner, taken = _analyse(bare, False)
        last = max(offset for _, offset, _ in inner)
        terms = [(lexeme, offset, phrase and offset != last) for lexeme, offset, phrase in inner]
        named = _PART.split(bare)[-1] + sign
        terms.append((named[-MAX_LEXEME:], last, True))
        if named != word and len(word) <= MAX_LEXEME:
            terms.append((word, 0, False))
        return tuple(terms), taken
    if "'" in word and _LETTERS.fullmatch(word) and (word.endswith("'s") or word in STOP_WORDS):
        return ((_plain(word), 0, True),), 1
    parts = [part for part in _PART.split(word) if part]
    if len(parts) <= 1:  # none: an accent standing alone
        return ((_plain("".join(parts)), 0, True),), 1
    terms = [(_plain(part), offset, True) for offset, part in enumerate(parts)]
    if len(parts) == 2 and parts[1] == "s" and "'" in word:  # a possessive after a non-Latin or numbered word
        return ((_plain(parts[0]), 0, True),), 1
    whole = word[:-2] if word.endswith("'s") else word
    if len(parts) <= _MAX_PARTS and len(whole) <= MAX_LEXEME:
        terms.append((whole, 0, False))
        if _INITIALS.fullmatch(whole):
            terms.append((whole.replace(".", ""), 0, False))
    return tuple(terms), len(parts)


def _tokens(text: str) -> Iterator[tuple[tuple[tuple[str | None, int, bool], ...], int, int, int]]:
    """(analysis, positions taken, start, end) of every token; start and end are character offsets."""
    for match in _TOKEN.finditer(text):
        analysis, taken = _analyse(match.group(), match.lastgroup == "unspaced")
        yield analysis, taken, match.start(), match.end()


def spans(text: str) -> Iterator[tuple[frozenset[str], int, int]]:
    """(lexemes, start, end) of every token that has a lexeme, in order; offsets are characters of ``text``.

    A run of an unspaced script comes as one span a character, with the pairs that cover the character.
    """
    for analysis, _, start, end in _tokens(text):
        if _is_unspaced(text[start]):
            touching: dict[int, set[str]] = {}
            for lexeme, offset, _ in analysis:
                for place in (offset, offset + 1)[: len(lexeme or "")]:
                    touching.setdefault(place, set()).add(lexeme or "")
            for i in range(end - start):
                if i in touching:
                    yield frozenset(touching[i]), start + i, start + i + 1
            continue
        found = frozenset(lexeme for lexeme, _, _ in analysis if lexeme)
        if found:
            yield found, start, end


def _is_unspaced(char: str) -> bool:
    match = _TOKEN.match(char)
    return bool(match and match.lastgroup == "unspaced")


def title_term(title: str) -> str | None:
    """The lexeme of a whole title, equal for titles of the same words; no text gives it. None without words."""
    folded = [fold_word(match.group()) for match in _TITLE_WORD.finditer(title[:2_000])]
    if not folded:
        return None
    return "=" + hashlib.blake2b(" ".join(folded).encode(), digest_size=8).hexdigest()


def vector(title: str, text: str) -> tuple[str, int]:
    """The ``tsvector`` literal of a record (title positions weigh A) and ``dl``, its number of lexemes.

    Postgres's limits are kept here, so that no text can make the cast fail: positions end at 16,383, a lexeme
    has at most 255 of them, and lexemes beyond about 900 kB are left out.
    """
    places: dict[str, list[str]] = {}
    size = 0
    length = 0
    position = 0
    for weight, source in (("A", title), ("", text)):
        for analysis, taken, _, _ in _tokens(source):
            for lexeme, offset, phrase in analysis:
                if lexeme is None:
                    continue
                length += phrase
                at = position + offset + 1
                found = places.get(lexeme)
                if found is None:
                    size += len(lexeme.encode()) + 12
                    if size > MAX_VECTOR_BYTES:
                        continue
                    found = places[lexeme] = []
                if len(found) < MAX_POSITIONS and at <= MAX_POSITION:
                    found.append(f"{at}{weight}")
                    size += 2
                elif not found:
                    found.append(str(MAX_POSITION))
            position += taken
        position += TITLE_GAP if position else 0
    whole = title_term(title)
    if whole:
        places[whole] = ["1D"]
    return " ".join(f"{quote(lexeme)}:{','.join(at)}" for lexeme, at in places.items()), length


def lexemes(text: str) -> list[str]:
    """The lexemes to search for, in order of appearance, without duplicates; [] when all are stop words.

    A run of an unspaced script gives its pairs of characters, and the character only when it stands alone.
    """
    found: dict[str, None] = {}
    for analysis, _, start, _ in _tokens(text):
        unspaced = len(analysis) > 1 and _is_unspaced(text[start])
        for lexeme, _, phrase in analysis:
            if lexeme is not None and (phrase or not unspaced):
                found[lexeme] = None
    return list(found)


def pairs(text: str) -> list[tuple[str, str]]:
    """The lexemes that stand side by side in a question, in order, without duplicates; a stop word separates."""
    found: dict[tuple[str, str], None] = {}
    before: tuple[str, int] | None = None
    position = 0
    for analysis, taken, _, _ in _tokens(text):
        for lexeme, offset, phrase in analysis:
            if lexeme is None or not phrase:
                continue
            if before is not None and before[1] == position + offset - 1 and before[0] != lexeme:
                found[before[0], lexeme] = None
            before = (lexeme, position + offset)
        position += taken
    return list(found)


def identifiers(text: str) -> list[str]:
    """The compounds that have a digit and at least five characters ("1:08-cv-00284", "2024-017"), as lexemes."""
    found: dict[str, None] = {}
    for analysis, _, _, _ in _tokens(text):
        for lexeme, _, phrase in analysis:
            if lexeme and not phrase and len(lexeme) >= 5 and any(char.isdigit() for char in lexeme):
                found[lexeme] = None
    return list(found)


def is_one_token(text: str) -> bool:
    """Whether the text is a single word or a single compound."""
    return sum(1 for _ in _TOKEN.finditer(text)) == 1


def required(text: str) -> list[str]:
    """The lexemes that every text matching `tsquery_all` has: for an index that knows lexemes only.

    A compound may be met by its parts alone, so its whole is not among them.
    """
    found: dict[str, None] = {}
    for analysis, _, start, _ in _tokens(text):
        unspaced = _is_unspaced(text[start])
        signed = any(lexeme and lexeme[-1] in "+#" for lexeme, _, _ in analysis)
        for lexeme, _, phrase in analysis:
            if lexeme is not None and phrase and (unspaced or not signed or lexeme[-1] in "+#"):
                found[lexeme] = None
    return list(found)


def tsquery_all(text: str) -> str | None:
    """A ``tsquery`` literal wanting every word of ``text``; None when it has only stop words.

    A compound is wanted whole or as its parts in a row; a run of an unspaced script as a substring.
    """
    wanted: dict[str, None] = {}
    for analysis, _, start, _ in _tokens(text):
        phrase = _phrase([(lexeme, offset) for lexeme, offset, in_phrase in analysis if in_phrase])
        if len(analysis) > 1 and not _is_unspaced(text[start]):
            whole = [lexeme for lexeme, _, in_phrase in analysis if lexeme and not in_phrase]
            if whole and not any(lexeme and lexeme[-1] in "+#" for lexeme, _, _ in analysis):
                phrase = f"({quote(whole[0])} | {phrase})" if phrase else quote(whole[0])
        if phrase:
            wanted[phrase] = None
    return " & ".join(wanted) or None


def tsquery_phrase(text: str) -> str | None:
    """A ``tsquery`` literal wanting the words of ``text`` in a row, stop words counted as gaps; None when
    it has only stop words."""
    terms: list[tuple[str | None, int]] = []
    position = 0
    for analysis, taken, _, _ in _tokens(text):
        terms += [(lexeme, position + offset) for lexeme, offset, in_phrase in analysis if in_phrase]
        position += taken
    return _phrase(terms)


def tsquery_any(words: list[str]) -> str:
    """A ``tsquery`` literal wanting any of these lexemes; '' for none."""
    return " | ".join(quote(word) for word in words)


def quote(lexeme: str) -> str:
    """A lexeme as it is written inside a tsvector or tsquery literal."""
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


def _phrase(terms: list[tuple[str | None, int]]) -> str | None:
    kept = [(lexeme, position) for lexeme, position in terms if lexeme]
    if not kept:
        return None
    out = quote(kept[0][0])
    for (_, before), (lexeme, position) in zip(kept, kept[1:], strict=False):
        distance = min(position - before, MAX_POSITION)
        out += f" {'<->' if distance == 1 else f'<{distance}>'} {quote(lexeme)}"
    return f"({out})" if len(kept) > 1 else out
