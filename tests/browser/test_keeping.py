"""Nothing typed is lost and nothing stays that was taken away: signed out, offline, revoked, going back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.conftest import PASSWORD, Scene, Server, Window

pytestmark = pytest.mark.browser


@pytest.fixture
def drew(server: Server) -> Iterator[str]:
    """Somebody who reads two matters and writes both, until one is taken away."""
    name = "drew"
    server.manage("create_user", "--tenant", "firm", "--username", name, "--password", PASSWORD, "--write", "red,blue")
    yield name


@pytest.fixture
def lost(server: Server) -> Iterator[Any]:
    """Stops the server for the rest of a test, and starts it again after it."""
    yield server.stop
    if server.process is None or server.process.poll() is not None:
        server.start()


def quiet(*windows: Window) -> None:
    """A browser logs every refused connection and refusal that a test asks for."""
    for w in windows:
        w.page.close()
    for w in windows:
        w.problems[:] = [p for p in w.problems if not re.search("Failed to load|WebSocket|ERR_CONNECTION", p)]


def offline(w: Window) -> None:
    w.page.wait_for_selector(".live[data-state=offline]", timeout=10000)


def toast(page: Any) -> str:
    return page.wait_for_selector("#toasts .toast.danger").inner_text()


def test_a_lane_taken_away_leaves_facets_and_selects(window: Any, scene: Scene, server: Server, drew: str) -> None:
    secret = f"Quoll {scene.name}"
    scene.write("Of the other matter.", f"person:{secret}", f"topic:{secret}", lane="blue", title=scene.name,
                occurred_at="2025-02-01")  # fmt: skip
    search = window(drew).open(f"/search/?q={scene.name}").live()
    times = window(drew).open("/timeline/").live()
    form = window(drew).open("/records/new/").live()
    facet = "#facets input[name=lane][value=blue]"
    assert search.page.query_selector(facet) and secret in search.page.inner_html("#facets")
    form.page.select_option("#f-lane", "blue")
    form.page.fill("#f-text", "Typed before.")
    server.manage("revoke", "--tenant", "firm", "--user", drew, "--read", "blue")
    search.page.wait_for_selector(facet, state="detached", timeout=20000)
    times.page.wait_for_selector("#tlane option[value=blue]", state="detached", timeout=20000)
    form.page.wait_for_selector("#f-lane option[value=blue]", state="detached", timeout=20000)
    for w in (search, times, form):
        assert secret not in w.page.content()
        assert w.page.locator("[value=blue], .lane:has-text('blue')").count() == 0
    # the text is still there, and does not go to another matter by itself
    assert form.page.input_value("#f-text") == "Typed before." and form.page.input_value("#f-lane") == ""
    assert "may no longer write to the matter" in form.page.inner_text("#accessnote")


def test_a_form_signed_out_elsewhere_keeps_its_text(window: Any, scene: Scene) -> None:
    w = window("ada").open(f"/records/{scene.origin}/edit/").live()
    page = w.page
    page.fill("#f-text", "Only here.")
    page.context.clear_cookies()
    # news of the record cannot be fetched now: the form stays
    scene.server.call("e_property", "add", sr_id=scene.origin, edge_properties=[scene.prop("topic", "late")])
    page.wait_for_selector("#accessnote:has-text('You are signed out')", timeout=20000)
    page.click("#recordform button.primary")
    note = page.wait_for_selector("[data-notsaved]")
    assert "Not saved. Your text is still here." in note.inner_text() and "signed out" in note.inner_text()
    assert page.input_value("#f-text") == "Only here." and page.url.endswith("/edit/")
    link = page.locator("[data-notsaved] a")
    assert link.get_attribute("target") == "_blank" and link.get_attribute("href") == "/accounts/login/"
    # signed in again in another tab, with another token
    with page.context.expect_page() as opened:
        link.click()
    door = opened.value
    door.fill("#id_username", "ada")
    door.fill("#id_password", PASSWORD)
    door.click("button[type=submit]")
    door.wait_for_url(re.compile(r"/$"))
    page.click("#recordform button.primary")
    page.wait_for_selector("dialog#conflict[open]")  # the property was a new version
    assert page.input_value("#f-text") == "Only here."
    page.click("dialog button.primary")
    page.wait_for_url(re.compile(rf"/records/{scene.origin}/$"))
    assert "Only here." in page.inner_text("#part-text")
    quiet(w)


def test_offline_nothing_is_left_or_lost(window: Any, scene: Scene, lost: Any) -> None:
    form = window("ada").open(f"/records/{scene.origin}/edit/").live()
    search = window("ada").open(f"/search/?t=person:Joan {scene.name}").live()
    record = window("ada").open(f"/records/{scene.origin}/").live()
    form.page.fill("#f-text", "Not sent yet.")
    record.page.wait_for_function("() => window.lanewise")
    lost()
    for w in (form, search, record):
        offline(w)
    # a form: said, and the text stays
    assert "No connection since" in form.page.inner_text(".offlinestrip")
    form.page.click("#recordform button.primary")
    assert "no connection to the server" in form.page.wait_for_selector("[data-notsaved]").inner_text()
    assert form.page.input_value("#f-text") == "Not sent yet."
    # a facet, a chip and a link: said, and set back to what is shown
    box = "input[name=kind][value=call]"
    search.page.click(box)
    assert "nothing was asked" in toast(search.page)
    assert not search.page.is_checked(box) and search.page.locator(".hit-row").count() == 6
    search.page.click("[data-remove-term]")
    search.page.click(".hit-row h3 a")
    assert search.page.locator(".chip.term").count() == 1 and "/search/" in search.page.url
    # the depth of a radius: control, address and picture say the same
    drawn = record.page.evaluate("() => lanewise.view.model.nodes.size")
    record.page.click("input[name=depth][value='3']")
    assert "stay as they were: 2 steps" in toast(record.page)
    assert record.page.is_checked("input[name=depth][value='2']") and "depth=3" not in record.page.url
    record.page.click("#labelmenu summary")
    record.page.click("#labelfilter input[value=topic]")
    record.page.wait_for_function("() => document.querySelector('#labelfilter input[value=topic]').checked")
    assert record.page.is_checked("#labelfilter input[value=topic]")
    assert record.page.inner_text("#labelcount") == "all"
    assert record.page.evaluate("() => lanewise.view.model.nodes.size") == drawn
    record.page.keyboard.press("Escape")
    record.page.click(f"#list button[data-id={scene.near[1]}]")
    record.page.click("#sel button:has-text('Path')")
    record.page.wait_for_selector("#toasts :text('so nothing was changed')")
    assert not record.page.is_visible("#pathstrip")
    quiet(form, search, record)


def test_the_focus_stays_where_it_was(window: Any, scene: Scene) -> None:
    page = window("ada").open(f"/search/?t=person:Joan {scene.name}").page
    here = "() => document.activeElement.id || `${document.activeElement.name}=${document.activeElement.value}`"
    page.fill("#q", f"topic:t0 {scene.name}")
    page.press("#q", "Enter")
    page.wait_for_function("() => document.querySelectorAll('.chip.term').length === 2")
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.evaluate(here) == "q"
    page.keyboard.press("Backspace")
    page.wait_for_function("() => document.querySelectorAll('.chip.term').length === 1")
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.evaluate(here) == "q"
    # down from the box goes to the first hit, words in it or not
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement === document.querySelector('.hit-row h3 a')")
    page.focus("input[name=kind][value=call]")
    page.keyboard.press("Space")
    page.wait_for_url(re.compile("kind=call"))
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.evaluate(here) == "kind=call"
    page.goto(f"/search/?q={scene.name}")
    page.wait_for_selector("html[data-ready]", state="attached")
    page.focus("#q")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement === document.querySelector('.hit-row h3 a')")
    page.goto(f"/timeline/?t=person:Joan {scene.name}")
    page.wait_for_selector("html[data-ready]", state="attached")
    page.fill("#tq", f"topic:t1 {scene.name}")
    page.press("#tq", "Enter")
    page.wait_for_function("() => document.querySelectorAll('.chip.term').length === 2")
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.evaluate(here) == "tq"
    page.goto(f"/records/{scene.origin}/")
    page.wait_for_selector("html[data-ready]", state="attached")
    page.click("summary[aria-label='More actions']")
    page.click("button[data-open=deletedialog]")
    page.wait_for_selector("dialog#deletedialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog#deletedialog", state="hidden")
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "More actions"


def test_back_finds_the_row_one_left_from(window: Any, scene: Scene) -> None:
    for i in range(35):
        scene.write(f"Row {i}.", scene.prop("client", "Long"), title=f"Row {i} {scene.name}")
    page = window("ada").open(f"/search/?t=client:Long {scene.name}").page
    assert page.locator(".hit-row").count() == 25
    page.click("#more a")
    page.wait_for_function("() => document.querySelectorAll('.hit-row').length === 35")
    page.wait_for_url(re.compile("shown=35"))
    thirtieth = page.locator(".hit-row h3 a").nth(29)
    href = thirtieth.get_attribute("href")
    thirtieth.click()
    page.wait_for_url(re.compile(href))
    page.go_back()
    page.wait_for_selector(f".hit-row a[href='{href}']")
    assert page.locator(".hit-row").count() == 35


def test_a_timeline_opens_around_a_record(window: Any, scene: Scene) -> None:
    page = window("cleo").open(f"/records/{scene.near[2]}/").page
    page.click("summary[aria-label='More actions']")
    page.click("text=Timeline around this")
    page.wait_for_selector("#tl .ev.on")
    row = page.locator("#facts tr.on")
    assert row.get_attribute("data-sr-id") == scene.near[2]
    box = row.bounding_box()
    assert 0 < box["y"] < 900
    middle = page.evaluate(
        "() => { const on = document.querySelector('#tl .ev.on circle.day').getBoundingClientRect();"
        "const all = document.querySelector('#tl').getBoundingClientRect();"
        "return (on.x + on.width / 2 - all.x) / all.width; }"
    )
    assert abs(middle - 0.5) < 0.05


def test_deleted_and_taken_away_are_said_alike(window: Any, scene: Scene, server: Server) -> None:
    gone, hidden = scene.near[0], scene.near[1]
    one, two = window("cleo").open(f"/records/{gone}/").live(), window("cleo").open(f"/records/{hidden}/").live()
    scene.server.call("e_record", "delete", sr_id=gone)
    one.page.wait_for_selector("#revoked:visible", timeout=20000)
    server.manage("revoke", "--tenant", "firm", "--user", "cleo", "--read", "red")
    try:
        two.page.wait_for_selector("#revoked:visible", timeout=20000)
        said = [re.sub(r"\d\d:\d\d", "·", w.page.inner_text("#revoked")) for w in (one, two)]
        assert said[0] == said[1] and said[0].startswith("This record is no longer here for you")
        assert one.page.title() == two.page.title()
    finally:
        server.manage("grant", "--tenant", "firm", "--user", "cleo", "--read", "red")
    two.page.wait_for_timeout(300)
    quiet(one, two)


def test_connecting_keeps_ticks_and_words_over_another_search(window: Any, scene: Scene) -> None:
    page = window("ada").open(f"/records/{scene.origin}/connect/").page
    page.check(f"input[name=with][value={scene.near[0]}]")
    page.fill("#c-hint", "same seal")
    page.fill("#cq", f"topic:t1 {scene.name}")
    page.press("#cq", "Enter")
    page.wait_for_url(re.compile("q=topic"))
    assert page.is_checked(f"input[name=with][value={scene.near[0]}]")
    assert page.input_value("#c-hint") == "same seal"
    page.check(f"input[name=with][value={scene.near[1]}]")
    page.press("#c-hint", "Enter")  # connects: it does not search again
    page.wait_for_url(re.compile(rf"/records/{scene.origin}/$"))
    said = page.inner_text("#part-carries .conns")
    assert "same seal" in said and f"Near 0 {scene.name}" in said and f"Near 1 {scene.name}" in said
