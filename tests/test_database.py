"""Other databases than the embedded one: one without pgvector, or too old, is told apart with a clear sentence."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _installed() -> Path | None:
    """The binaries of a PostgreSQL server that the system has, newest first."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    return found[0].parent if found else None


@pytest.fixture(scope="module")
def system_server():
    """A PostgreSQL server of the system's packages, on a socket of its own; its DATABASE_URL."""
    binaries = _installed()
    if binaries is None:
        pytest.skip("no PostgreSQL server is installed on this system")
    home = Path(tempfile.mkdtemp(prefix="lanewise-pg-"))
    as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if as_postgres:
        shutil.chown(home, "postgres")

    def run(*command: str) -> None:
        subprocess.run([*as_postgres, *command], check=True, capture_output=True, cwd=home)

    run(str(binaries / "initdb"), "-D", str(home / "data"), "-U", "lanewise", "--auth=trust", "-E", "UTF8")
    options = f"-k {home} -h '' -F"
    run(str(binaries / "pg_ctl"), "-D", str(home / "data"), "-o", options, "-l", str(home / "log"), "-w", "start")
    run(str(binaries / "createdb"), "-h", str(home), "-U", "lanewise", "lanewise")
    yield f"postgres://lanewise@/lanewise?host={home}"
    run(str(binaries / "pg_ctl"), "-D", str(home / "data"), "-m", "immediate", "stop")
    shutil.rmtree(home, ignore_errors=True)


def manage(url: str, *arguments: str) -> subprocess.CompletedProcess:
    env = {**os.environ, "DATABASE_URL": url, "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_a_server_without_pgvector_is_refused_with_what_to_install(system_server):
    with_vector = list(Path("/usr/share/postgresql").glob("*/extension/vector.control"))
    result = manage(system_server, "migrate")
    if with_vector:
        assert result.returncode == 0, result.stderr
        return
    assert result.returncode != 0
    assert "has no pgvector extension" in result.stderr
    assert "-pgvector" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_server_that_is_not_there_is_told_in_one_line():
    result = manage("postgres://nobody@127.0.0.1:1/none", "migrate")
    assert result.returncode != 0
    assert "The database is not answering" in result.stderr
    assert "127.0.0.1" in result.stderr
    assert "Traceback" not in result.stderr


def test_an_old_server_is_refused(monkeypatch, db):
    from django.db import connections

    from lanes.checks import database_can_hold_us

    monkeypatch.setitem(connections["default"].__dict__, "pg_version", 140011)
    (error,) = database_can_hold_us(["default"])
    assert "PostgreSQL 14 is too old" in error.msg
