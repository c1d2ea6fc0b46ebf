"""Citations between Section 230 opinions as directed connections: who is central, paths, communities; networkx judges.

    python -m benchmarks.s230 [--data ../shared/data]

Loads the set into a throwaway database and compares every answer with networkx on the same citations. Says so and
stops where the data is not there. Needs networkx (requirements-dev.txt).
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CAP = 200  # Zeran is cited by most of the others: more connections than a record holds by default


def load(path: Path) -> tuple[Any, dict[str, str], list[tuple[str, str]]]:
    """Write the opinions, connect each to those it cites; (reader, sr_id by external id, citations by external id)."""
    from lanes import services
    from lanes.readers import reader_for_profile
    from memory.services import connections, records

    items = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    tenant = services.create_tenant(slug="s230")
    lane = services.create_lane(tenant=tenant, slug="opinions")
    profile = services.create_profile(tenant=tenant, slug="clerk")
    services.grant(tenant=tenant, holder=profile, read=[lane], write=[lane])
    reader = reader_for_profile(profile)
    cluster = {p["value"]: r["external_id"] for r in items for p in r["edge_properties"] if p["label"] == "cluster"}
    cites = [
        (r["external_id"], cluster[p["value"]])
        for r in items
        for p in r["edge_properties"]
        if p["label"] == "cites" and p["value"] in cluster
    ]
    written = {}
    for item in items:
        made = records.write(
            reader,
            lane="opinions",
            title=item["title"],
            text=item["text"],
            external_id=item["external_id"],
            occurred_at=item["occurred_at"],
            kind="opinion",
            edge_properties=[p for p in item["edge_properties"] if p["label"] not in ("cites", "statute")],
        )
        written[item["external_id"]] = made.sr_id
    for citing, cited in cites:
        connections.connect(
            reader, sr_ids=[written[citing], written[cited]], hint="cites", type="cites", directed=True
        )
    return reader, written, cites


def judge(reader: Any, written: dict[str, str], cites: list[tuple[str, str]]) -> dict[str, Any]:
    """Compare with networkx; returns the figures."""
    import networkx as nx
    from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

    from memory.gather.clusters import central, communities
    from memory.gather.path import path
    from memory.gather.scope import Scope
    from memory.gather.terms import parse

    scope, name = Scope(reader), {public: external for external, public in written.items()}
    arcs = nx.DiGraph()
    arcs.add_nodes_from(written)
    arcs.add_edges_from(cites)
    plain = arcs.to_undirected()
    everything = parse([{"label": "outcome"}])
    reply = central(scope, terms=everything, types=["cites"], max_nodes=500, limit=200)
    rows = {name[row["sr_id"]]: row for row in reply["srs"]}
    ranks = _pagerank_python(arcs, tol=1e-12, max_iter=1000)
    between = nx.betweenness_centrality(plain)
    n = len(written)
    out: dict[str, Any] = {
        "opinions": n,
        "citations": len(cites),
        "pagerank, largest difference": max(abs(rows[x]["pagerank"] - ranks[x]) for x in written),
        "betweenness, largest difference": max(abs(rows[x]["betweenness"] - between[x]) for x in written),
        "in-degrees wrong": sum(rows[x]["in_degree"] != arcs.in_degree(x) for x in written),
        "degrees wrong": sum(rows[x]["degree"] != plain.degree(x) for x in written),
        "most cited": sorted(written, key=lambda x: (-rows[x]["in_degree"], x))[:5],
    }
    best = sorted(written, key=lambda x: (-ranks[x], x))[:10]
    out["top ten by pagerank the same"] = {name[r["sr_id"]] for r in reply["srs"][:10]} == set(best)
    wrong, times = 0, []
    for one, two in itertools.combinations(sorted(written), 2):
        start = time.perf_counter()
        found = path(scope, written[one], written[two], types=["cites"], max_depth=8)
        times.append((time.perf_counter() - start) * 1000)
        known = nx.shortest_path_length(plain, one, two) if nx.has_path(plain, one, two) else None
        wrong += found["length"] != known
    out["paths asked"], out["path lengths wrong"] = len(times), wrong
    out["path ms p50"] = round(statistics.median(times), 2)
    out["path ms p95"] = round(sorted(times)[int(len(times) * 0.95)], 2)
    reply = communities(scope, terms=everything, types=["cites"], max_nodes=500, limit=200)
    groups = [{name[r["sr_id"]] for r in group["srs"]} for group in reply["communities"]]
    groups += [{x} for x in set(written) - set().union(*groups)]
    out["communities"] = reply["communities_total"]
    out["modularity"] = round(nx.community.modularity(plain, groups), 4)
    out["modularity of networkx louvain"] = round(
        nx.community.modularity(plain, nx.community.louvain_communities(plain, seed=1)), 4
    )
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    args = parser.parse_args()
    path = args.data / "s230" / "records.jsonl"
    if not path.exists():
        print(f"{path} is not there: nothing measured.")
        return 0
    with tempfile.TemporaryDirectory(prefix="lanewise-s230-") as folder:
        os.environ["LANEWISE_DATA_DIR"] = folder
        os.environ["LANEWISE_CONNECTION_CAP"] = str(CAP)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        print(f"s230, sha256 {digest}, one reader, Leiden seed fixed")
        found = judge(*load(path))
        for what, figure in found.items():
            print(f"{what:36} {figure}")
        from django.db import connection

        connection.close()
        wrong = found["in-degrees wrong"] + found["degrees wrong"] + found["path lengths wrong"]
        close = max(found["pagerank, largest difference"], found["betweenness, largest difference"]) < 1e-6
        return 0 if not wrong and close and found["top ten by pagerank the same"] else 1


if __name__ == "__main__":
    sys.exit(main())
