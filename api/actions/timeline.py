"""e_timeline: the same sets, in the order of their events."""

from typing import Any, Literal

from pydantic import Field

from api import replies
from api.actions.base import Action, Match, PageArguments, scope_of, terms_of
from lanes.errors import Invalid
from lanes.readers import Reader
from memory import times
from memory.gather.timeline import Bounds, timeline

TOOL = "e_timeline"


class TimelineIntersect(Action):
    """Records that match terms inside values or as tags, oldest event first; undated ones apart."""

    tool, name = TOOL, "intersect"
    Reply = replies.TimelineReply
    examples = [
        {"match": ["client:Acme"], "start_date": "2026-01", "end_date": "2026-06-30"},
        {"match": ["Q1 2026", "person:Sarah"], "require": "all"},
    ]

    class Arguments(PageArguments):
        action: Literal["intersect"]
        match: Match
        start_date: str | None = Field(
            None, description="Earliest event time: 2026, 2026-03, 2026-03-05 or an instant."
        )
        end_date: str | None = Field(
            None, description="Latest event time; a written day, month or year is included whole."
        )
        require: Literal["any", "all"] = Field(
            "any", description="any: every time term and one of the others. all: every term."
        )
        undated_cursor: str | None = Field(
            None, description="next_undated_cursor of the page before: the next of the undated records, nothing else."
        )

    def run(self, reader: Reader, given: Arguments) -> dict[str, Any]:
        bounds = Bounds(
            times.start_of(given.start_date, "start_date") if given.start_date is not None else None,
            times.end_of(given.end_date, "end_date") if given.end_date is not None else None,
        )
        if bounds.start and bounds.end and bounds.end <= bounds.start:
            raise Invalid.field("end_date", "Before start_date.")
        return timeline(
            scope_of(reader, given), terms_of(given.match), bounds=bounds, require=given.require,
            limit=given.limit, cursor=given.cursor, undated_cursor=given.undated_cursor,
        )  # fmt: skip


ACTIONS: list[type[Action]] = [TimelineIntersect]
