"""The live channel: news of what one may see, silence about the rest, and permissions taken away at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from tests.conftest import make_world
from tests.web.conftest import Office, fill

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]
QUIET_S = 0.8


class Tab:
    """An open page's socket."""

    def __init__(self, socket: WebsocketCommunicator) -> None:
        self.socket = socket

    @classmethod
    async def open(cls, desk: Any, *, tenant: str = "", origin: str | None = "http://testserver") -> Tab | None:
        from config.asgi import application

        cookie = f"sessionid={desk.client.cookies['sessionid'].value}" if desk else "x=y"
        headers = [(b"cookie", cookie.encode()), (b"host", b"testserver")]
        if origin:
            headers.append((b"origin", origin.encode()))
        socket = WebsocketCommunicator(application, f"/ws/live/?tenant={tenant}", headers)
        connected, _ = await socket.connect(timeout=10)
        if not connected:
            return None
        tab = cls(socket)
        assert (await tab.hear())["type"] == "ready"
        return tab

    async def hear(self, timeout: float = 10) -> dict[str, Any]:
        return json.loads(await self.socket.receive_from(timeout=timeout))

    async def silent(self) -> bool:
        return await self.socket.receive_nothing(timeout=QUIET_S)

    async def watch(self, sr: tuple[str, ...] = (), keys: tuple[str, ...] = (), lanes: str = "") -> int:
        await self.socket.send_to(
            text_data=json.dumps({"watch": {"sr": list(sr), "keys": list(keys), "lanes": lanes}})
        )
        return (await self.hear())["n"]

    async def close(self) -> None:
        await self.socket.disconnect()


def key(label: str, value: str) -> str:
    from memory.normal import edge_key

    return edge_key(label, value).hex


async def of(work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return await sync_to_async(work)(*args, **kwargs)


@pytest.fixture
def floor(transactional_db: None) -> Office:
    """The office, in a database whose commits are real."""
    return fill(make_world())


async def test_news_of_a_record_in_view(floor: Office) -> None:
    tab = await Tab.open(floor.cleo)
    assert tab and await tab.watch(sr=(floor.red,)) == 1
    await of(floor.world.anna, "e_record", "update", sr_id=floor.red, text="Changed.")
    news = await tab.hear()
    assert news["type"] == "news" and news["sr"][0][0] == floor.red and news["sr"][0][1] == 2
    assert set(news) == {"type", "sr", "gone"}  # ids and versions, nothing else
    await tab.close()


async def test_news_of_a_new_record_that_shares_a_property(floor: Office) -> None:
    tab = await Tab.open(floor.cleo)
    assert tab
    await tab.watch(keys=(key("client", "Meridale"),))
    made = await of(floor.world.anna.write, "red", "Shares it.", ("client:MERIDALE",))
    assert [made, 1] in (await tab.hear())["sr"]
    await of(floor.world.anna.write, "red", "Shares nothing.", ("client:Other",))
    assert await tab.silent()
    await tab.close()


async def test_silence_about_what_one_may_not_read(floor: Office) -> None:
    """Not by record, not by property, not by watching every lane, and not from another tenant."""
    tab = await Tab.open(floor.cleo)
    assert tab
    assert await tab.watch(sr=(floor.blue, floor.far), keys=(key("client", "Meridale"),), lanes="all") == 0
    await of(floor.world.anna, "e_record", "update", sr_id=floor.blue, text="Secret change.")
    await of(floor.world.anna.write, "blue", "Secret.", ("client:Meridale",))
    await of(floor.world.bert.write, "red", "Elsewhere.", ("client:Meridale",))
    assert await tab.silent()
    await tab.close()


async def test_a_hold_is_heard_of_by_readers_of_its_lane_only(floor: Office) -> None:
    from memory.services import holds

    def place(slug: str) -> Any:
        lane = floor.world.tenant.lanes.get(slug=slug)
        return holds.place(tenant_id=floor.world.tenant.pk, name="The inquiry", lanes=[lane])

    tab = await Tab.open(floor.cleo)
    assert tab
    await tab.watch(sr=(floor.red,))
    await of(place, "blue")
    assert await tab.silent()
    hold = await of(place, "red")
    assert await tab.hear() == {"type": "resync"}
    await of(holds.release, hold)
    assert await tab.hear() == {"type": "resync"}
    await tab.close()


async def test_a_rolled_back_write_is_no_news(floor: Office) -> None:
    from django.db import transaction

    from lanes.models import AgentProfile
    from lanes.readers import reader_for_profile
    from memory.services import records

    def write_and_fail() -> None:
        reader = reader_for_profile(AgentProfile.objects.select_related("tenant").get(slug="anna"))
        with transaction.atomic():
            records.write(reader, lane="red", text="Never was.", edge_properties=["client:Meridale"])
            transaction.set_rollback(True)

    tab = await Tab.open(floor.cleo)
    assert tab
    await tab.watch(keys=(key("client", "Meridale"),), lanes="all")
    await of(write_and_fail)
    assert await tab.silent()
    await tab.close()


async def test_a_revoked_lane_is_told_and_then_silent(floor: Office) -> None:
    from lanes import services

    def revoke() -> None:
        services.revoke(
            tenant=floor.world.tenant, holder=floor.cleo.user, read=list(floor.world.tenant.lanes.filter(slug="red"))
        )

    tab = await Tab.open(floor.cleo)
    assert tab
    await tab.watch(sr=(floor.red,), lanes="all")
    await of(revoke)
    assert (await tab.hear())["type"] == "access"
    made = await of(floor.world.anna.write, "red", "After.", ("client:Meridale",))
    assert made and await tab.silent()
    await tab.close()


async def test_a_wall_and_a_group_change_are_told(floor: Office) -> None:
    from lanes import services

    team = await of(services.create_team, tenant=floor.world.tenant, name="Disputes", members=[floor.cleo.user])
    tab = await Tab.open(floor.cleo)
    assert tab
    blue = await of(lambda: floor.world.tenant.lanes.get(slug="blue"))
    await of(services.grant, tenant=floor.world.tenant, holder=team, read=[blue])
    assert (await tab.hear())["type"] == "access"
    await of(services.wall_off, tenant=floor.world.tenant, lanes=[blue], holders=[floor.cleo.user], name="W")
    assert (await tab.hear())["type"] == "access"
    await of(floor.cleo.user.groups.clear)
    assert await tab.silent()  # walled already: what cleo reads did not change
    await tab.close()


@pytest.mark.parametrize("watched", ["record", "property", "lanes"])
@pytest.mark.parametrize("how", ["moved", "deleted"])
async def test_a_record_that_leaves_is_gone_once_and_then_silent(floor: Office, how: str, watched: str) -> None:
    """Moved behind a wall or deleted: the page hears the same, and nothing of what becomes of it there."""
    anna = floor.world.anna
    tab = await Tab.open(floor.cleo)
    assert tab
    await tab.watch(
        sr=(floor.red,) if watched == "record" else (),
        keys=(key("client", "Meridale"),) if watched == "property" else (),
        lanes="all" if watched == "lanes" else "",
    )
    if how == "deleted":
        await of(anna, "e_record", "delete", sr_id=floor.red)
    else:
        await of(anna, "e_record", "update", sr_id=floor.red, lane="blue")
    assert await tab.hear() == {"type": "news", "sr": [], "gone": [floor.red]}
    assert await tab.silent()
    if how == "moved":
        for text in ("Secret.", "Secret again."):
            await of(anna, "e_record", "update", sr_id=floor.red, text=text)
            assert await tab.silent()
        await of(anna, "e_record", "delete", sr_id=floor.red)
        assert await tab.silent()
    await tab.close()


async def test_a_record_moved_between_lanes_one_reads_is_no_more_than_changed(floor: Office) -> None:
    tab = await Tab.open(floor.ada)
    assert tab
    await tab.watch(sr=(floor.red,))
    await of(floor.world.anna, "e_record", "update", sr_id=floor.red, lane="blue")
    assert await tab.hear() == {"type": "news", "sr": [[floor.red, 2]], "gone": []}
    await of(floor.world.anna, "e_record", "update", sr_id=floor.red, text="There.")
    assert (await tab.hear())["sr"] == [[floor.red, 3]]
    await tab.close()


async def test_what_a_page_showed_is_not_told_of_after_its_lane_was_taken_away(floor: Office) -> None:
    from lanes import services

    anna, lanes = floor.world.anna, await of(lambda: list(floor.world.tenant.lanes.filter(slug="red")))
    tab = await Tab.open(floor.cleo)
    assert tab
    await tab.watch(sr=(floor.red,), keys=(key("client", "Meridale"),), lanes="all")
    await of(services.revoke, tenant=floor.world.tenant, holder=floor.cleo.user, read=lanes)
    assert set(await tab.hear()) == {"type", "at"}
    for change in ({"text": "Secret."}, {"lane": "blue"}, {"text": "Secret again."}):
        await of(anna, "e_record", "update", sr_id=floor.red, **change)
        assert await tab.silent()
    await of(anna, "e_record", "delete", sr_id=floor.red)
    assert await tab.silent()
    # given back, the page says anew what it shows, and only then hears of it
    await of(services.grant, tenant=floor.world.tenant, holder=floor.cleo.user, read=lanes)
    assert (await tab.hear())["type"] == "access"
    made = await of(anna.write, "red", "After.", ("client:Meridale",))
    assert await tab.silent()
    assert await tab.watch(sr=(made,)) == 1
    await of(anna, "e_record", "update", sr_id=made, text="Heard.")
    assert (await tab.hear())["sr"] == [[made, 2]]
    await tab.close()


async def test_a_connection_across_lanes_is_told_to_pages_that_see_both_ends(floor: Office) -> None:
    """It gives neither record a new version, so those who see both ends are told to look again whatever they show."""
    anna = floor.world.anna
    tab, other = await Tab.open(floor.ada), await Tab.open(floor.cleo)
    assert tab and other
    await tab.watch(sr=(floor.red,))
    await other.watch(sr=(floor.red,), keys=(key("client", "Meridale"),), lanes="all")
    both = sorted([floor.red, floor.blue])
    made = await of(anna, "e_property", "connect", sr_id=both, hint="tie")
    assert sorted((await tab.hear())["sr"]) == [[name, 0] for name in both]
    await of(anna, "e_property", "disconnect", property=made["property"])
    assert sorted((await tab.hear())["sr"]) == [[name, 0] for name in both]
    assert await other.silent()
    await tab.close()
    await other.close()


async def test_signing_out_closes_the_page(floor: Office) -> None:
    tab, other = await Tab.open(floor.cleo), await Tab.open(floor.ada)
    assert tab and other
    await of(floor.cleo.client.post, "/accounts/logout/")
    assert (await tab.hear())["type"] == "bye"
    assert (await tab.socket.receive_output(timeout=10))["code"] == 4401
    assert await other.silent()
    await other.close()


async def test_a_deactivated_person_is_signed_out(floor: Office) -> None:
    def deactivate() -> None:
        floor.cleo.user.is_active = False
        floor.cleo.user.save()

    tab = await Tab.open(floor.cleo)
    assert tab
    await of(deactivate)
    assert (await tab.hear())["type"] == "bye"


async def test_the_door(floor: Office) -> None:
    """Only signed-in pages of this site, and only one's own tenants."""
    from types import SimpleNamespace

    stranger = SimpleNamespace(client=SimpleNamespace(cookies={"sessionid": SimpleNamespace(value="x" * 32)}))
    assert await Tab.open(None) is None
    assert await Tab.open(stranger) is None
    assert await Tab.open(floor.cleo, origin="https://evil.example") is None
    assert await Tab.open(floor.cleo, origin=None) is None
    # naming a tenant that is not one's own opens one's own, never the other
    tab = await Tab.open(floor.cleo, tenant="elsewhere")
    assert tab
    assert await tab.watch(sr=(floor.far,), lanes="all") == 0
    await of(floor.world.bert.write, "red", "Far.", ("client:Meridale",))
    assert await tab.silent()
    await tab.close()


@pytest.mark.parametrize(
    "sent", ["not json", "[]", "{}", '{"watch": 5}', '{"watch": {"sr": 7}}', '{"watch": {"sr": [{}]}}', "x" * 500_000]
)
async def test_nonsense_closes_the_socket_and_nothing_else(floor: Office, sent: str) -> None:
    tab, other = await Tab.open(floor.cleo), await Tab.open(floor.cleo)
    assert tab and other
    await tab.socket.send_to(text_data=sent)
    assert (await tab.socket.receive_output(timeout=10))["type"] == "websocket.close"
    assert await other.watch(sr=(floor.red,)) == 1
    await other.close()


async def test_many_writes_come_together(floor: Office) -> None:
    """A burst is a few messages, and nothing of it is missed."""
    tab = await Tab.open(floor.cleo)
    assert tab
    await tab.watch(keys=(key("client", "Meridale"),))
    made = {await of(floor.world.anna.write, "red", f"Burst {i}", ("client:Meridale",)) for i in range(30)}
    heard: set[str] = set()
    messages = 0
    while heard != made:
        heard |= {name for name, _ in (await tab.hear())["sr"]}
        messages += 1
    assert messages < 30
    await tab.close()


async def test_a_lost_database_connection_is_caught_up(floor: Office) -> None:
    """The listener comes back by itself, and pages are told to fetch everything again."""
    from django.db import connection

    def cut() -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity "
                "where query ilike 'listen%%' and datname = current_database() and pid <> pg_backend_pid()"
            )

    tab = await Tab.open(floor.cleo)
    assert tab
    await tab.watch(sr=(floor.red,))
    await of(cut)
    assert (await tab.hear(timeout=15))["type"] == "resync"
    await of(floor.world.anna, "e_record", "update", sr_id=floor.red, text="After the cut.")
    assert (await tab.hear(timeout=15))["type"] == "news"
    await tab.close()


async def test_closed_pages_are_forgotten(floor: Office) -> None:
    from web.live.hub import hub

    tabs = [await Tab.open(floor.cleo) for _ in range(3)]
    await tabs[0].watch(sr=(floor.red,), keys=(key("client", "Meridale"),), lanes="all")
    for tab in tabs:
        await tab.close()
    await asyncio.sleep(0.1)
    here = hub()
    assert not here.watches and not here.by_sr and not here.by_key and not any(here.by_tenant.values())


async def test_what_changed_before_a_page_listened_is_told_and_only_what_it_may_read(floor: Office) -> None:
    import time

    fetched = time.time()
    changed = await of(floor.world.anna.write, "red", "Meanwhile.", ("client:Meridale",))
    hidden = await of(floor.world.anna.write, "blue", "Meanwhile, hidden.", ("client:Meridale",))
    tab = await Tab.open(floor.cleo)
    assert tab
    watch = {"sr": [floor.blue, hidden], "keys": [key("client", "Meridale")], "lanes": "all"}
    await tab.socket.send_to(text_data=json.dumps({"watch": watch, "since": fetched}))
    assert (await tab.hear())["type"] == "watching"
    news = await tab.hear()
    told = [sr_id for sr_id, _ in news["sr"]]
    assert news["type"] == "news" and changed in told
    assert not {hidden, floor.blue, floor.far} & set(told)
    await tab.close()


@pytest.mark.parametrize(
    "said",
    [
        '{"watch": {}, "since": ' + "9" * 400 + "}",
        "[" * 5_000,
        '{"watch": ' * 3_000,
        '{"watch": {}, "since": [1]}',
        "1",
    ],
    ids=lambda text: text[:24],
)
async def test_what_is_no_message_closes_the_socket(floor: Office, said: str) -> None:
    tab = await Tab.open(floor.ada)
    assert tab is not None
    await tab.socket.send_to(text_data=said)
    assert await tab.socket.receive_output(10) == {"type": "websocket.close", "code": 4400}


async def test_there_is_one_address_for_sockets(floor: Office) -> None:
    from config.asgi import application

    for path in ("/ws/nope", "/ws/", "/records/"):
        headers = [(b"host", b"testserver"), (b"origin", b"http://testserver")]
        connected, _ = await WebsocketCommunicator(application, path, headers).connect(timeout=10)
        assert not connected, path
