"""The forms' side of writing: what was typed, what is wrong with it, and two versions of a text side by side."""

from __future__ import annotations

import difflib
import html
from itertools import zip_longest
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from lanes.errors import Invalid, LanewiseError
from memory import normal
from memory.selectors import values
from memory.services import drafts
from web import words

KINDS = ("note", "call", "email", "letter", "filing", "order", "contract", "memo", "minutes", "fact", "decision")
HINTS = (
    ("supersedes", "Replaces it"), ("corrects", "Corrects it"), ("retracts", "Takes it back"),
)  # fmt: skip
LABEL_WRONG = "A label has up to 63 letters a to z, digits and spaces, and starts with a letter."
# The names of a form's fields for those of the service.
FIELDS = {"occurred_at": "date", "date_precision": "date", "edge_properties": "properties"}


class Form:
    """What was typed, and what is wrong with it: templates read its attributes."""

    names = ("lane", "kind", "title", "text", "date", "properties", "version", "hint", "reason")

    def __init__(self, reader: Any, given: dict[str, str], lanes: list[Any], cancel_url: str) -> None:
        for name in self.names:
            setattr(self, name, given.get(name, ""))
        self.lanes = lanes
        self.kinds = KINDS
        self.hints = HINTS
        self.cancel_url = cancel_url
        self.errors: dict[str, list[str]] = {}
        self.refused = ""
        self.label_choices = values.offered_labels(reader) if lanes else []

    def set(self, name: str, value: str) -> None:
        setattr(self, name, value)

    def take(self, error: LanewiseError) -> None:
        """Errors of the service beside the fields they belong to; anything else over the form."""
        for path, said in error.errors.items():
            field = FIELDS.get(path.split("[")[0].split(".")[0], path.split("[")[0].split(".")[0])
            self.errors.setdefault(field if field in self.names else "", []).extend(said)
        loose = self.errors.pop("", [])
        self.refused = " ".join(loose) if loose else "" if self.errors else error.detail


def typed_properties(text: str) -> list[dict[str, str]]:
    """Lines of "label: value"; Invalid names every line that is not one."""
    made = []
    wrong: dict[str, list[str]] = {}  # what is said of lines, and the numbers of those it is said of
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        label, colon, value = line.partition(":")
        item = {"label": label.strip().lower().replace(" ", "_"), "value": value.strip()}
        if not colon or not item["value"]:
            wrong.setdefault("", []).append(str(number))
            continue
        try:
            drafts.property_from(item, "")
        except Invalid as error:
            said = " ".join(m for messages in error.errors.values() for m in messages)
            said = said if normal.is_label(item["label"]) else LABEL_WRONG
            wrong.setdefault(said, []).append(str(number))
        made.append(item)
    if wrong:
        raise Invalid("Some lines cannot be taken.", {"edge_properties": [_of_lines(n, s) for s, n in wrong.items()]})
    return made


def _of_lines(numbers: list[str], said: str) -> str:
    many = len(numbers) > 1
    lines = f"Lines {words.listing(numbers)}" if many else f"Line {numbers[0]}"
    return f"{lines}: {said}" if said else f"{lines} {'are' if many else 'is'} not “label: value”."


def compared(mine: str, theirs: str) -> tuple[list[SafeString], list[SafeString]]:
    """Two texts by paragraphs, with the words that only one of them has marked. Equal paragraphs are left out.

    What stands in place of something of mine is struck through in theirs; what they have besides is underlined.
    """
    ours, others = mine.split("\n"), theirs.split("\n")
    left: list[SafeString] = []
    right: list[SafeString] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, ours, others, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        pairs = zip_longest(filter(str.strip, ours[a:b]), filter(str.strip, others[c:d]), fillvalue="")
        for one, two in pairs:
            x, y = one.split(), two.split()
            mine_parts, their_parts = [], []
            for what, i, j, k, m in difflib.SequenceMatcher(None, x, y, autojunk=False).get_opcodes():
                tags = {"replace": ("ins", "del"), "insert": ("", "ins"), "delete": ("ins", "")}.get(what, ("", ""))
                mine_parts.append(_mark(" ".join(x[i:j]), tags[0]))
                their_parts.append(_mark(" ".join(y[k:m]), tags[1]))
            left.append(mark_safe(" ".join(p for p in mine_parts if p)))  # noqa: S308
            right.append(mark_safe(" ".join(p for p in their_parts if p)))  # noqa: S308
    return [p for p in left if p], [p for p in right if p]


def _mark(text: str, tag: str) -> str:
    safe = html.escape(text)
    return f"<{tag}>{safe}</{tag}>" if tag and safe.strip() else safe
