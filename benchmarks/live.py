"""Open pages on one server while writes come in: is anything missed, and how late is it?

    python -m benchmarks.live --url http://127.0.0.1:8000 --user tunde --password … --key lw_… --lane newark-lease

Every page is a socket of its own that watches one property; every write carries it, so every page must hear of every
write: pages × writes deliveries. Time is taken from the moment the writer had the reply (the commit is a little
earlier) to the moment the page had the message.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import http.cookiejar
import json
import os
import re
import statistics
import struct
import time
import urllib.parse
import urllib.request
from hashlib import blake2b
from typing import Any


def sign_in(url: str, user: str, password: str) -> str:
    """The session cookie of a person."""
    jar = http.cookiejar.CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    page = opener.open(f"{url}/accounts/login/").read().decode()
    token = re.search(r'csrfmiddlewaretoken" value="([^"]+)', page)
    assert token
    form = {"csrfmiddlewaretoken": token[1], "username": user, "password": password}
    opener.open(f"{url}/accounts/login/", urllib.parse.urlencode(form).encode()).read()
    found = [cookie.value for cookie in jar if cookie.name == "sessionid"]
    assert found and found[0], "could not sign in"
    return found[0]


class Page:
    """A socket, spoken to with as little as the protocol needs."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.heard: dict[str, float] = {}
        self.closed = False
        self.resyncs = 0

    @classmethod
    async def open(cls, url: str, cookie: str) -> Page:
        host = urllib.parse.urlsplit(url).netloc
        name, _, port = host.partition(":")
        reader, writer = await asyncio.open_connection(name, int(port or 80))
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(
            f"GET /ws/live/ HTTP/1.1\r\nHost: {host}\r\nOrigin: {url}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nCookie: sessionid={cookie}\r\n\r\n".encode()
        )
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
        assert b" 101 " in head.split(b"\r\n")[0], head[:100]
        return cls(reader, writer)

    async def send(self, message: Any) -> None:
        data = json.dumps(message).encode()
        size = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0xFE]) + struct.pack(">H", len(data))
        mask = os.urandom(4)
        self.writer.write(b"\x81" + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))
        await self.writer.drain()

    async def listen(self) -> None:
        try:
            while True:
                first, second = await self.reader.readexactly(2)
                size = second & 0x7F
                if size == 126:
                    (size,) = struct.unpack(">H", await self.reader.readexactly(2))
                elif size == 127:
                    (size,) = struct.unpack(">Q", await self.reader.readexactly(8))
                data = await self.reader.readexactly(size)
                if first & 0x0F == 8:
                    break
                if first & 0x0F == 9:  # ping
                    self.writer.write(b"\x8a\x80" + os.urandom(4))
                    continue
                at = time.perf_counter()
                message = json.loads(data)
                self.resyncs += message["type"] == "resync"
                for name, _ in message.get("sr", ()):
                    self.heard.setdefault(name, at)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        self.closed = True


def write(url: str, key: str, lane: str, label: str, value: str, number: int) -> tuple[str, float]:
    """Write one record; its id and when the reply was there."""
    body = {
        "action": "write",
        "lane": lane,
        "text": f"Live benchmark {number}.",
        "edge_properties": [f"{label}:{value}"],
    }
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{url}/api/v1/tools/e_record", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310
        name = json.load(reply)["sr_id"]
    return name, time.perf_counter()


async def run(given: argparse.Namespace) -> int:
    cookie = await asyncio.to_thread(sign_in, given.url, given.user, given.password)
    label, value = "topic", f"live benchmark {time.time_ns()}"
    watched = blake2b(f"{label}\x1f{value}".encode(), digest_size=16).hexdigest()
    pages: list[Page] = []
    began = time.perf_counter()
    for at in range(0, given.pages, 20):
        opened = [Page.open(given.url, cookie) for _ in range(min(20, given.pages - at))]
        pages += await asyncio.gather(*opened)
    print(f"{len(pages)} pages open after {time.perf_counter() - began:.1f} s")
    listening = [asyncio.create_task(page.listen()) for page in pages]
    for page in pages:
        await page.send({"watch": {"sr": [], "keys": [watched], "lanes": ""}})
    await asyncio.sleep(2)

    wrote: dict[str, float] = {}
    tasks = []
    start = time.perf_counter()
    for number in range(given.writes * given.seconds):
        await asyncio.sleep(max(0.0, start + number / given.writes - time.perf_counter()))
        tasks.append(asyncio.create_task(asyncio.to_thread(
            write, given.url, given.key, given.lane, label, value, number
        )))  # fmt: skip
    for name, at in await asyncio.gather(*tasks):
        wrote[name] = at
    spent = time.perf_counter() - start
    for _ in range(100):
        if all(len(page.heard) >= len(wrote) for page in pages):
            break
        await asyncio.sleep(0.1)
    late = sorted(
        max(0.0, page.heard[name] - at) for page in pages for name, at in wrote.items() if name in page.heard
    )
    missed = sum(name not in page.heard for page in pages for name in wrote)
    cut = lambda q: f"{1000 * late[min(len(late) - 1, int(q * len(late)))]:.0f} ms"  # noqa: E731
    print(f"{len(wrote)} writes in {spent:.1f} s ({len(wrote) / spent:.1f} a second), {len(late):,} deliveries")
    print(
        f"heard after: median {1000 * statistics.median(late):.0f} ms, p95 {cut(0.95)}, p99 {cut(0.99)}, last {cut(1)}"
    )
    print(f"missed: {missed}, sockets lost: {sum(page.closed for page in pages)}, told to fetch all: "
          f"{sum(page.resyncs for page in pages)}")  # fmt: skip
    for task in listening:
        task.cancel()
    for page in pages:
        page.writer.close()
    return 1 if missed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    for name in ("user", "password", "key", "lane"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--writes", type=int, default=20, help="a second")
    parser.add_argument("--seconds", type=int, default=30)
    return asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    raise SystemExit(main())
