"""The floor once more, returning what the tool has to: hand-written SQL on the same minimal tables, but every term
counted to the cap and the page's records fetched with title, dates, snippet and properties; a radius with the
properties that were followed and the hubs that were not; a timeline with its count and the undated records.

Between the ids alone and this lies what a reply of records costs anyone; between this and the engine, what tenants,
old spellings, validity in time, cursors and shapes cost.
"""

from typing import Any

from benchmarks.structure.floor import Floor
from benchmarks.structure.world import COUNT_CAP, HUB_LIMIT, MAX_NODES, PAGE, TIMELINE_PAGE

SNIPPET = 240
# How many undated records a timeline holds, and how many hubs a radius.
UNDATED = 200
HUBS = 12


class ReplyFloor(Floor):
    """Asks and answers like `Floor`, and fetches what it found."""

    def fetch(self, ids: list[int]) -> tuple[list[tuple], list[tuple]]:
        """The records and their properties, two statements."""
        return (
            self.ask(
                "select id, public_id, lane_id, title, kind, occurred_at, date_precision, recorded_at, updated_at, "
                f"version, left(text, {SNIPPET}) from memory_record where id = any(%s)",
                [ids],
            ),
            self.ask(
                "select e.record_id, p.label, p.value from floor.edge e join floor.property p on p.key = e.key "
                "where e.record_id = any(%s)",
                [ids],
            ),
        )

    def counts(self, question: dict[str, Any]) -> list[int]:
        """How many readable records carry each term, to the cap."""
        keys, _ = self.terms(question)
        one = (
            "(select count(*) from (select 1 from floor.edge where key = %s and lane_id = any(%s) "
            f"limit {COUNT_CAP + 1}) x)"
        )
        lanes = self.lanes(question)
        parameters = [part for key in keys for part in (key, lanes)]
        return list(self.ask(f"select {', '.join([one] * len(keys))}", parameters)[0])

    def _page(self, ranks: list[int]) -> list[int]:
        self.fetch([self.ids[rank] for rank in ranks])
        return ranks

    def intersect(self, question: dict[str, Any]) -> list[int]:
        self.counts(question)
        return self._page(super().intersect(question))

    def union(self, question: dict[str, Any]) -> list[int]:
        self.counts(question)
        return self._page(super().union(question))

    def timeline(self, question: dict[str, Any]) -> list[int]:
        """The page, how many there are, and the undated ones, newest first."""
        values, parameters = self.sought(question)
        rows = self.ask(
            f"with k as materialized ({values}), found as materialized ("
            "select d.record_id, d.at, d.dated from k cross join unnest(%s::int[]) l "
            "join floor.edge d on d.key = k.key and d.lane_id = l and (not d.dated or d.at >= %s and d.at < %s) "
            "group by 1, 2, 3 having count(distinct k.n) = %s) "
            f"(select 1, record_id from found where dated order by at, record_id limit {TIMELINE_PAGE}) union all "
            "select 0, count(*) from found where dated union all "
            f"(select 2, record_id from found where not dated order by at desc, record_id desc limit {UNDATED})",
            [*parameters, self.lanes(question), *self.bounds(question), len(question["needles"])],
        )
        page = [record for place, record in rows if place == 1]
        self.fetch(page + [record for place, record in rows if place == 2])
        return [self.rank[record] for record in page]

    def traverse(self, question: dict[str, Any]) -> list[int]:
        rows = self.ask(
            f"select record_id, others from floor.traverse(%s, %s, {PAGE}, {COUNT_CAP})",
            [self.ids[question["record"]], self.lanes(question)],
        )
        self.fetch([row[0] for row in rows])
        return [row[1] for row in rows]

    def radius(self, question: dict[str, Any], depth: int, function: str = "radius") -> list[int]:
        rows = self.ask(
            f"select record_id, depth from floor.{function}(%s, %s, {depth}, {HUB_LIMIT}, {MAX_NODES})",
            [self.ids[question["record"]], self.lanes(question)],
        )
        ids = [row[0] for row in rows]
        self.ask(
            "select id, public_id, lane_id, title, kind, at, version from memory_record where id = any(%s)", [ids]
        )
        # the properties followed, with the records that carry them, and what was not followed, counted
        self.ask(
            "select p.label, p.value, k.ids from (select key, array_agg(record_id) as ids from floor.edge "
            "where record_id = any(%s) group by 1 having count(*) > 1) k join floor.property p on p.key = k.key "
            f"where p.df <= {HUB_LIMIT + 1}",
            [ids],
        )
        self.ask(
            "select p.label, p.value, (select count(*) from (select 1 from floor.edge x where x.key = p.key "
            f"and x.lane_id = any(%s) limit {COUNT_CAP + 1}) y) from floor.edge e join floor.property p "
            f"on p.key = e.key where e.record_id = %s and p.df > {HUB_LIMIT + 1} order by p.df limit {HUBS}",
            [self.lanes(question), self.ids[question["record"]]],
        )
        depths = [row[1] for row in rows]
        return [depths.count(hop) for hop in range(1, depth + 1)]
