"""The one table, and PERF.md made of the results of the runs that were made."""

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from benchmarks.structure.clock import Timed
from benchmarks.structure.world import HUB_LIMIT, KINDS, LABELS, MAX_NODES, READABLE

# PERF marks: engine p50 over the floor's, and p95 in ms through HTTP.
MARKS: dict[str, tuple[float, int]] = {
    "intersect, mixed": (2.5, 25),
    "intersect, two hubs": (2.5, 25),
    "intersect, sparse": (2.5, 25),
    "count, mixed": (1.5, 35),
    "count, two hubs": (1.5, 35),
    "union": (2.5, 25),
    "count of a union": (1.5, 35),
    "group": (1.5, 120),
    "traverse": (2.5, 40),
    "radius 2": (2.0, 40),
    "radius 3": (2.0, 100),
    "timeline": (1.5, 220),
}
SHOWN = {
    "floor": "raw SQL, ids",
    "reply": "raw SQL, reply",
    "engine": "engine",
    "http": "HTTP",
    "sqlite": "sqlite",
    "kuzu": "kuzu",
    "ladybug": "ladybug",
}


def machine() -> str:
    """Cores, memory and versions, without a name that means nothing elsewhere."""
    from django.db import connection

    model = next(
        (line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), ""
    )
    with connection.cursor() as cursor:
        cursor.execute("select current_setting('server_version'), current_setting('shared_buffers')")
        version, buffers = cursor.fetchone()
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{os.cpu_count()} cores ({model or platform.machine()}), {memory:.0f} GB, "
        f"Python {platform.python_version()}, PostgreSQL {version} embedded, shared_buffers {buffers}; "
        f"load average {os.getloadavg()[0]:.1f} when the run ended{_priority()}"
    )


def _priority() -> str:
    """Said when it is not the usual one: on a busy machine a run may be given the processor first (chrt -r 5)."""
    if not hasattr(os, "sched_getscheduler"):
        return ""
    real_time = os.sched_getscheduler(0) in (os.SCHED_RR, os.SCHED_FIFO)
    return ", everything run at real-time priority beside other work (chrt -r)" if real_time else ""


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def now() -> str:
    """The minute a run ended."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def result(records: int, columns: dict[str, dict[str, Timed]], extra: dict[str, Any], command: str) -> dict[str, Any]:
    """What is kept of a run: percentiles, how many were asked, how many answers were wrong."""
    return {
        "records": records,
        "command": command,
        "when": now(),
        "machine": machine(),
        "columns": {
            name: {
                kind: {"p50": t.p50, "p95": t.p95, "n": len(t.ms), "bad": t.bad, "error": t.error}
                for kind, t in column.items()
            }
            for name, column in columns.items()
        },
        **extra,
    }


def _ms(cell: dict[str, Any] | None) -> str:
    if not cell or not cell["n"]:
        return "–"
    few = f" (n={cell['n']})" if cell["n"] < 30 else ""
    return f"{_short(cell['p50'])} / {_short(cell['p95'])}{few}"


def _short(ms: float) -> str:
    return f"{ms:.2f}" if ms < 10 else f"{ms:.0f}"


def table(run: dict[str, Any]) -> str:
    """p50 / p95 in ms for everyone, then the ratios the marks are about and how many answers were wrong."""
    columns = run["columns"]
    names = [name for name in SHOWN if columns.get(name)]
    head = [
        "operation",
        *(SHOWN[name] for name in names),
        "engine / ids",
        "engine / reply",
        "mark",
        "engine / sqlite",
        "graph db / engine",
        "wrong",
    ]
    rows = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for kind in KINDS:
        cells = {name: columns[name].get(kind) for name in names}
        engine, floor = cells.get("engine"), cells.get("floor")
        ratio = _over(engine, floor)
        same = _over(engine, cells.get("reply"))
        graphs = [cells[name]["p50"] for name in ("kuzu", "ladybug") if cells.get(name) and cells[name]["n"]]
        lite = cells.get("sqlite")
        slower = engine["p50"] / lite["p50"] if lite and lite["n"] and engine and engine["n"] else None
        faster = min(graphs) / engine["p50"] if graphs and engine and engine["n"] else None
        wrong = sum(cell["bad"] or 0 for cell in cells.values() if cell)
        rows.append(
            "| "
            + " | ".join(
                [
                    kind,
                    *(_ms(cells[name]) for name in names),
                    f"{ratio:.1f} ×" if ratio else "–",
                    f"{same:.1f} ×" if same else "–",
                    f"≤ {MARKS[kind][0]} ×",
                    f"{slower:.1f} ×" if slower else "–",
                    f"{faster:.1f} ×" if faster else "–",
                    str(wrong),
                ]
            )
            + " |"
        )
    return "\n".join(rows)


def _over(one: dict[str, Any] | None, other: dict[str, Any] | None) -> float | None:
    """The ratio of two medians, where both were measured."""
    return one["p50"] / other["p50"] if one and other and one["n"] and other["n"] else None


def _notes(run: dict[str, Any]) -> list[str]:
    columns = run["columns"]
    lines = []
    static = columns.get("static", {})
    if static:
        said = ", ".join(f"{kind} {_ms(cell)}" for kind, cell in static.items() if cell["n"])
        lines.append(
            f"* The raw SQL walk with counts known beforehand (another answer; what walking alone costs): {said}."
        )
    lines.append(f"* Traverse pages that differ from the right one in any place, of 100: {run['wrong_orders']}.")
    if run.get("writes"):
        one, many = run["writes"]["one"], run["writes"]["bulk"]
        lines.append(
            f"* One record with eight properties, p50 / p95 ms: plain INSERTs {one['plain'][0]:.1f} / "
            f"{one['plain'][1]:.1f}, the engine {one['product'][0]:.1f} / {one['product'][1]:.1f} "
            f"({one['product'][0] / one['plain'][0]:.1f} ×; mark ≤ 2 ×)."
        )
        lines.append(
            f"* Import of {many['n']:,} records into the loaded tables: {many['product']:,.0f} records/s; COPY of "
            f"ready-made rows {many['copy']:,.0f}/s ({many['product'] / many['copy']:.0%}; mark ≥ 50 %)."
        )
    write = columns.get("http", {}).get("write one record")
    if write and write["n"]:
        lines.append(f"* Write one record through HTTP: {_ms(write)} ms (mark p95 ≤ 40).")
    late = [
        f"{kind} {cell['p95']:.0f} ms (mark {MARKS[kind][1]})"
        for kind, cell in columns.get("http", {}).items()
        if kind in MARKS and cell["n"] and cell["p95"] > MARKS[kind][1]
    ]
    if columns.get("http"):
        lines.append(f"* HTTP p95 above its mark: {', '.join(late) or 'none'}.")
    loads = {name: seconds for name, seconds in (run.get("peer_load_seconds") or {}).items() if seconds}
    if run.get("load_seconds"):
        lines.append(f"* The import that loaded the data took {run['load_seconds']:,.0f} s.")
    if loads:
        lines.append("* Loading the peers took " + ", ".join(f"{n} {s:.0f} s" for n, s in loads.items()) + ".")
    errors = {
        f"{SHOWN.get(name, name)}, {kind}: {cell['error']}"
        for name, column in columns.items()
        for kind, cell in column.items()
        if cell["error"]
    }
    return lines + [f"* Could not answer: {error}" for error in sorted(errors)]


PREFACE = f"""# Speed

Made by `benchmarks/epg.py`; only what was run is here. Every figure is p50 / p95 in milliseconds over up to 300
questions a kind (fewer where the time budget ran out; n is told below 30), warm, as a reader of {READABLE} of 50
lanes.
Records are invented and skewed as a firm's are: eight properties each on average, labels
{", ".join(LABELS)}, the commonest value on 45 % of all records.
"wrong" counts answers that differ from brute force over the same data.

* **raw SQL, ids**: hand-written statements on minimal tables of their own, ids only, no tenants, permissions, validity
  in time, old spellings or per-term counts (`benchmarks/structure/floor.sql`, `floor.py`).
* **raw SQL, reply**: the same, returning what the tool's reply holds: every term counted to 10,000, the records of the
  page with title, dates, snippet and properties; of a radius also the properties followed with their members and
  twelve hubs counted; of a timeline also how many match and the undated (`reply.py`). The marks are for the first of
  the two.
* **engine**: the Python functions behind the tools; the page comes with titles, snippets and properties, and every
  term with its readable count.
* **HTTP**: the tool endpoints of a running server, one client, keep-alive, key and permissions included, to the
  last byte of the reply.
* **sqlite, kuzu, ladybug** (`requirements-bench.txt`): in their own process, ids only, no server, no permissions, no
  durability; traverse and radius are loops over their look-ups. "graph db / engine" is the faster of the two graph
  databases over the engine. Marks: the engine within 4 × of sqlite on intersect, traverse and radius, and 10 × faster
  than the graph databases.
* **radius** follows properties that at most {HUB_LIMIT} readable others carry, to at most {MAX_NODES:,} records.
* **timeline** looks for one or two pieces of values (4 to 8 characters), all required, in three tenths of the time.
"""


def save(root: Path, run: dict[str, Any]) -> None:
    """Keep the result of `epg.py` and make PERF.md anew."""
    _keep(root, "epg", run)


def save_find(root: Path, run: dict[str, Any]) -> None:
    """Keep the result of `find.py` and make PERF.md anew."""
    _keep(root, "find", run)


def _keep(root: Path, name: str, run: dict[str, Any]) -> None:
    folder = root / "benchmarks" / "results"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}-{run['records']}.json").write_text(json.dumps(run, indent=1) + "\n")
    runs, finds = _kept(folder, "epg"), _kept(folder, "find")
    parts = [PREFACE]
    for kept in runs:
        parts.append(f"## {_headed(kept)}{table(kept)}\n\n" + "\n".join(_notes(kept)) + "\n")
    if len(runs) > 1:
        parts.append(_growth(runs[0], runs[-1]))
    parts += [f"## find, {_headed(kept)}{find_table(kept)}\n" for kept in finds]
    (root / "PERF.md").write_text("\n".join(parts))


def _kept(folder: Path, name: str) -> list[dict[str, Any]]:
    runs = [json.loads(path.read_text()) for path in folder.glob(f"{name}-*.json")]
    return sorted(runs, key=lambda kept: -kept["records"])


def _headed(run: dict[str, Any]) -> str:
    return f"{run['records']:,} records\n\n`{run['command']}`, {run['when']}. {run['machine']}.\n\n"


def find_table(run: dict[str, Any]) -> str:
    """p50 / p95 in ms of find and of its legs, and how near the approximate search comes to the exact one."""
    legs = list(dict.fromkeys(leg for row in run["rows"] for leg in row["legs"]))
    lines = [
        "| asked by | find | " + " | ".join(leg.replace("_", " ") for leg in legs) + " |",
        "|" + "---|" * (len(legs) + 2),
    ]
    for row in run["rows"]:
        cells = [" / ".join(_short(ms) for ms in row["legs"][leg]) if leg in row["legs"] else "–" for leg in legs]
        lines.append(
            f"| {row['name']} | **{_short(row['p50'])} / {_short(row['p95'])}** | " + " | ".join(cells) + " |"
        )
    failed = sum(row["failed"] for row in run["rows"])
    near = ", ".join(f"{who} {part:.3f}" for who, part in run["recall"].items())
    lines += [
        "",
        f"* {run['rows'][0]['n']} questions each, warm: sentences of records, words about a person's matter, names; "
        f"20 records a page with passages and ranks. Mark: p95 ≤ 150 ms. Replies with a failed leg: {failed}.",
        f"* {run['sample']:,} of the records were embedded, the other vectors are mixtures of theirs; every tenth "
        "record has four windows besides.",
        f"* Of the 100 nearest records by an exact search, the vector leg returned: {near}.",
    ]
    return "\n".join(lines)


def _growth(big: dict[str, Any], small: dict[str, Any]) -> str:
    """How much slower the engine is at the bigger size, by the median."""
    rows = [
        f"| {kind} | {_short(few['p50'])} | {_short(many['p50'])} | {many['p50'] / few['p50']:.1f} × |"
        for kind, many in big["columns"]["engine"].items()
        if (few := small["columns"]["engine"].get(kind)) and few["n"] and many["n"]
    ]
    return (
        f"## Growth\n\nThe engine's p50 in ms (mark: at most 2 × for every paged operation).\n\n"
        f"| operation | {small['records']:,} | {big['records']:,} | growth |\n|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )
