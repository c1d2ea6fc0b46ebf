"""Normal forms: when two labels, two values or two mentions are the same. Pure functions, no database."""

import hashlib
import re
import unicodedata
from functools import lru_cache
from uuid import UUID

from lanes.errors import Invalid

LABEL_MAX, VALUE_MAX = 63, 500
RESERVED_PREFIX = "e_"
CONNECT, ADJUST = "e_connect", "e_adjust"

_LABEL = re.compile(r"[a-z][a-z0-9_]{0,62}")
_WORD = re.compile(r"[^\W_]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def check_text(text: str, field: str) -> str:
    """The text unchanged; Invalid (naming the field) for what Postgres cannot store: U+0000, lone surrogates."""
    if "\x00" in text:
        raise Invalid.field(field, "Contains U+0000, which cannot be stored.")
    if _SURROGATE.search(text):
        raise Invalid.field(field, "Contains a lone surrogate, which is not text.")
    return text


def label(raw: str, field: str = "label") -> str:
    """Lower-cased and checked against [a-z][a-z0-9_]{0,62}; reserved labels pass (writers refuse them)."""
    value = check_text(raw, field).strip().lower()
    if not _LABEL.fullmatch(value):
        raise Invalid.field(
            field, "A label is 1 to 63 of a-z, 0-9 and _, starting with a letter (capitals are lower-cased)."
        )
    return value


def value(raw: str, field: str = "value") -> str:
    """NFC, white space folded to single spaces, kept as written otherwise; 1 to 500 characters."""
    text = " ".join(unicodedata.normalize("NFC", check_text(raw, field)).split())
    if not text or not fold(text):
        raise Invalid.field(field, "A value may not be empty.")
    if len(text) > VALUE_MAX:
        raise Invalid.field(field, f"A value has at most {VALUE_MAX} characters; this one has {len(text)}.")
    return text


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """What equality looks at: case and Unicode form ignored (Unicode's NFKC_Casefold), white space folded.

    Invisible format characters (zero-width spaces, soft hyphens, marks of direction) do not count.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join("".join(c for c in folded if unicodedata.category(c) != "Cf").split())


def folded_key(label: str, folded: str) -> UUID:
    """128 bits of blake2b over label, U+001F and the folded value: no two values of this world share one."""
    return UUID(bytes=hashlib.blake2b(f"{label}\x1f{folded}".encode(), digest_size=16).digest())


@lru_cache(maxsize=65536)
def edge_key(label: str, value: str) -> UUID:
    """The key of the hyperedge: the same for every spelling that `fold` makes equal."""
    return folded_key(label, fold(value))


def norm_tokens(text: str) -> list[str]:
    """The folded word tokens of a text, punctuation dropped: what mentions are compared by."""
    return _WORD.findall(fold(text))


def hash64(text: str) -> int:
    """A signed 64-bit hash (Postgres bigint)."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def norm_key(value: str) -> int:
    """64-bit hash of the value's word tokens, so that a mention in a text is found by hashing its words.

    A value without any word ("§", "++") hashes as it is folded.
    """
    return hash64(" ".join(norm_tokens(value)) or fold(value))


_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")


def bare_key(value: str) -> int | None:
    """norm_key of a value without the parenthesis at its end ("David Bradley (director)" is mentioned as "David
    Bradley"); None when it has none, or nothing else."""
    bare = _QUALIFIER.sub("", value)
    return norm_key(bare) if bare != value and norm_tokens(bare) else None


def grams(folded: str) -> list[int]:
    """Signed 32-bit hashes of every run of one, two and three characters, without repeats, ascending.

    Three lengths because a search may be for one character or two (as in Chinese): the longest run that fits
    the needle is the one to look for.
    """
    return sorted({_gram(folded[i : i + n]) for n in (1, 2, 3) for i in range(len(folded) - n + 1)})


def needle_grams(folded: str) -> list[int]:
    """The grams of a needle that a value containing it must have: runs of three, or all of a shorter needle."""
    size = min(3, len(folded))
    return sorted({_gram(folded[i : i + size]) for i in range(len(folded) - size + 1)}) if size else []


@lru_cache(maxsize=65536)
def _gram(run: str) -> int:
    return int.from_bytes(hashlib.blake2b(run.encode(), digest_size=4).digest(), "big", signed=True)


def is_label(text: str) -> bool:
    """Whether the text is a label as it stands (capitals aside)."""
    return bool(_LABEL.fullmatch(text.strip().lower()))
