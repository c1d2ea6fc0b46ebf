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
AGAIN = 0  # in place of a version: look again, whichever is shown


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
        self.again: set[str] = set()  # what joins these changed, which gives them no new version
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
        joined = event.get("members", ())
        names = [name for name, _ in (*event.get("sr", ()), *joined)]
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
        """Add an event to a page's news, as far as the page's reader may hear of it: of lanes it reads, and nothing of
        others. What leaves the lanes it reads is gone, whether it was deleted or moved, and not watched any more."""
        readable = watch.page.readable or frozenset()
        if event["kind"] == "joined":
            seen = [name for name, lane in event["members"] if lane in readable]
            for name in seen if len(seen) > 1 else ():
                watch.again.add(name)
        elif event["l"] not in readable:
            return
        elif event["kind"] == "delete" and event.get("to") not in readable:
            names = {name for name, _ in event.get("sr", ())}
            self._unwatch(watch, names)
            watch.gone |= names
            watch.again -= names
            watch.news = {name: version for name, version in watch.news.items() if name not in names}
            watch.all = watch.all or bool(event.get("many"))
        else:
            watch.all = watch.all or bool(event.get("many"))
            for name, version in event.get("sr", ()):
                watch.news[name] = max(version, watch.news.get(name, 0))
                watch.gone.discard(name)
        if watch.news or watch.again or watch.gone or watch.all:
            self._send_soon(watch)

    def _unwatch(self, watch: Watch, names: set[str]) -> None:
        for name in names & watch.sr:
            watch.sr.discard(name)
            self.by_sr[name].discard(watch)
            if not self.by_sr[name]:
                del self.by_sr[name]

    def _send_soon(self, watch: Watch) -> None:
        if watch.timer is not None:
            return
        loop = asyncio.get_running_loop()
        wait = max(0.0, watch.sent_at + GATHER_S - time.monotonic())
        watch.timer = loop.call_later(wait, lambda: self._spawn(self._send(watch)))

    async def _send(self, watch: Watch) -> None:
        watch.timer = None
        watch.sent_at = time.monotonic()
        news = [*watch.news.items(), *((name, AGAIN) for name in sorted(watch.again))]
        gone, everything = watch.gone, watch.all
        watch.news, watch.again, watch.gone, watch.all = {}, set(), set(), False
        if everything or len(news) > MANY:
            await watch.page.say({"type": "resync"})
        elif news or gone:
            await watch.page.say({"type": "news", "sr": news, "gone": sorted(gone)})

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
        now = watch.page.readable
        if now != before:
            if before is None or now is None or before - now:
                # What the page shows may be out of its reader's sight: it hears of nothing until it has said anew what
                # it watches, and of that only what its reader can see.
                self.look(watch.page, (), (), lanes=False)
                watch.held.clear()
                watch.news, watch.again, watch.gone = {}, set(), set()
            await watch.page.say({"type": "access", "at": time.time()})
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
