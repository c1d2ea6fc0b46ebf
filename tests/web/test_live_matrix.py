"""Every persona's socket × writes planted in every lane: what arrives holds nothing of a lane that persona may not
read, not even a message without content; and everything of the lanes it may."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from lanes import services
from memory.normal import edge_key
from tests import matrix
from tests.matrix import ENTITIES, MARKERS, READABLE, SHARED, Marked, fields
from tests.test_web_matrix import signed_in
from tests.web.test_live import QUIET_S, Tab, of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]
SHAPES = {"news": {"type", "sr", "gone"}, "watching": {"type", "n", "at"}, "ready": {"type"}}


@pytest.fixture
def marked(transactional_db: None) -> Marked:
    """The marked world, in a database whose commits are real."""
    return matrix.build()


def keys_of_all() -> list[str]:
    """Properties of every lane: shared ones, and those that only one lane has."""
    values = [SHARED, "status:open", *(f"person:{marker} person" for marker in MARKERS.values()), "person:planted"]
    return [edge_key(*value.split(":", 1)).hex for value in values]


def watch_everything(marked: Marked) -> dict[str, Any]:
    """What a curious page would ask for: every id there is, every property, and all lanes."""
    return {"sr": [sr_id for lane in MARKERS for sr_id in marked.records[lane]], "keys": keys_of_all(), "lanes": "all"}


def planted(marked: Marked, lane: str) -> list[str]:
    """Writes of every kind in one lane; the records they concern."""
    caller = marked.world.bert if lane == "elsewhere" else marked.world.anna
    slug = "red" if lane == "elsewhere" else lane
    first, second, third, fourth = marked.records[lane]
    made = caller("e_record", "write", lane=slug, **(fields(lane, 7) | {"external_id": f"planted in {lane}"}))["sr_id"]
    replies = [
        caller("e_record", "update", sr_id=first, text=f"{MARKERS[lane]} again."),
        caller("e_property", "add", sr_id=second, edge_properties=["person:planted"]),
        caller("e_property", "remove", sr_id=second, edge_properties=["status:open"]),
        caller("e_property", "connect", sr_id=[second, third], hint=f"{MARKERS[lane]} pair"),
        caller("e_property", "adjust", sr_id=third, by=made, hint="supersedes"),
        caller("e_property", "invalidate", sr_id=first, label="year", value="2024"),
        caller(
            "e_property", "rename", label="matter", value=f"{MARKERS[lane]}-0", to=f"{MARKERS[lane]} 0", lanes=[slug]
        ),
        caller("e_record", "delete", sr_id=fourth),
    ]  # fmt: skip
    assert [reply.status for reply in replies] == [200] * len(replies), [r.body for r in replies if r.status != 200]
    return [made, first, second, third, fourth]


def joined_across(marked: Marked) -> None:
    """A connection whose members stand in three lanes."""
    reply = marked.world.anna(
        "e_property", "connect", sr_id=[marked.records[lane][2] for lane in ("red", "blue", "green")], hint="all three"
    )
    assert reply.status == 200


def joined_to_each(marked: Marked, visible: str, hidden: str) -> None:
    """Everything that joins records of two lanes, and parts them again."""
    anna, one, two = marked.world.anna, marked.records[visible][1], marked.records[hidden][1]
    made = anna("e_property", "connect", sr_id=[one, two], hint="tie")["property"]
    replies = [
        anna("e_property", "connect", sr_id=[one, two], hint="tie"),
        anna("e_property", "adjust", sr_id=one, by=two, hint="supersedes"),
        anna("e_property", "adjust", sr_id=two, by=one, hint="corrects"),
        anna("e_property", "invalidate", property=made),
        anna("e_property", "disconnect", property=made),
    ]  # fmt: skip
    assert {reply.status for reply in replies} == {200}


async def heard(tab: Tab) -> list[str]:
    """Every message until it is quiet, as sent."""
    messages = []
    while not await tab.socket.receive_nothing(timeout=QUIET_S):
        messages.append(await tab.socket.receive_from(timeout=5))
    return messages


def told(messages: list[str]) -> set[str]:
    """The records that messages name. Whatever else a message says is not in its shape."""
    names: set[str] = set()
    for message in map(json.loads, messages):
        assert set(message) <= SHAPES[message["type"]], message
        names |= {name for name, _ in message.get("sr", ())} | set(message.get("gone", ()))
    return names


def leaks(marked: Marked, persona: str, messages: list[str], more: set[str]) -> set[str]:
    said = "\n".join(messages)
    return {text for text in marked.hidden_from(persona) | more if text in said}


async def tab_of(marked: Marked, persona: str) -> Tab:
    desk = SimpleNamespace(client=await of(signed_in, marked, persona))
    tab = await Tab.open(desk)
    assert tab
    return tab


@pytest.mark.parametrize("persona", READABLE)
async def test_a_socket_hears_its_own_lanes_and_nothing_else(marked: Marked, persona: str) -> None:
    readable, hidden = READABLE[persona], set(MARKERS) - READABLE[persona]
    tab = await tab_of(marked, persona)
    await tab.socket.send_to(text_data=json.dumps({"watch": watch_everything(marked)}))
    assert (await tab.hear())["n"] == sum(len(marked.records[lane]) for lane in readable)
    for lane in sorted(hidden - {"elsewhere"}) if "elsewhere" not in readable else ():
        await of(joined_to_each, marked, "red", lane)
        assert await heard(tab) == [], lane
    for lane in sorted(hidden):
        behind = set(await of(planted, marked, lane))
        messages = await heard(tab)
        assert messages == [], (lane, leaks(marked, persona, messages, behind))
    for lane in sorted(readable):
        mine = set(await of(planted, marked, lane))
        messages = await heard(tab)
        assert told(messages) == mine, lane
        assert leaks(marked, persona, messages, set()) == set()
    if "elsewhere" not in readable:
        await of(joined_across, marked)
        messages = await heard(tab)
        # whoever reads one of the lanes sees no connection, and hears of none
        assert told(messages) == ({marked.records[lane][2] for lane in readable} if len(readable) > 1 else set())
        assert leaks(marked, persona, messages, set()) == set()
    await tab.close()


@pytest.mark.parametrize("persona", READABLE)
async def test_what_a_socket_catches_up_with_is_of_its_own_lanes(marked: Marked, persona: str) -> None:
    began = time.time()
    concerned: dict[str, set[str]] = {lane: set(await of(planted, marked, lane)) for lane in MARKERS}
    tab = await tab_of(marked, persona)
    watch = watch_everything(marked)
    ways: list[tuple[dict[str, Any], Callable[[str], set[str]]]] = [
        # everything there is; the ids alone; the properties alone
        (watch, lambda lane: concerned[lane]),
        (watch | {"lanes": "", "keys": []}, lambda lane: concerned[lane] & set(marked.records[lane])),
        ({"sr": [], "keys": [edge_key("person", "planted").hex], "lanes": ""}, lambda lane: {marked.records[lane][1]}),
    ]
    for asked, expected in ways:
        await tab.socket.send_to(text_data=json.dumps({"watch": asked, "since": began}))
        messages = await heard(tab)
        # a deleted record is not there to be caught up with
        wanted = {sr_id for lane in READABLE[persona] for sr_id in expected(lane) - {marked.records[lane][3]}}
        got = told(messages)
        assert got >= wanted and not leaks(marked, persona, messages, set()), asked
        behind = {sr_id for lane in set(MARKERS) - READABLE[persona] for sr_id in concerned[lane]}
        assert not got & behind
    await tab.close()


# What an open page fetches again once it hears that a permission changed: all that it says of lanes and their values.
OPEN_PAGES = [
    "/", "/?part=summary", "/?part=matters", "/?part=recent", "/?part=changed", "/search/?q=notice",
    "/search/?shown=50", "/search/suggest/?q=person:", "/timeline/", "/timeline/?part=data", "/records/new/",
    "/insights/", "/insights/?part=data", "/values/?t=person:", "/values/client/Shared%20Holdings/", "/records/{own}/",
    "/records/{own}/radius/", "/records/{own}/part/carries/", "/records/{own}/part/about/", "/records/{own}/connect/",
    "/records/{own}/correct/", "/timeline/?around={own}",
]  # fmt: skip


@pytest.mark.parametrize(("persona", "lane"), [("anna", "blue"), ("anna", "green"), ("rita", "blue")])
async def test_open_pages_lose_a_lane_that_is_taken_away(marked: Marked, persona: str, lane: str) -> None:
    """Facets, lists of matters and offered values too: nothing of the lane is in anything the page is made of."""

    def revoke() -> None:
        tenant = marked.world.tenant
        user = get_user_model().objects.get(username=persona)
        services.revoke(tenant=tenant, holder=user, read=list(tenant.lanes.filter(slug=lane)))

    def fetched() -> dict[str, set[str]]:
        hidden = {MARKERS[lane], ENTITIES[lane], f'"{lane}"', f">{lane}<", *marked.records[lane]}
        met = {}
        for path in OPEN_PAGES:
            address = path.format(own=marked.records["red"][0])
            reply = desk.client.get(address, HTTP_X_PART="1")
            assert reply.status_code in (200, 403), (address, reply.status_code)
            met[path] = {text for text in hidden if text in reply.content.decode()}
        return met

    desk = SimpleNamespace(client=await of(signed_in, marked, persona))
    tab = await Tab.open(desk)
    assert tab
    assert sum(map(bool, (await of(fetched)).values())) > 10  # it was in most of them
    await of(revoke)
    assert (await tab.hear())["type"] == "access"
    assert {path: met for path, met in (await of(fetched)).items() if met} == {}
    await tab.close()
