"""What relation extraction finds in a text: entities, relations that hold, relations that have ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.normal import fold

ENTITY_TYPES = ("person", "organisation", "team", "project", "document", "matter", "system", "place", "thing")


@dataclass
class Entity:
    """A vertex to be: how it is called, what it is, what else was said about it."""

    name: str
    type: str
    attributes: dict[str, Any] = field(default_factory=dict)

    @property
    def same(self) -> str:
        """Equal for two mentions of one entity within a text."""
        return fold(self.name)


@dataclass(frozen=True)
class Relation:
    """`source --[type]--> target` by name. `evidence` is the clause it was read from, `start`/`end` its offsets.

    `since` is when it began or, for an ended relation, when it ended, where the text says so.
    """

    source: str
    type: str
    target: str
    confidence: float = 0.8
    attributes: tuple[tuple[str, Any], ...] = ()
    since: datetime | None = None
    evidence: str = ""
    start: int = 0
    end: int = 0

    @property
    def triple(self) -> tuple[str, str, str]:
        """(source, type, target)."""
        return self.source, self.type, self.target


@dataclass
class Findings:
    """What a text states, and what it says is over. `read_by` names another reader than the local grammar."""

    entities: list[Entity] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    ended: list[Relation] = field(default_factory=list)
    read_by: str = ""

    def entity(self, name: str) -> Entity | None:
        """The entity of that name, if there is one."""
        return next((e for e in self.entities if e.same == fold(name)), None)
