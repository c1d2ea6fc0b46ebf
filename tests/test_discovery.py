"""Finding one's way without knowing anything: labels in use, newest records, records by one's own ids."""

from __future__ import annotations

import pytest


def test_labels_are_counted_in_the_readable_lanes(world):
    anna, andy = world.anna, world.andy
    anna.write("red", properties=("client:Acme", "client:Norwick", "person:Sarah"))
    first = anna.write("red", properties=("client:acme",))
    anna.write("blue", properties=("client:Hidden", "secret:x"))
    shown = {one["label"]: (one["value_count"], one["sr_count"]) for one in andy("e_gather", "labels")["labels"]}
    assert shown == {"client": (2, 2), "person": (1, 1)}
    all_of = {one["label"]: (one["value_count"], one["sr_count"]) for one in anna("e_gather", "labels")["labels"]}
    assert all_of == {"client": (3, 3), "person": (1, 1), "secret": (1, 1)}
    assert [one["label"] for one in anna("e_gather", "labels", lanes=["blue"])["labels"]] == ["client", "secret"]
    page = anna("e_gather", "labels", limit=2)
    assert [one["label"] for one in page["labels"]] == ["client", "person"]
    rest = anna("e_gather", "labels", limit=2, cursor=page["next_cursor"])
    assert [one["label"] for one in rest["labels"]] == ["secret"] and rest["next_cursor"] is None
    anna("e_property", "invalidate", sr_id=first, label="client", value="Acme")
    assert andy("e_gather", "labels")["labels"][0]["sr_count"] == 1
    assert andy("e_gather", "labels", include_invalidated=True)["labels"][0]["sr_count"] == 2
    assert "readable" in world.bert("e_gather", "labels")["hint"]


def test_recent_pages_through_the_newest_readable_records(world):
    anna, andy = world.anna, world.andy
    for day in range(1, 8):
        lane = "blue" if day % 3 == 0 else "red"
        anna.write(lane, f"Day {day}.", external_id=f"d{day}", occurred_at=f"2026-03-0{day}",
                   kind="call" if day == 2 else "note")  # fmt: skip
    assert [r["external_id"] for r in anna.pages("e_gather", "recent", limit=2)] == [f"d{n}" for n in range(7, 0, -1)]
    assert andy("e_gather", "recent").names == ["d7", "d5", "d4", "d2", "d1"]
    assert andy("e_gather", "recent", kind=["call"]).names == ["d2"]
    assert anna("e_gather", "recent", lanes=["blue"]).names == ["d6", "d3"]
    ids = {record["external_id"]: record["sr_id"] for record in andy("e_gather", "recent").srs}
    anna("e_property", "adjust", sr_id=ids["d7"], by=ids["d5"], hint="supersedes")
    reply = andy("e_gather", "recent")
    assert reply.names[0] == "d5" and reply["left_out_invalid"] == 1
    assert andy("e_gather", "recent", include_invalidated=True).names[0] == "d7"
    assert world.bert("e_gather", "recent")["hint"]


def test_a_record_is_named_by_its_sr_id_or_by_lane_and_external_id(world):
    anna, andy = world.anna, world.andy
    sr_id = anna.write("red", "Mine.", external_id="n-1")
    other = anna.write("blue", "Other.", external_id="n-1")
    by = {"lane": "red", "external_id": "n-1"}
    assert anna("e_record", "read", **by)["record"]["sr_id"] == sr_id
    assert anna("e_record", "status", lane="blue", external_id="n-1")["sr_id"] == other
    assert anna("e_record", "update", title="Named", **by)["sr_id"] == sr_id
    assert anna("e_record", "read", sr_id=sr_id)["record"]["lane"] == "red"
    assert anna("e_record", "update", sr_id=sr_id, lane="green")["version"] == 3
    for action in ("read", "status", "delete"):
        for wrong in (
            {},
            {"lane": "red"},
            {"external_id": "n-1"},
            {"sr_id": sr_id, **by},
            {"sr_id": sr_id, "lane": "red"},
        ):
            assert anna("e_record", action, **wrong).status == 400, (action, wrong)
    assert anna("e_record", "update", title="x", external_id="n-1").status == 400
    assert anna("e_record", "update", **{"lane": "green", "external_id": "n-1"}).status == 400  # nothing to change
    assert anna("e_record", "delete", lane="green", external_id="n-1")["deleted"]
    assert anna("e_record", "read", sr_id=sr_id).status == 404
    hidden = andy("e_record", "read", lane="blue", external_id="n-1")
    assert hidden.status == 404


@pytest.mark.parametrize("action", ["read", "status", "update", "delete"])
def test_a_hidden_lane_is_answered_like_a_missing_one_and_like_a_missing_id(world, action):
    world.anna.write("blue", "Hidden.", external_id="n-1")
    more = {"title": "x"} if action == "update" else {}
    told = [
        world.andy("e_record", action, lane=lane, external_id=name, **more)
        for lane, name in (("blue", "n-1"), ("no-such-lane", "n-1"), ("red", "n-1"), ("blue", "n-2"))
    ]
    assert {reply.status for reply in told} == {404}
    assert len({str({**reply.body, "request_id": ""}) for reply in told}) == 1
    assert world.anna("e_record", "read", lane="blue", external_id="n-1").status == 200


def test_a_label_nobody_has_is_met_with_the_one_that_was_meant(world):
    anna, andy = world.anna, world.andy
    anna.write("red", "Re: agreement with Acme.", ("client:Acme",))
    anna.write("blue", "Hidden.", ("counterparty:Zeta",))
    for action in ("intersect", "union", "count"):
        told = andy("e_gather", action, match=["clinet:Acme"])["hint"]
        assert 'did you mean "client"?' in told, action
        told = andy("e_gather", action, match=["Re: agreement"])["hint"]
        assert '"Re: agreement" was read as the label "re"' in told and '{"value": …}' in told, action
        # What only a hidden lane has is no hint, and a label that is there needs none.
        told = andy("e_gather", action, match=["counterprty:Zeta"])["hint"] or ""
        assert "did you mean" not in told, action
        assert "did you mean" in anna("e_gather", action, match=["counterprty:Zeta"])["hint"], action
        assert "did you mean" not in (andy("e_gather", action, match=["client:Nobody"])["hint"] or ""), action
    assert andy("e_gather", "intersect", match=[{"value": "Re: agreement"}]).srs
    told = andy("e_gather", "union", match=["client:Acme", "clinet:Norwick"])
    assert told.srs and 'did you mean "client"?' in told["hint"]
    assert 'did you mean "client"?' in andy("e_gather", "group", label="clients")["hint"]
    assert (
        andy("e_gather", "group", label="counterprty")["hint"]
        == 'No readable record has a value for "counterprty" here.'
    )
    assert andy("e_gather", "intersect", match=["client:Acme"])["hint"] is None
