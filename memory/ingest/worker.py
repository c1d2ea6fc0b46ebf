"""Running a worker in this process: until it is told to stop, or until there is nothing left to do."""

from __future__ import annotations

import sys
import time
from typing import Any

from procrastinate.contrib.django import app

from memory.find import frequencies
from memory.ingest import queue, upkeep

# Seconds a job has to end by itself when the worker is told to stop; then it stops at the next piece of work.
GRACE = 5.0
_OPTIONS = {
    "concurrency": 1,
    "delete_jobs": "successful",
    "update_heartbeat_interval": 5.0,
    "shutdown_graceful_timeout": GRACE,
}


def _connector() -> Any:
    """A connection of the worker's own, beside Django's."""
    connector: Any = app.connector
    return connector.get_worker_connector()


def take_turns() -> None:
    """Let the embedder's threads have Python's lock sooner: each needs it for an instant between two texts, and while
    it waits for a busy extractor a core is idle. (The process is a worker's, so nothing else pays for it.)"""
    sys.setswitchinterval(0.0005)


def run(name: str = "worker", **options) -> None:
    """Work until SIGINT or SIGTERM. What an earlier worker left lying is taken up first."""
    take_turns()
    upkeep.run()
    with app.replace_connector(_connector()) as working:
        working.run_worker(name=name, **{**_OPTIONS, **options})


def until_idle(timeout: float | None = None) -> bool:
    """Work the queue empty and return; False when `timeout` seconds went by before it was.

    Jobs that wait for another try are tried at once, so in the end every record is either up to date or given up.
    Jobs other workers hold are waited for.
    """
    take_turns()
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        upkeep.run()
        with app.replace_connector(_connector()) as working:
            working.run_worker(name="until-idle", wait=False, **{**_OPTIONS, "install_signal_handlers": False})
        queue.hasten()
        left = queue.waiting()
        if not any(left.values()):
            frequencies.refresh_stale()
            return True
        if end is not None and time.monotonic() > end:
            return False
        if not left["due"]:
            time.sleep(0.5)
