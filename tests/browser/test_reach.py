"""What is only seen after a click or a mistake: menus, dialogs, open facets, refusals. By keyboard, and for axe."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Scene, Window
from tests.browser.test_use import faults

pytestmark = pytest.mark.browser
BOTH = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]


def refused(w: Window) -> None:
    """A browser logs a refusal that was asked for as an error of the page."""
    w.problems[:] = [said for said in w.problems if "Failed to load resource" not in said]


def home_menus(w: Window, scene: Scene) -> None:
    w.open("/?matters=all").page.click("summary[aria-label*='your account']")


def tenant_menu(w: Window, scene: Scene) -> None:
    w.open("/").page.click(".tenant summary")


def facets(w: Window, scene: Scene) -> None:
    w.open(f"/search/?t=person:Joan {scene.name}").page.evaluate(
        "() => document.querySelectorAll('#facets details').forEach(d => { d.open = true; })"
    )


def saving(w: Window, scene: Scene) -> None:
    w.open(f"/search/?t=person:Joan {scene.name}&q=seal").page.click("summary:has-text('Save')")


def suggestions(w: Window, scene: Scene) -> None:
    page = w.open("/search/").page
    page.focus("#q")
    page.keyboard.type("person:")
    page.wait_for_selector("#suggestions [role=option]")


def adding(w: Window, scene: Scene) -> None:
    w.open(f"/records/{scene.origin}/").page.click("button[data-open=adddialog]")


def deleting(w: Window, scene: Scene) -> None:
    page = w.open(f"/records/{scene.origin}/").page
    page.click("summary[aria-label='More actions']")
    page.click("button[data-open=deletedialog]")


def removing(w: Window, scene: Scene) -> None:
    w.open(f"/records/{scene.origin}/").page.click("button[data-toggle-class=editing]")


def radius_open(w: Window, scene: Scene) -> None:
    page = w.open(f"/records/{scene.origin}/").page
    page.wait_for_function("() => window.lanewise")
    page.click(f"#list button[data-id={scene.near[1]}]")
    page.click("#legendbox summary")


def a_path(w: Window, scene: Scene) -> None:
    page = w.open(f"/records/{scene.origin}/").page
    page.wait_for_function("() => window.lanewise")
    page.click(f"#list button[data-id={scene.near[1]}]")
    page.click("#sel button:has-text('Path')")
    page.wait_for_selector("#pathstrip:visible")


def conflict(w: Window, scene: Scene) -> None:
    page = w.open(f"/records/{scene.origin}/edit/").page
    scene.server.call("e_record", "update", sr_id=scene.origin, text="Said otherwise.")
    page.fill("#f-text", "Said by me.")
    page.click("#recordform button.primary")
    page.wait_for_selector("dialog#conflict[open]")
    refused(w)


def a_form_with_errors(w: Window, scene: Scene) -> None:
    page = w.open("/records/new/").page
    page.select_option("#f-lane", "red")
    page.fill("#f-text", "Words.")
    page.fill("#f-date", "yesterday")
    page.fill("#f-props", "no label")
    page.click("#recordform button.primary")
    page.wait_for_selector("[aria-invalid=true]")
    refused(w)


def a_form_not_sent(w: Window, scene: Scene) -> None:
    page = w.open(f"/records/{scene.origin}/edit/").page
    page.fill("#f-text", "Said offline.")
    page.context.set_offline(True)
    page.click("#recordform button.primary")
    page.wait_for_selector("[data-notsaved]")
    page.context.set_offline(False)
    page.evaluate("() => { document.querySelector('.offlinestrip').hidden = false; }")
    refused(w)


def a_timeline_around(w: Window, scene: Scene) -> None:
    w.open(f"/timeline/?lane=red&around={scene.origin}").page.wait_for_selector("#tl .ev.on")


def an_empty_timeline(w: Window, scene: Scene) -> None:
    w.open("/timeline/?t=client:Nobody&from=2031-01-01").page.wait_for_selector("text=Take the dates away")


def a_password_refused(w: Window, scene: Scene) -> None:
    page = w.open("/accounts/password_change/").page
    for name in ("old_password", "new_password1", "new_password2"):
        page.fill(f"#id_{name}", name)
    page.click("main button.primary")
    page.wait_for_selector("[aria-invalid=true]")


def missing(w: Window, scene: Scene) -> None:
    w.open("/records/sr_" + "0" * 32 + "/")
    refused(w)


def unreadable(w: Window, scene: Scene) -> None:
    w.open("/search/?lanes=red")
    refused(w)


OPENED: list[Callable[[Window, Scene], None]] = [
    home_menus, tenant_menu, facets, saving, suggestions, adding, deleting, removing, radius_open, a_path, conflict,
    a_form_with_errors, a_form_not_sent, a_timeline_around, an_empty_timeline, a_password_refused, missing, unreadable,
]  # fmt: skip


@pytest.mark.parametrize(("width", "theme"), BOTH)
def test_axe_finds_nothing_in_what_opens(window: Any, scene: Scene, width: int, theme: str) -> None:
    w = window("ada", width=width, theme=theme)
    wrong: dict[str, list[str]] = {}
    for opened in OPENED:
        opened(w, scene)
        w.page.wait_for_timeout(150)
        found = faults(w.page)
        if w.page.evaluate("document.documentElement.scrollWidth - innerWidth") > 0:
            found.append("scrolls sideways")
        if found:
            wrong[opened.__name__] = found
    assert not wrong, json.dumps(wrong, indent=1)


@pytest.mark.parametrize(("width", "theme"), BOTH)
def test_axe_finds_nothing_at_the_door(window: Any, width: int, theme: str) -> None:
    w = window(None, width=width, theme=theme)
    for tries in range(6):
        w.open("/accounts/login/")
        assert faults(w.page) == [], tries
        w.page.fill("#id_username", f"nobody {width} {theme}")
        w.page.fill("#id_password", "wrong")
        w.page.click("main button[type=submit]")
        w.page.wait_for_selector("#signerr")
        assert faults(w.page) == [], tries
    assert "Too many tries" in w.page.inner_text("#signerr")
    refused(w)


def test_a_person_who_may_only_read_is_refused_by_an_accessible_page(window: Any, scene: Scene) -> None:
    w = window("cleo").open(f"/records/{scene.origin}/edit/")
    assert "You may see this, but not do that" in w.page.inner_text("h1") and faults(w.page) == []
    refused(w)


def focused(page: Any) -> str:
    return page.evaluate("() => document.activeElement.id || document.activeElement.getAttribute('data-open')")


def test_dialogs_and_menus_by_keyboard(window: Any, scene: Scene) -> None:
    page = window("ada").open(f"/records/{scene.origin}/").page
    page.focus("button[data-open=adddialog]")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog#adddialog[open]")
    assert focused(page) == "addlabel"
    for _ in range(12):  # round and round, never out to the page behind
        page.keyboard.press("Tab")
        assert page.evaluate(
            "() => !document.activeElement.closest('main') || !!document.activeElement.closest('dialog')"
        )
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog#adddialog", state="hidden")
    assert focused(page) == "adddialog"  # the button that opened it
    page.focus("summary[aria-label='More actions']")
    page.keyboard.press("Enter")
    page.wait_for_selector("button[data-open=deletedialog]:visible")
    page.focus("button[data-open=deletedialog]")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog#deletedialog[open]")
    assert page.evaluate("() => document.activeElement.textContent") == "Keep it"
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog#deletedialog", state="hidden")
    page.focus("summary[aria-label*='your account']")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Change password")
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')").endswith("your account")
    assert not page.is_visible("text=Change password")


def test_who_saved_meanwhile_is_named(window: Any, scene: Scene) -> None:
    mine = window("ada").open(f"/records/{scene.origin}/edit/").live().page
    scene.server.call("e_record", "update", sr_id=scene.origin, text="Said otherwise.")
    mine.wait_for_selector("#changednote:not([hidden])")
    assert "clerk saved a new version" in mine.inner_text("#changednote")
    shown = window("cleo").open(f"/records/{scene.origin}/").live().page
    scene.server.call("e_record", "update", sr_id=scene.origin, text="Said a third way.")
    shown.wait_for_selector("#changednote:not([hidden])")
    assert "clerk changed this record" in shown.inner_text("#changednote")
