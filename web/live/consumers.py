"""The socket of an open page. It carries ids and versions, never content."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime
from importlib import import_module
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.contrib.auth import get_user

from lanes.errors import NotVisible
from lanes.readers import Reader
from memory.selectors.rows import CHANGED_MAX, changed_since, ids_of
from web.live.hub import hub
from web.live.threads import in_database
from web.tenants import SESSION_KEY, Seat, take_seat

MAX_RECORDS, MAX_KEYS, MAX_BYTES = 2_000, 4_000, 400_000
_SR = re.compile(r"sr_[0-9a-f]{32}")
_KEY = re.compile(r"[0-9a-f]{32}")
SIGNED_OUT = 4401
# Seconds: how far back a page may ask for what it missed; older than that it has heard everything by now. And how much
# earlier than its commit a change may be dated.
SINCE_MAX, SKEW = 60, 2


class LiveConsumer(AsyncWebsocketConsumer):
    """Joins the hub, tells it what the page shows, and passes news on."""

    tenant_id = 0
    who = (0, 0)
    readable: frozenset[int] | None = None
    reader: Reader | None = None
    joined = False

    async def connect(self) -> None:
        self.session_key = self.scope["session"].session_key
        query = parse_qs(self.scope.get("query_string", b"").decode("latin-1"))
        wanted = query.get("tenant", [""])[0]
        seat = await in_database(_seat, self.session_key, wanted)
        if seat is None:
            await self.close()
            return
        self.tenant_id, self.who = seat.tenant.pk, (seat.user.pk, seat.tenant.pk)
        self.tenant_slug = seat.tenant.slug
        self._read_as(seat.reader)
        await hub().join(self)
        self.joined = True
        # What changed between resolving the reader and listening is caught by asking once more.
        await self.recheck()
        await self.accept()
        await self.say({"type": "ready"})

    def _read_as(self, reader: Reader) -> None:
        self.reader, self.readable = reader, frozenset(reader.readable)

    async def disconnect(self, code: int) -> None:
        if self.joined:
            hub().leave(self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if text_data is None or len(text_data) > MAX_BYTES:
            await self.close(code=4400)
            return
        try:
            message = json.loads(text_data)
            if "ping" in message:
                await self.say({"type": "pong"})
                return
            watch = message["watch"]
            names = [name for name in watch.get("sr", ())[:MAX_RECORDS] if _SR.fullmatch(name)]
            keys = [key for key in watch.get("keys", ())[:MAX_KEYS] if _KEY.fullmatch(key)]
            lanes = bool(watch.get("lanes"))
            since = float(message.get("since") or 0)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            await self.close(code=4400)
            return
        # Only records this page may see can be watched: else watching an id would tell that it exists and moves.
        reader = None
        visible: set[str] = set()
        while reader is not self.reader:  # what was readable when it was asked may not be any more
            reader = self.reader
            visible = await in_database(_visible, reader, names) if names else set()
        now = time.time()
        hub().look(self, visible, keys, lanes)
        await self.say({"type": "watching", "n": len(visible), "at": now})
        # What happened between fetching and listening was told to nobody here.
        if not now - SINCE_MAX < since <= now:
            return
        missed = await in_database(changed_since, self.reader, _instant(since - SKEW), sorted(visible), keys, lanes)
        if missed:
            await self.say({"type": "resync"} if len(missed) >= CHANGED_MAX else {"type": "news", "sr": missed})

    async def say(self, message: dict[str, Any]) -> None:
        try:
            await self.send(text_data=json.dumps(message, separators=(",", ":")))
        except Exception:  # the page is going away: its disconnect follows
            if self.joined:
                hub().leave(self)

    async def recheck(self) -> None:
        """Resolve session, person and reader anew. A session that ended closes the socket."""
        seat = await in_database(_seat, self.session_key, self.tenant_slug)
        if seat is None or seat.tenant.pk != self.tenant_id:
            self.readable = frozenset()
            hub().leave(self)
            await self.say({"type": "bye"})
            await self.close(code=SIGNED_OUT)
            return
        self._read_as(seat.reader)


def _seat(session_key: str | None, wanted: str) -> Seat | None:
    """The seat of a session, read from the database: None when it ended, or its person may not sign in any more."""
    if not session_key:
        return None
    store = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user = get_user(SimpleNamespace(session=store))  # checks the session's password hash too
    if not user.is_authenticated:
        return None
    try:
        return take_seat(user, wanted or store.get(SESSION_KEY))
    except NotVisible:
        return None


def _instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _visible(reader: Reader, names: list[str]) -> set[str]:
    return set(ids_of(reader, names))
