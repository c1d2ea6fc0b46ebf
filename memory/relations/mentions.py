"""From noun phrases to entities: what a phrase names, what kind of thing that is, which earlier one it means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memory.normal import fold
from memory.relations.findings import Entity
from memory.relations.lexicon import NOUN_TYPES, NOUNS, listed
from memory.relations.names import Word, name_type

_NER = {"PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place"}
_PLAIN_ADJECTIVES = frozenset(
    listed(
        "new old final draft first second last next same whole entire former current other own early late revised "
        "amended updated recent latest proposed pending big small major minor full main key urgent important"
    )
)
_HE, _IT, _THEY = {"he", "she", "him", "her"}, {"it"}, {"they", "them"}
_SMALL = frozenset(listed("of with for against to and the in on"))


@dataclass
class Mention:
    """One mention in the text. `sure`: the words themselves say the type, so that no grammar may overrule it."""

    entity: Entity
    sure: bool
    place: int
    proper: bool
    subject: bool = False
    bare: bool = False  # a common noun without determiner or modifier: "moved from frontend to platform"


# How many entities, and how many mentions, a later word may go back to.
_REMEMBERED = 200


@dataclass
class Met:
    """The entities of a text, from slice to slice of it: those met, those whose type is sure, those of use (by id)."""

    entities: list[Entity] = field(default_factory=list)
    sure: set[int] = field(default_factory=set)
    used: dict[int, Entity] = field(default_factory=dict)


class Register:
    """The entities met so far, in order, and what a pronoun or a short form may stand for."""

    def __init__(self, doc: Any, words: list[Word], hints: dict[tuple[int, int], str], met: Met):
        self.doc, self.words, self.hints, self.met = doc, words, hints, met
        self.entities, self.sure = met.entities, met.sure
        self.history: list[Mention] = []
        self.at: dict[int, Mention | None] = {}

    def known(self) -> list[Entity]:
        """The entities a name may be another mention of."""
        return self.entities[-_REMEMBERED:]

    def mention(self, head: Any) -> Mention | None:
        """The entity a noun phrase names, given its head; None when it names nothing in particular."""
        if head.i not in self.at:
            found = self._pronoun(head) if head.pos_ == "PRON" else self._phrase(head)
            self.at[head.i] = found
            if found and head.pos_ != "PRON":
                found.subject = head.dep_ in ("nsubj", "nsubjpass")
                self.history.append(found)
        return self.at[head.i]

    def read(self) -> None:
        """Note every noun phrase in the order of the text, so that later ones can refer back. Pronouns wait until they
        are asked for: by then the clauses before have told more of what the names are."""
        for token in self.doc:
            if (
                token.pos_ in ("NOUN", "PROPN")
                and token.dep_ not in ("compound", "poss", "amod", "nmod")
                or self.words[token.i].name
            ):
                self.mention(token)

    def use(self, mention: Mention) -> Entity:
        """Mark the entity as part of what was found."""
        return self.met.used.setdefault(id(mention.entity), mention.entity)

    def typed(self, mention: Mention, allowed: tuple[str, ...]) -> bool:
        """Whether the mention may be one of these types; one of unknown kind becomes the likeliest of them."""
        entity = mention.entity
        if not allowed or (id(entity) in self.sure and entity.type in allowed):
            return True
        if id(entity) in self.sure:
            return False
        # one word tells the name tagger little: the grammar's own expectation counts for more
        if entity.type not in allowed or " " not in entity.name:
            entity.type = allowed[0]
        return True

    def settle(self, mention: Mention) -> None:
        self.sure.add(id(mention.entity))

    # -- phrases

    def _phrase(self, head: Any) -> Mention | None:
        word = self.words[head.i]
        if word.name:
            return self._named(word.text, head)
        if head.pos_ == "PROPN" and head.text[:1].isupper():
            parts = [t for t in head.lefts if t.dep_ in ("compound", "nmod") and t.pos_ == "PROPN"] + [head]
            return self._named(" ".join(self.words[t.i].text for t in parts), head)
        if head.pos_ in ("NOUN", "PROPN"):
            return self._common(head)
        return None

    def _named(self, name: str, head: Any) -> Mention:
        words = name.split()
        kind = name_type(name)
        for known in self.known():
            own = known.name.split()
            if known.same == fold(name):
                return Mention(known, id(known) in self.sure, head.i, proper=True)
            last_name = known.type == "person" and len(words) == 1 and len(own) > 1 and own[-1] == name
            titled = known.type == "person" and kind == "person" and words[-1] == own[-1]
            short = known.type != "person" and kind == "" and len(own) > len(words) and own[: len(words)] == words
            if last_name or short or titled:
                return Mention(known, id(known) in self.sure, head.i, proper=True)
        sure = bool(kind)
        if not kind:
            word = self.words[head.i]
            label = next((t for (s, e), t in self.hints.items() if s <= word.start and word.end <= e), "")
            kind = _NER.get(label, "thing")
            sure = kind == "person" and len(words) > 1
        entity = Entity(name, kind)
        self.entities.append(entity)
        if sure:
            self.sure.add(id(entity))
        return Mention(entity, sure, head.i, proper=True)

    def _common(self, head: Any) -> Mention | None:
        noun = head.lemma_.lower()
        if noun in NOUNS:
            for other in head.rights:  # "Norwick's general counsel, Dana Whitfield,"
                if other.dep_ == "appos" and self.words[other.i].name:
                    return self.mention(other)
        if noun in NOUNS and noun not in NOUN_TYPES or head.ent_type_ in ("DATE", "TIME", "MONEY", "PERCENT"):
            return None
        before = [
            t
            for t in head.lefts
            if t.dep_ in ("compound", "nmod", "nummod")
            or (t.dep_ == "amod" and t.lower_ not in _PLAIN_ADJECTIVES)
            or (t.dep_ == "poss" and self.words[t.i].name)
        ]
        parts: list[str] = []
        for part in before:
            inner = [x for x in part.lefts if x.dep_ in ("compound", "amod", "nmod", "punct")]
            parts += [self._shown(t) for t in [*inner, part]]
            parts += ["'s"] if part.dep_ == "poss" else []
        parts.append(self.words[head.i].text if head.pos_ == "PROPN" else head.text)
        kind = NOUN_TYPES.get(noun, "thing")
        if not before:
            tail = self._tail(head) if kind in ("document", "matter", "project", "system") else []
            if tail:
                parts += tail
            else:
                return self._referring(head, noun, kind)
        name = " ".join(p if p.lower() in _SMALL and i else _title(p) for i, p in enumerate(parts))
        name = name.replace(" 's", "'s").replace(" - ", "-")
        for known in self.known():
            if known.same == fold(name):
                return Mention(known, True, head.i, proper=False)
        entity = Entity(name, kind)
        self.entities.append(entity)
        if kind != "thing":
            self.sure.add(id(entity))
        return Mention(entity, kind != "thing", head.i, proper=False)

    def _shown(self, token: Any) -> str:
        return self.words[token.i].text

    def _tail(self, head: Any) -> list[str]:
        """ "of claim", "with Halden Shipping", "to dismiss": what tells one bare document or matter from another."""
        for child in head.rights:
            if child.dep_ == "prep" and child.lower_ in ("of", "with", "against", "for"):
                target = next((t for t in child.rights if t.dep_ == "pobj"), None)
                if target is not None and (self.words[target.i].name or target.pos_ in ("NOUN", "PROPN")):
                    inner = [t for t in target.lefts if t.dep_ in ("compound", "amod", "nmod")]
                    return [child.lower_, *[self._shown(t) for t in [*inner, target]]]
            if child.dep_ in ("acl", "relcl") and child.tag_ == "VB" and any(t.lower_ == "to" for t in child.lefts):
                return ["to", child.lower_]
        return []

    def _referring(self, head: Any, noun: str, kind: str) -> Mention | None:
        """ "the redesign", "the company": an earlier entity, or nothing in particular."""
        determined = any(t.dep_ == "det" and t.lower_ in ("the", "this", "that") for t in head.lefts)
        if determined:
            for earlier in reversed(self.history[-_REMEMBERED:]):
                entity = earlier.entity
                if entity.name.lower().split()[-1] == noun or (kind == "organisation" == entity.type):
                    return Mention(entity, True, head.i, proper=False)
        if not list(head.lefts):
            return Mention(Entity(_title(head.text), "thing"), False, head.i, proper=False, bare=True)
        return None

    # -- pronouns

    def _pronoun(self, head: Any) -> Mention | None:
        word = head.lower_
        if word in _HE:
            fits = lambda m: m.entity.type == "person" or (m.proper and id(m.entity) not in self.sure)  # noqa: E731
        elif word in _IT:
            fits = lambda m: m.entity.type != "person" and not m.bare  # noqa: E731
        elif word in _THEY:
            fits = lambda m: m.entity.type in ("organisation", "team", "person")  # noqa: E731
        else:
            return None
        sentence = head.sent.start
        before = [m for m in self.history if m.place < head.i][-_REMEMBERED:]
        earlier = [m for m in before if fits(m) and not self._same_clause(m, head)]
        if word in _IT:
            # "it" was last spoken of: the nearest object before a subject
            earlier = [m for m in earlier if m.entity.type != "thing" or not m.proper] or earlier
        if not earlier:
            return None
        # the nearest sentence; in it a subject before anything else, as the text is about it
        nearest = max(self.doc[m.place].sent.start for m in earlier)
        inside = [m for m in earlier if self.doc[m.place].sent.start == nearest]
        if word in _IT and nearest == sentence:
            chosen = inside[-1]
        elif word in _IT:
            # a subject goes on with the subject, an object with the object
            alike = [m for m in inside if m.subject == (head.dep_ in ("nsubj", "nsubjpass"))]
            chosen = (alike or inside)[-1]
        else:
            subjects = [m for m in inside if m.subject]
            chosen = (subjects or inside)[0]
        if word in _HE and chosen.entity.type != "person":
            chosen.entity.type = "person"
        return Mention(chosen.entity, id(chosen.entity) in self.sure, head.i, proper=False)

    def _same_clause(self, mention: Mention, head: Any) -> bool:
        """A pronoun never means another argument of its own verb ("Raj told him": not Raj)."""
        other = self.doc[mention.place]
        return other.head == head.head and other.dep_ in ("nsubj", "nsubjpass", "dobj") and other.i != head.i


def _title(word: str) -> str:
    return word if any(c.isupper() for c in word) else word[:1].upper() + word[1:]
