"""Sixteen writers at once: the same property, the same external_id, the same connection, opposite orders."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from memory.models import EdgeProperty, LaneValue, Record
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
