"""Connections, adjustments, validity and renames, through the API."""

import re

import pytest

from memory.models import EdgeProperty
from tests.conftest import make_caller

pytestmark = pytest.mark.django_db


def values(record, label):
    return [item["value"] for item in record["edge_properties"] if item["label"] == label]


def test_the_acme_contract_and_sarah(anna):
    """The example of the Edge Property Hypergraph document, end to end."""
    contract = anna.write("red", "The signed Acme contract.", ("client:Acme", "doc_type:contract"))
    sarah = anna.write("red", "Sarah, general counsel.", ("person:Sarah",))
    reply = anna("e_property", "connect", sr_id=[contract, sarah], hint="signed_by")
    assert re.fullmatch(r"e_connect:signed_by_[0-9a-f]{32}", reply["property"])
    assert reply["members"] == reply["stamped"] == [contract, sarah]
    assert reply["action"] == "connect"
    walk = anna("e_gather", "traverse", sr_id=contract)
    assert walk.ids == [sarah]
    stamp = {"label": "e_connect", "value": reply["property"].split(":")[1]}
    assert {**stamp, "sr_count": 1} in walk["origin_edges"]
    assert walk.srs[0]["shared"] == [stamp]
    assert anna("e_gather", "intersect", match=[reply["property"]]).ids == [sarah, contract]


def test_a_connection_shows_only_with_two_visible_members(world):
    anna, andy = world.anna, world.andy
    red, blue = anna.write("red"), anna.write("blue")
    name = anna("e_property", "connect", sr_id=[red, blue], hint="joins")["property"]
    assert len(anna("e_property", "list", sr_id=red)["edge_properties"]) == 1
    assert andy("e_property", "list", sr_id=red)["edge_properties"] == []
    assert andy("e_gather", "traverse", sr_id=red)["origin_edges"] == []
    assert andy("e_gather", "count", match=[name])["count"] == 0
    assert andy("e_gather", "count", match=[{"label": "e_connect"}])["count"] == 0


def test_the_same_connection_again_is_reinforced_not_doubled(anna):
    a, b = anna.write("red"), anna.write("red")
    one = anna("e_property", "connect", sr_id=[a, b], hint="related", confidence=0.5)
    two = anna("e_property", "connect", sr_id=[b, a], hint="Related")
    assert one["property"] == two["property"]
    assert two["stamped"] == []
    row = EdgeProperty.everything.filter(label="e_connect").first()
    assert row.mentions == 2
    assert row.confidence == pytest.approx(0.6)
    assert EdgeProperty.everything.filter(label="e_connect").count() == 2
    other = anna("e_property", "connect", sr_id=[a, b], hint="related", directed=True)
    assert other["property"] != one["property"]


def test_disconnecting_removes_every_stamp(anna):
    a, b, c = anna.write("red"), anna.write("red"), anna.write("red")
    name = anna("e_property", "connect", sr_id=[a, b, c], hint="x")["property"]
    assert anna("e_property", "disconnect", property=name)["members"]
    assert not EdgeProperty.everything.exists()
    assert anna("e_property", "disconnect", property=name).status == 404


def test_connecting_needs_write_on_every_members_lane(world):
    red, blue = world.anna.write("red"), world.anna.write("blue")
    assert world.rita("e_property", "connect", sr_id=[red, blue], hint="x").status == 403
    assert world.wally("e_property", "connect", sr_id=[red, blue], hint="x").status == 404
    assert not EdgeProperty.everything.exists()


def test_a_record_holds_so_many_connections_and_the_weakest_make_way(anna, settings):
    settings.LANEWISE_CONNECTION_CAP = 2
    hub = anna.write("red")
    names = []
    for strength in (0.5, 0.1, 0.9):
        other = anna.write("red")
        reply = anna("e_property", "connect", sr_id=[hub, other], hint="x", strength=strength)
        names.append(reply["property"])
    assert reply["dropped"] == [names[1]]
    assert anna("e_property", "disconnect", property=names[1]).status == 404
    assert EdgeProperty.everything.filter(label="e_connect").count() == 4


def test_a_superseded_record_leaves_default_results_and_stays_in_the_past(anna):
    old = anna.write("red", "The old indemnity.", ("client:Acme",))
    new = anna.write("red", "The new indemnity.", ("client:Acme",))
    before = anna("e_record", "read", sr_id=new)["record"]["recorded_at"]
    anna("e_property", "adjust", sr_id=old, by=new, hint="supersedes", reason="redrafted")
    for match in (["client:Acme"], ["indemnity"], [{"label": "client"}]):
        assert anna("e_gather", "intersect", match=match).ids == [new]
        assert anna("e_gather", "count", match=match)["count"] == 1
        assert set(anna("e_gather", "intersect", match=match, as_of=before).ids) == {old, new}
        assert set(anna("e_gather", "intersect", match=match, include_invalidated=True).ids) == {old, new}
    assert anna("e_gather", "group", label="client")["values"] == [{"value": "Acme", "sr_count": 1}]
    assert anna("e_gather", "traverse", sr_id=new).ids == []
    assert anna("e_gather", "traverse", sr_id=new, include_invalidated=True).ids == [old]
    assert anna("e_gather", "traverse", sr_id=old).ids == [new]
    assert anna("e_record", "read", sr_id=old)["record"]["superseded_at"]
    anna("e_record", "delete", sr_id=new)
    assert anna("e_gather", "intersect", match=["client:Acme"]).ids == [old]


def test_deleting_what_superseded_a_record_from_another_lane_changes_nothing_for_its_readers(world):
    old = world.anna.write("red", properties=("client:Acme",))
    hidden = world.anna.write("blue", properties=("client:Acme",))
    world.anna("e_property", "adjust", sr_id=old, by=hidden, hint="supersedes")
    seen = lambda: (  # noqa: E731
        world.andy("e_gather", "intersect", match=["client:Acme"]).body,
        world.andy("e_property", "list", sr_id=old).body,
        world.andy("e_gather", "count", match=["client:Acme"], include_invalidated=True).body,
    )
    before = seen()
    assert [record["sr_id"] for record in before[0]["srs"]] == [old]  # by one that andy can see it would be none
    world.anna("e_record", "delete", sr_id=hidden)
    assert seen() == before


def test_a_property_added_to_a_superseded_record_stays_out_too(anna):
    old, new = anna.write("red"), anna.write("red")
    anna("e_property", "adjust", sr_id=old, by=new, hint="retracts")
    anna("e_property", "add", sr_id=old, edge_properties=["client:Late"])
    assert anna("e_gather", "count", match=["client:Late"])["count"] == 0


def test_a_correction_leaves_the_corrected_record_in_place(anna):
    old, new = anna.write("red", properties=("client:Acme",)), anna.write("red")
    anna("e_property", "adjust", sr_id=old, by=new, hint="corrects")
    assert anna("e_gather", "count", match=["client:Acme"])["count"] == 1
    assert anna("e_gather", "traverse", sr_id=old).ids == [new]


def test_validity_is_half_open_and_a_value_can_come_back(anna):
    sr_id = anna.write("red", properties=({"label": "status", "value": "open", "valid_from": "2024-01-01"},))
    anna("e_property", "invalidate", sr_id=sr_id, label="status", value="OPEN", at="2024-06-01")
    count = lambda **more: anna("e_gather", "count", match=["status:open"], **more)["count"]  # noqa: E731
    assert count() == 0
    assert count(as_of="2023-12-31") == 0
    assert count(as_of="2024-01-01") == 1
    assert count(as_of="2024-05-31T23:59:59Z") == 1
    assert count(as_of="2024-06-01") == 0
    assert count(include_invalidated=True) == 1
    reply = anna(
        "e_property", "add", sr_id=sr_id,
        edge_properties=[{"label": "status", "value": "open", "valid_from": "2024-03-01"}],
    )  # fmt: skip
    assert reply.status == 400
    anna(
        "e_property", "add", sr_id=sr_id,
        edge_properties=[{"label": "status", "value": "open", "valid_from": "2024-09-01"}],
    )  # fmt: skip
    assert count() == 1
    assert count(as_of="2024-07-01") == 0
    assert count(as_of="2024-02-01") == 1
    assert count(include_invalidated=True) == 1
    assert len(anna.pages("e_gather", "intersect", match=["status:open"], include_invalidated=True)) == 1
    assert anna("e_gather", "group", label="status", include_invalidated=True)["values"][0]["sr_count"] == 1


def test_an_ended_connection_is_not_walked_and_can_be_made_again(anna):
    a, b = anna.write("red"), anna.write("red")
    name = anna("e_property", "connect", sr_id=[a, b], hint="x", valid_from="2024-01-01")["property"]
    anna("e_property", "invalidate", property=name, at="2024-06-01", reason="over")
    assert anna("e_gather", "traverse", sr_id=a).ids == []
    assert anna("e_gather", "traverse", sr_id=a, as_of="2024-03-01").ids == [b]
    assert anna("e_gather", "traverse", sr_id=a, include_invalidated=True).ids == [b]
    again = anna("e_property", "connect", sr_id=[a, b], hint="x")
    assert again["property"] == name
    assert anna("e_gather", "traverse", sr_id=a).ids == [b]
    assert anna("e_gather", "traverse", sr_id=a, as_of="2024-07-01").ids == []


def test_renaming_joins_two_spellings_and_later_writes_land_on_the_new_one(anna):
    one = anna.write("red", properties=("client:Acme Corp.",))
    both = anna.write("red", properties=("client:Acme Corp.", "client:Acme Corporation"))
    reply = anna("e_property", "rename", label="client", value="ACME corp.", to="Acme Corporation")
    assert reply["records"] == 2
    later = anna.write("red", properties=("client:acme CORP.",))
    for spelling in ("Acme Corporation", "Acme Corp."):
        assert set(anna("e_gather", "intersect", match=[f"client:{spelling}"]).ids) == {one, both, later}
    assert anna("e_gather", "group", label="client")["values"] == [{"value": "Acme Corporation", "sr_count": 3}]
    timeline = anna("e_timeline", "intersect", match=["client:Acme Corp."])
    assert len(timeline["undated"]) == 3
    anna("e_property", "rename", label="client", value="Acme Corporation", to="Acme Inc.")
    assert anna("e_gather", "count", match=["client:Acme Corp."])["count"] == 3
    anna("e_property", "rename", label="client", value="Acme Inc.", to="Acme Corp.")
    assert anna("e_gather", "group", label="client")["values"] == [{"value": "Acme Corp.", "sr_count": 3}]
    assert anna("e_gather", "count", match=["client:Acme Inc."])["count"] == 3


def test_a_rename_stays_in_lanes_its_writer_may_write(world):
    hidden = world.anna.write("blue", properties=("client:Acme Corp.",))
    world.anna.write("red", properties=("client:Acme Corp.",))
    assert world.wally("e_property", "rename", label="client", value="Acme Corp.", to="Acme")["records"] == 1
    assert world.anna("e_record", "read", sr_id=hidden)["record"]["edge_properties"][0]["value"] == "Acme Corp."
    assert world.anna("e_gather", "count", match=["client:Acme Corp."])["count"] == 2
    again = world.anna.write("blue", properties=("client:Acme Corp.",))
    assert values(world.anna("e_record", "read", sr_id=again)["record"], "client") == ["Acme Corp."]


def test_a_rename_of_capitals_only_changes_what_is_shown(anna):
    sr_id = anna.write("red", properties=("client:ACME",))
    anna("e_property", "rename", label="client", value="ACME", to="Acme")
    assert values(anna("e_record", "read", sr_id=sr_id)["record"], "client") == ["Acme"]


def test_adding_and_removing_report_what_was_there(anna):
    sr_id = anna.write("red", properties=("client:Acme",))
    reply = anna("e_property", "add", sr_id=sr_id, edge_properties=["client:ACME", "person:Sarah"])
    assert [item["value"] for item in reply["present"]] == ["ACME"]
    assert [item["value"] for item in reply["added"]] == ["Sarah"]
    reply = anna("e_property", "remove", sr_id=sr_id, edge_properties=["client:acme", "person:Nobody"])
    assert ([i["value"] for i in reply["removed"]], [i["value"] for i in reply["absent"]]) == (["acme"], ["Nobody"])
    assert anna("e_gather", "count", match=["client:Acme"])["count"] == 0
    assert anna("e_gather", "group", label="client", prefix="ac")["values"] == []


def test_connections_with_hidden_records_take_no_room_that_is_told_of(world, settings):
    """How many properties are skipped is the same with hidden connections and without, by every way to write them."""
    settings.LANEWISE_WALK_BUDGET = 3
    rob = make_caller(world.tenant, "rob", write="red")

    def told(external_id):
        def labels(items):
            return [item["label"] for item in items]

        written = {"lane": "red", "text": "x", "external_id": external_id}
        sr_id = rob("e_record", "write", edge_properties=["a:1", "b:2"], **written)["sr_id"]
        if external_id == "joined":
            for number in range(3):
                blue = world.anna.write("blue", f"Hidden {number}.")
                assert world.anna("e_property", "connect", sr_id=[sr_id, blue], hint="tie").status == 200
        added = rob("e_property", "add", sr_id=sr_id, edge_properties=["c:3", "d:4"])
        rob("e_property", "remove", sr_id=sr_id, edge_properties=["a:1"])
        listed = rob("e_property", "list", sr_id=sr_id)["edge_properties"]
        again = rob("e_record", "write", edge_properties=["e:1", "f:2", "g:3", "h:4"], **written)
        return labels(added["skipped"]), [("skipped" in item) for item in listed], labels(again["skipped"])

    assert told("alone") == told("joined") == (["d"], [False] * 3, ["h"])
