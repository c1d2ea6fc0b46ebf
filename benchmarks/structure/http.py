"""The same questions through a running server: one client, keep-alive, a bearer key, the reply read to its end."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.structure.clock import Timed, timed
from benchmarks.structure.loaded import PROFILE, Loaded
from benchmarks.structure.world import EPOCH, HUB_LIMIT, KINDS, MAX_NODES, PAGE, TIMELINE_PAGE, World
from benchmarks.structure.writes import TENANT, clean_tenant, tenant_for_writes
from lanes import keys
from lanes.models import AgentProfile, ApiKey, Tenant
from memory.demo.scale import stream

ROOT = Path(__file__).resolve().parent.parent.parent
WRITES = 200


class Client:
    """One connection; `post` gives the body of the reply, not decoded, and raises on anything but 200."""

    def __init__(self, port: int, key: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def post(self, tool: str, body: dict[str, Any]) -> bytes:
        self.connection.request("POST", f"/api/v1/tools/{tool}", json.dumps(body), self.headers)
        reply = self.connection.getresponse()
        content = reply.read()
        if reply.status != 200:
            raise RuntimeError(f"{reply.status}: {content[:200]!r}")
        return content


def bodies(world: World, data: Loaded) -> dict[str, Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]]:
    """How each kind of question is asked of the tools."""

    def lanes(question: dict[str, Any]) -> list[str]:
        return [data.lane_slugs[lane] for lane in question["lanes"]]

    def terms(question: dict[str, Any]) -> list[dict[str, str]]:
        return [dict(zip(("label", "value"), world.names[prop], strict=True)) for prop in question["props"]]

    def sets(action: str, **more: Any) -> Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]:
        return lambda q: ("e_gather", {"action": action, "match": terms(q), "lanes": lanes(q), **more})

    def walk(action: str, **more: Any) -> Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]:
        return lambda q: (
            "e_gather",
            {"action": action, "sr_id": data.publics[q["record"]], "lanes": lanes(q), **more},
        )

    def day(number: int) -> str:
        return (EPOCH + timedelta(days=number)).isoformat()

    radius = {"max_nodes": MAX_NODES + 1, "hub_limit": HUB_LIMIT}
    return {
        "intersect": sets("intersect", limit=PAGE),
        "intersect_count": sets("count"),
        "union": sets("union", limit=PAGE),
        "union_count": sets("count", mode="union"),
        "group": lambda q: ("e_gather", {"action": "group", "label": q["label"], "lanes": lanes(q)}),
        "traverse": walk("traverse", limit=PAGE),
        "radius2": walk("radius", depth=2, **radius),
        "radius3": walk("radius", depth=3, **radius),
        "timeline": lambda q: (
            "e_timeline",
            {
                "action": "intersect",
                "match": [{"value": needle} for needle in q["needles"]],
                "start_date": day(q["first_day"]),
                "end_date": day(q["last_day"]),
                "require": "all",
                "limit": TIMELINE_PAGE,
                "lanes": lanes(q),
            },
        ),
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _key(slug: str) -> tuple[ApiKey, str]:
    tenant = Tenant.objects.get(slug=slug)
    return keys.issue(
        tenant=tenant, name="benchmark", profiles=[AgentProfile.objects.get(tenant=tenant, slug=PROFILE)]
    )


@contextmanager
def serving(data: Loaded, *others: str) -> Iterator[Any]:
    """The web server that script/server runs, and a client of it for the data's tenant (and one for each other)."""
    port = _free_port()
    command = [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(port), "config.asgi:application"]
    server = subprocess.Popen(command, cwd=ROOT, env=os.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    issued = [_key(slug) for slug in (data.tenant_slug, *others)]
    try:
        _wait(port, server)
        clients = [Client(port, key) for _, key in issued]
        yield clients if others else clients[0]
    finally:
        server.terminate()
        server.wait(20)
        for row, _ in issued:
            row.delete()


def measure(data: Loaded, questions: dict[str, list[Any]], world: World, seconds: float) -> dict[str, Timed]:
    """p50 and p95 of each kind, and of writing a record, over HTTP."""
    writer, _ = tenant_for_writes(TENANT)
    try:
        with serving(data, TENANT) as (reader_client, writer_client):
            ask = bodies(world, data)
            found: dict[str, Timed] = {}
            for kind, (method, asked) in KINDS.items():
                found[kind] = timed(
                    lambda question, method=method: reader_client.post(*ask[method](question)) and None,
                    questions[asked],
                    seconds,
                )
            items = [
                {name: value for name, value in item.items() if value}
                for item in stream(world.size, seed=int(time.time()), stop=WRITES)
            ]
            found["write one record"] = timed(
                lambda item: writer_client.post("e_record", {"action": "write", **item}) and None, items, seconds * 2
            )
            return found
    finally:
        clean_tenant(writer)


def _wait(port: int, server: subprocess.Popen) -> None:
    deadline = time.time() + 60
    while time.time() < deadline:
        if server.poll() is not None:
            raise SystemExit("The web server did not start.")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise SystemExit("The web server did not answer within a minute.")
