"""Reading one clause of a parsed sentence: who does what to whom, and whether it is said to be so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memory.relations.lexicon import CONDITIONS, GOING_ON, MODALS, NEVER, PAST_ADVERBS, SAID, STOPPING, UNREAL

MAX_SERIES = 50  # names in one list
MAX_CHAIN = 20  # clauses hung on one another by "and"
SUBJECTS, PASSIVE = ("nsubj", "csubj"), ("nsubjpass", "csubjpass")


def kids(token: Any, *deps: str) -> list[Any]:
    """The token's children by dependency."""
    return [t for t in token.children if t.dep_ in deps]


def series(head: Any) -> list[Any]:
    """A noun and those joined to it by "and", "or" and commas."""
    out: list[Any] = []
    waiting = [head]
    while waiting and len(out) < MAX_SERIES:
        token = waiting.pop()
        out.append(token)
        waiting += reversed(kids(token, "conj"))
    return out


def everyone(heads: list[Any]) -> list[Any]:
    """The series of each."""
    return [token for head in heads for token in series(head)]


def is_passive(verb: Any) -> bool:
    """Whether the grammatical subject is what the verb is done to."""
    for _ in range(MAX_CHAIN):
        if kids(verb, "nsubjpass", "auxpass") or (verb.dep_ == "acl" and verb.tag_ == "VBN"):
            return True
        if verb.dep_ != "conj" or verb.tag_ != "VBN" or kids(verb, *SUBJECTS, "aux"):
            return False
        verb = verb.head
    return False


def _who(token: Any, verb: Any) -> list[Any]:
    """A relative pronoun stands for the noun its clause hangs on."""
    if token.lower_ in ("who", "which", "that", "whom"):
        owner = verb
        for _ in range(MAX_CHAIN):
            if owner.dep_ != "conj":
                break
            owner = owner.head
        return [owner.head] if owner.dep_ == "relcl" else []
    return series(token)


def grammatical_subject(verb: Any, depth: int = 0) -> list[Any]:
    """The verb's own subjects, or those it shares with the clause it hangs on."""
    found = [t for s in kids(verb, *SUBJECTS, *PASSIVE) for t in _who(s, verb)]
    if found or depth > 4:
        return found
    if verb.dep_ == "acl":
        return [verb.head]
    if verb.dep_ in ("conj", "xcomp", "advcl", "pcomp"):
        owner = verb.head
        if verb.dep_ == "pcomp":  # "after leaving Hale": the preposition hangs on the main verb
            owner = owner.head
        if owner.pos_ in ("VERB", "AUX"):
            return grammatical_subject(owner, depth + 1)
    return []


def subject_and_object(verb: Any) -> tuple[list[Any], list[Any]]:
    """The logical subject and object: a passive turned round."""
    given = grammatical_subject(verb)
    if is_passive(verb):
        agents = [t for by in kids(verb, "agent") for t in everyone(kids(by, "pobj"))]
        if not agents and verb.dep_ == "acl":
            agents = [t for by in kids(verb, "prep") if by.lower_ == "by" for t in everyone(kids(by, "pobj"))]
        return agents, given
    objects = everyone(kids(verb, "dobj"))
    objects = [o for t in objects for o in _who(t, verb)] if verb.dep_ == "relcl" else objects
    if (
        not objects
        and verb.dep_ == "relcl"
        and not any(t.lower_ in ("who", "which", "that") for t in kids(verb, *SUBJECTS, *PASSIVE))
    ):
        objects = [verb.head]  # "the company Norwick acquired"
    if not objects:
        # a shared object: "drafted and signed the lease"
        objects = (
            [t for c in kids(verb, "conj") if c.pos_ == "VERB" for t in everyone(kids(c, "dobj"))]
            if not kids(verb, "prep", "prt")
            else []
        )
    return given, objects


def complements(verb: Any, preposition: str) -> list[Any]:
    """The nouns after a preposition of the verb, of its particle, or of its object."""
    owners = [verb, *kids(verb, "prt", "prep"), *kids(verb, "dobj"), *kids(verb, "advmod")]
    out: list[Any] = []
    for owner in owners:
        for prep in kids(owner, "prep", "dative"):
            if prep.lower_ == preposition:
                out += everyone(kids(prep, "pobj"))
        if out:
            return out
    if preposition == "to":
        return everyone([t for t in kids(verb, "dative") if t.pos_ in ("PROPN", "NOUN", "PRON")])
    return out


def _denied_noun(nouns: Iterator[Any] | list[Any]) -> bool:
    return any(t.dep_ == "det" and t.lower_ in ("no", "neither") for n in nouns for t in n.children) or any(
        n.lower_ in ("nobody", "none", "no-one", "nothing") for n in nouns
    )


def no_longer(verb: Any) -> bool:
    """ "no longer works", "does not work there any more"."""
    for adverb in kids(verb, "advmod", "npadvmod"):
        if adverb.lower_ == "longer" and any(t.lower_ in ("no", "any") for t in adverb.children):
            return True
        if adverb.lower_ in ("anymore",) or (
            adverb.lower_ == "more" and any(t.lower_ == "any" for t in adverb.children)
        ):
            return True
    return False


def negated(verb: Any, depth: int = 0) -> bool:
    """Whether the clause denies: by "not", "never", or a subject or object with "no"."""
    if any(t.dep_ == "neg" for t in verb.children) or any(
        t.lower_ in NEVER for t in kids(verb, "advmod", "preconj", "cc")
    ):
        return True
    subjects, objects = subject_and_object(verb)
    if _denied_noun(subjects) or _denied_noun(objects):
        return True
    # "did not draft or sign": the negation reaches over "or"
    joined = verb.dep_ == "conj" and any(t.lower_ in ("or", "nor") for t in kids(verb.head, "cc"))
    return joined and depth < MAX_CHAIN and negated(verb.head, depth + 1)


def _asks(sentence: Any) -> bool:
    """Whether a sentence ends in a question mark; its text is not put together for each of its verbs."""
    last = next((token for token in reversed(sentence) if not token.is_space), None)
    return last is not None and last.text.endswith("?")


def stands(verb: Any) -> tuple[str, float]:
    """Whether the clause says that something is so: ("holds" | "ended" | "no", confidence)."""
    if _asks(verb.sent):
        return "no", 0.0
    if no_longer(verb):
        return "ended", 0.8
    if negated(verb):
        return "no", 0.0
    if any(t.lower_ in PAST_ADVERBS for t in kids(verb, "advmod")):
        return "ended", 0.7
    return _in_context(verb)


def _in_context(verb: Any) -> tuple[str, float]:
    state, confidence = "holds", 0.8
    token, first = verb, True
    for _ in range(MAX_CHAIN):
        helpers = [t.lower_ for t in kids(token, "aux")]
        if any(h in MODALS for h in helpers):
            return "no", 0.0
        if any(t.lower_ in CONDITIONS for t in kids(token, "mark", "advmod")):
            return "no", 0.0
        if not first and negated(token):
            return "no", 0.0
        owner = token.head
        if token.dep_ in ("xcomp", "ccomp", "pcomp") or (token.dep_ == "advcl" and "to" in helpers):
            if token.dep_ == "pcomp":
                # "after leaving Hale" happened; "instead of", "without" did not
                if owner.lower_ not in ("after", "before", "since", "by", "while", "on", "upon", "from"):
                    return "no", 0.0
                owner = owner.head
                if owner.lemma_ in STOPPING and token.head.lower_ == "from":
                    return "ended", confidence
                token, first = owner, False
                continue
            lemma = owner.lemma_.lower()
            if lemma in STOPPING or lemma == "use" and token.dep_ == "xcomp":
                state = "ended"
            elif lemma in UNREAL:
                return "no", 0.0
            elif lemma in SAID:
                confidence = 0.5
            elif token.dep_ == "advcl" or (token.dep_ == "xcomp" and "to" in helpers and lemma not in GOING_ON):
                return "no", 0.0  # a purpose, or a verb not known to have led to the deed
        elif token.dep_ == "conj" and owner.pos_ in ("VERB", "AUX"):
            # "may sign and file": what holds of the first holds of the second unless it has its own helpers
            if helpers or kids(token, *SUBJECTS, *PASSIVE):
                return state, confidence
        elif token.dep_ in ("acl", "relcl"):
            if token.dep_ == "acl" and token.tag_ == "VB":
                return "no", 0.0  # "an order to pay"
            return state, confidence
        elif token.dep_ == "advcl" and any(t.lower_ in CONDITIONS for t in kids(token, "mark", "advmod")):
            return "no", 0.0
        else:
            return state, confidence
        if owner is token or owner.pos_ not in ("VERB", "AUX"):
            return state, confidence
        token, first = owner, False
    return state, confidence
