"""How long pages take on a big tenant, and how many statements: signed in as a person, in this process, warm.

    python -m benchmarks.pages --tenant benchmark-1000000 --user bench

Hubs are the commonest values of the labels the person can read that at least --hub records carry. Nothing is kept: all
of it runs in one transaction that is rolled back.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import time
from urllib.parse import quote, urlencode

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from lanes.models import Tenant, User  # noqa: E402
from lanes.readers import Reader, reader_for_user  # noqa: E402
from memory.gather.group import group  # noqa: E402
from memory.gather.scope import Scope  # noqa: E402
from memory.selectors import home, values  # noqa: E402
from memory.selectors.records import hydrate  # noqa: E402


def hubs_of(reader: Reader, least: int) -> list[tuple[str, str]]:
    """(label, value) of the commonest values, at most eight a label, that `least` readable records carry."""
    found = []
    for label in values.labels(reader):
        for value in group(Scope(reader), label, limit=8)["values"]:
            if value["sr_count"] >= least:
                found.append((label, value["value"]))
    return found


def address(path: str, *terms: tuple[str, str], **more: str) -> str:
    return f"{path}?{urlencode([('t', ':'.join(term)) for term in terms] + list(more.items()))}"


def kinds(reader: Reader, least: int) -> dict[str, list[str]]:
    """Addresses of every kind of page. Drawn with a fixed seed."""
    hubs = hubs_of(reader, least)
    draw = random.Random(7)
    pairs = [tuple(draw.sample(hubs, 2)) for _ in range(30)]
    records = [shape["sr_id"] for shape in hydrate(reader, home.recent(reader, limit=30))]
    return {
        "home": ["/"] * 20,
        "search, everything": ["/search/"] * 20,
        "search, a hub": [address("/search/", hub) for hub in hubs],
        "search, a hub, oldest first": [address("/search/", hub, order="oldest") for hub in hubs],
        "search, a hub, dates and people": [
            address("/search/", hub, **{"from": "2024-01-01", "by": "people"}) for hub in hubs
        ],
        "search, two hubs": [address("/search/", *pair) for pair in pairs],
        "search, words": ["/search/?q=indemnity+notice"] * 20,
        "search, a hub and words": [address("/search/", hub, q="indemnity notice") for hub in hubs],
        "timeline, everything": ["/timeline/"] * 20,
        "timeline, a hub": [address("/timeline/", hub) for hub in hubs],
        "timeline, two hubs, any": [address("/timeline/", *pair) for pair in pairs],
        "timeline, two hubs, every": [address("/timeline/", *pair, require="all") for pair in pairs],
        "value, a hub": [f"/values/{quote(label)}/{quote(value, safe='')}/" for label, value in hubs],
        "values of a label": [f"/values/?t={label}:" for label in values.labels(reader)],
        "record": [f"/records/{sr_id}/" for sr_id in records],
        "insights": ["/insights/"] * 10,
    }


def measure(client: Client, addresses: list[str]) -> tuple[list[float], set[int]]:
    """Milliseconds of each page, sorted, and the numbers of statements met."""
    for path in addresses[:3] * 2:
        client.get(path)
    gc.collect()
    gc.freeze()  # as the server does with what stands loaded
    taken = []
    statements = set()
    for path in addresses:
        began = time.perf_counter()
        response = client.get(path)
        taken.append((time.perf_counter() - began) * 1000)
        assert response.status_code == 200, (path, response.status_code)
    for path in addresses[:3]:
        with CaptureQueriesContext(connection) as captured:
            client.get(path)
        statements.add(len(captured))
    return sorted(taken), statements


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenant", required=True)
    parser.add_argument("--user", required=True)
    parser.add_argument("--hub", type=int, default=5_000, help="records that make a value a hub")
    parser.add_argument("--only", default="", help="kinds of pages that begin so")
    given = parser.parse_args()
    settings.ALLOWED_HOSTS = ["*"]
    with transaction.atomic():
        user = User.objects.get(username=given.user)
        reader = reader_for_user(user, Tenant.objects.get(slug=given.tenant))
        client = Client()
        client.force_login(user)
        client.post("/tenant/", {"tenant": given.tenant})
        print(f"{len(reader.readable)} lanes; load average {os.getloadavg()[0]:.1f}\n")
        print("| page | n | p50 | p95 | max | statements |\n|---|---|---|---|---|---|")
        for name, addresses in kinds(reader, given.hub).items():
            if not name.startswith(given.only) or not addresses:
                continue
            taken, statements = measure(client, addresses)
            p50, p95 = taken[len(taken) // 2], taken[min(len(taken) - 1, int(len(taken) * 0.95))]
            said = "–".join(str(n) for n in sorted({min(statements), max(statements)}))
            print(f"| {name} | {len(taken)} | {p50:.0f} | {p95:.0f} | {taken[-1]:.0f} | {said} |", flush=True)
        print(f"\nload average {os.getloadavg()[0]:.1f}")
        transaction.set_rollback(True)


if __name__ == "__main__":
    main()
