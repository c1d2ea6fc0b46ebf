"""What comes in as JSON: numbers, depth, names given twice, size; over HTTP, MCP and the import."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from lanes.models import Tenant
from memory import strict_json
from memory.models import EdgeProperty, Record

pytestmark = pytest.mark.django_db
RECORD = "/api/v1/tools/e_record"
PROPERTY = "/api/v1/tools/e_property"


def nested(depth: int, inside: str = "1") -> str:
    return '{"a":' * depth + inside + "}" * depth


BAD = {"1e400": "Not a finite", "-1e400": "Not a finite", nested(65): "Nested deeper", nested(300): "Nested deeper"}


def calls(one: str, two: str) -> dict[str, tuple[str, str, str]]:
    """Every call that takes an object of the caller's own: (address, body with %s in it, the argument's name)."""
    ids = f'"sr_id": ["{one}", "{two}"]'
    return {
        "write": (RECORD, '{"action": "write", "lane": "red", "text": "x", "source": {"n": %s}}', "source"),
        "update": (RECORD, f'{{"action": "update", "sr_id": "{one}", "source": {{"n": %s}}}}', "source"),
        "connect": (PROPERTY, f'{{"action": "connect", {ids}, "hint": "h", "attributes": {{"n": %s}}}}', "attributes"),
        "relate": (
            "/api/v1/tools/add_relationship",
            '{"from": "Ann", "to": "Bob", "type": "KNOWS", "lane": "red", "attributes": {"n": %s}}',
            "attributes",
        ),
    }


@pytest.mark.parametrize("bad", BAD, ids=lambda text: text[:8] + str(len(text)))
def test_what_cannot_be_stored_or_told_again_is_a_400_that_names_the_argument(anna, bad):
    one, two = anna.write("red"), anna.write("red")
    for name, (address, body, argument) in calls(one, two).items():
        reply = anna.post(address, body % bad)
        assert (reply.status, reply.body["code"]) == (400, "invalid"), (name, reply.body)
        ((field, (said,)),) = reply.body["errors"].items()
        assert field.startswith(argument) and BAD[bad] in said, (name, reply.body)
        assert anna.post(address, body % nested(20)).status == 200, name
    assert Record.everything.filter(text="x").count() == 1


def test_of_many_records_only_the_one_that_cannot_be_stored_is_refused(anna):
    items = [
        '{"lane": "red", "text": "one", "source": {"n": 1e400}}',
        '{"lane": "red", "text": "two"}',
        f'{{"lane": "red", "text": "three", "source": {nested(500)}}}',
        '{"lane": "red", "text": "a\\u0000b"}',
        '{"lane": "red", "text": "\\ud800"}',
        '{"lane": "red", "text": "six", "source": {"n": 1.5}}',
    ]
    reply = anna.post(RECORD, f'{{"action": "write_many", "records": [{", ".join(items)}]}}')
    assert (reply["written"], reply["refused"]) == (2, 4)
    fields = [list(item.get("error", {}).get("errors", ())) for item in reply["results"]]
    assert fields == [["records[0].source.n"], [], ["records[2]"], ["records[3].text"], ["records[4].text"], []]
    assert sorted(Record.everything.values_list("text", flat=True)) == ["six", "two"]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ('{"action": "count", "match": ["a:b"], "lanes": ["red"], "lanes": null}', "lanes"),
        ('{"action": "count", "match": [{"label": "a", "value": "b", "not": true, "not": false}]}', "not"),
        ('{"action": "count", "match": ["a:b"], "\\ud800": 1, "\\ud800": 2}', "body"),
    ],
)
def test_a_name_given_twice_is_refused(anna, body, name):
    reply = anna.post("/api/v1/tools/e_gather", body)
    assert (reply.status, list(reply.body["errors"])) == (400, [name]), reply.body


def test_a_body_that_is_too_large_is_refused_before_it_is_read_as_json(anna, settings, monkeypatch):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    body = json.dumps({"action": "count", "match": ["a:b"]})
    assert anna.post("/api/v1/tools/e_gather", body + " " * (1_000 - len(body))).status == 200
    monkeypatch.setattr(strict_json, "loads", lambda *_: pytest.fail("it was parsed"))
    reply = anna.post("/api/v1/tools/e_gather", body + " " * (1_001 - len(body)))
    assert (reply.status, reply.body["code"]) == (413, "too_large")


def imported(tmp_path, *lines: str) -> tuple[str, str]:
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(lines))
    out, err = StringIO(), StringIO()
    call_command(
        "import_records", str(path), "--tenant", "t", "--create-lanes", "--no-progress", stdout=out, stderr=err
    )
    return out.getvalue(), err.getvalue()


def line(name: str, **more: object) -> str:
    return json.dumps({"external_id": name, "lane": "m-1", "text": "ok", **more})


def confident(*values: object) -> list[dict]:
    return [{"label": "a", "value": str(n), "confidence": value} for n, value in enumerate(values)]


@pytest.mark.parametrize(
    "bad",
    [
        line("bad", edge_properties=confident(True)),
        line("bad", lane="\ud800"),
        line("\ud800"),
        line("bad", source={"\ud800": 1}),
        '{"external_id": "bad", "lane": "m-1", "text": "x", "\ud800": 1}'.replace("\ud800", "\\ud800"),
        '{"external_id": "bad", "lane": "m-1", "text": "x", "text": "y"}',
        f'{{"external_id": "bad", "lane": "m-1", "text": "x", "source": {nested(960)}}}',
        f'{{"lane": "m-1", "text": "x", "source": {nested(900)}}}',
        '{"external_id": "bad", "lane": "m-1", "text": "x", "source": {"n": 1e400}}',
    ],
    ids=lambda text: text[:60],
)
def test_a_line_that_cannot_be_imported_is_the_only_one_refused(db, tmp_path, bad):
    out, err = imported(tmp_path, line("before"), bad, line("after"))
    assert "2 created" in out and "1 refused" in out and "line 2" in err
    assert sorted(Record.everything.values_list("external_id", flat=True)) == ["after", "before"]


def test_whole_and_broken_confidences_go_side_by_side(db, tmp_path):
    out, _ = imported(tmp_path, line("one", edge_properties=confident(1, 0.5, 0)))
    assert "1 created" in out
    assert sorted(EdgeProperty.everything.values_list("confidence", flat=True)) == [0.0, 0.5, 1.0]


def test_what_only_the_database_refuses_is_reported_for_its_line(db, tmp_path, monkeypatch):
    from memory.services import rows

    insert = rows.columns

    def refusing(batch):
        if any(draft.external_id == "culprit" for draft in batch):
            raise TypeError("nobody thought of this")
        return insert(batch)

    monkeypatch.setattr(rows, "columns", refusing)
    out, err = imported(tmp_path, *(line(str(n)) for n in range(5)), line("culprit"))
    assert "5 created" in out and "line 6 (culprit): nobody thought of this" in err


def test_the_command_fails_when_every_line_is_refused(db, tmp_path):
    with pytest.raises(CommandError, match="Nothing was imported"):
        imported(tmp_path, "{")
    assert Tenant.objects.filter(slug="t").exists()
    imported(tmp_path, line("one"), "{")
    imported(tmp_path, "")


def test_labels_and_types_of_walks_are_read_alike(anna):
    one = anna.write("red", "One.", ("client:Acme",))
    two = anna.write("red", "Two.", ("client:Acme", "topic:x"))
    anna("e_property", "connect", sr_id=[one, two], hint="call", type="led to")
    for action, found in (("traverse", "srs"), ("radius", "nodes")):
        sizes = [
            len(anna("e_gather", action, sr_id=one, labels=labels)[found])
            for labels in (["client"], ["CLIENT"], [" Client "], [], ["topic"])
        ]
        assert sizes[0] == sizes[1] == sizes[2] == sizes[3] == sizes[4] + 1, action
        for wrong in ([""], [" "], ["client:"], ["1x"]):
            reply = anna("e_gather", action, sr_id=one, labels=wrong)
            assert reply.status == 400 and "labels[0]" in reply.body["errors"], (action, wrong)
        assert "of those asked for" in anna("e_gather", action, sr_id=one, labels=["topic"])["hint"]
    assert len(anna("e_gather", "radius", sr_id=one, edge_types=["Led To"])["nodes"]) == 2
    for wrong in ([""], ["  "], ["!"]):
        for action in ("radius", "communities"):
            reply = anna("e_gather", action, sr_id=one, edge_types=wrong)
            assert reply.status == 400 and "edge_types[0]" in reply.body["errors"], (action, wrong)


def test_a_label_with_its_colon_means_any_value(anna):
    anna.write("red", "The client called.", ("client:Acme",))
    anna.write("red", "Another client called.")
    assert anna("e_gather", "count", match=["client:"])["count"] == 1
    assert anna("e_gather", "count", match=["CLIENT:"])["count"] == 1
    assert anna("e_gather", "count", match=["client"])["count"] == 2
    assert "clinet" in anna("e_gather", "intersect", match=["clinet:"])["hint"]


def test_nothing_was_recorded_in_the_future(anna):
    reply = anna("e_record", "write", lane="red", text="x", recorded_at="2999-01-01")
    assert reply.status == 400 and "recorded_at" in reply.body["errors"]
    assert anna("e_record", "write", lane="red", text="x", occurred_at="2999-01-01").status == 200  # an event may be


def test_an_ends_type_that_can_be_none_is_named_as_it_was_given(anna):
    for end in ("from_type", "to_type"):
        body = {"from": "Ana", "to": "Acme", "type": "WORKS_FOR", "lane": "red", end: "1x"}
        reply = anna("add_relationship", **body)
        assert reply.status == 400 and list(reply.body["errors"]) == [end]
