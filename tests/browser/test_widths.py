"""Names without a space in them, of any length: no page scrolls sideways by them, at any width."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import TimeoutError

from tests.browser.conftest import Scene

pytestmark = pytest.mark.browser
WIDTHS = (320, 390, 768, 1024, 1440)


def test_no_page_scrolls_sideways_by_a_word_without_end(window: Any, scene: Scene) -> None:
    tag = re.sub(r"\W", "", scene.name)
    value, word = tag + "W" * 280, tag + "Q" * 210
    long = scene.write(
        f"{'X' * 600} then something {'Z' * 300}", f"client:{value}", f"{'a' * 60}:short", f"person:{value}",
        title=word, occurred_at="2026-03-05",
    )  # fmt: skip
    scene.write("Beside it.", f"client:{value}", title=f"{word}2", occurred_at="2025-01")
    w = window("ada", width=1440)
    wrong: list[Any] = []
    for path in (
        "/", f"/search/?q={word}", f"/search/?t=client:{value}", f"/search/?t=client:{value}&t=person:No{value}",
        f"/timeline/?t=client:{value}", f"/values/client/{value}/", "/values/?t=client:", f"/records/{long}/",
        f"/records/{long}/edit/", f"/records/{long}/connect/", f"/insights/?from={long}", "/records/new/",
    ):  # fmt: skip
        w.open(path)
        for width in WIDTHS:
            w.page.set_viewport_size({"width": width, "height": 900})
            try:  # pictures are drawn anew once they have noticed
                w.page.wait_for_function("document.documentElement.scrollWidth <= innerWidth", timeout=3_000)
            except TimeoutError:
                over = w.page.evaluate("document.documentElement.scrollWidth - innerWidth")
                wrong.append((path[:40], width, over))
    assert not wrong, json.dumps(wrong, indent=1)
    # what is cut can be read whole
    w.open(f"/search/?t=client:{value}")
    assert w.page.get_attribute(".hit-row h3 a >> nth=0", "title") in (word, f"{word}2")


def test_the_sign_in_box_stays_where_it_is(window: Any) -> None:
    """In the middle, and a notice does not move its fields."""
    w = window(None, width=1280)
    w.open("/accounts/login/")
    box = w.page.locator(".signbox").bounding_box()
    assert abs(box["x"] + box["width"] / 2 - 640) < 2
    before = w.page.locator("#id_username").bounding_box()
    w.page.fill("#id_username", "nobody-here")
    w.page.fill("#id_password", "wrong")
    w.page.click("button[type=submit]")
    w.page.wait_for_selector("#signerr")
    assert w.page.locator("#id_username").bounding_box() == before


def test_words_after_a_chip_are_found_best_first(window: Any, scene: Scene) -> None:
    """The order a list has by itself is not carried into the address."""
    page = window("ada").open(f"/search/?t=person:Joan {scene.name}").page
    page.fill("#q", "seal logs")
    page.press("#q", "Enter")
    page.wait_for_url(re.compile("q=seal"))
    assert "order=" not in page.url and page.locator(".hit-row").count() >= 1
    first = page.locator(".hit-row").first.get_attribute("data-sr-id")
    assert first == scene.origin
    count = page.locator(".hit-row").count()
    page.select_option("#ord", "newest")
    page.wait_for_url(re.compile("order=newest"))
    assert page.locator(".hit-row").count() == count
    assert page.locator(".topbar [role=search]").count() == 0
