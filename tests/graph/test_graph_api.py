"""The walks, the whole-graph measures and the entity tools through the API: strict arguments, walls, time."""

import pytest

GRAPH = [
    ("e_gather", {"action": "radius", "depth": 3}),
    ("e_gather", {"action": "communities"}),
    ("e_gather", {"action": "central"}),
    ("e_gather", {"action": "suggest"}),
]


@pytest.fixture
def chain(world):
    """visible A – hidden B – visible C, for andy who reads only red."""
    a = world.anna.write("red", "A", ("topic:one", "topic:open"), title="A")
    b = world.anna.write("blue", "B", ("topic:one", "topic:two", "client:Zebulon"), title="Secret B")
    c = world.anna.write("red", "C", ("topic:two",), title="C")
    d = world.anna.write("red", "D", ("topic:open",), title="D")
    return a, b, c, d


def replies(caller, chain):
    a, _, c, _ = chain
    out = [caller(tool, sr_id=a, **body).body for tool, body in GRAPH]
    out.append(caller("e_gather", "path", **{"from": a, "to": c}).body)
    out.append(caller("e_gather", "communities", match=["topic:one", "topic:two"]).body)
    out.append(caller("e_gather", "central", match=[{"label": "topic"}]).body)
    return out


def test_nothing_passes_through_or_tells_of_a_hidden_record(world, chain):
    a, b, c, d = chain
    before = replies(world.andy, chain)
    text = str(before)
    for secret in (b, "Secret B", "Zebulon", "blue"):
        assert secret not in text
    radius = world.andy("e_gather", "radius", sr_id=a, depth=8)
    assert [n["sr_id"] for n in radius["nodes"]] == [a, d]
    assert world.andy("e_gather", "path", **{"from": a, "to": c})["found"] is False
    assert world.rita("e_gather", "path", **{"from": a, "to": c})["length"] == 2
    world.anna("e_record", "delete", sr_id=b)
    assert replies(world.andy, chain) == before


def test_a_hidden_record_is_answered_like_none(world, chain):
    a, b, *_ = chain
    nothing = "sr_" + "0" * 32
    for caller in (world.andy, world.wally, world.bert):
        for tool, body in GRAPH:
            hidden, absent = caller(tool, sr_id=b, **body), caller(tool, sr_id=nothing, **body)
            assert (hidden.status, absent.status) == (404, 404)
            hidden.body.pop("request_id"), absent.body.pop("request_id")
            assert hidden.body == absent.body
        ends = [{"from": a, "to": b}, {"from": b, "to": a}, {"from": a, "to": nothing}]
        bodies = [caller("e_gather", "path", **end) for end in ends]
        assert {r.status for r in bodies} == {404}
        assert len({r.body["detail"] for r in bodies}) == 1


def test_another_tenant_sees_nothing(world, chain):
    theirs = world.bert.write("red", "B", ("topic:one", "topic:two"))
    assert [n["sr_id"] for n in world.bert("e_gather", "radius", sr_id=theirs)["nodes"]] == [theirs]
    world.bert("add_relationship", **{"from": "Raj", "to": "Zebulon", "type": "WORKS_ON", "lane": "red"})
    assert world.anna("query_graph", query="Raj Zebulon")["nodes"] == []
    assert world.anna("traverse_entity", entity="Raj").status == 404


@pytest.mark.parametrize(
    ("tool", "body", "field"),
    [
        ("e_gather", {"action": "radius", "sr_id": "A", "depth": 0}, "depth"),
        ("e_gather", {"action": "radius", "sr_id": "A", "depth": 10**9}, "depth"),
        ("e_gather", {"action": "radius", "sr_id": "A", "depth": None}, "depth"),
        ("e_gather", {"action": "radius", "sr_id": "A", "depth": "2"}, "depth"),
        ("e_gather", {"action": "radius", "sr_id": "A", "max_nodes": 2001}, "max_nodes"),
        ("e_gather", {"action": "radius", "sr_id": "A", "max_node": 5}, "max_node"),
        ("e_gather", {"action": "radius", "sr_id": "A", "hub_limit": 0}, "hub_limit"),
        ("e_gather", {"action": "radius", "sr_id": "A", "labels": ["no label!"]}, "labels[0]"),
        ("e_gather", {"action": "path", "from": "A"}, "to"),
        ("e_gather", {"action": "path", "from": "A", "to": "A", "max_depth": 9}, "max_depth"),
        ("e_gather", {"action": "communities"}, "match"),
        ("e_gather", {"action": "central", "sr_id": "A", "match": ["x:y"]}, "match"),
        ("e_gather", {"action": "central", "sr_id": "A", "by": "beauty"}, "by"),
        ("traverse_entity", {"entity": ""}, "entity"),
        ("traverse_entity", {"entity": "Raj", "action": "x"}, "action"),
        ("query_graph", {"query": "x", "max_nodes": 0}, "max_nodes"),
        ("build_context", {"text": "x", "token_budget": 3}, "token_budget"),
        ("add_relationship", {"from": "A", "to": "B", "type": "T"}, "lane"),
        ("add_relationship", {"from": "A", "to": "B", "type": "!!!", "lane": "red"}, "type"),
        ("add_relationship", {"from": "A\x00", "to": "B", "type": "T", "lane": "red"}, "from"),
        ("add_relationship", {"from": "A", "to": "B", "type": "T", "lane": "red", "confidence": 2}, "confidence"),
        ("add_relationship", {"from": "A", "to": "B", "type": "T", "lane": "red", "valid_from": "soon"}, "valid_from"),
        ("add_relationship", {"from": "A", "to": "B", "type": "T", "lane": "red", "attributes": {"a": "\x00"}},
         "attributes.a"),
        ("invalidate_relationship", {"from": "A", "to": "B"}, "type"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_by_name(anna, tool, body, field):
    made = anna.write("red", "A")
    reply = anna(tool, **{k: (made if v == "A" and k in ("sr_id", "from", "to") and tool == "e_gather" else v)
                          for k, v in body.items()})  # fmt: skip
    assert reply.status == 400, reply.body
    assert field in reply.body["errors"], reply.body


def test_communities_and_central(anna):
    for group in ("north", "south"):
        for i in range(4):
            anna.write("red", f"{group} {i}", (f"client:{group}", f"deal:{group}", "kind:all"))
    found = anna("e_gather", "communities", match=["kind:all"])
    assert [c["size"] for c in found["communities"]] == [4, 4]
    assert {c["shared"][0]["value"] for c in found["communities"]} == {"north", "south"}
    assert found["nodes"] == 8
    assert found["truncated"] is False
    cut = anna("e_gather", "communities", match=["kind:all"], max_nodes=5)
    assert (cut["nodes"], cut["truncated"]) == (5, True)
    assert "newest 5" in cut["hint"]
    central = anna("e_gather", "central", match=["kind:all"], by="degree")
    assert [s["degree"] for s in central["srs"]] == [7] * 8
    assert sum(s["pagerank"] for s in central["srs"]) == pytest.approx(1)
    assert anna("e_gather", "central", match=["kind:none"])["srs"] == []


def test_citations_point_one_way(anna):
    root, *citing = [anna.write("red", f"Opinion {i}") for i in range(4)]
    for opinion in citing:
        anna("e_property", "connect", sr_id=[opinion, root], hint="cites", type="cites", directed=True)
    reply = anna("e_gather", "central", sr_id=root, edge_types=["cites"])
    top = reply["srs"][0]
    assert (top["sr_id"], top["in_degree"], top["out_degree"]) == (root, 3, 0)


def test_suggestions_say_why_and_leave_out_what_is_joined(anna):
    a = anna.write("red", "A", ("deal:x",))
    b = anna.write("red", "B", ("deal:x", "deal:y"))
    c = anna.write("red", "C", ("deal:y",))
    found = anna("e_gather", "suggest", sr_id=a)["suggestions"]
    assert [s["sr_id"] for s in found] == [b, c]
    assert "shared" in found[0]["why"] and "two_hop" in found[1]["why"]
    assert found[0]["shared"] == [{"label": "deal", "value": "x"}]
    anna("e_property", "connect", sr_id=[a, b], hint="related")
    assert [s["sr_id"] for s in anna("e_gather", "suggest", sr_id=a)["suggestions"]] == [c]


def test_entity_tools(anna):
    add = {"from": "Raj", "from_type": "person", "lane": "red"}
    anna("add_relationship", **add, to="Frontend Team", to_type="team", type="MEMBER_OF")
    made = anna("add_relationship", **add, to="Checkout Redesign", to_type="project", type="completed")
    assert made["type"] == "COMPLETED"
    reply = anna("traverse_entity", entity="Raj", depth=2)
    assert reply["node"] == "Raj"
    assert {(e["type"], e["target"]) for e in reply["edges"]} == {
        ("MEMBER_OF", "Frontend Team"),
        ("COMPLETED", "Checkout Redesign"),
    }
    assert "action" not in reply.body
    query = anna("query_graph", query="who completed the checkout")
    assert {n["name"] for n in query["nodes"]} >= {"Raj", "Checkout Redesign"}
    built = anna("build_context", text="Tell me about Raj", token_budget=300)
    assert "Raj COMPLETED Checkout Redesign" in built["context"]
    ended = anna("invalidate_relationship", **{"from": "Raj", "to": "Checkout Redesign", "type": "COMPLETED"})
    assert len(ended["ended"]) == 1
    again = anna("invalidate_relationship", **{"from": "Raj", "to": "Zebra", "type": "COMPLETED"})
    assert again.status == 404
    left = anna("traverse_entity", entity="Raj", include_invalidated=True)
    assert len(left["edges"]) == 2


def test_entity_tools_keep_to_lanes(world):
    world.anna("add_relationship", **{"from": "Raj", "to": "Zebulon", "type": "WORKS_ON", "lane": "blue"})
    for caller in (world.andy, world.wally, world.bert):
        assert caller("traverse_entity", entity="Raj").status == 404
        assert "Zebulon" not in str(caller("query_graph", query="Raj Zebulon").body)
        assert "Zebulon" not in str(caller("build_context", text="Zebulon Raj").body["context"])
        made = caller("invalidate_relationship", **{"from": "Raj", "to": "Zebulon", "type": "WORKS_ON"})
        assert made.status == 404
    narrowed = world.anna("traverse_entity", entity="Raj", lanes=["red"])
    assert narrowed.status == 404
    refused = world.andy("add_relationship", **{"from": "A", "to": "B", "type": "T", "lane": "red"})
    assert refused.status == 403
    assert world.andy("query_graph", query="A B")["nodes"] == []


def test_one_value_on_many_records_is_named_counted_and_not_walked(anna, settings):
    first = anna.write("red", "first", ("client:Everyone", "deal:rare"))
    near = anna.write("red", "near", ("client:Everyone", "deal:rare"))
    for start in range(0, 200, 100):
        batch = [{"lane": "red", "text": f"{start + i}", "edge_properties": ["client:Everyone"]} for i in range(100)]
        assert anna("e_record", "write_many", records=batch)["refused"] == 0
    reply = anna("e_gather", "radius", sr_id=first, depth=8)
    assert [n["sr_id"] for n in reply["nodes"]] == [first, near]
    assert [(h["value"], h["sr_count"]) for h in reply["hubs"]] == [("Everyone", 201)]
    wide = anna("e_gather", "radius", sr_id=first, depth=1, hub_limit=500, max_nodes=50)
    assert len(wide["nodes"]) == 50
    assert wide["truncated"] is True
    assert wide["nodes"][1]["sr_id"] == near


def test_every_structural_reply_says_how_many_were_left_out_as_ended(world):
    anna = world.anna
    a = anna.write("red", "A", ("client:Quay", "topic:x"))
    b = anna.write("red", "B", ("client:Quay",))
    hidden = anna.write("blue", "H", ("client:Quay",))
    for record in (b, hidden):
        anna("e_property", "invalidate", sr_id=record, label="client", value="quay", at="2024-05-01")
    asks = [
        ("intersect", {"match": ["client:Quay"]}),
        ("union", {"match": ["client:Quay", "topic:x"]}),
        ("count", {"match": ["client:Quay"]}),
        ("traverse", {"sr_id": a}),
    ]
    for action, body in asks:
        assert world.andy("e_gather", action, **body)["left_out_invalid"] == 1, action
        assert anna("e_gather", action, **body)["left_out_invalid"] == 2, action
        assert anna("e_gather", action, include_invalidated=True, **body)["left_out_invalid"] == 0, action
        assert anna("e_gather", action, as_of="2024-04-30", **body)["left_out_invalid"] == 0, action
    anna("e_property", "add", sr_id=b, edge_properties=["client:Quay"])
    assert world.andy("e_gather", "intersect", match=["client:Quay"])["left_out_invalid"] == 0
    made = anna("e_property", "connect", sr_id=[a, hidden], hint="related")
    anna("e_property", "invalidate", property=made["property"])
    assert world.andy("e_gather", "traverse", sr_id=a)["left_out_invalid"] == 0
