"""What replies are made of."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

Stamp = Field(description="e_connect:<hint>_<32 hex> (or e_adjust:…).")


class Reply(BaseModel):
    """Every reply."""

    next_cursor: str | None = Field(description="Give it as cursor for the next page; null at the end.")
    hint: str | None = Field(description="A sentence for the caller.")


class StructuralReply(Reply):
    """A reply that read the structure at an instant."""

    left_out_invalid: int | None = Field(
        description="Readable records left out because what was asked for had ended or was superseded."
    )


class Property(BaseModel):
    """An edge property, a connection's stamp or a tag by its name."""

    label: str
    value: str


class HeldProperty(Property):
    """An edge property of a record."""

    valid_from: str | None = None
    invalidated_at: str | None = None
    skipped: bool = Field(False, description="Kept, but beyond the budget of what is walked.")


class DetailedProperty(HeldProperty):
    """An edge property with all that is said of it; of a connection, what it carries."""

    confidence: float | None = None
    reason: str | None = None
    role: str | None = Field(None, description="source, target or member of a connection.")
    type: str | None = None
    directed: bool | None = None
    strength: float | None = None
    attributes: dict[str, Any] | None = None
    mentions: int | None = None
    last_mentioned: str | None = None


class TermShown(BaseModel):
    """A term of match as it was understood."""

    label: str | None = None
    value: str | None = None
    negated: bool = Field(False, alias="not")


class CountedTerm(TermShown):
    sr_count: int
    sr_count_capped: bool = Field(False, description="True beyond 10,000.")


class CountedProperty(Property):
    sr_count: int
    sr_count_capped: bool = False


class CountedValue(BaseModel):
    value: str
    sr_count: int
    sr_count_capped: bool = False


class RecordShown(BaseModel):
    """A record in a list."""

    sr_id: str
    external_id: str | None
    lane: str
    title: str
    kind: str
    occurred_at: str | None = Field(description="An instant.")
    occurred_on: str | None = Field(description="As exactly as it is known: 2026, 2026-03, 2026-03-05.")
    date_precision: str | None
    recorded_at: str
    updated_at: str
    version: int
    snippet: str
    edge_properties: list[HeldProperty]
    superseded_at: str | None = None


class Head(BaseModel):
    """A record in a graph."""

    sr_id: str
    title: str
    kind: str
    lane: str
    at: str
    version: int
    superseded_at: str | None = None


class Link(Property):
    """A property that joins records; what a connection says of itself, where it is one."""

    type: str | None = None
    directed: bool | None = None
    strength: float | None = None
    confidence: float | None = None
    reason: str | None = None
    attributes: dict[str, Any] | None = None
    valid_from: str | None = None
    invalidated_at: str | None = None
    source: list[str] | None = Field(None, description="Of a directed connection: the sr_ids shown it leads from.")
    target: list[str] | None = Field(None, description="Of a directed connection: the sr_ids shown it leads to.")
