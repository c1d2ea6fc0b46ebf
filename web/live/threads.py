"""Database work for consumers, in a few threads of their own.

The thread that asgiref shares among all consumers would make five hundred opening pages wait in one queue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

T = TypeVar("T")
_pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="live")


async def in_database(work: Callable[..., T], *args: object) -> T:
    """Run blocking database work; the connection goes back to the pool (or is closed) when it is done."""

    def run() -> T:
        try:
            return work(*args)
        finally:
            connections.close_all()

    return await asyncio.get_running_loop().run_in_executor(_pool, run)
