"""What an action is, and the arguments that actions share."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from lanes.errors import LanewiseError
from lanes.readers import Reader
from memory import normal, times
from memory.gather.scope import Scope
from memory.gather.terms import Term, parse

LIMIT, LIMIT_MAX = 50, 200


def _kind(value: Any) -> str:
    return "text" if isinstance(value, str) else "object"


class Arguments(BaseModel):
    """Strict: unknown arguments and wrong types are refused, so that a typo cannot widen a result."""

    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=False)


class TermArgument(Arguments):
    """A term: a label with a value, a label with any value, or words; any of them negated."""

    label: str | None = Field(None, description="The label. Left out: the term matches words of the record.")
    value: str | None = Field(None, description="The value. Left out: any value of the label.")
    negated: bool = Field(False, alias="not", description="True: records that do not carry the term.")


class PropertyArgument(Arguments):
    """An edge property to write."""

    label: str = Field(description="A lower-case name such as client: letters, digits, _; it begins with a letter.")
    value: str = Field(description="1 to 500 characters, kept as written; case does not tell values apart.")
    valid_from: str | None = Field(None, description="When it began to hold (2026-03-05 or an instant with offset).")
    invalidated_at: str | None = Field(None, description="When it ceased to hold.")
    confidence: float | None = Field(None, ge=0, le=1, description="How sure it is, 0 to 1.")


TermIn = Annotated[Annotated[str, Tag("text")] | Annotated[TermArgument, Tag("object")], Discriminator(_kind)]
PropertyIn = Annotated[Annotated[str, Tag("text")] | Annotated[PropertyArgument, Tag("object")], Discriminator(_kind)]

Match = Annotated[
    list[TermIn],
    Field(
        min_length=1,
        max_length=32,
        description='Terms, such as {"label": "client", "value": "Acme"}, "client:Acme" or "indemnity" (a word).',
    ),
]
Limit = Annotated[int, Field(ge=1, le=LIMIT_MAX, description=f"At most {LIMIT_MAX} records a page.")]
LabelList = Annotated[list[str], Field(max_length=100)]
WALKED_LABELS = Field(None, description="Walk only properties with these labels (empty: all).")
SrId = Annotated[str, Field(description="A record's public id: sr_ and 32 hex digits.", max_length=64)]
CountScope = Literal["readable", "all_lanes"]
Reason = Annotated[str, Field(description="Why, in a sentence; kept and shown with it.")]
Unit = Annotated[float, Field(ge=0, le=1)]


class CallArguments(Arguments):
    """What every call may say."""

    agent_profile: str | None = Field(
        None, description="Slug of the profile to act as; may be left out when the key may act as exactly one."
    )


class ScopeArguments(CallArguments):
    """What every structural read may say."""

    lanes: list[str] | None = Field(None, description="Slugs: read only these of the readable lanes.")
    as_of: str | None = Field(None, description="Read as things stood at this instant.")
    include_invalidated: bool = Field(False, description="Also what has ended or was superseded.")


class PageArguments(ScopeArguments):
    """What every paged read may say."""

    limit: Limit = LIMIT
    cursor: str | None = Field(None, description="next_cursor of the page before.")


class Action:
    """One action of a tool. The class docstring is what callers read about it."""

    tool: ClassVar[str]
    # None for a tool of its own, without an `action` argument.
    name: ClassVar[str | None]
    Arguments: ClassVar[type[CallArguments]]
    # What a call may do to what is remembered: nothing, only add to it, or also change and remove.
    effect: ClassVar[Literal["reads", "adds", "changes"]] = "reads"
    # Arguments whose items it checks one by one (strict_json.check), so that a bad one does not refuse the others.
    checks_items_of: ClassVar[frozenset[str]] = frozenset()
    # What it answers.
    Reply: ClassVar[type[BaseModel]]
    # Calls worth imitating, without `action`; each validates.
    examples: ClassVar[list[dict[str, Any]]]

    def run(self, reader: Reader, given: Any) -> dict[str, Any]:
        """The reply without `action`; raises LanewiseError."""
        raise NotImplementedError


def scope_of(reader: Reader, given: ScopeArguments) -> Scope:
    """The reader narrowed to the lanes asked for, as of the instant asked for."""
    as_of = times.instant(given.as_of, "as_of") if given.as_of is not None else None
    return Scope(reader.narrow(given.lanes), as_of, given.include_invalidated)


def terms_of(match: list[str | TermArgument]) -> list[Term]:
    """Checked terms of a match argument."""
    return parse([item if isinstance(item, str) else item.model_dump(by_alias=True) for item in match])


def properties_of(items: list[str | PropertyArgument] | None) -> list[str | dict[str, Any]] | None:
    """Edge properties as services take them."""
    if items is None:
        return None
    return [item if isinstance(item, str) else item.model_dump() for item in items]


def report(error: LanewiseError) -> dict[str, Any]:
    """A refusal inside a reply (of one item among many)."""
    return {"detail": error.detail, "code": str(error.code), "errors": error.errors}


def only_given(given: BaseModel, *names: str) -> dict[str, Any]:
    """The named arguments that the caller gave."""
    return {name: getattr(given, name) for name in names if name in given.model_fields_set}


def labels_of(given: list[str] | None) -> list[str] | None:
    """Labels as they are stored, None for no limit; Invalid names the one that can be none."""
    return [normal.label(text, f"labels[{i}]") for i, text in enumerate(given)] if given else None
