"""Take the pictures of the docs from a running server with the demo tenant.

    .venv/bin/python script/screenshots.py --url http://127.0.0.1:8000 --user tunde --password …
    … --pages home,record --widths 390 --themes dark --out somewhere

Needs playwright and a Chromium (CHROMIUM names it; default: the one on the PATH). Any console error fails the run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import Any

ARGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync"]  # fmt: skip
HEIGHT = 900


def record_of(page: Any, url: str, title: str) -> str:
    """The address of the first hit for a title."""
    page.goto(f"{url}/search/?q={title}&order=newest")
    return page.locator("#hitlist h3 a").first.get_attribute("href")


def pages_of(page: Any, url: str, title: str) -> dict[str, str]:
    record = record_of(page, url, title)
    page.goto(url + record)
    chip = page.locator("#part-carries a.chip").last.get_attribute("href")
    return {
        "home": "/",
        "search": "/search/?q=who+knew+that+the+loggers+read+low",
        "search-empty": "/search/?t=client:Nobody&q=loggers",
        "record": record,
        "edit": f"{record}edit/",
        "connect": f"{record}connect/",
        "correct": f"{record}correct/",
        "new": "/records/new/",
        "timeline": "/timeline/?t=company:Fennwick",
        "timeline-all": "/timeline/",
        "value": chip or "/",
        "values": "/values/?t=person:",
        "insights": "/insights/",
        "notfound": "/records/sr_00000000000000000000000000000000/",
        "password": "/accounts/password_change/",
    }


def main() -> int:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--user", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--out", default="docs/images")
    parser.add_argument("--title", default="loggers", help="words of the record whose page is shown")
    parser.add_argument("--pages", default="home,search,record,timeline,value,insights")
    parser.add_argument("--widths", default="1280,390")
    parser.add_argument("--themes", default="light,dark")
    parser.add_argument("--full", action="store_true", help="whole pages instead of the first screen")
    given = parser.parse_args()
    out = Path(given.out)
    out.mkdir(parents=True, exist_ok=True)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    problems: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGS)
        for width in map(int, given.widths.split(",")):
            for theme in given.themes.split(","):
                context = browser.new_context(
                    viewport={"width": width, "height": HEIGHT}, color_scheme=theme, reduced_motion="reduce",
                    has_touch=width < 720,
                )  # fmt: skip
                page = context.new_page()
                page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
                page.on("pageerror", lambda e: problems.append(str(e)))
                page.goto(f"{given.url}/accounts/login/")
                if "signin" in given.pages:
                    page.screenshot(path=out / f"signin-{width}-{theme}.png")
                page.fill("#id_username", given.user)
                page.fill("#id_password", given.password)
                page.click("button[type=submit]")
                page.wait_for_url(f"{given.url}/")
                addresses = pages_of(page, given.url, given.title)
                for name in given.pages.split(","):
                    if name not in addresses:
                        continue
                    before = len(problems)
                    page.goto(given.url + addresses[name])
                    page.wait_for_timeout(900)
                    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                    if overflow > 0:
                        problems.append(f"{name} at {width}: scrolls sideways by {overflow} px")
                    page.screenshot(path=out / f"{name}-{width}-{theme}.png", full_page=given.full)
                    if name == "notfound":
                        del problems[before:]  # a browser logs a 404 page as an error
                context.close()
        browser.close()
    for problem in dict.fromkeys(problems):
        print("problem:", problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
