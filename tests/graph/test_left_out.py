"""What group, timeline and find say they left out, against the same call with ended things let in."""

from __future__ import annotations

import re
from contextlib import suppress

import psycopg
import pytest
from django.db import connection

from memory import normal, sql
from memory.gather import left_out
from memory.gather.group import group
from memory.gather.terms import parse
from memory.gather.timeline import Bounds, timeline
from memory.services import connections, records

pytestmark = pytest.mark.django_db


@pytest.fixture
def quay(world):
    """red: A carries client Quay, B carried it, C has been superseded by A; blue: H carried it."""
    anna, made = world.anna, {}
    made["a"] = anna.write("red", "Ships in port.", ("client:Quay", "topic:x"), occurred_at="2024-05-02")
    made["b"] = anna.write("red", "B", ("client:Quay", "topic:x"), occurred_at="2024-05-03")
    made["c"] = anna.write("red", "Ships at sea.", ("client:Other", "topic:x"), tags=["manifest"])
    made["h"] = anna.write("blue", "Ships at sea.", ("client:Quay", "topic:x"), tags=["manifest"])
    for name in ("b", "h"):
        anna("e_property", "invalidate", sr_id=made[name], label="client", value="Quay", at="2024-05-01")
    anna("e_property", "adjust", sr_id=made["c"], by=made["a"], hint="supersedes")
    return made


def left(caller, tool, action, **body):
    reply = caller(tool, action, **body)
    assert caller(tool, action, include_invalidated=True, **body)["left_out_invalid"] == 0
    return reply["left_out_invalid"]


@pytest.mark.parametrize(
    ("tool", "action", "body", "red", "both"),
    [
        ("e_gather", "group", {"label": "client"}, 2, 3),
        ("e_gather", "group", {"label": "client", "prefix": "qu"}, 1, 2),
        ("e_gather", "group", {"label": "client", "prefix": "%"}, 0, 0),
        ("e_gather", "group", {"label": "client", "match": ["topic:x"]}, 2, 3),
        ("e_gather", "group", {"label": "client", "match": ["topic:y"]}, 0, 0),
        ("e_gather", "group", {"label": "client", "match": [{"label": "topic", "value": "x", "not": True}]}, 1, 1),
        # what the match asks for ended, the grouped value did not
        ("e_gather", "group", {"label": "topic", "match": ["client:Quay"]}, 1, 2),
        ("e_gather", "group", {"label": "topic", "match": [{"label": "client"}]}, 2, 3),
        ("e_gather", "group", {"label": "topic", "match": ["client:Nobody"]}, 0, 0),
        ("e_gather", "group", {"label": "topic", "match": ["ships"]}, 1, 1),
        ("e_timeline", "intersect", {"match": ["qua"]}, 1, 2),
        ("e_timeline", "intersect", {"match": ["manifest"]}, 1, 1),
        ("e_timeline", "intersect", {"match": [{"label": "client"}]}, 2, 3),
        ("e_timeline", "intersect", {"match": ["qua", "manifest"]}, 2, 3),
        ("e_timeline", "intersect", {"match": ["qua"], "end_date": "2024-05-02"}, 0, 1),  # the hidden one is undated
        ("e_timeline", "intersect", {"match": ["qua"], "start_date": "2024-05-03"}, 1, 2),
        ("e_timeline", "intersect", {"match": ["nothing"]}, 0, 0),
        ("e_gather", "find", {"question": "quay"}, 1, 2),
        ("e_gather", "find", {"question": "ships sea"}, 1, 1),
        ("e_gather", "find", {"question": "anything", "match": ["client:Quay"]}, 1, 2),
        ("e_gather", "find", {"question": "ships sea", "match": ["client:Quay"]}, 1, 2),
        ("e_gather", "find", {"question": "quay", "end_date": "2024-05-02"}, 0, 0),
        ("e_gather", "find", {"question": "quay", "kind": ["entity"]}, 0, 0),
        ("e_gather", "find", {"question": "quay", "tags": ["manifest"]}, 0, 1),
        ("e_gather", "find", {"question": "quay", "tags": [{"value": "manifest", "not": True}]}, 1, 1),
    ],
    ids=str,
)  # fmt: skip
def test_each_says_what_it_left_out_of_the_lanes_that_are_read(world, quay, tool, action, body, red, both):
    assert left(world.andy, tool, action, **body) == red
    assert left(world.anna, tool, action, **body) == both
    assert left(world.anna, tool, action, lanes=["red"], **body) == red


def test_before_anything_ended_nothing_is_left_out(world, quay):
    for tool, action, body in (
        ("e_gather", "group", {"label": "client"}),
        ("e_timeline", "intersect", {"match": ["qua"]}),
        ("e_gather", "find", {"question": "quay"}),
    ):
        assert world.anna(tool, action, as_of="2024-04-30", **body)["left_out_invalid"] == 0


def test_what_came_back_is_not_left_out(world, quay):
    world.anna("e_property", "add", sr_id=quay["b"], edge_properties=["client:Quay"])
    assert left(world.andy, "e_gather", "group", label="client", prefix="q") == 0
    assert left(world.andy, "e_timeline", "intersect", match=["qua"]) == 0
    assert left(world.andy, "e_gather", "find", question="quay") == 0


def test_a_grouping_leaves_out_what_it_would_hold_with_ended_values(firm):
    """Every value's count with ended things let in, less what it is now, over records of one value each."""
    for number in range(9):
        made = firm.write(f"r{number}", "hidden" if number == 8 else "beta", edge_properties=[f"client:C{number % 3}"])
        if number % 2 == 0:
            connections.invalidate(
                firm.scribe, sr_id=made, label="client", value=f"C{number % 3}", at="2024-01-01T00:00:00Z"
            )
    for reader in (firm.anna, firm.scribe):
        now, ever = (
            {item["value"]: item["sr_count"] for item in group(firm.scope(reader, **more), "client")["values"]}
            for more in ({}, {"include_invalidated": True})
        )
        gone = sum(count - now.get(value, 0) for value, count in ever.items())
        assert gone > 0
        assert group(firm.scope(reader), "client")["left_out_invalid"] == gone


def test_an_ended_connection_with_a_hidden_record_is_not_counted_by_anything(firm):
    a, b, c = firm.write("A"), firm.write("B", "hidden"), firm.write("C")
    for other in (b, c):
        made = connections.connect(firm.scribe, sr_ids=[a, other], hint="tied", valid_from="2023-01-01T00:00:00Z")
        connections.invalidate(firm.scribe, property=made["property"], at="2024-01-01T00:00:00Z")
        name = made["property"].split(":")[1]
        hidden = other == b
        for reader, expected in ((firm.anna, 0 if hidden else 2), (firm.scribe, 2)):
            scope = firm.scope(reader)
            assert timeline(scope, parse([name]), bounds=Bounds())["left_out_invalid"] == expected
    assert group(firm.scope(), "e_connect")["left_out_invalid"] == 2  # A and C
    assert group(firm.scope(firm.scribe), "e_connect")["left_out_invalid"] == 3


@pytest.fixture
def tidy(django_db_setup, django_db_blocker):
    """The table as if no test had been there: what others left counts in the planner's choice. Before the test's own
    transaction begins: indexes that are made anew inside one may not be used in it."""
    with django_db_blocker.unblock():
        given = connection.get_connection_params()
        with psycopg.connect(**{k: given[k] for k in ("host", "port", "user", "password", "dbname") if k in given},
                             autocommit=True) as own:  # fmt: skip
            own.execute("set lock_timeout = '10s'")
            with suppress(psycopg.errors.LockNotAvailable):
                own.execute("vacuum full memory_edgeproperty")


def test_counting_looks_into_small_indexes_only(tidy, firm):
    """Among many rows that always hold, the few that ended are found without reading the many."""
    many = [  # enough that the planner's choice does not hang on what other tests left in the tables
        {
            "lane": "beta",
            "title": f"r{number}",
            "text": "record",
            "edge_properties": ["client:Hub", f"matter:m{number}"],
        }
        for number in range(1_500)
    ]
    records.write_many(firm.scribe, many)
    sql.execute("analyze memory_edgeproperty", prepare=False)
    sql.execute("set local enable_seqscan = off", prepare=False)  # the table is small here, and big elsewhere
    hub = normal.edge_key("client", "Hub")
    asks = [
        lambda found: found.labelled("client"),
        lambda found: found.labelled(None),
        lambda found: found.keyed([hub]),
        lambda found: found.pairs([(hub, firm.lanes["beta"])], only="e.at > now() - interval '1 year'"),
    ]
    for ask in asks:
        for terms in ((), parse(["matter:m1"]), parse(["record"])):
            found = left_out.Candidates(firm.scope())
            ask(found)
            match = left_out.bind(firm.scope(), terms)
            left_out.add_terms(found, match)
            statement = found.statement(match)
            plan = [line for (line,) in sql.fetch(f"explain {statement}", found.params, prepare=False)]
            rows = [line for line in plan if re.search(r" on memory_edgeproperty e(_\d+)?\s", line)]
            assert rows and all("edge_not_always" in line for line in rows), plan
