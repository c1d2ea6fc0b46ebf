"""A real server in a data directory of its own, and Chromium looking at it.

The server is a process, not a test client: sockets, static files and headers are what people get.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "correct-horse-battery"
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@dataclass
class Server:
    """The server, and what a key may do with it from outside."""

    data: Path
    port: int
    key: str = ""
    process: subprocess.Popen[bytes] | None = None
    env: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def manage(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=180,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        log = (self.data / "server.log").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(self.port), "config.asgi:application"],
            cwd=ROOT,
            env=self.env,
            stdout=log,
            stderr=log,
        )
        for _ in range(240):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{self.url}/accounts/login/", timeout=5).close()
                return
            time.sleep(0.25)
        raise AssertionError((self.data / "server.log").read_text()[-2000:])

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)

    def call(self, tool: str, action: str, **arguments: Any) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.url}/api/v1/tools/{tool}",
            json.dumps({"action": action, **arguments}).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error

    def write(self, lane: str, text: str, *properties: str, **fields: Any) -> str:
        return self.call("e_record", "write", lane=lane, text=text, edge_properties=list(properties), **fields)[
            "sr_id"
        ]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("served")
    made = Server(data, free_port())
    made.env = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "LANEWISE_TEST_DATA")}
    made.env |= {"LANEWISE_DATA_DIR": str(data), "PYTHONWARNINGS": "ignore", "LOG_LEVEL": "ERROR"}
    made.env.pop("DJANGO_SETTINGS_MODULE", None)
    # one process keeps the embedded database open for the whole session, whatever else starts and stops
    keeper = subprocess.Popen(
        [sys.executable, "manage.py", "shell", "-c", "from django.db import connection as c\nc.cursor()\ninput()"],
        cwd=ROOT, env=made.env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        made.manage("migrate", "--verbosity", "0")
        issued = made.manage(
            "issue_key", "--tenant", "firm", "--profile", "clerk", "--create", "--read", "red,blue", "--write",
            "red,blue", "--json",
        )  # fmt: skip
        made.key = json.loads(issued)["key"]
        for name, rights in (("ada", ("--write", "red,blue")), ("cleo", ("--read", "red"))):
            made.manage("create_user", "--tenant", "firm", "--username", name, "--password", PASSWORD, *rights)
        made.start()
        yield made
    finally:
        made.stop()
        keeper.stdin.close()  # type: ignore[union-attr]
        keeper.wait(20)


@dataclass
class Scene:
    """Records that belong to one test: their values carry its name, so tests do not see each other's."""

    server: Server
    name: str
    origin: str = ""
    near: list[str] = field(default_factory=list)

    def prop(self, label: str, value: str) -> str:
        return f"{label}:{value} {self.name}"

    def write(self, text: str, *properties: str, lane: str = "red", **fields: Any) -> str:
        return self.server.write(lane, text, *properties, **fields)


@pytest.fixture
def scene(server: Server, request: pytest.FixtureRequest) -> Scene:
    made = Scene(server, f"{request.node.name[5:25]} {time.monotonic_ns() % 10**6}")
    made.origin = made.write(
        "Joan Merrow called about the seal.\n\nShe will send the logs.",
        made.prop("person", "Joan"), made.prop("batch", "QP"), title=f"Call {made.name}", kind="call",
        occurred_at="2025-03-14",
    )  # fmt: skip
    for i in range(5):
        made.near.append(
            made.write(
                f"Neighbour {i}.",
                made.prop("person", "Joan"),
                made.prop("topic", f"t{i % 2}"),
                title=f"Near {i} {made.name}",
                occurred_at=f"2025-0{i + 1}-10",
            )  # fmt: skip
        )
    return made


@dataclass
class Window:
    """A browser window: a page, and everything its console complained of."""

    page: Any
    problems: list[str]

    def open(self, path: str) -> Window:
        self.page.goto(path)
        if self.page.locator("script[src*='js/app.']").count():
            self.page.wait_for_selector("html[data-ready]", state="attached")
        return self

    def live(self) -> Window:
        """Wait until the page hears news."""
        self.page.wait_for_selector(".live[data-state=connected]", timeout=15000)
        self.page.wait_for_timeout(400)  # what it watches goes out a moment after
        return self


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    found = chromium()
    if found is None:
        pytest.skip("There is no Chromium here (CHROMIUM can name one), so what a browser shows is not tested.")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=ARGS)
        yield launched
        launched.close()


@pytest.fixture
def window(server: Server, browser: Any) -> Iterator[Any]:
    """window("ada", width=390, theme="dark"): a signed-in window. After the test no console may have complained."""
    contexts = []
    problems: list[str] = []

    def make(user: str | None = "ada", *, width: int = 1280, height: int = 900, theme: str = "light") -> Window:
        context = browser.new_context(
            viewport={"width": width, "height": height}, base_url=server.url, color_scheme=theme,
            reduced_motion="reduce", has_touch=width < 720,
        )  # fmt: skip
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15000)
        page.on("console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: problems.append(str(e)))
        if user:
            page.goto("/accounts/login/")
            page.fill("#id_username", user)
            page.fill("#id_password", PASSWORD)
            page.click("button[type=submit]")
            page.wait_for_url(f"{server.url}/")
        return Window(page, problems)

    yield make
    for context in contexts:
        context.close()
    assert not problems, problems
