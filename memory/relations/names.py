"""Names made easy for the parser.

A small statistical parser knows common names and stumbles over the rest: it takes a rare first name at the start of a
sentence for an adverb and the whole clause falls apart. So each name is put aside as one word the parser knows well,
the sentence is parsed, and the name is put back. What counts as a name is decided here, from capitals and from whether
the word is an ordinary one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memory.relations.lexicon import NAME_TYPES, NOUNS, TITLES

PEOPLE = ("John", "Mary", "Peter", "Susan", "David", "Karen", "Paul", "Linda", "Mark", "Laura", "James", "Anna")
BODIES = ("Microsoft", "Google", "Toyota", "Boeing", "Intel", "Ford", "Sony", "Oracle", "Nokia", "Siemens")
JOINING = frozenset({"&", "of", "de", "van", "von", "der", "da", "di", "la", "bin", "al"})


@dataclass(frozen=True)
class Word:
    """A token for the parser: what it is shown, what the text has there, where; `name` marks a put-aside name."""

    shown: str
    text: str
    start: int
    end: int
    space: bool
    name: bool = False


def name_type(name: str) -> str:
    """What the name's own words say it is ("organisation", "team", …), or ""."""
    words = [w.strip(".,").lower() for w in name.split()]
    for word in reversed(words[1:] or words):
        if word in NAME_TYPES:
            return NAME_TYPES[word]
    if "&" in words or words[0] == "bank":
        return "organisation"
    return "person" if words[0] in TITLES else ""


def _capital(token: Any) -> bool:
    text = token.text
    return text[:1].isupper() and any(c.isalpha() for c in text)


def _capital_beside(token: Any) -> bool:
    doc, i = token.doc, token.i
    before = i > 0 and not token.is_sent_start and _capital(doc[i - 1])
    return before or (i + 1 < len(doc) and _capital(doc[i + 1]))


class Ordinary:
    """Whether a word is an ordinary one, from the parser's own word lists."""

    def __init__(self, nlp: Any):
        tables = nlp.get_pipe("lemmatizer").lookups
        index, exceptions = tables.get_table("lemma_index"), tables.get_table("lemma_exc")
        strings = nlp.vocab.strings
        self.known: dict[str, Any] = {
            pos: index.get(strings[pos.lower()], index.get(pos.lower(), ())) for pos in ("NOUN", "VERB", "ADJ", "ADV")
        }
        self.irregular: dict[str, Any] = {
            pos: exceptions.get(strings[pos.lower()], exceptions.get(pos.lower(), {})) for pos in self.known
        }

    def as_tagged(self, token: Any) -> bool:
        """True when the word list has the word as what the tagger took it for."""
        if token.is_stop or token.pos_ not in self.known:
            return True
        stems = {token.lower_, token.lemma_.lower()}
        return any(stem in self.known[token.pos_] or stem in self.irregular[token.pos_] for stem in stems)


def is_name(token: Any, ordinary: Ordinary) -> bool:
    """Whether a token is (part of) a name. Mid-sentence a capital says so; at the start of a sentence the word must be
    tagged a name, or tagged as something it is not."""
    if not _capital(token) or token.pos_ in ("PRON", "DET", "NUM", "PUNCT"):
        return False
    if token.ent_type_ in ("DATE", "TIME", "MONEY", "PERCENT", "ORDINAL", "CARDINAL"):
        return False
    if token.is_upper and len(token) <= 5 and token.text.isalpha() and not _capital_beside(token):
        return False  # an abbreviation on its own ("QA testing") is left to the parser
    if token.is_sent_start:
        if token.is_stop or token.lower_ in NOUNS:
            return False
        return token.pos_ == "PROPN" or token.pos_ == "X" or not ordinary.as_tagged(token)
    return not (token.is_stop and token.pos_ != "PROPN")


def words(doc: Any, ordinary: Ordinary) -> list[Word]:
    """The tokens of a first parse with each run of name words put aside as one."""
    out: list[Word] = []
    shown: dict[str, str] = {}
    used = {"person": 0, "body": 0}
    i = 0
    while i < len(doc):
        token = doc[i]
        if not is_name(token, ordinary):
            out.append(Word(token.text, token.text, token.idx, token.idx + len(token), bool(token.whitespace_)))
            i += 1
            continue
        j = _end_of_name(doc, i, ordinary)
        start, last = token.idx, doc[j - 1]
        text = doc.text[start : last.idx + len(last)]
        if text.endswith(".") and name_type(text) not in ("", "person"):
            text = text[:-1]  # "Corvane Ltd." at the end of a sentence is Corvane Ltd
        if text not in shown:
            kind = "person" if name_type(text) in ("", "person") else "body"
            if kind == "person" and all(t.ent_type_ in ("ORG", "GPE", "LOC") for t in doc[i:j]) and j - i > 1:
                kind = "body"
            pool = PEOPLE if kind == "person" else BODIES
            shown[text] = pool[used[kind] % len(pool)]
            used[kind] += 1
        out.append(Word(shown[text], text, start, last.idx + len(last), bool(last.whitespace_), name=True))
        i = j
    return out


def _end_of_name(doc: Any, i: int, ordinary: Ordinary) -> int:
    """The index after the last token of the name that begins at `i`."""
    j = i + 1
    while j < len(doc):
        word = doc[j].lower_
        goes_on = j + 1 < len(doc) and is_name(doc[j + 1], ordinary)
        of = word != "of" or (j == i + 1 and doc[i].lower_ in ("bank", "university", "court", "ministry"))
        if (is_name(doc[j], ordinary) and not doc[j].is_sent_start) or word in ("plc", "llp", "gmbh"):
            j += 1
        elif goes_on and word in JOINING and of:
            j += 2
        elif goes_on and word == "." and len(doc[j - 1]) == 1:
            j += 1
        else:
            break
    return j
