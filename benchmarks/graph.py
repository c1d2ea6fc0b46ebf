"""Walks at size: radius, path, communities, central, suggest; in the process and through HTTP.

    python -m benchmarks.graph_data --records 1000000      (once)
    python -m benchmarks.graph [--queries 200] [--port 8790] [--no-http]

Reads the database of LANEWISE_DATA_DIR as the profile `walker` (5 of 50 lanes). Through HTTP means the ASGI server in
a process of its own, a key, JSON in and out. Prints p50 and p95 in milliseconds, how many records came back, and the
slowest call of each kind. `cpu` is the processor time that the server process and its database sessions spent a call
(Linux only): what it costs whatever else runs on the machine. Seeded: the same records are asked about every time.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

MARKS = {"radius 2": 40, "radius 3": 100, "path": 200}


class Processor:
    """Processor time of some processes, from the scheduler's own count in nanoseconds."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def sessions(self) -> list[int]:
        from memory import sql

        own = os.getpid() == self.pid
        which = "pid = pg_backend_pid()" if own else "pid <> pg_backend_pid() and backend_type = 'client backend'"
        return [pid for (pid,) in sql.fetch(f"select pid from pg_stat_activity where {which}", prepare=False)]

    def milliseconds(self, sessions: list[int]) -> float:
        total = 0
        for pid in [self.pid, *sessions]:
            try:
                total += time.clock_gettime_ns((~pid << 3) | 2)  # Linux: the processor clock of a process
            except OSError:
                continue
        return total / 1e6


def measured(
    name: str, calls: list[Callable[[], dict[str, Any]]], size: Callable[[dict], int], processor: Processor
) -> None:
    """Run calls one after another and print a line."""
    times, sizes, spent = [], [], []
    for call in calls:  # warm: every page asked for is in memory
        call()
    sessions = processor.sessions()
    for call in calls:
        before = processor.milliseconds(sessions)
        start = time.perf_counter()
        reply = call()
        times.append((time.perf_counter() - start) * 1000)
        spent.append(processor.milliseconds(sessions) - before)
        sizes.append(size(reply))
    ordered, cost = sorted(times), sorted(spent)
    place = min(len(ordered) - 1, int(len(ordered) * 0.95))
    p95 = ordered[place]
    kind = name.split(",")[0]
    mark = f"  mark {MARKS[kind]}" if kind in MARKS and "http" in name else ""
    wall = f"p50 {statistics.median(times):7.1f}  p95 {p95:7.1f}  max {ordered[-1]:7.1f} ms"
    used = f"cpu p50 {statistics.median(spent):6.1f} p95 {cost[place]:6.1f}"
    print(f"{name:24} n={len(times):4}  {wall}  {used}  records {statistics.median(sizes):.0f}{mark}", flush=True)


class Client:
    """One connection, kept open."""

    def __init__(self, port: int, key: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def __call__(self, **body: Any) -> dict[str, Any]:
        self.connection.request("POST", "/api/v1/tools/e_gather", json.dumps(body), self.headers)
        response = self.connection.getresponse()
        reply = json.loads(response.read())
        if response.status != 200:
            raise RuntimeError(f"{response.status}: {reply}")
        return reply


def serve(port: int) -> subprocess.Popen:
    """The ASGI server, as deployed."""
    environ = {**os.environ, "LANEWISE_DB_POOL": "true"}
    server = subprocess.Popen(
        [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(port), "config.asgi:application"],
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(240):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
            connection.request("GET", "/api/v1/tools")
            connection.getresponse().read()
            return server
        except OSError:
            time.sleep(0.25)
    server.terminate()
    raise SystemExit("The server did not start.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--port", type=int, default=8790)
    parser.add_argument("--no-http", action="store_true")
    parser.add_argument("--only", default="", help='kinds to measure, comma-separated: "radius 2,path"')
    args = parser.parse_args()
    import django

    django.setup()
    from lanes import keys
    from lanes.models import AgentProfile
    from lanes.readers import reader_for_profile
    from memory import sql
    from memory.gather import clusters, path, radius, suggest
    from memory.gather.scope import Scope
    from memory.models import sr_id

    profile = AgentProfile.objects.select_related("tenant").get(slug="walker")
    reader = reader_for_profile(profile)
    scope = Scope(reader)
    total, top = sql.fetch("select count(*), max(id) from memory_record", prepare=False)[0]
    draw = random.Random(11)
    sample = [draw.randint(1, top) for _ in range(args.queries * 60)]
    rows = sql.fetch(
        "select public_id from memory_record where id = any(%s) and lane_id = any(%s) order by id",
        (sample, scope.lanes),
    )
    ids = [sr_id(public) for (public,) in rows]
    draw.shuffle(ids)
    ids = ids[: args.queries]
    pairs = list(zip(ids, ids[1:] + ids[:1], strict=True))
    hub = sql.fetch(
        "select r.public_id from memory_edgeproperty e join memory_record r on r.id = e.record_id "
        "where e.label = 'client' and e.value = 'Everyone' and e.lane_id = any(%s) limit %s",
        (scope.lanes, max(20, args.queries // 5)),
        prepare=False,
    )
    hubs = [sr_id(public) for (public,) in hub]
    few, nodes = max(10, args.queries // 10), lambda reply: len(reply["nodes"])
    length = lambda reply: reply["length"] or 0  # noqa: E731
    print(f"{total:,} records, 5 of 50 lanes readable, {len(ids)} records asked about")

    def walks(call: Callable[..., dict[str, Any]], processor: Processor) -> None:
        where = "http" if isinstance(call, Client) else "engine"

        def measure(name: str, calls: list, size: Callable[[dict], int]) -> None:
            if args.only and name.split(",")[0] not in args.only.split(","):
                return
            measured(name, calls, size, processor)

        for depth in (1, 2, 3, 5, 8):
            picked = ids if depth <= 3 else ids[:few]
            measure(
                f"radius {depth}, {where}", [lambda i=i, d=depth: call("radius", i, depth=d) for i in picked], nodes
            )
        measure(
            f"radius 3 of 2000, {where}",
            [lambda i=i: call("radius", i, depth=3, max_nodes=2_000) for i in ids[:few]],
            nodes,
        )
        measure(
            f"radius 8 of 2000, {where}",
            [lambda i=i: call("radius", i, depth=8, max_nodes=2_000, hub_limit=2_000) for i in ids[:few]],
            nodes,
        )
        measure(f"radius 3 hubs, {where}", [lambda i=i: call("radius", i, depth=3) for i in hubs], nodes)
        measure(f"path, {where}", [lambda p=p: call("path", *p) for p in pairs], length)
        labels = ["matter", "person"]
        measure(f"path rare, {where}", [lambda p=p: call("path", *p, labels=labels) for p in pairs[: few * 3]], length)
        measure(
            f"communities, {where}",
            [lambda i=i: call("communities", i) for i in ids[:few]],
            lambda reply: reply["nodes"],
        )
        measure(f"central, {where}", [lambda i=i: call("central", i) for i in ids[:few]], lambda r: r["nodes"])
        measure(
            f"suggest, {where}", [lambda i=i: call("suggest", i) for i in ids[:few]], lambda r: len(r["suggestions"])
        )

    operations = {
        "radius": radius.radius,
        "path": path.path,
        "communities": lambda s, i, **more: clusters.communities(s, sr_id=i, **more),
        "central": lambda s, i, **more: clusters.central(s, sr_id=i, **more),
        "suggest": suggest.suggest,
    }
    walks(lambda action, *given, **more: operations[action](scope, *given, **more), Processor(os.getpid()))
    if args.no_http:
        return
    _, key = keys.issue(tenant=profile.tenant, name="benchmark", profiles=[profile])
    server = serve(args.port)
    try:
        client = Client(args.port, key)

        class Through(Client):
            def __init__(self) -> None:
                pass

            def __call__(self, action: str, *given: str, **more: Any) -> dict[str, Any]:  # type: ignore[override]
                named = {"from": given[0], "to": given[1]} if action == "path" else {"sr_id": given[0]}
                return client(action=action, **named, **more)

        walks(Through(), Processor(server.pid))
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
