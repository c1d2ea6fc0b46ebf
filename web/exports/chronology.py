"""What every export is made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Chronology:
    """A title, what is said about the selection, dated facts in order, undated records after them."""

    title: str
    about: list[str]
    facts: list[dict[str, Any]]
    undated: list[dict[str, Any]]

    def lines(self) -> list[tuple[str, dict[str, Any]]]:
        """(when, record) of every fact, then of every undated record."""
        dated = []
        for fact in self.facts:
            row = fact["row"]
            dated.append((f"{row['when']} ({row['when_note']})" if row["when_note"] else row["when"], row))
        return dated + [("No date", row) for row in self.undated]


def writer_of(row: dict[str, Any]) -> str:
    author = row["author"]
    if author["agent"]:
        return f"{author['name']} (agent)" + (f" for {author['for_name']}" if author["for_name"] else "")
    return author["name"] or "not known"


def carries(row: dict[str, Any], most: int = 8) -> str:
    return "; ".join(f"{c['label_words']}: {c['value']}" for c in row["chips"][:most])


def clean(text: str) -> str:
    """Text without what office formats cannot hold: control characters, lone surrogates, non-characters."""
    return "".join(c for c in text if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c < "\ufffe"
                   or c > "\uffff") and c != "\x7f")  # fmt: skip
