"""find at size: every leg, at 100,000 or a million records with vectors, by the engine and through HTTP.

    python benchmarks/find.py --records 1000000 --data-dir DIR

Uses the world that `benchmarks/epg.py` loads; vectors are filled in once (`structure/meaning.py` says how). Asks as a
reader of five of fifty lanes and as one of all fifty: sentences of records, words about a person's matter, names. The
table goes to PERF.md. What the vector legs leave out against an exact search is told beside it.
"""

import argparse
import gc
import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

LANES = 5
PAGE = 20
CHECKED = 25  # questions whose nearest records are also searched for exactly


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--data-dir", default=os.environ.get("LANEWISE_DATA_DIR", ".data-benchmark"))
    parser.add_argument("--questions", type=int, default=120)
    parser.add_argument("--sample", type=int, default=8_000, help="records that are really embedded")
    parser.add_argument("--no-report", action="store_true", help="print the table, leave PERF.md alone")
    return parser.parse_args()


def questions(data: Any, count: int, chance: random.Random) -> list[str]:
    """A third each: a sentence of a record, three of its words about two of its values, one of its values."""
    from memory import sql

    ids = [data.ids[chance.randrange(len(data.ids))] for _ in range(count)]
    texts = dict(sql.fetch("select id, text from memory_record where id = any(%s)", (ids,)))
    values: dict[int, dict[str, str]] = {}
    for record, label, value in sql.fetch(
        "select record_id, label, value from memory_edgeproperty where record_id = any(%s) order by id", (ids,)
    ):
        values.setdefault(record, {})[label] = value
    made = []
    for number, record in enumerate(ids):
        sentences = [part.strip() for part in texts[record].split(".") if len(part.split()) > 4] or [texts[record]]
        held = values.get(record, {})
        named = [held[label] for label in ("person", "client", "matter", "topic") if label in held]
        if number % 3 == 0 or not named:
            made.append(chance.choice(sentences))
        elif number % 3 == 1:
            words = chance.sample(chance.choice(sentences).split(), 3)
            made.append(f"What about {' and '.join(named[:2])}: {' '.join(words)}?")
        else:
            made.append(chance.choice(named))
    return made


def recall(scope: Any, asked: list[str]) -> float:
    """The part of the exact nearest records that the vector leg returned."""
    from memory.find.ask import Ask, bounded
    from memory.find.legs import vectors
    from memory.ingest.embedders import configured

    kept = wanted = 0
    for question in asked:
        ask = Ask(scope, question)
        vectors.embed(ask, configured())
        with bounded(60_000):  # the settings of a search hold for its transaction
            got = {hit.record_id for hit in vectors.records(ask)}
        params = {**ask.params, "vector": vectors.literal(ask.vector), "count": ask.depth}
        exact = {row[0] for row in vectors._exact(ask, "memory_recordvector", "v.record_id", params)}
        kept, wanted = kept + len(got & exact), wanted + len(exact)
    return kept / wanted if wanted else float("nan")


def main() -> None:
    options = arguments()
    os.environ["LANEWISE_DATA_DIR"] = options.data_dir
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    import numpy as np

    from benchmarks.structure import http, loaded, meaning, report
    from memory.find import find
    from memory.find.engine import LEGS
    from memory.find.frequencies import refresh_stale
    from memory.gather.scope import Scope

    data = loaded.ensure(options.records, quick=True)
    connection = loaded.connect()
    meaning.ensure(connection, data.tenant_id, options.sample)
    refresh_stale()
    loaded.warm(connection)
    chance = random.Random(5)
    asked = questions(data, options.questions, chance)
    few = chance.sample(data.lane_slugs, LANES)
    gc.collect()
    gc.freeze()
    rows: list[dict[str, Any]] = []

    def measured(name: str, ask: Any) -> None:
        for question in asked:
            ask(question)
        ms, legs, failed = [], {leg: [] for leg in LEGS}, 0
        for question in asked:
            begun = time.perf_counter()
            reply = ask(question)
            ms.append((time.perf_counter() - begun) * 1000)
            failed += any(leg["status"] == "failed" for leg in reply["legs"])
            for leg in reply["legs"]:
                legs.setdefault(leg["leg"], []).append(leg["ms"])
        cell = {key: [float(np.percentile(v, q)) for q in (50, 95)] for key, v in legs.items() if v}
        rows.append({"name": name, "n": len(ms), "failed": failed, "legs": cell,
                     "p50": float(np.percentile(ms, 50)), "p95": float(np.percentile(ms, 95))})  # fmt: skip
        print(f"{name}: {rows[-1]['p50']:.0f} / {rows[-1]['p95']:.0f} ms, failed {failed}", file=sys.stderr)

    readers = {f"{LANES} of 50 lanes": few, "all lanes": list(data.lane_slugs)}
    for who, lanes in readers.items():
        scope = Scope(data.reader.narrow(lanes))
        measured(f"engine, {who}", lambda q, scope=scope: find(scope, q, limit=PAGE))
    with http.serving(data) as client:
        for who, lanes in readers.items():
            for graph in (False, True):
                body = {"action": "find", "lanes": lanes, "limit": PAGE, "graph": graph}
                measured(
                    f"HTTP, {who}{', graph' if graph else ''}",
                    lambda q, body=body: json.loads(client.post("e_gather", {**body, "question": q})),
                )
    result = {
        "records": options.records,
        "command": f"python benchmarks/find.py --records {options.records}",
        "when": report.now(),
        "machine": report.machine(),
        "rows": rows,
        "recall": {who: recall(Scope(data.reader.narrow(lanes)), asked[:CHECKED]) for who, lanes in readers.items()},
        "sample": options.sample,
    }
    print(report.find_table(result))
    if not options.no_report:
        report.save_find(ROOT, result)


if __name__ == "__main__":
    main()
