"""The product: the Python functions behind the tools, each returning a hydrated page for one reader."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.structure.world import GROUPS, HUB_LIMIT, MAX_NODES, PAGE, TIMELINE_PAGE, World
from lanes.readers import Reader
from memory.gather.count import count
from memory.gather.group import group
from memory.gather.intersect import intersect
from memory.gather.radius import radius
from memory.gather.scope import Scope
from memory.gather.terms import Term
from memory.gather.timeline import Bounds, timeline
from memory.gather.traverse import traverse
from memory.gather.union import union

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Engine:
    """Asks as a reader of the question's five lanes; answers in ranks, as every other engine here."""

    def __init__(self, world: World, reader: Reader, lanes: list[str], publics: list[str]) -> None:
        """`lanes[i]` is the slug of lane i, `publics[rank]` the sr_id of a record."""
        self.world, self.reader, self.lanes, self.publics = world, reader, lanes, publics
        self.rank = {public: rank for rank, public in enumerate(publics)}

    def scope(self, question: dict[str, Any]) -> Scope:
        return Scope(self.reader.narrow([self.lanes[lane] for lane in question["lanes"]]))

    def terms(self, question: dict[str, Any]) -> list[Term]:
        return [Term(*self.world.names[prop]) for prop in question["props"]]

    def ranks(self, reply: dict[str, Any]) -> list[int]:
        return [self.rank[record["sr_id"]] for record in reply["srs"]]

    def intersect(self, question: dict[str, Any]) -> list[int]:
        return self.ranks(intersect(self.scope(question), self.terms(question), limit=PAGE))

    def intersect_count(self, question: dict[str, Any]) -> int:
        return count(self.scope(question), self.terms(question))["count"]

    def union(self, question: dict[str, Any]) -> list[int]:
        return self.ranks(union(self.scope(question), self.terms(question), limit=PAGE))

    def union_count(self, question: dict[str, Any]) -> int:
        return count(self.scope(question), self.terms(question), mode="union")["count"]

    def group(self, question: dict[str, Any]) -> list[int]:
        reply = group(self.scope(question), question["label"], limit=GROUPS)
        return [value["sr_count"] for value in reply["values"]]

    def traverse(self, question: dict[str, Any]) -> list[int]:
        reply = traverse(self.scope(question), self.publics[question["record"]], limit=PAGE)
        least = {(edge["label"], edge["value"]): edge["sr_count"] for edge in reply["origin_edges"]}
        return [min(least[shared["label"], shared["value"]] for shared in record["shared"]) for record in reply["srs"]]

    def neighbours(self, question: dict[str, Any]) -> list[int]:
        """The page of a traverse as ranks, to check its whole order."""
        return self.ranks(traverse(self.scope(question), self.publics[question["record"]], limit=PAGE))

    def radius(self, question: dict[str, Any], depth: int) -> list[int]:
        reply = radius(
            self.scope(question),
            self.publics[question["record"]],
            depth=depth,
            max_nodes=MAX_NODES + 1,
            hub_limit=HUB_LIMIT,
        )
        depths = [node["depth"] for node in reply["nodes"]]
        return [depths.count(hop) for hop in range(1, depth + 1)]

    def timeline(self, question: dict[str, Any]) -> list[int]:
        terms = [Term(None, needle) for needle in question["needles"]]
        first, last = (EPOCH + timedelta(days=question[name]) for name in ("first_day", "last_day"))
        reply = timeline(
            self.scope(question),
            terms,
            bounds=Bounds(first, last + timedelta(days=1)),
            require="all",
            limit=TIMELINE_PAGE,
        )
        return self.ranks(reply)

    def radius2(self, question: dict[str, Any]) -> list[int]:
        return self.radius(question, 2)

    def radius3(self, question: dict[str, Any]) -> list[int]:
        return self.radius(question, 3)


def whole_order(engine: Engine, expected: Callable[[Any], list[tuple[int, int]]], questions: list[Any]) -> int:
    """How many traverse pages differ from the right one in any place."""
    return sum(
        1 for question in questions if engine.neighbours(question) != [record for record, _ in expected(question)]
    )
