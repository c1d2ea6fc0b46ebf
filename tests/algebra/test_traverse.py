"""traverse against the brute-force model: counts, neighbours, their order, whatever the page size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes.errors import NotVisible
from memory.gather import traverse as module
from memory.gather.traverse import traverse
from tests.algebra.model import Model, build, fold, readable_lanes, record_specs, rolled_back
from tests.algebra.test_sets import often

pytestmark = pytest.mark.django_db


def expected_of(model: Model, readable, origin):
    """(neighbours in order, {property: number of other readable records sharing it})."""
    others = [rec for rec in model.visible(readable) if rec is not origin]
    size = {item: sum(item in rec.properties for rec in others) for item in origin.properties}
    near = [rec for rec in others if rec.properties & origin.properties]

    def order(rec):
        shared = rec.properties & origin.properties
        return (min(size[item] for item in shared), -len(shared), -rec.at.timestamp(), rec.sr_id)

    return sorted(near, key=order), size


@pytest.mark.parametrize("probe", [0, module.PROBE, 10**9], ids=["few members", "as it costs", "many members"])
@often
@given(record_specs.filter(bool), readable_lanes, st.integers(1, 4), st.data())
def test_traverse_finds_what_shares_a_property_least_shared_first(probe, specs, readable, limit, data):
    with pytest.MonkeyPatch.context() as patch, rolled_back():
        patch.setattr(module, "PROBE", probe)
        model = build(specs)
        origin = data.draw(st.sampled_from(model.recs))
        scope = model.scope(readable)
        if origin.lane not in readable:
            with pytest.raises(NotVisible):
                traverse(scope, origin.sr_id)
            return
        near, size = expected_of(model, readable, origin)
        found, cursor = [], None
        while True:
            reply = traverse(scope, origin.sr_id, limit=limit, cursor=cursor)
            found += reply["srs"]
            cursor = reply["next_cursor"]
            if cursor is None:
                break
        edges = {(edge["label"], fold(edge["value"])): edge["sr_count"] for edge in reply["origin_edges"]}
        assert edges == size
        counts = [edge["sr_count"] for edge in reply["origin_edges"]]
        assert counts == sorted(counts)
        assert [record["sr_id"] for record in found] == [rec.sr_id for rec in near]
        by_id = {rec.sr_id: rec for rec in near}
        for record in found:
            shared = {(item["label"], fold(item["value"])) for item in record["shared"]}
            assert shared == by_id[record["sr_id"]].properties & origin.properties


@often
@given(record_specs, st.data())
def test_what_is_hidden_changes_nothing(specs, data):
    """The reply with hidden records there equals the reply without them, byte for byte."""
    with rolled_back():
        readable = {"north"}
        model = build(specs)
        seen = model.visible(readable)
        if not seen:
            return
        origin = data.draw(st.sampled_from(seen))
        scope = model.scope(readable)
        with_hidden = traverse(scope, origin.sr_id)
        from memory.models import EdgeProperty, LaneValue, Record

        hidden = [model.lanes["south"], model.lanes["east"]]
        EdgeProperty.everything.filter(lane_id__in=hidden).delete()
        Record.everything.filter(lane_id__in=hidden).delete()
        LaneValue.everything.filter(lane_id__in=hidden).delete()
        assert traverse(scope, origin.sr_id) == with_hidden


@pytest.mark.parametrize("probe", [0, module.PROBE, 10**9], ids=["few members", "as it costs", "many members"])
def test_a_neighbour_that_had_a_property_twice_is_one_neighbour(world, monkeypatch, probe):
    monkeypatch.setattr(module, "PROBE", probe)
    anna = world.anna
    one, two = anna.write("red", "One", ("client:Quay",)), anna.write("red", "Two", ("client:Quay",))
    anna("e_property", "invalidate", sr_id=two, label="client", value="Quay")
    anna("e_property", "add", sr_id=two, edge_properties=["client:Quay"])
    asked = {"sr_id": one, "include_invalidated": True}
    reply = anna("e_gather", "traverse", **asked)
    assert reply["origin_edges"] == [{"label": "client", "value": "Quay", "sr_count": 1}]
    assert reply.ids == [two]
    everywhere = anna("e_gather", "traverse", exact_counts=True, **asked)
    assert everywhere["origin_edges"] == reply["origin_edges"]
