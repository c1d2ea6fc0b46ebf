"""What a worker does between two pieces of work on texts: it looks up.

Models read texts in pieces that take about a second; `between_pieces` is called after each. Then a worker that was
told to stop stops, records that are waiting to become findable go first, and a record that takes too long is left.
Should a piece itself hang, in code that can't be interrupted, the process ends itself: another worker takes the job
up, and counts the try.
"""

from __future__ import annotations

import faulthandler
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings

PASS_EVERY = 0.5  # seconds between two looks at the queue
GUARD_EVERY = 1.0  # seconds between two signs of life


class TooSlow(Exception):
    """Reading took longer than LANEWISE_INGEST_SECONDS."""


class Stopping(BaseException):
    """The worker was told to stop. Not an Exception: nothing that deals with faults of a text may catch it."""


class _Now(threading.local):
    """What goes on in this thread."""

    stopping: Callable[[], bool] | None = None
    let_pass: Callable[[], None] | None = None
    looked = 0.0
    deadline: float | None = None
    guarded: float | None = None
    slow = True


_now = _Now()


@contextmanager
def job(stopping: Callable[[], bool], let_pass: Callable[[], None] | None = None, slow: bool = True) -> Iterator[None]:
    """The work of one job in this thread. `stopping` says whether the worker is to stop; `let_pass` does what should
    not wait for the end of this job, and is called while no transaction is open: between all pieces of a `slow` job,
    between those of a very long text in any."""
    _now.slow = slow
    _now.stopping, _now.let_pass, _now.looked = stopping, let_pass, time.monotonic()
    _guard()
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        _now.stopping = _now.let_pass = _now.deadline = None
        _now.guarded = None


@contextmanager
def limited() -> Iterator[None]:
    """A time limit for what is read inside: past it, `between_pieces` raises TooSlow."""
    before = _now.deadline
    _now.deadline = time.monotonic() + settings.LANEWISE_INGEST_SECONDS
    try:
        yield
    finally:
        _now.deadline = before


def between_pieces(long: bool = False) -> None:
    """Called wherever work on texts can be left off: raises Stopping or TooSlow when it should be."""
    began = time.monotonic()
    if _now.guarded is not None and began - _now.guarded > GUARD_EVERY:
        _guard()
    if _now.stopping is not None and _now.stopping():
        raise Stopping
    if _now.let_pass is not None and (_now.slow or long) and began - _now.looked >= PASS_EVERY:
        _let_pass(_now.let_pass)
        _now.looked = time.monotonic()
        if _now.deadline is not None:  # what others took is not this record's
            _now.deadline += _now.looked - began
    if _now.deadline is not None and time.monotonic() > _now.deadline:
        raise TooSlow(f"reading took more than {settings.LANEWISE_INGEST_SECONDS:g} seconds")


def _let_pass(what: Callable[[], None]) -> None:
    deadline, _now.deadline, _now.let_pass = _now.deadline, None, None
    try:
        what()
    finally:
        _now.deadline, _now.let_pass = deadline, what


def _guard() -> None:
    """End the process if nothing is heard of this thread for LANEWISE_INGEST_STUCK_SECONDS. The timer is outside of
    Python, so that it also ends code that holds Python's lock; where the thread stood is written to stderr."""
    _now.guarded = time.monotonic()
    if sys.__stderr__ is not None:
        faulthandler.dump_traceback_later(settings.LANEWISE_INGEST_STUCK_SECONDS, exit=True, file=sys.__stderr__)
