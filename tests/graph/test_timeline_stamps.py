"""Connections in a timeline: found by their value where two members are visible, however many values match."""

from __future__ import annotations

import pytest

from memory.gather import timeline as module
from memory.gather.terms import parse
from memory.gather.timeline import Bounds, timeline
from memory.services import connections


@pytest.mark.parametrize("most", [5_000, 0])
def test_the_digits_of_a_connection_say_nothing(firm, monkeypatch, most):
    monkeypatch.setattr(module, "VALUES_MAX", most)
    two = [firm.write(name, "alpha", occurred_at="2024-05-01") for name in ("one", "two")]
    stamp = connections.connect(firm.scribe, sr_ids=two, hint="voyage papers")["property"].partition(":")[2]
    digits = stamp.rpartition("_")[2]
    scope = firm.scope(firm.scribe)

    def count(term, **more):
        return timeline(scope, parse([term]), bounds=Bounds(), **more)["count"]

    assert {count({"value": digits[at : at + 4]}) for at in range(0, 29, 4)} == {0}
    assert count({"value": digits[:3], "label": "e_connect"}) == 0
    assert count({"value": "age_pap"}) == count({"value": "papers", "label": "e_connect"}) == 2
    assert count({"value": stamp, "label": "e_connect"}) == 2
    connections.invalidate(firm.scribe, property=f"e_connect:{stamp}")
    scope = firm.scope(firm.scribe)  # now
    ended = timeline(scope, parse([{"value": digits[4:9]}]), bounds=Bounds())
    assert (ended["count"], ended["left_out_invalid"]) == (0, 0)
    if most:  # where very many values match, ended connections are not looked for
        assert timeline(scope, parse([{"value": "papers"}]), bounds=Bounds())["left_out_invalid"] == 2


@pytest.mark.parametrize("most", [5_000, 0])
def test_a_connection_counts_where_two_members_are_visible(firm, monkeypatch, most):
    monkeypatch.setattr(module, "VALUES_MAX", most)
    two = [firm.write(name, "alpha", occurred_at="2024-05-01") for name in ("one", "two")]
    lone = firm.write("lone", "beta", occurred_at="2024-05-02")
    hidden = firm.write("behind", "hidden", occurred_at="2024-05-03")
    connections.connect(firm.scribe, sr_ids=two, hint="voyage papers")
    connections.connect(firm.scribe, sr_ids=[lone, hidden], hint="voyage papers")
    for reader, expected in ((firm.anna, two), (firm.scribe, [*two, lone, hidden])):
        reply = timeline(firm.scope(reader), parse(["voyage"]), bounds=Bounds())
        assert sorted(record["sr_id"] for record in reply["srs"]) == sorted(expected)
        assert reply["count"] == len(expected)
