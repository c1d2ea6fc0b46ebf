"""How well find answers: any labelled set, through the product's own import, ingest and find.

    .venv/bin/python -m benchmarks.retrieval --data DIR [--sets locomo,twowiki] [--write]

A set is a directory with records.jsonl (the import format) and queries.jsonl (question, gold external_ids, lane).
Every set is imported into a tenant of its own in a database of its own (LANEWISE_DATA_DIR, else a temporary one),
worked by the ingest steps, and asked through `memory.find.engine.rank` as a reader of the question's lane. The
settings are the product's; there are none per set. Two runs print the same figures (times aside).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from benchmarks import measures

SEED = 20_240_601
ROWS = (  # (name, parts left out, with the walk)
    ("words alone", {"structure", "record_vector", "window_vector", "context"}, False),
    ("record vectors alone", {"structure", "words", "window_vector", "context"}, False),
    ("window vectors alone", {"structure", "words", "context"}, False),  # the records' are read for one-window texts
    ("structure alone", {"words", "record_vector", "window_vector", "context"}, False),
    ("fused", set(), False),
    ("fused, without structure", {"structure"}, False),
    ("fused, without words", {"words"}, False),
    ("fused, without record vectors", {"record_vector"}, False),
    ("fused, without window vectors", {"window_vector"}, False),
    ("fused, without neighbours", {"context"}, False),
    ("fused, with graph", set(), True),
)
GRAPH_SETS = ("twowiki", "musique")  # multi-hop: the row a reader of these should ask for


@dataclass
class Query:
    question: str
    lane: str
    gold: list[int]
    spans: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass
class Row:
    name: str
    each: list[dict[str, float]]
    milliseconds: list[float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="directory of the sets")
    parser.add_argument("--sets", default="locomo,twowiki,musique,acord,legalbench_contractnli")
    parser.add_argument("--every", type=int, default=0, help="ask every n-th question only (contractnli: 8)")
    parser.add_argument("--cache", type=Path, help="keep embeddings in this file between runs")
    parser.add_argument("--rows", help="only rows whose name contains this")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    options = parser.parse_args()
    names = [name for name in options.sets.split(",") if name]
    absent = [name for name in names if not (options.data / name / "queries.jsonl").is_file()]
    if absent:
        print(f"Not measured, no data in {options.data}: {', '.join(absent)}.")
    names = [name for name in names if name not in absent]
    if not names:
        return
    if "LANEWISE_DATA_DIR" not in os.environ:
        os.environ["LANEWISE_DATA_DIR"] = tempfile.mkdtemp(prefix="lanewise-benchmark-")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    if options.cache:
        keep_embeddings(options.cache)
    blocks = []
    for name in names:
        block = run(name, options)
        print(block, flush=True)
        blocks.append(block)
    if options.write:
        write(Path(__file__).parents[1] / "docs" / "benchmarks.md", blocks)


def run(name: str, options: argparse.Namespace) -> str:
    """Measure one set; the table as Markdown."""
    folder = options.data / name
    every = options.every or (8 if "contractnli" in name else 1)
    reader, ids, seconds = load(name, folder / "records.jsonl")
    queries = list(read_queries(folder / "queries.jsonl", ids, every))
    rows = []
    for title, without, graph in ROWS:
        if options.rows and options.rows not in title:
            continue
        rows.append(ask(reader, title, queries, without, graph))
    spans = span_recall(reader, queries) if any(query.spans for query in queries) else None
    digest = hashlib.sha256()
    for file in ("records.jsonl", "queries.jsonl"):
        digest.update((folder / file).read_bytes())
    return table(name, len(ids), queries, rows, digest.hexdigest(), every, seconds, spans)


def load(name: str, path: Path):
    """Import and ingest a set once; (its reader, {external_id: record id}, seconds spent on ingest)."""
    from django.db import connection

    from lanes import services
    from lanes.models import Tenant
    from memory import sql
    from memory.find import frequencies
    from memory.ingest import pipeline
    from memory.management.commands.import_records import operator
    from memory.services.bulk import Lanes, import_lines, maker

    slug = f"bench-{name.replace('_', '-')}"
    tenant = Tenant.objects.filter(slug=slug).first() or services.create_tenant(slug=slug, name=name)
    resolve = lambda: operator(tenant)  # noqa: E731
    with path.open("rb") as lines:
        report = import_lines(lines, Lanes(resolve(), None, maker(tenant, resolve)))
    if report.refused:
        sys.exit(f"{name}: {len(report.refused)} records were refused, the first: {report.refused[0]}")
    reader = resolve()
    rows = sql.fetch(
        "select external_id, id, version <> ingested_version from memory_record where lane_id = any(%s)",
        (reader.lane_list,),
    )
    pending = sorted(record for _, record, left in rows if left)
    began = time.perf_counter()
    for start in tqdm(range(0, len(pending), 512), desc=f"ingest {name}", disable=not pending):
        outcome = pipeline.run(pipeline.FIRST, pending[start : start + 512])
        if outcome.failed:
            sys.exit(f"{name}: ingest failed: {next(iter(outcome.failed.values()))}")
    seconds = time.perf_counter() - began
    frequencies.refresh_stale()
    with connection.cursor() as cursor:
        cursor.execute("analyze")
    return reader, {external: record for external, record, _ in rows}, seconds if pending else 0.0


def read_queries(path: Path, ids: dict[str, int], every: int) -> Iterator[Query]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % every:
                continue
            raw = json.loads(line)
            gold = [ids[external] for external in raw["gold"] if external in ids]
            if not gold:
                continue
            spans = [(ids[span["file"]], *span["span"]) for span in raw.get("spans", []) if span["file"] in ids]
            yield Query(raw["question"], raw["lane"], gold, spans)


def ask(reader, title: str, queries: list[Query], without: set[str], graph: bool) -> Row:
    """Ask every question in one setting."""
    from memory.find import engine
    from memory.gather.scope import Scope

    readers = {lane: reader.narrow([lane]) for lane in {query.lane for query in queries}}
    each, milliseconds = [], []
    for query in queries[:3]:  # warm
        engine.rank(Scope(readers[query.lane]), query.question, graph=graph, without=without)
    for query in tqdm(queries, desc=title, leave=False):
        began = time.perf_counter()
        ranking = engine.rank(Scope(readers[query.lane]), query.question, graph=graph, without=without)
        milliseconds.append((time.perf_counter() - began) * 1000)
        failed = [leg for leg in ranking.legs.values() if leg.status == "failed"]
        if failed:
            sys.exit(f"{title}: leg {failed[0].name} failed on {query.question!r}")
        order = ranking.order
        if title == "window vectors alone":
            order = [record for record, _ in ranking.legs["window_vector"].hits]
        each.append(measures.of(order, query.gold))
    return Row(title, each, milliseconds)


def span_recall(reader, queries: list[Query], k: int = 5) -> float:
    """The share of questions one of whose gold spans meets the best window of one of the first k hits."""
    from memory.find import engine
    from memory.find.legs import vectors
    from memory.gather.scope import Scope

    met = 0
    for query in queries:
        ranking = engine.rank(Scope(reader.narrow([query.lane])), query.question)
        head = ranking.order[:k]
        places = vectors.best_windows(ranking.ask, head) | {
            record: place for record, place in ranking.windows.items() if record in head
        }
        met += any(
            record in places and places[record][0] < end and start < places[record][1]
            for record, start, end in query.spans
        )
    return met / len(queries)


def table(name, records, queries, rows, digest, every, seconds, spans) -> str:
    """The figures of one set."""
    named = {row.name: row for row in rows}
    base = named.get("fused")
    measure = "all@8" if name in GRAPH_SETS else "R@10" if "contractnli" not in name else "R@5"
    lines = [
        f"### {name}",
        "",
        f"{records:,} records, {len(queries)} questions{f' (every {every}th)' if every > 1 else ''}; "
        f"sha256 of the data {digest[:16]}; seed {SEED}"
        + (f"; ingest {records / seconds:.0f} records a second" if seconds > 1 else "")
        + (f"; gold span in the best window of one of the first 5 hits: {spans:.3f}" if spans is not None else "")
        + ".",
        "",
        f"| | {' | '.join(measures.MEASURES)} | {measure} against fused (95 %) | p50 / p95 ms |",
        f"|---|{'---|' * (len(measures.MEASURES) + 2)}",
    ]
    for row in rows:
        found = measures.mean(row.each)
        versus = ""
        if base is not None and row is not base:
            d, low, high = measures.bootstrap(
                [r[measure] for r in row.each], [r[measure] for r in base.each], seed=SEED
            )
            versus = f"{d:+.3f} ({low:+.3f} … {high:+.3f})"
        p50, p95 = measures.percentiles(row.milliseconds)
        bold = "**" if row.name == ("fused, with graph" if name in GRAPH_SETS else "fused") else ""
        cells = " | ".join(f"{found[m]:.3f}" for m in measures.MEASURES)
        lines.append(f"| {bold}{row.name}{bold} | {cells} | {versus} | {p50:.0f} / {p95:.0f} |")
    return "\n".join(lines) + "\n"


MARK = "<!-- retrieval -->"


def write(path: Path, blocks: list[str]) -> None:
    """Put the tables between the marks of the page."""
    import django
    import onnxruntime

    from memory.find import fusion
    from memory.find.legs import words

    text = path.read_text(encoding="utf-8") if path.exists() else f"# Benchmarks\n\n{MARK}\n{MARK}\n"
    head, _, rest = text.partition(MARK)
    _, _, tail = rest.partition(MARK)
    settings = (
        f"Settings, the same for every set: legs {fusion.WEIGHTS}, depth {fusion.DEPTH}, lift {fusion.LIFT}, dates "
        f"{fusion.DATED}, BM25 k1 {words.K1} b {words.B}, side by side {words.PAIR_WEIGHT}. "
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, Django "
        f"{django.__version__}, onnxruntime {onnxruntime.__version__}, embedder all-MiniLM-L6-v2 int8."
    )
    body = "\n".join([MARK, "", settings, "", *blocks, MARK])
    path.write_text(head + body + tail, encoding="utf-8")


def keep_embeddings(path: Path) -> None:
    """Take vectors of texts seen in an earlier run from a file. Times of ingest are then not the embedder's."""
    import numpy as np

    from memory.ingest.embedders import configured

    embedder = configured()
    make = embedder.documents
    store = sqlite3.connect(path, check_same_thread=False)
    store.execute("create table if not exists vector (key blob primary key, value blob)")

    def documents(texts):
        keys = [hashlib.blake2b(f"{embedder.name}\x1f{text}".encode(), digest_size=16).digest() for text in texts]
        found = {}
        for key in keys:
            row = store.execute("select value from vector where key = ?", (key,)).fetchone()
            if row:
                found[key] = np.frombuffer(row[0], dtype=np.float32)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            for key, vector in zip(missing, make(list(missing.values())), strict=True):
                found[key] = vector
                store.execute("insert or replace into vector values (?, ?)", (key, vector.tobytes()))
            store.commit()
        return np.stack([found[key] for key in keys])

    embedder.documents = documents


if __name__ == "__main__":
    main()
