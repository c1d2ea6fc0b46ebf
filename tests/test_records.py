"""Records through the API: writing, updating, moving, deleting, and bad input."""

import json

import pytest

from memory.models import EdgeProperty, LaneValue, Record, RecordText, Tag

pytestmark = pytest.mark.django_db


def props(reply_or_record) -> list[str]:
    return [f"{item['label']}:{item['value']}" for item in reply_or_record["edge_properties"]]


def test_a_record_is_found_by_structure_and_words_when_write_returns(anna):
    sr_id = anna.write("red", "The indemnity survives termination.", ("client:Acme", "matter:2024-017"))
    assert anna("e_gather", "intersect", match=["client:Acme", "indemnity"]).ids == [sr_id]
    record = anna("e_record", "read", sr_id=sr_id)["record"]
    assert record["text"] == "The indemnity survives termination."
    assert props(record) == ["client:Acme", "matter:2024-017"]
    assert record["recorded_at"].endswith("+00:00")


def test_the_same_external_id_updates_and_never_doubles(anna):
    first = anna("e_record", "write", lane="red", text="One", external_id="x", edge_properties=["client:Acme", "a:b"])
    again = anna("e_record", "write", lane="red", text="Two", external_id="x", edge_properties=["client:Acme"])
    assert (first["created"], again["created"]) == (True, False)
    assert first["sr_id"] == again["sr_id"]
    assert again["version"] == first["version"] + 1
    assert Record.everything.count() == 1
    assert props(anna("e_record", "read", sr_id=first["sr_id"])["record"]) == ["client:Acme"]
    same = anna("e_record", "write", lane="red", text="Two", external_id="x", edge_properties=["client:Acme"])
    assert (same["changed"], same["version"]) == (False, again["version"])
    other = anna("e_record", "write", lane="blue", text="Two", external_id="x")
    assert other["created"]


def test_leaving_edge_properties_out_keeps_them(anna):
    sr_id = anna.write("red", "One", ("client:Acme",), external_id="x")
    anna("e_record", "write", lane="red", text="Two", external_id="x")
    assert props(anna("e_record", "read", sr_id=sr_id)["record"]) == ["client:Acme"]


def test_old_wording_is_gone_after_an_edit(anna):
    sr_id = anna.write("red", "The arbitration clause.")
    anna("e_record", "update", sr_id=sr_id, text="The mediation clause.")
    assert anna("e_gather", "count", match=["arbitration"])["count"] == 0
    assert anna("e_gather", "intersect", match=["mediation"]).ids == [sr_id]


def test_an_outdated_version_is_a_conflict_and_changes_nothing(anna):
    sr_id = anna.write("red", "One")
    anna("e_record", "update", sr_id=sr_id, text="Two", expected_version=1)
    reply = anna("e_record", "update", sr_id=sr_id, text="Three", expected_version=1)
    assert (reply.status, reply.body["code"]) == (409, "conflict")
    assert anna("e_record", "read", sr_id=sr_id)["record"]["text"] == "Two"


def test_moving_a_record_moves_everything_at_once(world):
    anna, andy = world.anna, world.andy
    sr_id = anna.write("blue", "The indemnity.", ("client:Acme", "status:open"), tags=["t"])
    assert andy("e_gather", "count", match=["client:Acme"])["count"] == 0
    anna("e_record", "update", sr_id=sr_id, lane="red")
    assert andy("e_gather", "intersect", match=["client:Acme", "indemnity"]).ids == [sr_id]
    assert {item["value"] for item in andy("e_gather", "group", label="status")["values"]} == {"open"}
    for model in (Record, EdgeProperty, RecordText, Tag, LaneValue):
        assert {row.lane.slug for row in model.everything.select_related("lane")} == {"red"}
    anna("e_record", "update", sr_id=sr_id, lane="blue")
    assert andy("e_record", "read", sr_id=sr_id).status == 404


def test_a_move_onto_a_taken_external_id_is_a_conflict(anna):
    anna.write("red", external_id="x")
    sr_id = anna.write("blue", external_id="x")
    assert anna("e_record", "update", sr_id=sr_id, lane="red").status == 409
    assert anna("e_record", "read", sr_id=sr_id)["record"]["lane"] == "blue"


def test_deleting_leaves_nothing_behind(anna):
    from django.apps import apps

    keep = anna.write("red", "Stays.", ("client:Acme",))
    before = {model: model.objects.count() for model in apps.get_app_config("lanes").get_models()}
    rows = {model: model._base_manager.count() for model in apps.get_app_config("memory").get_models()}
    sr_id = anna.write("red", "Goes with its zqunique word.", ("client:Acme", "person:Gone"), tags=["t"])
    anna("e_property", "connect", sr_id=[keep, sr_id], hint="joins")
    assert anna("e_record", "delete", sr_id=sr_id)["deleted"]
    assert {model: model._base_manager.count() for model in rows} == rows
    assert {model: model.objects.count() for model in before} == before
    assert anna("e_record", "read", sr_id=sr_id).status == 404
    assert anna("e_gather", "count", match=["zqunique"])["count"] == 0
    assert anna("e_property", "list", sr_id=keep)["edge_properties"] == [{"label": "client", "value": "Acme"}]


def test_labels_and_values_are_equal_when_a_person_says_so(anna):
    for spelling in ("ACME Café", "Acme  Cafe\u0301", "acme café", "ＡＣＭＥ café"):
        anna.write("red", properties=(f"Client:{spelling}",))
    assert anna("e_gather", "count", match=["CLIENT:acme CAFÉ"])["count"] == 4
    assert [item["sr_count"] for item in anna("e_gather", "group", label="client")["values"]] == [4]


def test_properties_beyond_the_budget_are_kept_matched_and_not_walked(anna, settings):
    settings.LANEWISE_WALK_BUDGET = 2
    reply = anna("e_record", "write", lane="red", text="x", edge_properties=["a:1", "b:2", "c:3"])
    assert [item["label"] for item in reply["kept"]] == ["a", "b"]
    assert [item["label"] for item in reply["skipped"]] == ["c"]
    anna.write("red", properties=("c:3",))
    near = anna("e_gather", "traverse", sr_id=reply["sr_id"])
    assert near.srs == []
    assert {edge["label"] for edge in near["origin_edges"]} == {"a", "b"}
    assert anna("e_gather", "count", match=["c:3"])["count"] == 2
    anna("e_property", "remove", sr_id=reply["sr_id"], edge_properties=["a:1"])
    assert len(anna("e_gather", "traverse", sr_id=reply["sr_id"]).srs) == 1


def test_write_many_reports_every_item_and_a_bad_one_spoils_nothing(anna):
    reply = anna(
        "e_record",
        "write_many",
        records=[
            {"lane": "red", "text": "good"},
            {"lane": "red", "text": "bad label", "edge_properties": [{"label": "1x", "value": "v"}]},
            {"lane": "nowhere", "text": "no lane"},
            {"lane": "red", "text": "typo", "extra": 1},
            {"lane": "red", "text": "twice", "external_id": "t"},
            {"lane": "red", "text": "twice, later", "external_id": "t"},
        ],
    )
    results = reply["results"]
    assert (reply["written"], reply["refused"]) == (3, 3)
    assert list(results[1]["error"]["errors"]) == ["records[1].edge_properties[0].label"]
    assert results[2]["error"]["code"] == "not_found"
    assert list(results[3]["error"]["errors"]) == ["records[3].extra"]
    assert results[4]["sr_id"] == results[5]["sr_id"]
    assert anna("e_record", "read", sr_id=results[5]["sr_id"])["record"]["text"] == "twice, later"


@pytest.mark.parametrize(
    ("written", "shown", "precision"),
    [
        ("2024", "2024", "year"),
        ("2024-12", "2024-12", "month"),
        ("2024-12-24", "2024-12-24", "day"),
        ("2024-12-24T23:30:00+13:00", "2024-12-24", "time"),
        ("2024-12-24T08:00:00", "2024-12-24", "time"),
    ],
)
def test_a_date_is_as_exact_as_it_was_written(anna, written, shown, precision):
    sr_id = anna.write("red", occurred_at=written)
    record = anna("e_record", "read", sr_id=sr_id)["record"]
    assert (record["occurred_on"], record["date_precision"]) == (shown, precision)


def bad_writes():
    yield {"lane": "red", "text": "x", "unknown": 1}, "unknown"
    yield {"lane": "red", "text": 5}, "text"
    yield {"lane": "red"}, "text"
    yield {"text": "x"}, "lane"
    yield {"lane": "red", "text": "nul \x00"}, "text"
    yield {"lane": "red", "text": "x", "title": "\ud800"}, "title"
    yield {"lane": "red", "text": "x", "source": {"deep": ["\x00"]}}, "source.deep[0]"
    yield {"lane": "red", "text": "x", "edge_properties": ["no colon"]}, "edge_properties[0]"
    yield (
        {"lane": "red", "text": "x", "edge_properties": [{"label": "a", "value": "v" * 501}]},
        ("edge_properties[0].value"),
    )
    yield (
        {"lane": "red", "text": "x", "edge_properties": [{"label": "e_connect", "value": "v"}]},
        ("edge_properties[0].label"),
    )
    yield (
        {"lane": "red", "text": "x", "edge_properties": [{"label": "a", "value": " \u200b "}]},
        ("edge_properties[0].value"),
    )
    yield (
        {"lane": "red", "text": "x", "edge_properties": [{"label": "a", "value": "v", "valu": 1}]},
        ("edge_properties[0].valu"),
    )
    yield {"lane": "red", "text": "x", "occurred_at": "2024-13-01"}, "occurred_at"
    yield {"lane": "red", "text": "x", "occurred_at": "2024", "date_precision": "day"}, "date_precision"
    yield {"lane": "red", "text": "x", "external_id": " "}, "external_id"
    yield {"lane": "red", "text": "x", "tags": [1]}, "tags[0]"


@pytest.mark.parametrize(("fields", "named"), list(bad_writes()), ids=lambda value: str(value)[:40])
def test_bad_input_is_a_400_that_names_the_field_and_writes_nothing(anna, fields, named):
    reply = anna("e_record", "write", **fields)
    assert reply.status == 400, reply.body
    assert named in reply.body["errors"], reply.body
    assert set(reply.body) == {"detail", "code", "errors", "request_id"}
    assert Record.everything.count() == 0


@pytest.mark.parametrize(
    ("tool", "body", "named"),
    [
        ("e_gather", {}, "action"),
        ("e_gather", {"action": "intersekt"}, "action"),
        ("e_gather", {"action": ["intersect"]}, "action"),
        ("e_gather", {"action": "intersect", "match": []}, "match"),
        ("e_gather", {"action": "intersect", "match": ["x"], "limit": 0}, "limit"),
        ("e_gather", {"action": "intersect", "match": ["x"], "limit": 201}, "limit"),
        ("e_gather", {"action": "intersect", "match": ["x"], "limit": "5"}, "limit"),
        ("e_gather", {"action": "intersect", "match": ["x"], "limit": True}, "limit"),
        ("e_gather", {"action": "intersect", "match": [{}]}, "match[0]"),
        ("e_gather", {"action": "intersect", "match": [{"label": "a", "vaule": "b"}]}, "match[0].vaule"),
        ("e_gather", {"action": "intersect", "match": [{"label": "A b", "value": "b"}]}, "match[0].label"),
        ("e_gather", {"action": "intersect", "match": ["x"], "cursor": "zzzz"}, "cursor"),
        ("e_gather", {"action": "intersect", "match": ["x"], "cursor": "ü"}, "cursor"),
        ("e_gather", {"action": "intersect", "match": ["x"], "as_of": "soon"}, "as_of"),
        ("e_gather", {"action": "intersect", "match": ["x\x00"]}, "match[0]"),
        ("e_gather", {"action": "group", "label": "no label!"}, "label"),
        ("e_gather", {"action": "group", "label": "a", "prefix": 1}, "prefix"),
        ("e_timeline", {"action": "intersect", "match": ["x"], "start_date": "2025", "end_date": "2024"}, "end_date"),
        ("e_timeline", {"action": "intersect", "match": ["x"], "require": "some"}, "require"),
        ("e_property", {"action": "connect", "sr_id": ["sr_1"], "hint": "x"}, "sr_id"),
        ("e_property", {"action": "disconnect", "property": "client:Acme"}, "property"),
        ("e_property", {"action": "rename", "label": "e_connect", "value": "a", "to": "b"}, "label"),
    ],
    ids=lambda value: json.dumps(value)[:50] if not isinstance(value, str) else value,
)
def test_bad_calls_are_a_400_that_names_the_field(anna, tool, body, named):
    reply = anna.post(f"/api/v1/tools/{tool}", json.dumps(body))
    assert reply.status == 400, reply.body
    assert named in reply.body["errors"], reply.body


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'"x"', b"\xff", b'{"action": NaN}', b"[" * 100_000, b'{"a":1}{"b":2}'],
    ids=["cut", "list", "string", "not utf-8", "nan", "deep", "two"],
)  # fmt: skip
def test_a_body_that_is_no_json_object_is_a_400(anna, body):
    reply = anna.post("/api/v1/tools/e_gather", body)
    assert (reply.status, list(reply.body["errors"])) == (400, ["body"])


def test_an_unknown_tool_and_a_wrong_method_have_the_error_shape(anna):
    reply = anna.post("/api/v1/tools/e_nothing", "{}")
    assert (reply.status, reply.body["code"]) == (404, "not_found")
    reply = anna.get("/api/v1/tools/e_gather")
    assert (reply.status, reply.body["code"]) == (405, "method_not_allowed")


def test_a_cursor_works_for_its_own_query_and_reader_only(world):
    for number in range(3):
        world.anna.write("red", properties=("client:Acme",), external_id=str(number))
    cursor = world.anna("e_gather", "intersect", match=["client:Acme"], limit=1)["next_cursor"]
    assert world.anna("e_gather", "intersect", match=["client:Acme"], limit=2, cursor=cursor).names == ["1", "0"]
    assert world.anna("e_gather", "intersect", match=["client:Other"], cursor=cursor).status == 400
    assert world.anna("e_gather", "union", match=["client:Acme"], cursor=cursor).status == 400
    assert world.andy("e_gather", "intersect", match=["client:Acme"], cursor=cursor).status == 400
