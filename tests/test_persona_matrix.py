"""Every persona over every action: nothing of a hidden lane in any reply, count, hint or error.

The list of actions comes from the registry. An action without a case here fails the first test, so a new surface
cannot be forgotten.
"""

import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from api import registry
from tests import matrix
from tests.matrix import ENTITIES, MARKERS, READABLE, SHARED, Marked

pytestmark = pytest.mark.django_db
Calls = list[dict[str, Any]]

NOBODY = "sr_" + "0" * 31 + "7"


@pytest.fixture
def marked(db: None) -> Marked:
    return matrix.build()


def every_match() -> list[list[str]]:
    """Matches that a curious caller would try: shared values, every marker as value, label and word."""
    tries: list[Any] = [[SHARED], ["status:open", "year:2024"], [{"label": "person"}], ["notice"]]
    for marker in MARKERS.values():
        tries += [[f"person:{marker} person"], [marker], [{"label": "client"}, {"value": marker, "not": True}]]
    tries += [["person:zqcobalt renamed"], [{"label": "e_connect"}], [{"label": "e_adjust"}]]
    return tries


def matching(action: str, **more: Any) -> Callable[[Marked, str, str], Calls]:
    return lambda marked, persona, sr_id: [{"action": action, "match": match, **more} for match in every_match()]


def on_record(action: str, **more: Any) -> Callable[[Marked, str, str], Calls]:
    return lambda marked, persona, sr_id: [{"action": action, "sr_id": sr_id, **more}]


# tool, action -> the calls to make about a record (own, hidden or nonexistent). None: the action is about no record.
CASES: dict[tuple[str, str | None], Callable[[Marked, str, str], Calls]] = {
    ("e_gather", "intersect"): matching("intersect", limit=200),
    ("e_gather", "union"): matching("union", limit=200),
    ("e_gather", "count"): matching("count"),
    ("e_gather", "group"): lambda marked, persona, sr_id: [
        {"action": "group", "label": label, "limit": 200, **more}
        for label in ("client", "person", "matter", "status", "e_connect", "e_adjust")
        for more in ({}, {"prefix": "zq"}, {"match": [SHARED]})
    ],
    ("e_gather", "labels"): lambda marked, persona, sr_id: [
        {"action": "labels", **more} for more in ({}, {"limit": 1}, {"include_invalidated": True})
    ],
    ("e_gather", "recent"): lambda marked, persona, sr_id: [
        {"action": "recent", "limit": 200, **more} for more in ({}, {"kind": ["note"]}, {"kind": ["entity"]})
    ],
    ("e_gather", "traverse"): on_record("traverse", limit=200),
    ("e_gather", "find"): lambda marked, persona, sr_id: [
        {"action": "find", "question": question, "limit": 200, **more}
        for question in ("When was the notice served?", "Shared Holdings", "Shared Entity", *MARKERS.values())
        for more in ({}, {"graph": True}, {"match": [SHARED]})
    ],
    ("e_gather", "radius"): lambda marked, persona, sr_id: [
        {"action": "radius", "sr_id": sr_id, "depth": depth, **more}
        for depth in (1, 3)
        for more in ({}, {"labels": ["e_connect"]}, {"hub_limit": 2})
    ],
    ("e_gather", "path"): lambda marked, persona, sr_id: [
        {"action": "path", "from": marked.own(persona), "to": sr_id},
        {"action": "path", "from": sr_id, "to": marked.own(persona), "labels": ["e_connect"]},
    ],
    ("e_gather", "communities"): on_record("communities"),
    ("e_gather", "central"): on_record("central"),
    ("e_gather", "suggest"): on_record("suggest"),
    ("query_graph", None): lambda marked, persona, sr_id: [
        {"query": text} for text in (*MARKERS.values(), "Shared Entity", "who works with zqcobalt")
    ],
    ("traverse_entity", None): lambda marked, persona, sr_id: [
        {"entity": name, "depth": 3} for name in (sr_id, "Shared Entity", *ENTITIES.values())
    ],
    ("build_context", None): lambda marked, persona, sr_id: [
        {"text": text} for text in ("Shared Entity", "the notice was served", *MARKERS.values(), *ENTITIES.values())
    ],
    ("add_relationship", None): lambda marked, persona, sr_id: [
        {"from": "Tried", "to": "Other", "type": "knows", "lane": lane} for lane in ("blue", "green")
    ],
    ("invalidate_relationship", None): lambda marked, persona, sr_id: [
        {"from": "Shared Entity", "to": name, "type": "works_with"} for name in ENTITIES.values()
    ],
    ("e_timeline", "intersect"): lambda marked, persona, sr_id: [
        {"action": "intersect", "match": [needle], "limit": 200, **more}
        for needle in ("zq", "o", "shared", "common tag", "May 2024", *MARKERS.values())
        for more in ({}, {"start_date": "2024-05-01", "end_date": "2024-05-02"})
    ],
    ("e_property", "add"): on_record("add", edge_properties=["client:Added"]),
    ("e_property", "remove"): on_record("remove", edge_properties=["status:open"]),
    ("e_property", "list"): on_record("list"),
    ("e_property", "connect"): lambda marked, persona, sr_id: [
        {"action": "connect", "sr_id": [marked.own(persona), sr_id], "hint": "tried"},
        {"action": "connect", "sr_id": [sr_id, NOBODY], "hint": "tried"},
    ],
    ("e_property", "disconnect"): lambda marked, persona, sr_id: [
        {"action": "disconnect", "property": name} for name in marked.across.values()
    ],
    ("e_property", "adjust"): lambda marked, persona, sr_id: [
        {"action": "adjust", "sr_id": sr_id, "by": marked.own(persona), "hint": "supersedes"},
        {"action": "adjust", "sr_id": marked.own(persona), "by": sr_id, "hint": "supersedes"},
    ],
    ("e_property", "invalidate"): lambda marked, persona, sr_id: [
        {"action": "invalidate", "sr_id": sr_id, "label": "status", "value": "open"},
        *[{"action": "invalidate", "property": name} for name in marked.across.values()],
    ],
    ("e_property", "rename"): lambda marked, persona, sr_id: [
        {"action": "rename", "label": "person", "value": f"{marker} person", "to": "Someone"}
        for marker in MARKERS.values()
    ],
    ("e_record", "write"): lambda marked, persona, sr_id: [
        {"action": "write", "lane": lane, "text": "tried", "external_id": "zqcobalt-0"} for lane in ("blue", "green")
    ],
    ("e_record", "write_many"): lambda marked, persona, sr_id: [
        {"action": "write_many", "records": [{"lane": lane, "text": "tried"} for lane in ("blue", "green", "no-lane")]}
    ],
    ("e_record", "read"): on_record("read"),
    ("e_record", "update"): on_record("update", text="tried"),
    ("e_record", "delete"): on_record("delete"),
    ("e_record", "status"): on_record("status"),
}
_READING = {
    "e_gather": "intersect union count group labels recent traverse find radius path communities central suggest",
    "e_timeline": "intersect",
    "e_property": "list",
    "e_record": "read status",
}
READS: set[tuple[str, str | None]] = {(tool, name) for tool, names in _READING.items() for name in names.split()}
READS |= {("query_graph", None), ("traverse_entity", None), ("build_context", None)}
# Calls about a record that is named, so that a hidden one can be compared with none.
ABOUT_A_RECORD = [
    key for key in CASES
    if key not in {("e_gather", "intersect"), ("e_gather", "union"), ("e_gather", "count"), ("e_gather", "group"),
                   ("e_gather", "find"), ("e_gather", "labels"), ("e_gather", "recent"),
                   ("e_timeline", "intersect"), ("e_property", "disconnect"), ("e_property", "rename"),
                   ("e_record", "write"), ("e_record", "write_many"), ("query_graph", None),
                   ("traverse_entity", None), ("build_context", None), ("add_relationship", None),
                   ("invalidate_relationship", None)}
]  # fmt: skip


def without_request_id(raw: bytes) -> bytes:
    return re.sub(rb'"request_id":\s?"[0-9a-f]*"', b"", raw)


def everything() -> list[tuple]:
    """All rows that a forbidden call must leave as they are."""
    from memory.models import ControlledValue, EdgeProperty, LaneValue, Record, Tag

    rows: list[tuple] = []
    for model in (Record, EdgeProperty, LaneValue, Tag, ControlledValue):
        rows += sorted(model.everything.values_list(), key=str)
    return rows


def test_every_action_has_a_case():
    assert set(CASES) == {(action.tool, action.name) for action in registry.ACTIONS}


@pytest.mark.parametrize("persona", READABLE)
def test_no_reply_holds_anything_of_a_hidden_lane(marked: Marked, persona: str):
    caller, hidden = marked.caller(persona), marked.hidden_from(persona)
    for key in sorted(READS, key=str):
        for sr_id in (marked.own(persona), *[ids[0] for ids in marked.records.values()]):
            for body in CASES[key](marked, persona, sr_id):
                reply = caller(key[0], **body)
                told = reply.raw.decode()
                met = {text for text in hidden if text in told and text not in str(body).replace("'", '"')}
                assert not met, (key, body, met)


def left_out(marked: Marked, persona: str) -> dict[str, Any]:
    """What every reading call of a persona says was left out as invalid."""
    told = {}
    for key in sorted(READS - {("e_property", "list"), ("e_record", "read"), ("e_record", "status")}, key=str):
        for body in CASES[key](marked, persona, marked.own(persona)):
            reply = marked.caller(persona)(key[0], **body)
            if reply.status == 200 and key not in {("e_gather", "suggest"), ("e_gather", "labels")}:
                assert isinstance(reply.body["left_out_invalid"], int), (key, body)
                told[f"{key} {body}"] = reply.body["left_out_invalid"]
    return told


@pytest.mark.parametrize("persona", [name for name in READABLE if name != "anna"])
def test_what_ends_in_a_hidden_lane_changes_no_count_of_what_was_left_out(marked: Marked, persona: str):
    before = left_out(marked, persona)
    assert set(before.values()) == {0}
    hidden = set(MARKERS) - READABLE[persona]
    for lane in hidden:
        writer = marked.world.bert if lane == "elsewhere" else marked.world.anna
        first, second, third = marked.records[lane][:3]
        for label, value in (("client", "Shared Holdings"), ("status", "open"), ("person", f"{MARKERS[lane]} person")):
            assert writer("e_property", "invalidate", sr_id=first, label=label, value=value).status == 200
        assert writer("e_property", "adjust", sr_id=second, by=third, hint="supersedes").status == 200
    for lanes, name in marked.across.items():
        if len(READABLE[persona].intersection(lanes)) < 2:
            assert marked.world.anna("e_property", "invalidate", property=name).status == 200
    assert left_out(marked, persona) == before
    own = marked.records["elsewhere" if persona == "bert" else "red"]
    writer = marked.world.bert if persona == "bert" else marked.world.anna
    assert writer("e_property", "invalidate", sr_id=own[1], label="client", value="Shared Holdings").status == 200
    assert writer("e_property", "adjust", sr_id=own[2], by=own[0], hint="supersedes").status == 200
    after = left_out(marked, persona)
    for call in ("group", "find", "e_timeline", "intersect"):
        assert any(count for key, count in after.items() if call in key), call


# Scores of what was mentioned lately fall as time goes by; a find says how long it took.
_MOVING = re.compile(rb'"(?:request_id|ms|score|worth)":\s?("[0-9a-f]*"|[-0-9.e]+)')


def whole_view(marked: Marked, persona: str) -> dict[str, bytes]:
    """Every reply of every reading action, about every record the persona may read."""
    seen = {}
    own = [sr_id for lane in sorted(READABLE[persona]) for sr_id in marked.records[lane]]
    for key in sorted(READS, key=str):
        for sr_id in own:
            for body in CASES[key](marked, persona, sr_id):
                if f"{key} {body}" not in seen:
                    raw = marked.caller(persona)(key[0], **body).raw
                    seen[f"{key} {body}"] = _MOVING.sub(b"", raw)
    return seen


def joined_to_hidden(marked: Marked, lane: str, other: str) -> None:
    """All that can be done to the records of one lane and those of another together, and to the others alone."""
    anna, mine, theirs = marked.world.anna, marked.records[lane], marked.records[other]
    made: list[str] = []

    def done(tool: str, action: str | None = None, **more: Any) -> None:
        reply = anna(tool, action, **more)
        assert reply.status == 200, (action, more, reply.body)
        made.append(reply.body.get("property", ""))

    done("e_property", "connect", sr_id=[mine[1], theirs[1]], hint="causes", type="causes", directed=True)
    done("e_property", "connect", sr_id=[mine[1], theirs[1]], hint="causes", type="causes", directed=True)
    done("e_property", "connect", sr_id=[theirs[1], mine[2], theirs[2]], hint="three", strength=1.0)
    done("e_property", "invalidate", property=made[0], reason="over")
    done("e_property", "invalidate", property=made[2])
    done("e_property", "disconnect", property=made[2])
    for number in range(4):  # more than the cap
        sr_id = anna.write(other, f"{MARKERS[other]} more", (SHARED, "status:open"))
        done("e_property", "connect", sr_id=[mine[0], sr_id], hint="cap", strength=0.5 + number / 10)
    for hint in ("supersedes", "corrects", "retracts"):
        done("e_property", "adjust", sr_id=mine[2], by=theirs[2], hint=hint)
        done("e_property", "adjust", sr_id=theirs[2], by=mine[1], hint=hint)
    done("e_property", "disconnect", property=made[-1])
    done("e_property", "disconnect", property=made[-6])
    shared = anna("traverse_entity", entity="Shared Entity", lanes=[lane])["entity"]["sr_ids"][0]
    for name, kind in (("One", "member_of"), ("Two", "member_of"), (ENTITIES[other], "works_with")):
        done("add_relationship", **{"from": "Shared Entity", "to": name, "type": kind, "lane": other})
        done("add_relationship", **{"from": shared, "to": name, "type": kind, "lane": other})
    done("e_record", "update", sr_id=theirs[3], text=f"{MARKERS[other]} rewritten", edge_properties=[SHARED])
    done("e_property", "rename", label="year", value="2024", to="Year 2024", lanes=[other])
    done("e_record", "delete", sr_id=theirs[1])
    done("e_record", "delete", sr_id=theirs[2])


@pytest.mark.parametrize(("persona", "hidden"), [("andy", "blue"), ("rita", "green"), ("wally", "blue")])
def test_what_happens_in_a_hidden_lane_changes_not_one_byte_of_a_reply(marked: Marked, settings, persona, hidden):
    """Versions, times and names of changes included, and what the hidden records are joined to."""
    settings.LANEWISE_CONNECTION_CAP = 3
    anna, own = marked.world.anna, marked.records["red"]
    for to, since in (("First team", "2024-01-01"), ("Second team", "2024-06-01")):
        joined = {"from": "Shared Entity", "to": to, "type": "member_of", "lane": "red", "valid_from": since}
        assert anna("add_relationship", **joined).status == 200
    anna("e_property", "connect", sr_id=own[:2], hint="visible", strength=0.1)
    anna("e_property", "adjust", sr_id=own[1], by=own[0], hint="corrects")
    before = whole_view(marked, persona)
    joined_to_hidden(marked, "red", hidden)
    after = whole_view(marked, persona)
    assert before.keys() == after.keys()
    told = {call: (before[call], after[call]) for call in before if before[call] != after[call]}
    assert not told, next(iter(told.items()))
    changed = anna("e_record", "update", sr_id=own[0], title="Seen")  # and what is not hidden does change them
    assert changed.status == 200 and whole_view(marked, persona) != before


@pytest.mark.parametrize("key", ABOUT_A_RECORD, ids=lambda key: f"{key[0]}.{key[1]}")
@pytest.mark.parametrize("persona", [name for name in READABLE if name != "anna"])
def test_hidden_and_nonexistent_are_answered_alike_and_nothing_changes(marked: Marked, persona: str, key):
    caller = marked.caller(persona)
    before = everything()
    for lane in set(MARKERS) - READABLE[persona]:
        hidden = marked.records[lane][0]
        missing = "sr_" + uuid.uuid4().hex
        for on_hidden, on_missing in zip(
            CASES[key](marked, persona, hidden), CASES[key](marked, persona, missing), strict=True
        ):
            if on_hidden == on_missing:
                continue
            one, other = (caller(key[0], **body) for body in (on_hidden, on_missing))
            assert one.status == other.status == 404, (on_hidden, one.body)
            assert without_request_id(one.raw) == without_request_id(other.raw)
    assert everything() == before


@pytest.mark.parametrize("persona", ["andy", "rita"])
def test_a_reader_changes_nothing(marked: Marked, persona: str):
    caller, before = marked.caller(persona), everything()
    for key, calls in CASES.items():
        if key in READS:
            continue
        for body in calls(marked, persona, marked.own(persona)):
            reply = caller(key[0], **body)
            if key == ("e_record", "write_many"):
                assert reply["written"] == 0
            else:
                assert reply.status in (400, 403, 404), (key, body, reply.body)
    assert everything() == before


@pytest.mark.parametrize("persona", READABLE)
def test_counts_are_the_length_of_the_fully_paged_list(marked: Marked, persona: str):
    caller = marked.caller(persona)
    for match in every_match():
        for mode in ("intersect", "union"):
            paged = caller.pages("e_gather", mode, match=match, limit=3)
            assert caller("e_gather", "count", match=match, mode=mode)["count"] == len(paged)
            assert len({record["sr_id"] for record in paged}) == len(paged)
        reply = caller("e_gather", "intersect", match=match)
        for item in reply["counts"]:
            alone = {name: value for name, value in item.items() if name in ("label", "value")}
            assert item["sr_count"] == caller("e_gather", "count", match=[alone])["count"]
    for label in ("client", "person", "matter", "status"):
        for item in caller("e_gather", "group", label=label, limit=200)["values"]:
            match = [{"label": label, "value": item["value"]}]
            assert item["sr_count"] == caller("e_gather", "count", match=match)["count"]
    near = caller.pages("e_gather", "traverse", sr_id=marked.own(persona), limit=2)
    for edge in caller("e_gather", "traverse", sr_id=marked.own(persona))["origin_edges"]:
        shared = [r for r in near if {"label": edge["label"], "value": edge["value"]} in r["shared"]]
        assert edge["sr_count"] == len(shared)


def test_a_lane_filter_never_widens(marked: Marked):
    andy = marked.world.andy
    for lane in ("blue", "no-such-lane", ""):
        reply = andy("e_gather", "intersect", match=[SHARED], lanes=[lane])
        assert reply.status == 404
        assert reply.body["detail"] == andy("e_gather", "count", match=[SHARED], lanes=["zzz"]).body["detail"]
    assert len(andy("e_gather", "intersect", match=[SHARED], lanes=["red"]).srs) == 4
    assert andy("e_gather", "intersect", match=[SHARED], lanes=[]).srs == []


def test_names_of_lanes_are_the_readers_own(marked: Marked):
    for persona, readable in READABLE.items():
        told = {lane["slug"] for lane in marked.caller(persona).get("/api/v1/lanes")["lanes"]}
        assert told == ({"red"} if persona == "bert" else readable)
        assert marked.caller(persona).get("/api/v1/whoami")["readable_lanes"] == len(told)


def test_no_address_answers_without_a_key(client, marked: Marked):
    for tool in registry.TOOLS:
        assert client.post(f"/api/v1/tools/{tool}", "{}", content_type="application/json").status_code == 401
    for path in ("tools", "lanes", "whoami"):
        assert client.get(f"/api/v1/{path}").status_code == 401


def test_a_wall_beats_every_grant_the_moment_it_is_saved(marked: Marked):
    from lanes import services
    from lanes.models import AgentProfile, Lane, Wall

    anna = marked.world.anna
    assert anna("e_gather", "count", match=[SHARED])["count"] == 12
    profile = AgentProfile.objects.get(slug="anna")
    services.wall_off(
        tenant=marked.world.tenant, lanes=[Lane.objects.get(slug="blue")], holders=[profile], name="conflict"
    )
    assert anna("e_gather", "count", match=[SHARED])["count"] == 8
    assert anna("e_record", "read", sr_id=marked.records["blue"][0]).status == 404
    services.grant_by_slugs(tenant=marked.world.tenant, holder=profile, read="*", write="*")
    assert anna("e_gather", "count", match=[SHARED])["count"] == 8
    Wall.objects.filter(name="conflict").delete()
    assert anna("e_gather", "count", match=[SHARED])["count"] == 12


def test_count_all_lanes_is_a_permission_and_stops_at_walls(marked: Marked):
    from lanes.models import AgentProfile

    andy, wally = marked.world.andy, marked.world.wally
    assert andy("e_gather", "count", match=[SHARED], count_scope="all_lanes").status == 403
    AgentProfile.objects.filter(slug__in=["andy", "wally"]).update(count_all_lanes=True)
    assert andy("e_gather", "count", match=[SHARED], count_scope="all_lanes")["count"] == 12
    assert wally("e_gather", "count", match=[SHARED], count_scope="all_lanes")["count"] == 8
    reply = andy("e_gather", "intersect", match=[SHARED], count_scope="all_lanes")
    assert [item["sr_count"] for item in reply["counts"]] == [12]
    assert len(reply.srs) == 4
    edges = andy("e_gather", "traverse", sr_id=marked.own("andy"), count_scope="all_lanes")["origin_edges"]
    assert {edge["value"]: edge["sr_count"] for edge in edges}["Shared Holdings"] == 11


@pytest.mark.parametrize("persona", ["andy", "wally", "bert"])
def test_a_connection_with_hidden_members_is_answered_like_none(marked: Marked, persona: str):
    caller, before = marked.caller(persona), everything()
    for lanes, name in marked.across.items():
        if len(READABLE[persona].intersection(lanes)) > 1:
            continue
        missing = name[:-4] + "0000"
        for action in ("disconnect", "invalidate"):
            one = caller("e_property", action, property=name)
            other = caller("e_property", action, property=missing)
            assert one.status == other.status == 404
            assert without_request_id(one.raw) == without_request_id(other.raw)
        for action in ("intersect", "union", "count"):
            one = caller("e_gather", action, match=[name]).raw.decode()
            other = caller("e_gather", action, match=[missing]).raw.decode()
            assert one.replace(name.split(":")[1], "") == other.replace(missing.split(":")[1], "")
    assert everything() == before
