"""One LISTEN a process, and from it to the open pages.

Writers announce what they changed on the `lanewise` channel inside their own transaction (memory.events, and
triggers on every table that decides a permission). Postgres delivers in commit order, so a permission that was
taken away before a write is known here before the news of that write: a page marked stale by the first gets the
second only after its reader was resolved anew.

Why not a channel layer group for each record and property: docs/adr has the reasons.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
import weakref
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Protocol

import psycopg
from django.db import connection

from memory.events import CHANNEL
from web.live.threads import in_database

log = logging.getLogger(__name__)

GATHER_S = 0.25  # news for one page within this time goes out as one message
MANY = 200  # more ids than this in one message become "fetch everything again"


class Page(Protocol):
    """What the hub asks of an open page. `readable` is None until the page's reader is resolved."""

    tenant_id: int
    who: tuple[int, int]
    readable: frozenset[int] | None

    async def say(self, message: dict[str, Any]) -> None: ...

    async def recheck(self) -> None: ...


class Watch:
    """What one page looks at: records, properties, or every lane it can read; and the news waiting for it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.sr: set[str] = set()
        self.keys: set[str] = set()
        self.lanes = False
        self.stale = False
        self.held: list[dict[str, Any]] = []  # events that arrived while the page's reader was being resolved
        self.news: dict[str, int] = {}
        self.gone: set[str] = set()
        self.all = False
        self.sent_at = 0.0
        self.timer: asyncio.TimerHandle | None = None


class Hub:
    """Open pages of one event loop, indexed by what they watch."""

    def __init__(self) -> None:
        self.watches: dict[Page, Watch] = {}
        self.by_sr: defaultdict[str, set[Watch]] = defaultdict(set)
        self.by_key: defaultdict[str, set[Watch]] = defaultdict(set)
        self.by_tenant: defaultdict[int, set[Watch]] = defaultdict(set)
        self.listener: asyncio.Task[None] | None = None
        self.checker: asyncio.Task[None] | None = None
        self.listening = asyncio.Event()
        self.tasks: set[asyncio.Task[Any]] = set()

    # ---- pages come, say what they watch, and go
    async def join(self, page: Page) -> None:
        """From here on the page hears news. Returns once the process is listening."""
        watch = self.watches[page] = Watch(page)
        self.by_tenant[page.tenant_id].add(watch)
        if self.listener is None or self.listener.done():
            self.listening.clear()
            self.listener = asyncio.create_task(self._listen())
        await asyncio.wait_for(self.listening.wait(), timeout=10)

    def look(self, page: Page, sr: Iterable[str], keys: Iterable[str], lanes: bool) -> None:
        """Replace what a page watches. The caller has made sure that the page may see the records."""
        watch = self.watches.get(page)
        if watch is None:
            return
        self._forget(watch)
        watch.sr, watch.keys, watch.lanes = set(sr), set(keys), lanes
        for name in watch.sr:
            self.by_sr[name].add(watch)
        for key in watch.keys:
            self.by_key[key].add(watch)

    def _forget(self, watch: Watch) -> None:
        for index, names in ((self.by_sr, watch.sr), (self.by_key, watch.keys)):
            for name in names:
                index[name].discard(watch)
                if not index[name]:
                    del index[name]

    def leave(self, page: Page) -> None:
        watch = self.watches.pop(page, None)
        if watch is None:
            return
        self._forget(watch)
        self.by_tenant[page.tenant_id].discard(watch)
        if watch.timer:
            watch.timer.cancel()
        if not self.watches and self.listener is not None:
            self.listener.cancel()
            self.listener = None

    # ---- the one listener
    async def _listen(self) -> None:
        pause = 0.2
        first = True
        while True:
            try:
                params = await in_database(_connection_params)
                async with await psycopg.AsyncConnection.connect(**params, autocommit=True) as conn:
                    await conn.execute(f"listen {CHANNEL}")
                    self.listening.set()
                    pause = 0.2
                    if not first:  # what was said meanwhile is lost: every page fetches again
                        self._everyone_again()
                    first = False
                    async for notice in conn.notifies():
                        try:
                            self.dispatch(json.loads(notice.payload))
                        except Exception:
                            log.exception("A live notice could not be delivered.")
            except asyncio.CancelledError:
                raise
            except Exception:
                log.warning("The live listener lost the database; trying again in %.1f s.", pause)
                first = False
                await asyncio.sleep(pause)
                pause = min(pause * 2, 5.0)

    def _everyone_again(self) -> None:
        for watch in self.watches.values():
            watch.all = True
            watch.stale = True
        self._check_soon()

    # ---- delivery
    def dispatch(self, event: dict[str, Any]) -> None:
        """Hand one notice to the pages it concerns."""
        kind = event.get("kind")
        if kind == "grant":
            for watch in self.watches.values():
                watch.stale = True
            self._check_soon()
            return
        if kind == "session":
            for watch in self.watches.values():
                if watch.page.who[0] == event.get("u"):
                    watch.stale = True
            self._check_soon()
            return
        names = [name for name, _ in event.get("sr", ())]
        found: set[Watch] = set()
        for name in names:
            found |= self.by_sr.get(name, set())
        for key in event.get("keys", ()):
            found |= self.by_key.get(key, set())
        many = bool(event.get("many"))
        for watch in self.by_tenant.get(event["t"], ()):
            if many or watch.lanes:
                found.add(watch)
        for watch in found:
            if watch.page.tenant_id != event["t"]:
                continue
            if watch.stale or watch.page.readable is None:
                watch.held.append(event)
            else:
                self._deliver(watch, event)

    def _deliver(self, watch: Watch, event: dict[str, Any]) -> None:
        """Add an event to a page's news, as far as the page's reader may hear of it."""
        readable = watch.page.readable or frozenset()
        if event["l"] in readable:
            if event.get("many"):
                watch.all = True
            for name, version in event.get("sr", ()):
                watch.news[name] = max(version, watch.news.get(name, 0))
            if event.get("kind") == "delete":
                watch.gone |= {name for name, _ in event.get("sr", ()) if name in watch.sr}
        else:
            # A record in view that is in a lane out of sight now: all the page is told is to look again.
            watch.gone |= {name for name, _ in event.get("sr", ()) if name in watch.sr}
        if watch.news or watch.gone or watch.all:
            self._send_soon(watch)

    def _send_soon(self, watch: Watch) -> None:
        if watch.timer is not None:
            return
        loop = asyncio.get_running_loop()
        wait = max(0.0, watch.sent_at + GATHER_S - time.monotonic())
        watch.timer = loop.call_later(wait, lambda: self._spawn(self._send(watch)))

    async def _send(self, watch: Watch) -> None:
        watch.timer = None
        watch.sent_at = time.monotonic()
        news, gone, everything = watch.news, watch.gone, watch.all
        watch.news, watch.gone, watch.all = {}, set(), False
        if everything or len(news) > MANY:
            await watch.page.say({"type": "resync"})
        elif news or gone:
            await watch.page.say({"type": "news", "sr": list(news.items()), "gone": sorted(gone)})

    # ---- permissions, asked again
    def _check_soon(self) -> None:
        if self.checker is None or self.checker.done():
            self.checker = asyncio.create_task(self._check())

    async def _check(self) -> None:
        """Resolve the readers of stale pages anew, a few at a time, and hand on what was held for them."""
        while stale := [watch for watch in self.watches.values() if watch.stale]:
            for at in range(0, len(stale), 16):
                await asyncio.gather(*(self._recheck(watch) for watch in stale[at : at + 16]))

    async def _recheck(self, watch: Watch) -> None:
        watch.stale = False  # a grant that arrives meanwhile makes it stale again
        before = watch.page.readable
        try:
            await watch.page.recheck()
        except Exception:
            log.exception("An open page's permissions could not be resolved; it hears nothing until they are.")
            watch.page.readable = None
            watch.stale = True
            await asyncio.sleep(1)
            return
        if watch.page not in self.watches or watch.stale:
            return
        if watch.page.readable != before:
            await watch.page.say({"type": "access"})
        held, watch.held = watch.held, []
        for event in held:
            self._deliver(watch, event)
        if watch.all:
            self._send_soon(watch)

    def _spawn(self, coroutine: Any) -> None:
        task = asyncio.ensure_future(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


def _connection_params() -> dict[str, Any]:
    params = dict(connection.get_connection_params())
    for name in ("cursor_factory", "context", "prepare_threshold"):
        params.pop(name, None)
    return {name: value for name, value in params.items() if value not in (None, "")}


_hubs: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = weakref.WeakKeyDictionary()


def hub() -> Hub:
    """The hub of the running event loop: one in a server process."""
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())
