"""What script/server runs: set-up, then the web server and a worker, until Ctrl-C.

The embedded database stops with the last process that has it open, so this process opens it first and closes it
last.
"""

import argparse
import os
import signal
import subprocess
import sys
import time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


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
    """Web server and worker side by side; when either ends, so does the other."""
    children = {
        "web": [sys.executable, "-m", "daphne", "-b", host, "-p", str(port), "config.asgi:application"],
        "worker": [sys.executable, "manage.py", "ingest"],
    }
    running = {name: subprocess.Popen(command) for name, command in children.items()}
    print(f"Lanewise is at http://{host}:{port}/ (Ctrl-C stops it)", flush=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop(running))
    while all(process.poll() is None for process in running.values()):
        time.sleep(0.2)
    stop(running)
    for process in running.values():
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
    return max((process.returncode or 0 for process in running.values()), default=0)


def stop(running: dict[str, subprocess.Popen]) -> None:
    """Ask every child to end."""
    for process in running.values():
        if process.poll() is None:
            process.terminate()


if __name__ == "__main__":
    sys.exit(main())
