"""Structural retrieval at size, in one run: the engine, a raw SQL floor, sqlite and embedded graph databases.

    python benchmarks/epg.py --records 1000000 --data-dir DIR

Loads invented records once into DIR (an embedded Postgres of its own), then asks everyone the same questions as a
reader of five of fifty lanes and checks every answer against brute force. The table goes to PERF.md.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

PEERS = ("sqlite", "kuzu", "ladybug")
QUESTIONS = 300


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--data-dir", default=os.environ.get("LANEWISE_DATA_DIR", ".data-benchmark"))
    parser.add_argument("--seconds", type=float, default=8.0, help="time budget for one kind of question")
    parser.add_argument("--peers", default=",".join(PEERS), help="which peers, comma-separated; empty for none")
    parser.add_argument("--quick", action="store_true", help="load by COPY, making the indexes afterwards")
    parser.add_argument("--fresh-floor", action="store_true", help="fill the floor's tables again")
    parser.add_argument("--no-http", action="store_true")
    parser.add_argument("--no-writes", action="store_true")
    parser.add_argument("--no-report", action="store_true", help="print the table, leave PERF.md alone")
    return parser.parse_args()


def ask_peer(name: str, folder: Path, seconds: float) -> dict[str, Any]:
    """Run one peer in a process of its own; {} and a message when its package is not installed."""
    command = [sys.executable, "-m", "benchmarks.structure.peers", name, str(folder), str(seconds)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        print(f"{name} was not measured: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return {}
    return json.loads(done.stdout)


def _command(options: argparse.Namespace) -> str:
    """The command as anyone would type it: what was left at its default is left out, and so is the folder."""
    said = [f"--records {options.records}"]
    said += [f"--{name.replace('_', '-')}" for name in ("quick", "no_http", "no_writes") if getattr(options, name)]
    if options.peers != ",".join(PEERS):
        said.append(f"--peers '{options.peers}'")
    return f"python benchmarks/epg.py {' '.join(said)}"


def main() -> None:
    options = arguments()
    os.environ["LANEWISE_DATA_DIR"] = options.data_dir
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from benchmarks.structure import loaded, report, world
    from benchmarks.structure.clock import Timed, run
    from benchmarks.structure.engine import Engine, whole_order
    from benchmarks.structure.floor import Floor, StaticFloor, prepare
    from benchmarks.structure.reply import ReplyFloor

    began = time.time()
    data = loaded.ensure(options.records, options.quick)
    known = world.build(options.records, loaded.SEED, data.ordinal)
    folder = Path(options.data_dir) / f"benchmark-{options.records}"
    folder.mkdir(parents=True, exist_ok=True)
    known.save(folder)
    asked = world.questions(known, QUESTIONS)
    (folder / "questions.json").write_text(json.dumps(asked))

    connection = loaded.connect()
    if options.fresh_floor or not loaded.floor_is_ready(connection, options.records):
        prepare(connection, data.tenant_id)
    loaded.warm(connection)
    engine = Engine(known, data.reader, data.lane_slugs, data.publics)
    floors = [
        kind(connection, known, data.lane_ids, data.ids)  # both on one connection, one after the other
        for kind in (Floor, ReplyFloor, StaticFloor)
    ]
    # What the benchmark itself holds (millions of ids) is not the engine's garbage to look through.
    gc.collect()
    gc.freeze()
    columns: dict[str, dict[str, Timed]] = {"floor": {}, "reply": {}, "static": {}, "engine": {}}
    for kind in world.KINDS:  # floor and engine kind by kind, so that drift of the machine meets both
        columns["floor"] |= run(floors[0], asked, options.seconds, [kind])
        columns["engine"] |= run(engine, asked, options.seconds, [kind])
        columns["reply"] |= run(floors[1], asked, options.seconds, [kind])
        columns["static"] |= run(floors[2], asked, options.seconds, [kind])
    connection.close()
    loads: dict[str, float | None] = {}
    for peer in filter(None, options.peers.split(",")):
        answer = ask_peer(peer, folder, options.seconds)
        loads[peer] = answer.get("load_seconds")
        columns[peer] = {
            kind: Timed(found["ms"], found["answers"], error=found["error"])
            for kind, found in answer.get("kinds", {}).items()
        }
    print(f"measured in {time.time() - began:.0f} s; checking", file=sys.stderr)
    reference = world.Reference(known, data.instants, data.publics)
    for kind, (method, questions) in world.KINDS.items():
        longest = max(len(column[kind].answers) for column in columns.values() if kind in column)
        right = [getattr(reference, method)(question) for question in asked[questions][:longest]]
        for name, column in columns.items():
            if kind in column and name != "static":
                column[kind].compare(right)
    extra: dict[str, Any] = {
        "wrong_orders": whole_order(engine, reference.neighbours, asked["walk"][:100]),
        "load_seconds": data.load_seconds,
        "peer_load_seconds": loads,
    }
    if not options.no_http:
        from benchmarks.structure import http

        columns["http"] = http.measure(data, asked, known, options.seconds)
    if not options.no_writes:
        from benchmarks.structure import writes

        extra["writes"] = writes.measure()
    result = report.result(options.records, columns, extra, _command(options))
    print(report.table(result))
    if not options.no_report:
        report.save(ROOT, result)


if __name__ == "__main__":
    main()
