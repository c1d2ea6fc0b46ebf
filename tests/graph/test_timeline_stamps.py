"""Connections in a timeline: found by their value where two members are visible, however many values match."""

from __future__ import annotations

import pytest

from memory.gather import timeline as module
from memory.gather.terms import parse
from memory.gather.timeline import Bounds, timeline
from memory.services import connections


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
