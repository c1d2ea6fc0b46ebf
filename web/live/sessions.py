"""Sign-outs, announced to open pages like a change of permission."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_logged_out

from memory import events


def _signed_out(sender: Any, request: Any, user: Any, **kwargs: Any) -> None:
    # the session goes first, so that a page that asks at once is told the truth
    request.session.flush()
    if user is not None:
        events.person_left(user.pk)


def connect() -> None:
    """Called once the apps are ready."""
    user_logged_out.connect(_signed_out, dispatch_uid="lanewise.live.signed_out")
