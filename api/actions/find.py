"""e_gather find: one ranked page from structure, words and meaning."""

from typing import Annotated, Any, Literal

from pydantic import Field

from api import replies
from api.actions.base import Action, Match, PageArguments, TermArgument, TermIn, scope_of, terms_of
from lanes.errors import Invalid
from lanes.readers import Reader
from memory import times
from memory.find import find
from memory.gather.terms import Term, parse

Tags = Annotated[
    list[TermIn],
    Field(
        min_length=1,
        max_length=16,
        description='Tags that every record must have, such as "docket:1:08-cv-00284" or {"label": "money"}.',
    ),
]


class Find(Action):
    """The records that answer a question best, fused from what it names, its words and its meaning. Each says which
    legs found it and at what rank, with the passage that answers."""

    tool, name = "e_gather", "find"
    Reply = replies.FindReply
    examples = [
        {"question": "Who may terminate the Acme lease, and when?"},
        {
            "question": "indemnity cap",
            "match": ["client:Acme"],
            "start_date": "2026-01",
            "end_date": "2026-03",
            "limit": 10,
        },
    ]

    class Arguments(PageArguments):
        action: Literal["find"]
        question: str = Field(description="What is looked for: plain words, a title, a value, an identifier.")
        match: Match | None = Field(None, description="Only records that carry every one of these terms.")
        kind: list[str] | None = Field(
            None, min_length=1, max_length=16, description="Only records of one of these kinds."
        )
        tags: Tags | None = None
        start_date: str | None = Field(None, description="Earliest time: 2026, 2026-03, 2026-03-05 or an instant.")
        end_date: str | None = Field(None, description="Latest time; a written day, month or year is included whole.")
        graph: bool = Field(
            False, description="Also walk from the best hits along rare shared values: for questions in several steps."
        )

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        start = times.start_of(given.start_date, "start_date") if given.start_date is not None else None
        end = times.end_of(given.end_date, "end_date") if given.end_date is not None else None
        if start and end and end <= start:
            raise Invalid.field("end_date", "Before start_date.")
        return find(
            scope_of(reader, given),
            given.question,
            terms=terms_of(given.match) if given.match else (),
            kinds=given.kind,
            tags=_tags(given.tags),
            start=start,
            end=end,
            graph=given.graph,
            limit=given.limit,
            cursor=given.cursor,
        )


def _tags(given: list[str | TermArgument] | None) -> list[Term]:
    if not given:
        return []
    return parse([item if isinstance(item, str) else item.model_dump(by_alias=True) for item in given], "tags")


ACTIONS: list[type[Action]] = [Find]
