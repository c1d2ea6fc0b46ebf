"""Sixteen writers at once: the same property, the same external_id, the same connection, opposite orders."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import psycopg.errors
import pytest
from django.db import OperationalError, connection

from lanes.errors import Busy
from memory.models import EdgeProperty, LaneValue, Record
from memory.services import holds, locks, records
from tests.conftest import Caller, make_world

pytestmark = pytest.mark.django_db(transaction=True)
THREADS = 16


@pytest.fixture
def anna() -> Caller:
    return make_world().anna


def at_once(work: Callable[[int], Any]) -> list[Any]:
    def run(number: int) -> Any:
        try:
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def caller_of(anna: Caller) -> Caller:
    return Caller(anna.key)


def test_the_same_external_id(anna):
    replies = at_once(
        lambda n: caller_of(anna)(
            "e_record", "write", lane="red", text=f"Text {n}", external_id="same", edge_properties=["client:Acme"]
        )
    )
    assert {reply.status for reply in replies} == {200}
    assert len({reply["sr_id"] for reply in replies}) == 1
    assert sum(reply["created"] for reply in replies) == 1
    assert Record.everything.count() == 1
    assert sorted(reply["version"] for reply in replies) == list(range(1, THREADS + 1))
    assert EdgeProperty.everything.count() == 1


def test_the_same_property(anna):
    sr_id = anna.write("red")
    replies = at_once(
        lambda n: caller_of(anna)("e_property", "add", sr_id=sr_id, edge_properties=["client:Acme", f"number:{n}"])
    )
    assert {reply.status for reply in replies} == {200}
    assert sum(any(item["label"] == "client" for item in reply["added"]) for reply in replies) == 1
    assert EdgeProperty.everything.filter(label="client").count() == 1
    assert EdgeProperty.everything.filter(label="number").count() == THREADS


def test_the_same_connection(anna):
    a, b = anna.write("red"), anna.write("blue")
    replies = at_once(
        lambda n: caller_of(anna)("e_property", "connect", sr_id=[a, b] if n % 2 else [b, a], hint="same")
    )
    assert {reply.status for reply in replies} == {200}
    assert len({reply["property"] for reply in replies}) == 1
    assert sum(len(reply["stamped"]) for reply in replies) == 2
    assert set(EdgeProperty.everything.values_list("mentions", flat=True)) == {THREADS}


def test_writing_and_removing_the_same_value_never_loses_it_from_the_value_list(anna):
    ids = [anna.write("red", external_id=str(n)) for n in range(4)]

    def work(number: int) -> None:
        caller = caller_of(anna)
        for turn in range(6):
            verb = "add" if (number + turn) % 2 else "remove"
            reply = caller("e_property", verb, sr_id=ids[(number + turn) % 4], edge_properties=["client:Acme"])
            assert reply.status == 200, reply.body

    at_once(work)
    assert LaneValue.everything.exists() == EdgeProperty.everything.exists()
    anna("e_property", "add", sr_id=ids[0], edge_properties=["client:Acme"])
    assert LaneValue.everything.count() == 1


def test_moves_deletes_and_connections_in_opposite_orders_never_deadlock(anna):
    ids = [anna.write(("red", "blue", "green")[n % 3], properties=("client:Acme",)) for n in range(12)]

    def work(number: int) -> set[int]:
        caller = caller_of(anna)
        seen = set()
        for turn in range(4):
            a, b = ids[(number * 5 + turn) % 12], ids[(number * 7 + turn + 3) % 12]
            seen.add(caller("e_record", "update", sr_id=a, lane=("red", "blue", "green")[turn % 3]).status)
            if a != b:
                seen.add(caller("e_property", "connect", sr_id=[a, b], hint="x").status)
            if number == 0 and turn == 3:
                seen.add(caller("e_record", "delete", sr_id=b).status)
        return seen

    seen = set().union(*at_once(work))
    assert seen <= {200, 404}, seen


def test_relationships_renames_connections_and_writes_at_once_all_succeed(anna):
    """Each locks lanes, entities and records of several lanes: none may wait in a ring, nor say that it did."""
    lanes = ("red", "blue", "green")
    ids = [anna.write(lanes[n % 3], properties=(f"topic:v{n % 4}",), external_id=f"r{n}") for n in range(6)]

    def relate(caller: Caller, rnd: Random) -> Any:
        return caller("add_relationship", **{
            "from": f"person:P{rnd.randrange(3)}", "to": f"team:T{rnd.randrange(4)}", "type": "MEMBER_OF",
            "lane": rnd.choice(lanes),
        })  # fmt: skip

    def rename(caller: Caller, rnd: Random) -> Any:
        to = f"v{rnd.randrange(4, 8)}"
        return caller("e_property", "rename", label="topic", value=f"v{rnd.randrange(4)}", to=to)

    def connect(caller: Caller, rnd: Random) -> Any:
        return caller("e_property", "connect", sr_id=rnd.sample(ids, 3), hint=f"m{rnd.randrange(3)}")

    def write(caller: Caller, rnd: Random) -> Any:
        named = f"r{rnd.randrange(6)}"
        values = [f"topic:v{rnd.randrange(8)}", f"person:P{rnd.randrange(3)}", f"team:T{rnd.randrange(4)}"]
        return caller(
            "e_record",
            "write",
            lane=rnd.choice(lanes),
            text=str(rnd.random()),
            external_id=named,
            edge_properties=values,
        )

    def work(number: int) -> set[int]:
        caller, rnd = caller_of(anna), Random(number)
        acts = (relate, relate, connect, write, *((rename,) if number % 4 == 0 else ()))
        return {acts[turn % len(acts)](caller, rnd).status for turn in range(12)}

    seen = set().union(*at_once(work))
    assert seen <= {200, 404}, seen  # 404: a spelling that nobody had used yet was renamed
    held = anna("traverse_entity", entity="person:P0", lanes=["red"])["edges"]
    assert len(held) == 1  # one team at a time


def test_a_value_that_a_rewrite_or_the_cap_takes_away_leaves_the_value_list(anna, settings):
    settings.LANEWISE_CONNECTION_CAP = 1

    def listed() -> set[str]:
        return set(LaneValue.everything.exclude(label="e_connect").values_list("value", flat=True))

    anna.write("red", properties=("client:Old", "client:Kept", "client:Both"), external_id="x")
    anna.write("red", properties=("client:Both",))
    anna.write("red", properties=("client:New", "client:Kept"), external_id="x")
    assert listed() == {"New", "Kept", "Both"}
    reply = anna("e_record", "write_many", records=[
        {"lane": "red", "text": "Once.", "external_id": "y", "edge_properties": ["client:First"]},
        {"lane": "red", "text": "Twice.", "external_id": "y", "edge_properties": ["client:Second"]},
    ])  # fmt: skip
    assert reply["written"] == 2 and listed() == {"New", "Kept", "Both", "Second"}
    a, b, c = (anna.write("red") for _ in range(3))
    far = anna.write("blue")
    anna("e_property", "connect", sr_id=[a, b, far], hint="one")
    assert anna("e_property", "connect", sr_id=[a, c], hint="two")["dropped"]
    left = LaneValue.everything.filter(label="e_connect").values_list("value", flat=True)
    assert [value[:4] for value in left] == ["two_"]
    assert EdgeProperty.everything.filter(label="e_connect").count() == 2


def test_rewriting_and_writing_the_same_value_never_loses_it_from_the_value_list(anna):
    def work(number: int) -> None:
        caller = caller_of(anna)
        for turn in range(6):
            value = f"client:{(number + turn) % 3}"
            assert caller.write("red", properties=(value,), external_id=str(number % 8))

    at_once(work)
    used = set(EdgeProperty.everything.values_list("value", flat=True))
    assert set(LaneValue.everything.values_list("value", flat=True)) == used


def deadlock() -> OperationalError:
    error = OperationalError("deadlock detected")
    error.__cause__ = psycopg.errors.DeadlockDetected()
    return error


def test_a_deadlock_is_tried_again_and_never_called_an_outage(anna, monkeypatch):
    turns = []

    def unlucky(times: int) -> Callable[..., Any]:
        upsert = records.rows.upsert

        def upsert_in_a_ring(*args: Any) -> Any:
            turns.append(1)
            if len(turns) <= times:
                raise deadlock()
            return upsert(*args)

        return upsert_in_a_ring

    with monkeypatch.context() as patched:
        patched.setattr(records.rows, "upsert", unlucky(2))
        assert anna("e_record", "write", lane="red", text="Third time lucky.").status == 200
        assert len(turns) == 3
    assert Record.everything.count() == 1
    with monkeypatch.context() as patched:
        patched.setattr(records.rows, "upsert", unlucky(1_000))
        reply = anna("e_record", "write", lane="red", text="Never.")
        assert reply.status == 503 and reply.body["detail"] == Busy().detail
    assert len(turns) == 3 + locks.TRIES


def test_when_a_hold_is_placed_no_change_is_under_way():
    """Writers change records of a lane while holds are placed and released: what each of them saw when it was placed
    is what is there when it is released."""
    world = make_world()
    lane = world.tenant.lanes.get(slug="red")
    ids = [world.anna.write("red", f"Text {n}.", ("client:Acme",)) for n in range(6)]
    stop = threading.Event()
    answers: list[int] = []

    def write(n: int) -> None:
        try:
            turn = 0
            while not stop.is_set():
                turn += 1
                body = {"sr_id": ids[n % len(ids)], "text": f"By {n}, {turn}."}
                answers.append(world.anna("e_record", "update", **body).status)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(6):
            hold = holds.place(tenant_id=world.tenant.pk, name="Held", lanes=[lane])
            before = list(Record.everything.order_by("pk").values_list("text", "version"))
            time.sleep(0.15)
            assert list(Record.everything.order_by("pk").values_list("text", "version")) == before
            holds.release(hold)
            time.sleep(0.05)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert set(answers) == {200, 409}
