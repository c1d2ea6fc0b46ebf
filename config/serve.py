"""What script/server runs: set-up, then the web server and a worker, until Ctrl-C.

The embedded database stops with the last process that has it open, so this process opens it first and closes it
last.
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Collection

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Seconds before a worker that died is started again, so that one that cannot start does not spin.
RESTART_AFTER = 2
# Seconds the web server and the worker have to stop by themselves: a worker finishes its piece of work.
PATIENCE = 20


def manage(*arguments: str) -> None:
    """Run a management command in this process."""
    from django.core.management import call_command

    call_command(*arguments)


def main() -> int:
    parser = argparse.ArgumentParser(description="Serve Lanewise on this machine.")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--demo", action="store_true", help="load the demo tenant when it is not there yet")
    given = parser.parse_args()

    import django

    django.setup()
    from django.core.management.base import SystemCheckError

    try:
        manage("migrate", "--verbosity", "0")
        manage("check", "--database", "default")
    except SystemCheckError as error:
        print(error, file=sys.stderr)
        return 1
    if given.demo:
        manage("seed_demo", "--url", f"http://{given.host}:{given.port}")
    return serve(given.host, given.port)


def serve(host: str, port: int) -> int:
    """Web server and worker side by side. A worker that dies is started again; without the web server all ends."""
    web = [sys.executable, "-m", "daphne", "-b", host, "-p", str(port), "config.asgi:application"]
    worker = [sys.executable, "manage.py", "ingest"]
    running = {"web": start(web), "worker": start(worker)}
    stopping = False

    def stop(*_: object) -> None:
        nonlocal stopping
        if stopping:  # asked again: no more patience
            for process in running.values():
                process.kill()
        stopping = True

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)
    told = False
    while running["web"].poll() is None and not stopping:
        if not told and answers(host, port):
            print(f"Lanewise is at http://{host}:{port}/ (Ctrl-C stops it)", flush=True)
            told = True
        if running["worker"].poll() is not None:
            print("The worker ended; starting another.", file=sys.stderr, flush=True)
            time.sleep(RESTART_AFTER)
            if not stopping:
                running["worker"] = start(worker)
        time.sleep(0.2)
    stopping = True
    end(running.values())
    return running["web"].returncode or 0


def start(command: list[str]) -> subprocess.Popen:
    """A process that Ctrl-C in the terminal does not reach: it is stopped by us, once and in order."""
    return subprocess.Popen(command, start_new_session=True)


def end(processes: Collection[subprocess.Popen], patience: float = PATIENCE) -> None:
    """Tell processes to stop, and kill those that have not within `patience` seconds; all are gone on return."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
    deadline = time.monotonic() + patience
    for process in processes:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def answers(host: str, port: int) -> bool:
    """Whether somebody listens there."""
    try:
        socket.create_connection((host, port), timeout=0.5).close()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
