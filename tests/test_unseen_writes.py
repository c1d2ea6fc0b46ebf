"""Writes that a reader sees only a part of: what they end, drop and supersede is the same with what is hidden and
without it."""

import pytest

from tests.conftest import Caller, World, make_caller

pytestmark = pytest.mark.django_db


@pytest.fixture
def ron(world: World) -> Caller:
    """Writes red, and sees nothing else."""
    return make_caller(world.tenant, "ron", write="red")


def teams(caller: Caller, name: str = "person:Raj", **more) -> set[tuple[str, bool]]:
    """(team, whether it has ended) of somebody."""
    reply = caller("traverse_entity", entity=name, include_invalidated=True, **more)
    return {(edge["target"], edge["invalidated_at"] is not None) for edge in reply["edges"]}


def joins(caller: Caller, team: str, lane: str, name: str = "person:Raj", **more):
    reply = caller(
        "add_relationship", **{"from": name, "to": f"team:{team}", "type": "MEMBER_OF", "lane": lane, **more}
    )
    assert reply.status == 200, reply.body
    return reply


def test_a_relationship_of_a_hidden_lane_ends_no_visible_one(world, ron):
    joins(ron, "Front", "red", valid_from="2026-02-01")
    before = ron("traverse_entity", entity="person:Raj", include_invalidated=True).body
    assert joins(world.anna, "Secret", "blue", valid_from="2026-04-01")["superseded"] == []
    assert ron("traverse_entity", entity="person:Raj", include_invalidated=True).body == before
    assert teams(ron) == {("Front", False)}
    # one of the lane they all read does, and leaves the hidden one to those who read that
    assert len(joins(ron, "Platform", "red", valid_from="2026-05-01")["superseded"]) == 1
    assert teams(ron) == {("Front", True), ("Platform", False)}
    assert teams(world.anna) == {("Front", True), ("Platform", False), ("Secret", False)}


def test_one_told_late_has_not_ended_with_a_hidden_one(world, ron):
    joins(world.anna, "Secret", "blue", valid_from="2026-04-01")
    joins(world.anna, "Front", "red", valid_from="2026-02-01")
    assert teams(ron) == {("Front", False)}
    joins(world.anna, "Early", "red", valid_from="2026-01-01")
    assert teams(ron) == {("Front", False), ("Early", True)}


def test_one_across_lanes_ends_those_across_the_same_lanes_only(world, ron):
    raj = joins(world.anna, "Front", "red", valid_from="2026-01-01")["source"]
    for team, month in (("Secret", "02"), ("Other", "03")):
        made = world.anna("add_relationship", **{
            "from": raj, "to": f"team:{team}", "type": "MEMBER_OF", "lane": "blue", "valid_from": f"2026-{month}-01",
        })  # fmt: skip
    assert len(made["superseded"]) == 1
    assert teams(ron) == {("Front", False)}
    assert teams(world.anna) == {("Front", False), ("Secret", True), ("Other", False)}


@pytest.mark.parametrize("hidden", [0, 1, 2])
@pytest.mark.parametrize("writer", ["ron", "anna"])
def test_a_hidden_third_member_does_not_keep_a_relationship_from_ending(world, ron, writer, hidden):
    a, b, c = (ron.write("red", title=title) for title in "abc")
    more = [world.anna.write("blue") for _ in range(hidden)]
    reply = world.anna("e_property", "connect", sr_id=[a, b, *more], hint="member_of", type="member_of", directed=True,
                       valid_from="2026-01-01")  # fmt: skip
    assert reply.status == 200
    caller = ron if writer == "ron" else world.anna
    made = caller("add_relationship", **{"from": a, "to": c, "type": "MEMBER_OF", "lane": "red"})
    assert made["superseded"] == [reply["property"]]
    held = [item["value"] for item in ron("e_property", "list", sr_id=a)["edge_properties"]]
    assert held == [made["property"].split(":")[1]]
    if hidden == 2:  # what joins the hidden ones is not theirs to end
        assert world.anna("e_property", "list", sr_id=more[0])["edge_properties"]


@pytest.mark.parametrize("hidden", [False, True])
def test_the_cap_counts_a_connection_with_a_hidden_third_member_as_its_readers_see_it(world, ron, settings, hidden):
    settings.LANEWISE_CONNECTION_CAP = 3
    a, secret = ron.write("red"), world.anna.write("blue")
    names, dropped = [], []
    for number in range(5):
        b = ron.write("red")
        weak = number == 1
        members = [a, b, *([secret] if hidden and weak else [])]
        writer = world.anna if weak else ron
        made = writer("e_property", "connect", sr_id=members, hint=f"n{number}", strength=0.1 if weak else 0.5)
        names.append(made["property"])
        dropped.append(made["dropped"])
    assert dropped == [[], [], [], [names[1]], [names[0]]]
    assert len(ron("e_property", "list", sr_id=a)["edge_properties"]) == 3
    assert ron("e_property", "disconnect", property=names[1]).status == 404


def test_hidden_connections_push_out_no_visible_one(world, ron, settings):
    settings.LANEWISE_CONNECTION_CAP = 2
    a = ron.write("red")
    visible = [ron("e_property", "connect", sr_id=[a, ron.write("red")], hint="x", strength=0.1)["property"]
               for _ in range(2)]  # fmt: skip
    before = ron("e_property", "list", sr_id=a).body
    made = [world.anna("e_property", "connect", sr_id=[a, world.anna.write("blue")], hint="y", strength=strength)
            for strength in (0.9, 0.8, 1.0)]  # fmt: skip
    assert [reply["dropped"] for reply in made] == [[], [], [made[1]["property"]]]
    assert ron("e_property", "list", sr_id=a).body == before
    # nor do they make one of everybody's drop another
    seen = [world.anna("e_property", "connect", sr_id=[a, ron.write("red")], hint="z", strength=1.0)["dropped"]]
    assert seen == [[visible[0]]]


def test_what_was_dropped_is_told_by_a_version_to_those_who_saw_it(world, ron, settings):
    settings.LANEWISE_CONNECTION_CAP = 1
    a, b, c = (ron.write("red") for _ in range(3))
    ron("e_property", "connect", sr_id=[a, b], hint="x")
    before = ron("e_record", "read", sr_id=b)["record"]["version"]
    assert ron("e_property", "connect", sr_id=[a, c], hint="y")["dropped"]
    assert ron("e_record", "read", sr_id=b)["record"]["version"] == before + 1


def superseded(caller: Caller, sr_id: str) -> bool:
    there = sr_id in caller("e_gather", "intersect", match=["client:Acme"]).ids
    told = "superseded_at" in caller("e_record", "read", sr_id=sr_id)["record"]
    assert there is not told
    return told


@pytest.mark.parametrize("how", ["disconnect", "invalidate"])
def test_a_record_is_superseded_by_records_of_its_own_lane_alone(world, ron, how):
    old, new = (ron.write("red", properties=("client:Acme",)) for _ in range(2))
    hidden = world.anna.write("blue", properties=("client:Acme",))
    for hint in ("supersedes", "retracts"):
        assert world.anna("e_property", "adjust", sr_id=old, by=hidden, hint=hint).status == 200
    assert not superseded(ron, old) and not superseded(world.anna, old)
    name = ron("e_property", "adjust", sr_id=old, by=new, hint="supersedes")["property"]
    assert superseded(ron, old)
    assert ron("e_property", how, property=name).status == 200
    assert not superseded(ron, old)


def test_a_record_that_leaves_supersedes_as_little_as_one_that_was_deleted(world, ron):
    old, new = (ron.write("red", properties=("client:Acme",)) for _ in range(2))
    ron("e_property", "adjust", sr_id=old, by=new, hint="supersedes")
    assert world.anna("e_record", "update", sr_id=new, lane="blue").status == 200
    assert not superseded(ron, old)
    assert world.anna("e_record", "update", sr_id=new, lane="red").status == 200
    assert superseded(ron, old)
    assert world.anna("e_record", "update", sr_id=old, lane="blue").status == 200
    assert not superseded(world.anna, old)


def test_a_lane_s_colour_counts_no_other_lanes(world):
    from lanes import services

    for number in range(3):
        services.create_lane(tenant=world.tenant, slug=f"hidden-{number}")
    here, there = (services.create_lane(tenant=tenant, slug="seen") for tenant in (world.tenant, world.other))
    assert here.colour == there.colour
    made = [services.create_lane(tenant=world.other, slug=f"matter-{number}").colour for number in range(40)]
    assert set(made) == set(range(1, 9))
