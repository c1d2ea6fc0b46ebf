"""Using the pages: keyboard, chips, the picture and its list, phones, and what axe thinks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Scene

pytestmark = pytest.mark.browser
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()


def addresses(scene: Scene) -> list[str]:
    return [
        "/", f"/search/?t=person:Joan {scene.name}", "/search/?q=who will send the logs",
        "/search/?t=client:Nobody&q=x",
        f"/records/{scene.origin}/", f"/records/{scene.origin}/edit/", f"/records/{scene.origin}/connect/",
        f"/records/{scene.origin}/correct/", "/records/new/", f"/timeline/?t=person:Joan {scene.name}",
        f"/values/person/Joan {scene.name}/", "/values/?t=person:", f"/insights/?from={scene.origin}",
        "/accounts/password_change/",
    ]  # fmt: skip


def faults(page: Any) -> list[str]:
    """What axe finds on the page as it stands, by rule and element."""
    page.evaluate(AXE)
    found = page.evaluate(
        "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
        ".map(v => [v.id, v.impact, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + n.failureSummary)])"
    )
    return [json.dumps(v) for v in found]


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(window: Any, scene: Scene, width: int, theme: str) -> None:
    w = window("ada", width=width, theme=theme)
    wrong: dict[str, list[str]] = {}
    for path in addresses(scene):
        w.open(path)
        w.page.wait_for_timeout(350)
        found = faults(w.page)
        over = w.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            found.append(f"scrolls sideways by {over} px")
        if found:
            wrong[path] = found
    assert not wrong, json.dumps(wrong, indent=1)


def test_the_door_is_accessible(window: Any) -> None:
    w = window(None)
    for path in ("/accounts/login/",):
        w.open(path)
        assert faults(w.page) == []


def test_no_page_scrolls_sideways_at_320(window: Any, scene: Scene) -> None:
    w = window("ada", width=320)
    for path in addresses(scene):
        w.open(path)
        w.page.wait_for_timeout(200)
        assert w.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path


def test_search_by_keyboard(window: Any, scene: Scene) -> None:
    page = window("ada").open("/").page
    page.keyboard.press("/")
    assert page.evaluate("() => document.activeElement.id") == "qs"
    page.keyboard.type(f"person:Joan {scene.name}")
    page.keyboard.press("Enter")
    page.wait_for_selector("html[data-ready] .chip.term")  # another page, which takes keys once its script has come
    assert page.locator(".hit-row").count() == 6
    page.keyboard.press("/")
    page.keyboard.type(f"topic:t0 {scene.name[:6]}")
    page.wait_for_selector("#suggestions [role=option]")
    page.keyboard.press("ArrowDown")
    assert page.get_attribute("#q", "aria-activedescendant")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelectorAll('html[data-ready] .chip.term').length === 2")
    assert page.locator(".hit-row").count() == 3
    page.focus("#q")
    page.keyboard.press("Backspace")
    page.wait_for_function("() => document.querySelectorAll('html[data-ready] .chip.term').length === 1")
    page.focus("#q")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    second = page.evaluate("() => document.activeElement.href")
    page.keyboard.press("Enter")
    page.wait_for_url(second)


def test_facets_narrow_and_the_address_is_the_state(window: Any, scene: Scene) -> None:
    w = window("ada").open(f"/search/?t=person:Joan {scene.name}")
    w.page.check("input[name=kind][value=call]")
    w.page.wait_for_url(re.compile("kind=call"))
    assert w.page.locator(".hit-row").count() == 1
    other = window("ada").open(w.page.url)
    assert other.page.locator(".hit-row").count() == 1
    w.page.uncheck("input[name=kind][value=call]")
    w.page.wait_for_function(
        "() => !location.search.includes('kind') && document.querySelectorAll('.hit-row').length === 6"
    )


def test_saving_a_search(window: Any, scene: Scene) -> None:
    w = window("ada").open(f"/search/?t=person:Joan {scene.name}")
    w.page.click("summary:has-text('Save')")
    w.page.fill("#savename", f"Mine {scene.name}")
    w.page.click("text=Save search")
    w.page.wait_for_selector("text=It is on your home page")
    w.open("/").page.click(f"text=Mine {scene.name}")
    w.page.wait_for_selector(".hit-row")


def test_picture_and_list_are_one(window: Any, scene: Scene) -> None:
    page = window("cleo").open(f"/records/{scene.origin}/").page
    page.wait_for_function("() => window.lanewise")
    ids = set(page.eval_on_selector_all("#list button[data-id]", "bs => bs.map(b => b.dataset.id)"))
    assert ids == set(page.evaluate("() => [...lanewise.view.model.nodes.keys()]")) - {scene.origin} == set(scene.near)
    # what is found in the list is counted by its headings and marked in the picture
    page.fill("#listfind", "Near 3")
    assert page.inner_text("#list h3 .count") == "1 of 5"
    found = "() => lanewise.view.cy.nodes('.found').map(n => n.id())"
    assert page.evaluate(found) == [scene.near[3]]
    assert page.evaluate("() => lanewise.view.cy.nodes('.rec.dim').length") == 5
    page.fill("#listfind", "nothing of the kind")
    assert page.is_visible("#listnone") and page.inner_text("#list h3 .count") == "0 of 5"
    page.fill("#listfind", "")
    assert page.inner_text("#list h3 .count") == "5" and page.evaluate(found) == []
    assert not page.is_visible("#listnone")
    page.focus("#list button[data-id]")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    first = page.evaluate("() => document.activeElement.dataset.id")
    assert page.get_attribute(f"#list button[data-id={first}]", "aria-pressed") == "true"
    assert page.evaluate("id => lanewise.view.cy.getElementById(id).hasClass('sel')", first)
    assert f"Shares person: Joan {scene.name}" in page.inner_text("#sel")
    page.click("#sel >> text=Centre here")
    page.wait_for_url(re.compile(first))


def test_depth_labels_path_and_as_of(window: Any, scene: Scene) -> None:
    far = scene.write("Two steps.", scene.prop("topic", "t0"), title=f"Far {scene.name}", occurred_at="2025-06-01")
    page = window("cleo").open(f"/records/{scene.origin}/").page
    page.wait_for_selector(f"#list button[data-id={far}]")
    page.click("input[name=depth][value='1']")
    page.wait_for_selector(f"#list button[data-id={far}]", state="detached")
    page.wait_for_url(re.compile("depth=1"))
    page.click("input[name=depth][value='2']")
    page.wait_for_selector(f"#list button[data-id={far}]")
    page.click(f"#list button[data-id={far}]")
    page.click("#sel button:has-text('Path')")
    page.wait_for_selector("#pathstrip:visible")
    said = page.inner_text("#pathtext")
    assert (
        said.startswith("Path, 2 steps.")
        and f"person: Joan {scene.name}" in said
        and f"topic: t0 {scene.name}" in said
    )
    page.click("#pathclear")
    page.click("#labelmenu summary")
    page.uncheck("#labelfilter input[value=topic]")
    page.wait_for_selector(f"#list button[data-id={far}]", state="detached")
    page.check("#labelfilter input[value=topic]")
    page.wait_for_selector(f"#list button[data-id={far}]")
    page.keyboard.press("Escape")


def test_a_depth_chosen_before_the_scripts_came_holds(window: Any, scene: Scene) -> None:
    far = scene.write("Two steps.", scene.prop("topic", "t0"), title=f"Far {scene.name}")
    made = window("cleo")
    made.page.add_init_script(
        "document.addEventListener('readystatechange', () => { if (document.readyState === 'interactive')"
        " { const one = document.querySelector('input[name=depth][value=\"1\"]'); if (one) one.checked = true; } });"
    )
    page = made.open(f"/records/{scene.origin}/").page
    page.wait_for_url(re.compile("depth=1"))
    page.wait_for_selector(f"#list button[data-id={far}]", state="detached")


def test_as_of_hides_in_place(window: Any, scene: Scene, server: Any) -> None:
    server.call(
        "e_property", "add", sr_id=scene.origin,
        edge_properties=[{"label": "status", "value": f"open {scene.name}", "valid_from": "2025-05-01"}],
    )  # fmt: skip
    late = scene.write("Late.", f"status:open {scene.name}", title=f"Late {scene.name}", occurred_at="2025-05-02")
    page = window("cleo").open(f"/records/{scene.origin}/").page
    page.wait_for_selector(f"#list button[data-id={late}]")
    page.wait_for_function("() => window.lanewise")
    before = page.evaluate("id => lanewise.view.cy.getElementById(id).position()", scene.near[0])
    page.evaluate(
        "() => { const a = document.getElementById('asof'); a.value = 10; a.dispatchEvent(new Event('input')); }"
    )
    page.wait_for_selector(f"#list button[data-id={late}]", state="detached")
    assert page.evaluate("id => lanewise.view.cy.getElementById(id).hasClass('hid')", late)
    assert page.evaluate("id => lanewise.view.cy.getElementById(id).position()", scene.near[0]) == before
    page.wait_for_url(re.compile("as_of="))
    assert page.inner_text("#asofout") != "Now"


def test_a_hub_is_a_pill_and_opens_by_pages(window: Any, scene: Scene) -> None:
    made = [scene.write(f"Of many {i}.", scene.prop("client", "Hub"), title=f"Hub {i}") for i in range(34)]
    scene.server.call("e_property", "add", sr_id=scene.origin, edge_properties=[scene.prop("client", "Hub")])
    page = window("cleo").open(f"/records/{scene.origin}/").page
    page.wait_for_function("() => window.lanewise")
    assert f"Hub {scene.name}" in page.inner_text("#hubs") and "35" in page.inner_text("#hubs")
    drawn = page.evaluate("() => lanewise.view.model.nodes.size")
    page.click("#list .hubrow")
    page.wait_for_function(f"() => lanewise.view.model.nodes.size >= {drawn} + 24")
    # it stands beside the others, says how much of it is shown, and is counted
    overlapping = page.evaluate(
        """() => { const round = (n) => ({ ...n.position(), r: n.hasClass('knot') ? 8 : n.data('size') / 2 });
        const ns = lanewise.view.cy.nodes().map(round);
        const meet = (a, b) => Math.hypot(a.x - b.x, a.y - b.y) < a.r + b.r;
        return ns.filter((a, i) => ns.some((b, j) => i < j && meet(a, b))).length; }"""
    )
    assert overlapping == 0
    knot = """() => { const k = lanewise.view.cy.nodes('.hubknot')[0];
        return [k.data('full'), k.data('text'), k.classes()]; }"""
    full, text, classes = page.evaluate(knot)
    assert full.endswith("(25 of 35)") and "25 of 35" in text.replace("\n", " ")
    assert {"lb", "lt", "lr", "ll"} & set(classes)
    assert "opened beyond them" in page.inner_text("#shown") and "not expanded" not in page.inner_text("#shown")
    assert "25 of 35" in page.inner_text("#hubs") and "not expanded" not in page.inner_text("#list")
    page.click("#list .hubrow")
    page.wait_for_selector("text=All shown")
    late = scene.write("One more.", scene.prop("batch", "QP"), title="News meanwhile")
    page.wait_for_selector(f"#list button[data-sr-id={late}]")  # and what was opened stays open
    shown = set(page.eval_on_selector_all("#list .hubpage button", "bs => bs.map(b => b.dataset.id)"))
    assert shown == set(made)


def test_two_hundred_records_without_stutter(window: Any, scene: Scene) -> None:
    """Layout and label placement of 200 records, and the frames of a zoom."""
    for i in range(25):
        scene.write(f"Hinge {i}.", scene.prop("person", "Joan"), scene.prop("topic", f"h{i}"), title=f"Hinge {i}")
    for i in range(175):
        scene.write(f"Leaf {i}.", scene.prop("topic", f"h{i % 25}"), title=f"Leaf {i} of the tree")
    page = window("cleo").open(f"/records/{scene.origin}/?max=220").page
    page.wait_for_function("() => window.lanewise && lanewise.view.layoutMs")
    assert page.evaluate("() => lanewise.view.model.nodes.size") > 200
    # what a zoom asks of it happens; how long the frames take is measured, and never decides a test
    frames = page.evaluate(
        """async () => { const out = []; let last = performance.now();
        for (let i = 0; i < 40; i++) { lanewise.view.cy.zoom(lanewise.view.cy.zoom() * (i % 2 ? 1.02 : 0.98));
          await new Promise(requestAnimationFrame); const now = performance.now(); out.push(now - last); last = now; }
        return out.sort((a, b) => a - b); }"""
    )
    assert len(frames) == 40
    print(f"layout {page.evaluate('() => lanewise.view.layoutMs'):.0f} ms, frame p50 {frames[20]:.0f} ms")


def test_timeline_shows_doubt_honestly(window: Any, scene: Scene) -> None:
    scene.write("Some day in May.", scene.prop("person", "Joan"), title=f"Month {scene.name}", occurred_at="2025-05")
    scene.write("Some day.", scene.prop("person", "Joan"), title=f"Year {scene.name}", occurred_at="2025")
    scene.write("Whenever.", scene.prop("person", "Joan"), title=f"Never {scene.name}")
    page = window("cleo").open(f"/timeline/?t=person:Joan {scene.name}").page
    page.wait_for_selector("#tl .ev")
    page.click("#tall")
    assert page.locator("#tl .month").count() == 1 and page.locator("#tl .year").count() == 1
    assert "Month only" in page.inner_text("#facts") and "Year only" in page.inner_text("#facts")
    assert "1 May" not in page.inner_text("#facts") and "1 Jan" not in page.inner_text("#facts")
    assert f"Never {scene.name}" in page.inner_text(".undated")
    with page.expect_download() as download:
        page.click("text=CSV")
    text = Path(download.value.path()).read_text("utf-8-sig")
    titles = [line.split(",")[3] for line in text.splitlines()[1:]]
    rows = page.eval_on_selector_all("#facts a.f", "as => as.map(a => a.textContent)")
    assert titles == [*rows, f"Never {scene.name}"]


def test_theme_is_switched_without_a_flash(window: Any) -> None:
    page = window("ada").open("/").page
    background = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.click("summary[aria-label*='your account']")
    with page.expect_response(re.compile("/theme/")):
        page.check("input[name=theme][value=dark]")
    dark = page.evaluate(background)
    assert dark != light
    page.reload()
    assert page.evaluate(background) == dark


def test_pages_work_without_scripts(server: Any, browser: Any, scene: Scene) -> None:
    """Reading, searching and writing are plain HTML: scripts only make them quicker."""
    context = browser.new_context(java_script_enabled=False, base_url=server.url)
    page = context.new_page()
    page.goto("/accounts/login/")
    page.fill("#id_username", "ada")
    page.fill("#id_password", "correct-horse-battery")
    page.click("button[type=submit]")
    page.fill("#qs", f"person:Joan {scene.name}")
    page.press("#qs", "Enter")
    assert page.locator(".hit-row").count() == 6
    page.click(".hit-row h3 a")
    assert page.locator("#list [data-sr-id]").count() >= 5
    page.goto("/records/new/")
    page.select_option("#f-lane", "red")
    page.fill("#f-text", "Plain.")
    page.fill("#f-title", f"Plain {scene.name}")
    page.click("button.primary")
    assert f"Plain {scene.name}" in page.inner_text("h1")
    context.close()


def test_the_api_explains_itself_to_a_visitor(window: Any) -> None:
    """The browsable documentation lists the tools, under the same strict policy as every page."""
    page = window(None).page
    page.goto("/api/v1/docs/")
    page.get_by_text("/api/v1/tools/e_gather", exact=False).first.wait_for()
    assert page.evaluate("() => getComputedStyle(document.body).marginTop") == "0px"
