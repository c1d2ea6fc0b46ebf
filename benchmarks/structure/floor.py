"""The floor: hand-written SQL on minimal tables of its own (floor.sql), returning record ids, not records.

It takes label and value like the engine and looks the terms up first. What it does not do: tenants and permissions,
validity in time, old spellings, per-term readable counts, hydrating the page.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.structure.world import COUNT_CAP, GROUPS, HUB_LIMIT, MAX_NODES, PAGE, TIMELINE_PAGE, World
from memory.normal import needle_grams

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def prepare(conn: psycopg.Connection, tenant: int) -> None:
    """Make and fill the floor's tables (a minute or two at a million records)."""
    script = (Path(__file__).parent / "floor.sql").read_text()
    conn.execute("set maintenance_work_mem = '1GB'")
    conn.execute(script.replace("%(tenant)s", str(int(tenant))))
    conn.execute("vacuum floor.edge")
    conn.execute("vacuum floor.property")


class Floor:
    """Prepared statements with generic plans, binary results, one connection."""

    def __init__(self, conn: psycopg.Connection, world: World, lanes: list[int], ids: list[int]) -> None:
        """`lanes[i]` is the database id of lane i, `ids[rank]` that of a record."""
        conn.execute("set plan_cache_mode = force_generic_plan")
        conn.execute("set jit = off")
        conn.prepare_threshold = 0
        self.cursor = conn.cursor(binary=True)
        self.world, self.lane_ids, self.ids = world, lanes, ids
        self.rank = {record: rank for rank, record in enumerate(ids)}

    def ask(self, statement: str, parameters: list[Any]) -> list[tuple]:
        return self.cursor.execute(statement, parameters).fetchall()

    def lanes(self, question: dict[str, Any]) -> list[int]:
        return [self.lane_ids[lane] for lane in question["lanes"]]

    def terms(self, question: dict[str, Any]) -> tuple[list[int], int]:
        """The keys of the terms, rarest first, and how many records carry the rarest."""
        named = [self.world.names[prop] for prop in question["props"]]
        rows = self.ask(
            "select p.key, p.df from unnest(%s::text[], %s::text[]) u(l, v) join floor.property p "
            "on p.key = hashtextextended(u.l || E'\\x1f' || u.v, 0) and p.label = u.l and p.value = u.v order by p.df",
            [[label for label, _ in named], [value for _, value in named]],
        )
        return [row[0] for row in rows], rows[0][1]

    @staticmethod
    def _also(count: int, rarest: int) -> str:
        off = " offset 0" if rarest < 2000 else ""
        return "".join(
            f" and exists (select 1 from floor.edge t{i} where t{i}.key = %s and t{i}.lane_id = t0.lane_id "
            f"and t{i}.at = t0.at and t{i}.record_id = t0.record_id{off})"
            for i in range(1, count)
        )

    def intersect(self, question: dict[str, Any]) -> list[int]:
        keys, rarest = self.terms(question)
        rows = self.ask(
            "select x.record_id from unnest(%s::int[]) l cross join lateral (select t0.record_id, t0.at "
            f"from floor.edge t0 where t0.key = %s and t0.lane_id = l{self._also(len(keys), rarest)} "
            f"order by t0.at desc, t0.record_id desc limit {PAGE}) x order by x.at desc, 1 desc limit {PAGE}",
            [self.lanes(question), *keys],
        )
        return [self.rank[row[0]] for row in rows]

    def intersect_count(self, question: dict[str, Any]) -> int:
        keys, rarest = self.terms(question)
        rows = self.ask(
            "select sum(n)::bigint from unnest(%s::int[]) l cross join lateral (select count(*) n from floor.edge t0 "
            f"where t0.key = %s and t0.lane_id = l{self._also(len(keys), rarest)}) x",
            [self.lanes(question), *keys],
        )
        return rows[0][0]

    def union(self, question: dict[str, Any]) -> list[int]:
        keys, _ = self.terms(question)
        rows = self.ask(
            "select distinct x.at, x.record_id from unnest(%s::bigint[]) k cross join unnest(%s::int[]) l "
            "cross join lateral (select at, record_id from floor.edge where key = k and lane_id = l "
            f"order by at desc, record_id desc limit {PAGE}) x order by 1 desc, 2 desc limit {PAGE}",
            [keys, self.lanes(question)],
        )
        return [self.rank[row[1]] for row in rows]

    def union_count(self, question: dict[str, Any]) -> int:
        keys, _ = self.terms(question)
        return self.ask(
            "select count(distinct record_id) from floor.edge where key = any(%s) and lane_id = any(%s)",
            [keys, self.lanes(question)],
        )[0][0]

    def group(self, question: dict[str, Any]) -> list[int]:
        rows = self.ask(
            "select p.value, g.n from (select key, count(*) n from floor.edge where lane_id = any(%s) and label = %s "
            f"group by 1 order by 2 desc limit {GROUPS}) g join floor.property p using (key) order by 2 desc",
            [self.lanes(question), question["label"]],
        )
        return [row[1] for row in rows]

    def traverse(self, question: dict[str, Any]) -> list[int]:
        rows = self.ask(
            f"select others from floor.traverse(%s, %s, {PAGE}, {COUNT_CAP})",
            [self.ids[question["record"]], self.lanes(question)],
        )
        return [row[0] for row in rows]

    def radius(self, question: dict[str, Any], depth: int, function: str = "radius") -> list[int]:
        rows = self.ask(
            f"select depth from floor.{function}(%s, %s, {depth}, {HUB_LIMIT}, {MAX_NODES})",
            [self.ids[question["record"]], self.lanes(question)],
        )
        depths = [row[0] for row in rows]
        return [depths.count(hop) for hop in range(1, depth + 1)]

    def sought(self, question: dict[str, Any]) -> tuple[str, list[Any]]:
        """SQL of the properties (n, key) that contain the needles, with its parameters."""
        needles = question["needles"]
        values = " union all ".join(
            f"select {n} as n, key from floor.property where grams @> %s::int[] and strpos(folded, %s) > 0"
            for n in range(len(needles))
        )
        return values, [part for needle in needles for part in (needle_grams(needle), needle)]

    @staticmethod
    def bounds(question: dict[str, Any]) -> tuple[datetime, datetime]:
        """The half-open bounds of a timeline."""
        first, last = (EPOCH + timedelta(days=question[name]) for name in ("first_day", "last_day"))
        return first, last + timedelta(days=1)

    def timeline(self, question: dict[str, Any]) -> list[int]:
        values, parameters = self.sought(question)
        rows = self.ask(
            f"with k as materialized ({values}) select d.record_id from k cross join unnest(%s::int[]) l "
            "join floor.edge d on d.key = k.key and d.lane_id = l and d.at >= %s and d.at < %s and d.dated "
            "group by d.record_id, d.at having count(distinct k.n) = %s order by d.at, d.record_id "
            f"limit {TIMELINE_PAGE}",
            [*parameters, self.lanes(question), *self.bounds(question), len(question["needles"])],
        )
        return [self.rank[row[0]] for row in rows]

    def radius2(self, question: dict[str, Any]) -> list[int]:
        return self.radius(question, 2)

    def radius3(self, question: dict[str, Any]) -> list[int]:
        return self.radius(question, 3)


class StaticFloor(Floor):
    """The walk with a df known beforehand, counted over all lanes: not the same answer, what the walk alone costs."""

    intersect = intersect_count = union = union_count = group = traverse = timeline = None  # type: ignore[assignment]

    def radius(self, question: dict[str, Any], depth: int, function: str = "radius_static") -> list[int]:
        return super().radius(question, depth, function)
