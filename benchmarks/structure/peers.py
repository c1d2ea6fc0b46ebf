"""The peers, in a process of their own: an in-process sqlite and the embedded graph databases kuzu and ladybug.

They have no server, no lanes of their own (a lane is a column), no permissions and, here, no durability; they
return record numbers, not pages of records. Run as `python -m benchmarks.structure.peers NAME FOLDER SECONDS`; prints
one JSON object.
"""

import csv
import importlib
import json
import shutil
import sqlite3
import sys
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.structure.clock import run
from benchmarks.structure.world import COUNT_CAP, GROUPS, HUB_LIMIT, LABELS, MAX_NODES, PAGE, World

SEPARATOR = "\x1f"


class Walks:
    """Traverse and radius as loops over two look-ups, which every peer answers in its own way."""

    def shared(self, record: int, lanes: list[int]) -> list[tuple[int, int]]:
        """(others, property) of the record's properties, least shared first."""
        raise NotImplementedError

    def newest(self, prop: int, lanes: list[int], limit: int) -> list[int]:
        raise NotImplementedError

    def reach(self, frontier: list[int], lanes: list[int]) -> Iterable[int]:
        """Readable records sharing a property of at most HUB_LIMIT others with the frontier."""
        raise NotImplementedError

    def traverse(self, question: dict[str, Any]) -> list[int]:
        seen, found = {question["record"]}, []
        for others, prop in self.shared(question["record"], question["lanes"]):
            for record in self.newest(prop, question["lanes"], PAGE + len(seen)):
                if record not in seen:
                    seen.add(record)
                    found.append(min(others, COUNT_CAP))
                    if len(found) == PAGE:
                        return found
        return found

    def radius(self, question: dict[str, Any], depth: int) -> list[int]:
        seen, frontier, sizes = {question["record"]}, [question["record"]], []
        for _ in range(depth):
            fresh = set(self.reach(frontier, question["lanes"])) - seen
            room = MAX_NODES + 1 - len(seen)
            sizes.append(min(len(fresh), room))
            if len(fresh) >= room or not fresh:
                break
            seen |= fresh
            frontier = list(fresh)
        return sizes + [0] * (depth - len(sizes))

    def radius2(self, question: dict[str, Any]) -> list[int]:
        return self.radius(question, 2)

    def radius3(self, question: dict[str, Any]) -> list[int]:
        return self.radius(question, 3)


class Sqlite(Walks):
    """Two clustered tables, (property, lane, record) and (record, property), and the values by name."""

    def __init__(self, world: World, folder: Path) -> None:
        path = folder / "peer.sqlite"
        path.unlink(missing_ok=True)
        self.names = world.names
        self.db = sqlite3.connect(path, isolation_level=None, cached_statements=500)
        for pragma in ("journal_mode=off", "synchronous=off", "cache_size=-3000000", "mmap_size=8000000000"):
            self.db.execute(f"pragma {pragma}")
        run_ = self.db.execute
        run_("create table m (prop int, lane int, rec int, primary key (prop, lane, rec)) without rowid")
        run_("create table r (rec int, prop int, primary key (rec, prop)) without rowid")
        run_("create table p (id integer primary key, label text, value text)")
        prop = np.repeat(np.arange(len(world.names)), world.df)
        lane = world.lane[world.prec]
        order = np.lexsort((world.prec, lane, prop))
        run_("begin")
        rows = zip(prop[order].tolist(), lane[order].tolist(), world.prec[order].tolist(), strict=True)
        self.db.executemany("insert into m values (?, ?, ?)", rows)
        owner = np.repeat(np.arange(world.size), np.diff(world.rp))
        self.db.executemany("insert into r values (?, ?)", zip(owner.tolist(), world.rpid.tolist(), strict=True))
        self.db.executemany("insert into p values (?, ?, ?)", [(i, *name) for i, name in enumerate(world.names)])
        run_("create unique index p_name on p (label, value)")
        run_("commit")
        run_("analyze")

    def ids(self, question: dict[str, Any]) -> list[int]:
        found = []
        for prop in question["props"]:
            row = self.db.execute("select id from p where label = ? and value = ?", self.names[prop]).fetchone()
            found.append(row[0])
        return found

    @staticmethod
    def also(count: int) -> str:
        return " and exists (select 1 from m where prop = ? and lane = t.lane and rec = t.rec)" * (count - 1)

    def intersect(self, question: dict[str, Any]) -> list[int]:
        first, *rest = self.ids(question)
        sql = f"select rec from m t where prop = ? and lane = ?{self.also(len(rest) + 1)} order by rec desc limit 50"
        found: list[int] = []
        for lane in question["lanes"]:
            found += [row[0] for row in self.db.execute(sql, (first, lane, *rest))]
        return sorted(found, reverse=True)[:PAGE]

    def intersect_count(self, question: dict[str, Any]) -> int:
        first, *rest = self.ids(question)
        sql = f"select count(*) from m t where prop = ? and lane = ?{self.also(len(rest) + 1)}"
        return sum(self.db.execute(sql, (first, lane, *rest)).fetchone()[0] for lane in question["lanes"])

    def union(self, question: dict[str, Any]) -> list[int]:
        found: set[int] = set()
        for prop in self.ids(question):
            found.update(self.newest(prop, question["lanes"], PAGE))
        return sorted(found, reverse=True)[:PAGE]

    def union_count(self, question: dict[str, Any]) -> int:
        props, lanes = self.ids(question), question["lanes"]
        sql = f"select count(distinct rec) from m where prop in ({_marks(props)}) and lane in ({_marks(lanes)})"
        return self.db.execute(sql, (*props, *lanes)).fetchone()[0]

    def group(self, question: dict[str, Any]) -> list[int]:
        sql = (
            "select p.value, count(*) as n from p join m on m.prop = p.id where p.label = ? "
            f"and m.lane in ({_marks(question['lanes'])}) group by p.id order by n desc limit {GROUPS}"
        )
        return [row[1] for row in self.db.execute(sql, (question["label"], *question["lanes"]))]

    def shared(self, record: int, lanes: list[int]) -> list[tuple[int, int]]:
        found = []
        for (prop,) in self.db.execute("select prop from r where rec = ?", (record,)).fetchall():
            others = -1
            for lane in lanes:
                others += self.db.execute(
                    f"select count(*) from (select 1 from m where prop = ? and lane = ? limit {COUNT_CAP + 1})",
                    (prop, lane),
                ).fetchone()[0]
            found.append((others, prop))
        return sorted(found)

    def newest(self, prop: int, lanes: list[int], limit: int) -> list[int]:
        found: list[int] = []
        for lane in lanes:
            sql = "select rec from m where prop = ? and lane = ? order by rec desc limit ?"
            found += [row[0] for row in self.db.execute(sql, (prop, lane, limit))]
        return sorted(found, reverse=True)[:limit]

    def reach(self, frontier: list[int], lanes: list[int]) -> Iterable[int]:
        inside = ",".join(map(str, lanes))
        sql = f"""with k as materialized (
            select distinct r.prop from json_each(?) j cross join r on r.rec = j.value),
          c as materialized (select prop from k where (select count(*) from (
            select 1 from m where m.prop = k.prop and m.lane in ({inside}) limit {HUB_LIMIT + 2})) <= {HUB_LIMIT + 1})
          select distinct m.rec from c cross join m on m.prop = c.prop where m.lane in ({inside})"""
        return (row[0] for row in self.db.execute(sql, (json.dumps(frontier),)))


def _marks(values: list[Any]) -> str:
    return ",".join("?" * len(values))


class Graph(Walks):
    """kuzu or ladybug: records and properties as nodes, `HAS` between them, prepared Cypher."""

    def __init__(self, module: str, world: World, folder: Path) -> None:
        library = importlib.import_module(module)
        home = folder / f"peer.{module}"
        for path in folder.glob(f"peer.{module}*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.names = [SEPARATOR.join(name) for name in world.names]
        self.db = library.Database(str(home), buffer_pool_size=4 << 30)
        self.connection = library.Connection(self.db, num_threads=2)
        self.prepared: dict[str, Any] = {}
        run_ = self.connection.execute
        run_("CREATE NODE TABLE Rec(id INT64, lane INT64, PRIMARY KEY(id))")
        run_("CREATE NODE TABLE Prop(name STRING, id INT64, label STRING, PRIMARY KEY(name))")
        run_("CREATE REL TABLE HAS(FROM Rec TO Prop)")
        owner = np.repeat(np.arange(world.size), np.diff(world.rp))
        labels = [LABELS[i] for i in world.label]
        self._copy("Rec", zip(range(world.size), world.lane.tolist(), strict=True), folder)
        self._copy("Prop", zip(self.names, range(len(self.names)), labels, strict=True), folder)
        self._copy(
            "HAS", ((a, self.names[b]) for a, b in zip(owner.tolist(), world.rpid.tolist(), strict=True)), folder
        )

    def _copy(self, table: str, rows: Iterable[tuple], folder: Path) -> None:
        path = folder / "peer.csv"
        with path.open("w", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_NONNUMERIC).writerows(rows)
        self.connection.execute(f"COPY {table} FROM '{path}' (HEADER=false)")
        path.unlink()

    def ask(self, cypher: str, parameters: dict[str, Any]) -> list[list[Any]]:
        statement = self.prepared.get(cypher)
        if statement is None:
            statement = self.prepared[cypher] = self.connection.prepare(cypher, parameters)
        result = self.connection.execute(statement, parameters)
        rows = result.get_all()
        result.close()
        return rows

    def _both(self, question: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        named = {f"p{i}": self.names[prop] for i, prop in enumerate(question["props"])}
        pattern = ", ".join(f"(r:Rec)-[:HAS]->(n{i}:Prop {{name: ${name}}})" for i, name in enumerate(named))
        return f"MATCH {pattern} WHERE r.lane IN $lanes ", named | {"lanes": question["lanes"]}

    def intersect(self, question: dict[str, Any]) -> list[int]:
        match, parameters = self._both(question)
        rows = self.ask(f"{match}RETURN r.id ORDER BY r.id DESC LIMIT {PAGE}", parameters)
        return [row[0] for row in rows]

    def intersect_count(self, question: dict[str, Any]) -> int:
        match, parameters = self._both(question)
        return self.ask(f"{match}RETURN count(*)", parameters)[0][0]

    def _either(self, question: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        names = [self.names[prop] for prop in question["props"]]
        match = "MATCH (r:Rec)-[:HAS]->(p:Prop) WHERE p.name IN $names AND r.lane IN $lanes "
        return match, {"names": names, "lanes": question["lanes"]}

    def union(self, question: dict[str, Any]) -> list[int]:
        match, parameters = self._either(question)
        rows = self.ask(f"{match}RETURN DISTINCT r.id ORDER BY r.id DESC LIMIT {PAGE}", parameters)
        return [row[0] for row in rows]

    def union_count(self, question: dict[str, Any]) -> int:
        match, parameters = self._either(question)
        return self.ask(f"{match}RETURN count(DISTINCT r.id)", parameters)[0][0]

    def group(self, question: dict[str, Any]) -> list[int]:
        rows = self.ask(
            "MATCH (r:Rec)-[:HAS]->(p:Prop) WHERE p.label = $label AND r.lane IN $lanes "
            f"RETURN p.name, count(*) AS n ORDER BY n DESC LIMIT {GROUPS}",
            {"label": question["label"], "lanes": question["lanes"]},
        )
        return [row[1] for row in rows]

    def shared(self, record: int, lanes: list[int]) -> list[tuple[int, int]]:
        rows = self.ask(
            "MATCH (a:Rec {id: $record})-[:HAS]->(p:Prop)<-[:HAS]-(b:Rec) WHERE b.id <> $record AND b.lane IN $lanes "
            "RETURN p.name, p.id, count(*) AS n ORDER BY n",
            {"record": record, "lanes": lanes},
        )
        return [(others, prop) for _, prop, others in rows]

    def newest(self, prop: int, lanes: list[int], limit: int) -> list[int]:
        rows = self.ask(
            f"MATCH (b:Rec)-[:HAS]->(p:Prop {{name: $name}}) WHERE b.lane IN $lanes RETURN b.id "
            f"ORDER BY b.id DESC LIMIT {2 * PAGE + 1}",
            {"name": self.names[prop], "lanes": lanes},
        )
        return [row[0] for row in rows]

    def reach(self, frontier: list[int], lanes: list[int]) -> Iterable[int]:
        rows = self.ask(
            "MATCH (a:Rec)-[:HAS]->(p:Prop) WHERE a.id IN $frontier WITH DISTINCT p "
            "MATCH (p)<-[:HAS]-(b:Rec) WHERE b.lane IN $lanes "
            f"WITH p, count(*) AS n WHERE n <= {HUB_LIMIT + 1} "
            "MATCH (p)<-[:HAS]-(b:Rec) WHERE b.lane IN $lanes RETURN DISTINCT b.id",
            {"frontier": frontier, "lanes": lanes},
        )
        return (row[0] for row in rows)


def main(name: str, folder: Path, seconds: float) -> None:
    warnings.simplefilter("ignore")  # both graph databases deprecate preparing, which is to their advantage here
    world = World.load(folder)
    questions = json.loads((folder / "questions.json").read_text())
    begun = time.perf_counter()
    peer = Sqlite(world, folder) if name == "sqlite" else Graph(name, world, folder)
    loaded = time.perf_counter() - begun
    found = run(peer, questions, seconds)
    out = {kind: {"ms": t.ms, "answers": t.answers, "error": t.error} for kind, t in found.items()}
    sys.stdout.write(json.dumps({"load_seconds": loaded, "kinds": out}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
