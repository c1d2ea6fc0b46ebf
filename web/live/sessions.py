"""Sign-outs and password changes, announced to open pages like a change of permission."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.contrib.auth.signals import user_logged_out

from memory import sql
from memory.events import CHANNEL


def session_mark(session_key: str | None) -> str:
    """What a session is called in a notice: a hash, so that the channel never carries a session key."""
    return hashlib.sha256((session_key or "").encode()).hexdigest()[:16]


def announce(*, session_key: str | None = None, user_id: int | None = None) -> None:
    """Open pages of a session, or of a person, ask again whether they are still signed in."""
    notice = {"kind": "session", "s": session_mark(session_key) if session_key else "", "u": user_id}
    sql.execute("select pg_notify(%s, %s)", (CHANNEL, json.dumps(notice)))


def _signed_out(sender: Any, request: Any, user: Any, **kwargs: Any) -> None:
    # sent before the session row goes: the notice names the person, whose pages ask again a moment later
    request.session.flush()
    if user is not None:
        announce(user_id=user.pk)


def connect() -> None:
    """Called once the apps are ready."""
    user_logged_out.connect(_signed_out, dispatch_uid="lanewise.live.signed_out")
