"""Ingest at speed: extractors, the pipeline against the embedder alone, known values at a million values.

    python benchmarks/ingest.py --data-dir DIR [--texts 600] [--values 1000000]

Everything is invented (memory.demo.scale and names made here from a seed) and written to DIR, an embedded Postgres of
its own that may be thrown away. Times are given twice: by the clock, and in processor time of this process over all
its threads, which other load on the machine changes little.
"""

import argparse
import itertools
import os
import random
import sys
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SYLLABLES = [
    "bar", "bel", "cor", "dan", "del", "fen", "gal", "har", "hol", "kas", "lan", "lor", "mar", "mel", "nor", "ost",
    "pel", "quin", "ras", "sel", "tor", "ulm", "ven", "wex", "yar", "zel",
]  # fmt: skip
ENDS = ("Holdings", "Marine", "Partners", "Estates", "Group", "Trust", "Freight", "Energy", "Ltd.", "Inc.")


class Took:
    wall = cpu = 0.0


@contextmanager
def took():
    """Wall and processor seconds of a block."""
    result = Took()
    wall, cpu = time.perf_counter(), time.process_time()
    yield result
    result.wall, result.cpu = time.perf_counter() - wall, time.process_time() - cpu


def row(name: str, per: float, result: Took, note: str = "") -> None:
    print(f"| {name} | {1000 * result.wall / per:.2f} | {1000 * result.cpu / per:.2f} | {note} |", flush=True)


def names(seed: int = 11):
    """Invented names of two to four words, without end and without repeats."""
    rng = random.Random(seed)
    made: set[str] = set()
    for number in itertools.count():
        words = ["".join(rng.choices(SYLLABLES, k=rng.randint(2, 3))).capitalize() for _ in range(rng.randint(1, 3))]
        name = f"{' '.join(words)} {ENDS[number % len(ENDS)]}"
        if name not in made:
            made.add(name)
            yield name


def extraction(texts: list[str]) -> None:
    from memory.ingest import steps
    from memory.ingest.extractors import ExtractContext, extract_many
    from memory.ingest.extractors.entities import EntityExtractor
    from memory.ingest.extractors.known_values import KnownValueExtractor

    contexts = [ExtractContext() for _ in texts]
    print("\n| extractor, one core | ms a text | CPU ms a text | |\n|---|---|---|---|")
    for extractor in [*steps.extractors(), KnownValueExtractor(lambda *ids: []), EntityExtractor()]:
        extract_many(extractor, texts[:8], contexts[:8])  # models are loaded on first use
        with took() as result:
            found = extract_many(extractor, texts, contexts)
        row(extractor.name, len(texts), result, f"{sum(map(len, found)) / len(texts):.2f} tags a text")


def pipeline_speed(reader, texts: list[str], lane: str) -> None:
    from memory.ingest import pipeline, vectors, worker
    from memory.ingest.embedders import configured
    from memory.services import records

    worker.take_turns()
    written = []
    for start in range(0, len(texts), 500):
        items = [{"lane": lane, "text": text, "title": f"Note {start}"} for text in texts[start : start + 500]]
        written += [item.id for item in records.write_many(reader, items)]
    embedder = configured()
    sources = vectors.read(written)
    wanted = [text for source in sources for text in vectors.plan(source).texts]
    embedder.documents(wanted[:8])
    # Warm: modules, prepared statements and the database's first files are made once.
    warm = [item.id for item in records.write_many(reader, [{"lane": lane, "text": text} for text in texts[:64]])]
    pipeline.run(pipeline.FIRST, warm)
    print("\n| short texts, as a worker takes them | ms a text | CPU ms a text | |\n|---|---|---|---|")
    # In turns, as much as a worker takes at once, so that other load on the machine meets both alike.
    alone, whole = Took(), Took()
    for start in range(0, len(written), pipeline.FIRST.at_once):
        ids = written[start : start + pipeline.FIRST.at_once]
        plans = [vectors.plan(source) for source in sources[start : start + pipeline.FIRST.at_once]]
        with took() as part:
            embedder.documents([text for plan in plans for text in plan.texts])
        alone.wall, alone.cpu = alone.wall + part.wall, alone.cpu + part.cpu
        with took() as part:
            pipeline.run(pipeline.FIRST, ids)
        whole.wall, whole.cpu = whole.wall + part.wall, whole.cpu + part.cpu
    row("embedder alone", len(written), alone, f"{len(wanted) / len(sources):.2f} vectors a text")
    share = (
        f"{100 * alone.wall / whole.wall:.0f} % of the embedder's speed, {100 * alone.cpu / whole.cpu:.0f} % by CPU"
    )
    row("first phase (vectors, tags, known values, storing)", len(written), whole, share)
    with took() as rest:
        pipeline.run(pipeline.LATER, written)
    row("later phase (names)", len(written), rest)


def known_values(reader, lane: str, texts: list[str], sizes: list[int]) -> None:
    from memory import normal, sql
    from memory.ingest.extractors import ExtractContext
    from memory.ingest.extractors.known_values import KnownValueExtractor

    lane_id, tenant_id = reader.lane_id(lane), reader.tenant_id
    source = names()
    rng = random.Random(5)
    have: list[str] = []
    print("\n| known values | ms a text | CPU ms a text | |\n|---|---|---|---|")
    for size in sizes:
        fresh = [next(source) for _ in range(size - len(have))]
        sql.copy(
            "memory_lanevalue",
            ("tenant_id", "lane_id", "label", "value", "key", "folded", "grams", "norm_key", "sought"),
            (
                (tenant_id, lane_id, "party", value, normal.edge_key("party", value), normal.fold(value), [],
                 normal.norm_key(value), True)
                for value in fresh
            ),
        )  # fmt: skip
        have += fresh
        sql.execute("analyze memory_lanevalue")
        mixed = [f"{text} Copied to {rng.choice(have)} and {rng.choice(have)}." for text in texts] if have else texts
        contexts = [ExtractContext(tenant_id=tenant_id, lane_id=lane_id) for _ in mixed]
        extractor = KnownValueExtractor()
        extractor.extract_many(mixed[:64], contexts[:64])
        found = 0
        with took() as result:
            for start in range(0, len(mixed), 64):
                tags = extractor.extract_many(mixed[start : start + 64], contexts[start : start + 64])
                found += sum(map(len, tags))
        row(f"{size:,} values in the lane, batches of 64", len(mixed), result, f"{found / len(mixed):.2f} tags a text")
        single = mixed[:100]
        with took() as result:
            for text, context in zip(single, contexts, strict=False):
                extractor.extract(text, context)
        row(f"{size:,} values, one text at a time", len(single), result)


def late_values(reader, lane: str) -> None:
    from memory import sql
    from memory.ingest import seek
    from memory.services import records

    lane_id = reader.lane_id(lane)
    count = sql.fetch("select count(*) from memory_record where lane_id = %s", (lane_id,))[0][0]
    sql.execute("update memory_lanevalue set sought = true where lane_id = %s", (lane_id,))
    source = names(seed=99)
    print("\n| new values sought in earlier records | ms a value | CPU ms a value | |\n|---|---|---|---|")
    for number in (1, 20, 1000):
        values = [f"party:{next(source)}" for _ in range(number)]
        for start in range(0, number, 100):
            records.write(reader, lane=lane, text="names", edge_properties=values[start : start + 100])
        with took() as result:
            seek.seek(lane_id)
        row(f"{number:,} new values, {count:,} records", number, result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--texts", type=int, default=600)
    parser.add_argument("--values", type=int, default=1_000_000)
    options = parser.parse_args()
    os.environ["LANEWISE_DATA_DIR"] = options.data_dir
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.core.management import call_command

    from lanes import services
    from lanes.models import Tenant
    from lanes.readers import reader_for_profile
    from memory.demo.scale import stream

    call_command("migrate", verbosity=0)
    slug = f"bench-{int(time.time())}"
    tenant: Tenant = services.create_tenant(slug=slug, name="Benchmark")
    for lane in ("notes", "values"):
        services.create_lane(tenant=tenant, slug=lane, name=lane)
    profile = services.create_profile(tenant=tenant, slug="bench")
    services.grant_by_slugs(tenant=tenant, holder=profile, read="", write="*", walled="", create=True)
    reader = reader_for_profile(profile)
    texts = [record["text"] for record in itertools.islice(stream(20_000), options.texts)]
    print(
        f"{len(texts)} invented texts of {sum(map(len, texts)) / len(texts):.0f} characters, {os.cpu_count()} cores,"
    )
    print(f"load {os.getloadavg()[0]:.1f} when begun")
    extraction(texts)
    pipeline_speed(reader, texts, "notes")
    sizes = [size for size in (0, 10_000, 100_000, 1_000_000) if size <= options.values]
    known_values(reader, "values", texts, sizes)
    late_values(reader, "notes")


if __name__ == "__main__":
    main()
