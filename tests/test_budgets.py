"""The walking budget and the cap on connections: who keeps what, and that it is said; supersession without circles."""

import pytest
from django.test import override_settings

pytestmark = pytest.mark.django_db


def told(items) -> list[str]:
    return [f"{item['label']}:{item['value']}" for item in items]


@override_settings(LANEWISE_WALK_BUDGET=4)
def test_a_rewrite_reports_the_budget_as_the_first_writing_did(anna):
    named = [f"n:{number}" for number in range(6)]
    write = {"lane": "red", "text": "x", "external_id": "x"}
    replies = [
        anna("e_record", "write", **write, edge_properties=named),
        anna("e_record", "write", **write, edge_properties=named),
        anna("e_record", "write", **write),
        anna("e_record", "write", **{**write, "text": "y"}),
    ]
    sr_id = replies[0]["sr_id"]
    replies.append(anna("e_record", "update", sr_id=sr_id, text="z"))
    replies.append(anna("e_record", "update", sr_id=sr_id, edge_properties=named))
    for reply in replies:
        assert (told(reply["kept"]), told(reply["skipped"])) == (named[:4], named[4:])
        assert reply["hint"] == "2 edge properties are beyond the 4 that are walked: kept, not followed."
    many = anna("e_record", "write_many", records=[{**write, "edge_properties": named}, {"lane": "red", "text": "x"}])
    assert told(many["results"][0]["skipped"]) == named[4:] and many["hint"].startswith("2 edge properties")
    fewer = anna("e_record", "write", **write, edge_properties=named[1:])
    assert (told(fewer["kept"]), told(fewer["skipped"])) == (named[1:5], named[5:])
    held = anna("e_property", "list", sr_id=sr_id)["edge_properties"]
    assert told([item for item in held if item.get("skipped")]) == named[5:]
    fits = anna("e_record", "write", **write, edge_properties=named[:2])
    assert (told(fits["kept"]), fits["skipped"], fits["hint"]) == ([named[1], named[0]], [], None)
    more = anna("e_property", "add", sr_id=sr_id, edge_properties=["n:7", "n:8", "n:9"])
    assert told(more["skipped"]) == ["n:9"] and more["hint"].startswith("1 edge property is beyond")


@override_settings(LANEWISE_CONNECTION_CAP=3)
def test_the_weakest_connection_is_dropped_even_when_it_is_the_new_one(anna):
    hub, *others = [anna.write("red") for _ in range(6)]
    held = [
        anna("e_property", "connect", sr_id=[hub, other], hint="x", strength=strength)["property"]
        for other, strength in zip(others[:3], (0.5, 0.6, 0.7), strict=True)
    ]
    before = anna("e_record", "read", sr_id=hub)["record"]["version"]
    weak = anna("e_property", "connect", sr_id=[hub, others[3]], hint="x", strength=0.4)
    assert (weak["stamped"], weak["dropped"]) == ([], [weak["property"]])
    assert weak["hint"] == "Not connected: a record holds 3 connections, none of which makes way."
    record = anna("e_record", "read", sr_id=hub)["record"]
    assert [f"e_connect:{item['value']}" for item in record["edge_properties"]] == held
    assert record["version"] == before
    strong = anna("e_property", "connect", sr_id=[hub, others[4]], hint="x", strength=0.65)
    assert (len(strong["stamped"]), strong["dropped"]) == (2, held[:1])
    assert strong["hint"] == "1 weaker connection made way: a record holds at most 3; see dropped."
    as_strong = anna("e_property", "connect", sr_id=[hub, others[3]], hint="y", strength=0.6)
    assert (len(as_strong["stamped"]), as_strong["dropped"]) == (2, held[1:2])
    assert anna("e_property", "connect", sr_id=[hub, others[3]], hint="y", strength=0.6)["hint"] is None
    unsaid = anna("e_property", "connect", sr_id=[hub, others[3]], hint="z")
    assert (len(unsaid["stamped"]), unsaid["dropped"]) == (2, [as_strong["property"]])
    related = {"from": hub, "to": others[0], "type": "KNOWS", "lane": "red"}
    assert anna("add_relationship", **related)["hint"].startswith("1 weaker connection made way")


@pytest.mark.parametrize("hint", ["supersedes", "retracts"])
def test_records_do_not_supersede_each_other_in_a_circle(world, hint):
    anna = world.anna
    a, b, c = (anna.write("red", properties=("client:Acme",)) for _ in range(3))
    anna("e_property", "adjust", sr_id=a, by=b, hint=hint)
    anna("e_property", "adjust", sr_id=b, by=c, hint="supersedes")
    for old, new in ((b, a), (c, b), (c, a)):
        refused = anna("e_property", "adjust", sr_id=old, by=new, hint=hint)
        assert (refused.status, list(refused.body["errors"])) == (409, ["by"])
    assert anna("e_gather", "intersect", match=["client:Acme"]).ids == [c]
    assert anna("e_property", "adjust", sr_id=c, by=a, hint="corrects").status == 200
    assert anna("e_property", "adjust", sr_id=a, by=b, hint=hint).status == 200
    name = anna("e_property", "adjust", sr_id=b, by=c, hint="supersedes")["property"]
    anna("e_property", "disconnect", property=name)
    assert anna("e_property", "adjust", sr_id=c, by=b, hint=hint).status == 200


def test_errors_name_the_arguments_and_what_they_are(anna):
    one, two = anna.write("red", properties=("client:Acme",)), anna.write("red")
    calls = [
        ({"action": "invalidate", "sr_id": one, "label": "e_connect", "value": "x"}, "label", "reserved"),
        ({"action": "invalidate", "sr_id": one, "label": "9", "value": "x"}, "label", "A label is"),
        ({"action": "rename", "label": "9", "value": "a", "to": "b"}, "label", "A label is"),
        ({"action": "rename", "label": "a", "value": " ", "to": "b"}, "value", ""),
        ({"action": "rename", "label": "a", "value": "a", "to": " "}, "to", ""),
        ({"action": "connect", "sr_id": [one, two], "hint": "h", "type": "…"}, "type", "A type is"),
        ({"action": "connect", "sr_id": [one, two], "hint": "…", "type": "t"}, "hint", "A hint is"),
    ]
    for body, field, said in calls:
        reply = anna("e_property", **body)
        assert (reply.status, list(reply.body["errors"])) == (400, [field]), reply.body
        assert said in reply.body["detail"]
