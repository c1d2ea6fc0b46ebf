"""Holds: what stands under one stays as it is, whatever way it is tried; what is new may come beside it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from lanes import services
from lanes.errors import Invalid
from memory import sql
from memory.models import Hold, parse_sr_id
from memory.relations import decay, discovery
from memory.services import holds
from tests import matrix
from tests.test_persona_matrix import CASES, READS

pytestmark = pytest.mark.django_db

_KEPT = """
select 'record', r.id::text, to_jsonb(r) - array['version', 'updated_at', 'changed_by_id', 'changed_profile_id',
  'ingested_version', 'enriched_version', 'known_through', 'ingest_error', 'ingest_attempts', 'superseded_at']
from memory_record r where r.id = any(%(ids)s)
union all
select 'property', e.id::text, to_jsonb(e) - array['state', 'mentions', 'last_mentioned']
from memory_edgeproperty e where e.record_id = any(%(ids)s)
union all
select 'tag', t.id::text, to_jsonb(t) from memory_tag t where t.record_id = any(%(ids)s) and t.extractor = 'writer'
"""


def kept(*sr_ids: str) -> set[str]:
    """Everything a hold keeps of some records, a string a row."""
    rows = sql.fetch("select id from memory_record where public_id = any(%s)", ([parse_sr_id(s) for s in sr_ids],))
    return {json.dumps(row) for row in sql.fetch(_KEPT, {"ids": [record for (record,) in rows]})}


def hold(world: Any, *sr_ids: str, lanes: tuple[str, ...] = (), name: str = "The inquiry") -> Hold:
    from lanes.models import AgentProfile
    from lanes.readers import reader_for_profile

    profile = AgentProfile.objects.select_related("tenant").get(slug="anna", tenant=world.tenant)
    named = [world.tenant.lanes.get(slug=slug) for slug in lanes]
    return holds.place(
        tenant_id=world.tenant.pk, name=name, lanes=named, sr_ids=sr_ids, reader=reader_for_profile(profile)
    )


@pytest.mark.parametrize("by_lane", [False, True], ids=["the record", "its lane"])
def test_no_action_takes_anything_from_what_is_held(db: None, by_lane: bool):
    """Every writing action of the registry on held records, as somebody who may write to all their lanes: every row
    that was there before is there after, as it was."""
    marked = matrix.build()
    every = [sr_id for ids in marked.records.values() for sr_id in ids if ids is not marked.records["elsewhere"]]
    if by_lane:
        hold(marked.world, lanes=("red", "blue", "green"))
    else:
        hold(marked.world, *every)
    before = kept(*every)
    refused = 0
    for key in sorted(set(CASES) - READS, key=str):
        for sr_id in every[:3]:
            for body in CASES[key](marked, "anna", sr_id):
                reply = marked.world.anna(key[0], **body)
                assert reply.status < 500, (key, body)
                assert before <= kept(*every), (key, body)
                refused += reply.status == 409
    assert refused > 15


def test_each_change_of_a_held_record_is_refused_in_a_sentence(world: Any, anna: Any):
    sr_id = anna.write("red", "As it was.", ("client:Acme", "person:Ana"), external_id="n1", tags=["kept"])
    other = anna.write("red", "Another.", ("client:Acme",))
    stamp = anna("e_property", "connect", sr_id=[sr_id, other], hint="same call")["property"]
    assert anna("e_record", "read", sr_id=sr_id)["record"]["on_hold"] is False
    hold(world, sr_id)
    assert anna("e_record", "read", sr_id=sr_id)["record"]["on_hold"] is True
    before = kept(sr_id)
    for tool, action, arguments in [
        ("e_record", "update", {"sr_id": sr_id, "text": "Changed."}),
        ("e_record", "update", {"sr_id": sr_id, "lane": "blue"}),
        ("e_record", "update", {"sr_id": sr_id, "tags": []}),
        ("e_record", "delete", {"sr_id": sr_id}),
        ("e_record", "write", {"lane": "red", "external_id": "n1", "text": "Changed."}),
        ("e_record", "write", {"lane": "red", "external_id": "n1", "text": "As it was.", "edge_properties": []}),
        ("e_record", "write", {"lane": "red", "external_id": "n1", "text": "As it was.", "tags": ["other"]}),
        ("e_property", "add", {"sr_id": sr_id, "edge_properties": ["client:Other"]}),
        ("e_property", "remove", {"sr_id": sr_id, "edge_properties": ["client:Acme"]}),
        ("e_property", "invalidate", {"sr_id": sr_id, "label": "client", "value": "Acme"}),
        ("e_property", "invalidate", {"property": stamp}),
        ("e_property", "disconnect", {"property": stamp}),
        ("e_property", "rename", {"label": "client", "value": "Acme", "to": "Acme Ltd"}),
        ("e_property", "rename", {"label": "client", "value": "Acme", "to": "ACME"}),
        ("e_property", "adjust", {"sr_id": sr_id, "by": other, "hint": "supersedes"}),
    ]:
        reply = anna(tool, action, **arguments)
        assert (reply.status, reply.body["code"]) == (409, "conflict"), (action, arguments, reply.body)
        assert "under a hold" in reply.body["detail"], reply.body
        assert kept(sr_id) == before, (action, arguments)


def test_what_is_new_may_come_beside_what_is_held(world: Any, anna: Any):
    sr_id = anna.write("red", "As it was.", ("client:Acme",), external_id="n1")
    hold(world, lanes=("red",))
    before = kept(sr_id)
    again = anna("e_record", "write", lane="red", text="As it was.", edge_properties=["client:Acme"], external_id="n1")
    assert again["created"] is False and again["version"] == 1
    later = anna.write("red", "Written under the hold.", ("client:Acme",))
    joined = anna("e_property", "connect", sr_id=[sr_id, later], hint="answers")
    assert len(joined["stamped"]) == 2
    assert anna("e_property", "connect", sr_id=[sr_id, later], hint="answers", strength=0.2)["stamped"] == []
    made = anna("add_relationship", **{"from": "person:Ana", "to": "org:Acme", "type": "WORKS_FOR", "lane": "red"})
    assert made["created"]
    assert before <= kept(sr_id)
    assert anna("e_record", "delete", sr_id=later).status == 409
    # what replaces an earlier one would end that: refused, and nothing of it is left
    other = {"from": "person:Ana", "to": "org:Other", "type": "WORKS_FOR", "lane": "red", "single_valued": True}
    entities = len(anna("e_gather", "intersect", match=["org"]).srs)
    assert anna("add_relationship", **other).status == 409
    assert len(anna("e_gather", "intersect", match=["org"]).srs) == entities


def test_of_many_written_at_once_those_held_are_refused_and_the_others_written(world: Any, anna: Any):
    found = {name: anna.write("red", f"Text {name}.", external_id=name) for name in ("a", "b", "c")}
    hold(world, found["b"])
    reply = anna("e_record", "write_many", records=[
        {"lane": "red", "text": f"New {name}.", "external_id": name} for name in ("a", "b", "c", "d")
    ])  # fmt: skip
    assert (reply["written"], reply["refused"]) == (3, 1)
    assert "under a hold" in reply["results"][1]["error"]["detail"]
    texts = [anna("e_record", "read", sr_id=found[name])["record"]["text"] for name in ("a", "b", "c")]
    assert texts == ["New a.", "Text b.", "New c."]


def test_an_import_tells_which_line_is_held(world: Any, anna: Any, tmp_path: Any, capsys: Any):
    from django.core.management import call_command

    sr_id = anna.write("red", "Old.", external_id="one")
    hold(world, sr_id)
    lines = [{"external_id": name, "lane": "red", "text": f"New {name}."} for name in ("zero", "one", "two")]
    (tmp_path / "f.jsonl").write_text("\n".join(map(json.dumps, lines)))
    call_command("import_records", str(tmp_path / "f.jsonl"), tenant="firm")
    said = "".join(capsys.readouterr())
    assert "under a hold" in said
    assert anna("e_record", "read", sr_id=sr_id)["record"]["text"] == "Old."
    assert anna("e_gather", "count", match=["new"])["count"] == 2


def test_a_record_is_free_when_the_last_of_its_holds_is_released(world: Any, anna: Any):
    sr_id = anna.write("red", "Held twice.")
    one, two = hold(world, sr_id, name="One"), hold(world, lanes=("red",), name="Two")
    lane_ids = [world.tenant.lanes.get(slug="red").pk]
    assert holds.covers(one, lane_ids) == (1, 0)
    assert holds.release(one, reason="Settled.") == 0
    assert holds.covers(two, lane_ids) == (1, 1)
    assert anna("e_record", "delete", sr_id=sr_id).status == 409
    assert holds.release(two) == 1
    assert holds.release(two, reason="Again.") == 0
    two.refresh_from_db()
    assert two.release_reason == ""
    assert anna("e_record", "delete", sr_id=sr_id)["deleted"] is True


def test_the_database_refuses_what_no_service_checked(world: Any, anna: Any):
    sr_id = anna.write("red", "Held.", ("client:Acme",))
    hold(world, sr_id)
    for statement in (
        "delete from memory_record where public_id = %s",
        "update memory_record set text = 'x' where public_id = %s",
        "update memory_record set lane_id = lane_id + 1 where public_id = %s",
        "delete from memory_edgeproperty where record_id = (select id from memory_record where public_id = %s)",
        "update memory_edgeproperty set value = 'x' "
        "where record_id = (select id from memory_record where public_id = %s)",
    ):
        with pytest.raises(IntegrityError, match="under a hold"), transaction.atomic():
            sql.execute(statement, (parse_sr_id(sr_id),))
    # what is derived of it is made anew as ever
    sql.execute("update memory_record set ingested_version = 1 where public_id = %s", (parse_sr_id(sr_id),))


def test_a_held_record_keeps_the_stamp_of_what_was_deleted_until_it_is_free(world: Any, anna: Any):
    held_, other = anna.write("red", "Held."), anna.write("red", "Other.")
    anna("e_property", "connect", sr_id=[held_, other], hint="pair")
    placed = hold(world, held_)
    before = kept(held_)
    assert anna("e_record", "delete", sr_id=other)["deleted"] is True
    assert kept(held_) == before
    assert anna("e_record", "read", sr_id=held_)["record"]["edge_properties"] == []  # one member is no connection
    holds.release(placed)
    assert not [row for row in kept(held_) if "e_connect" in row]


def test_nothing_makes_way_on_a_held_record(world: Any, anna: Any, settings: Any):
    settings.LANEWISE_CONNECTION_CAP = 2
    full = anna.write("red", "Full.")
    others = [anna.write("red", f"Other {n}.") for n in range(3)]
    weak = [anna("e_property", "connect", sr_id=[full, o], hint="weak", strength=0.1)["property"] for o in others[:2]]
    hold(world, full)
    before = kept(full)
    reply = anna("e_property", "connect", sr_id=[full, others[2]], hint="strong", strength=0.9)
    assert reply["stamped"] == [] and reply["dropped"] == [reply["property"]]
    assert kept(full) == before
    assert {p["value"] for p in anna("e_property", "list", sr_id=full)["edge_properties"]} == {
        name.split(":", 1)[1] for name in weak
    }


def test_pruning_leaves_what_joins_held_records(world: Any, anna: Any):
    one, two = anna.write("red", "One."), anna.write("red", "Two.")
    anna("e_property", "connect", sr_id=[one, two], hint=discovery.HINT, strength=0.4)
    later = timezone.now() + timedelta(days=3_650)
    placed = hold(world, one)
    pruned = decay.prune(world.tenant.pk, now=later)
    assert (pruned["dropped"], pruned["held_back"]) == ([], 1)
    holds.release(placed)
    assert len(decay.prune(world.tenant.pk, now=later)["dropped"]) == 1


def test_holds_of_one_tenant_say_nothing_in_another(world: Any, anna: Any):
    far = world.bert.write("red", "Elsewhere.", external_id="n1")
    hold(world, lanes=("red",))
    assert world.bert("e_record", "delete", sr_id=far)["deleted"] is True
    elsewhere = world.other.lanes.get(slug="red")
    with pytest.raises(Invalid, match="another tenant"):
        holds.place(tenant_id=world.tenant.pk, name="No", lanes=[elsewhere])


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "lanes"),
        ({"sr_ids": ["sr_" + "0" * 32]}, "sr_ids"),
        ({"sr_ids": ["nonsense"]}, "sr_ids"),
        ({"name": " ", "lanes": True}, "name"),
        ({"name": "x" * 201, "lanes": True}, "name"),
        ({"reason": "x" * 2_001, "lanes": True}, "reason"),
    ],
)
def test_bad_input_names_its_field(world: Any, readers: Any, given: dict[str, Any], field: str):
    given = {"name": "Hold", **given}
    if given.pop("lanes", False):
        given["lanes"] = [world.tenant.lanes.get(slug="red")]
    with pytest.raises(Invalid) as refused:
        holds.place(tenant_id=world.tenant.pk, reader=readers("anna"), **given)
    assert field in refused.value.errors
    assert not Hold.everything.exists()


def test_records_behind_a_wall_cannot_be_named(world: Any, readers: Any):
    blue = world.anna.write("blue", "Behind the wall.")
    with pytest.raises(Invalid):
        holds.place(tenant_id=world.tenant.pk, name="No", sr_ids=[blue], reader=readers("wally"))


def test_people_who_are_forgotten_leave_held_records(world: Any, anna: Any):
    """Who wrote a record is not what a hold keeps."""
    from memory.models import Record
    from tests.web.conftest import make_desk

    ada = make_desk(world.tenant, "ada", write="red")
    sr_id = anna.write("red", "Signed.", ("client:Acme",))
    Record.everything.filter(public_id=parse_sr_id(sr_id)).update(written_by=ada.user)
    hold(world, sr_id)
    services.delete_user(ada.user) if hasattr(services, "delete_user") else ada.user.delete()
    assert anna("e_record", "read", sr_id=sr_id)["record"]["written_by"]["user"] is None


def test_entities_are_made_and_said_in_a_held_lane(world: Any, anna: Any, readers: Any):
    from memory.entities.store import GraphStore
    from memory.relations.remember import remember

    hold(world, lanes=("red",))
    graph = GraphStore(readers("anna"), lane="red")
    one = graph.add_node("Ana", type="person", attributes={"role": "clerk"}, confidence=0.4)
    before = kept(one)
    assert graph.add_node("Ana", type="person", attributes={"role": "judge"}, confidence=0.9) == one
    assert kept(one) == before
    said = remember(readers("anna"), text="Raj Patel works for Corvane Ltd.", lane="red")
    again = remember(readers("anna"), text="Raj Patel works for Halden plc.", lane="red")
    assert len(said["relations"]) == 1
    assert again["relations"] == []  # it would end the other one
    now = anna("traverse_entity", entity="Raj Patel")["edges"]
    assert [edge["target"]["name"] if isinstance(edge["target"], dict) else edge["target"] for edge in now]
    assert len(now) == 1


def test_a_record_may_come_to_a_held_lane_and_takes_its_spelling(world: Any, anna: Any):
    anna.write("blue", "There.", ("client:Acme Limited",))
    anna("e_property", "rename", label="client", value="Acme Limited", to="Acme Ltd", lanes=["blue"])
    sr_id = anna.write("red", "Comes.", ("client:Acme Limited", "topic:x"))
    hold(world, lanes=("blue",))
    moved = anna("e_record", "update", sr_id=sr_id, lane="blue", text="Comes, changed on the way.")
    assert moved.status == 200, moved.body
    record = anna("e_record", "read", sr_id=sr_id)["record"]
    assert record["on_hold"] and record["lane"] == "blue" and record["text"] == "Comes, changed on the way."
    assert {p["value"] for p in record["edge_properties"]} == {"Acme Ltd", "x"}
    assert anna("e_record", "update", sr_id=sr_id, lane="red").status == 409


def test_a_batch_that_names_a_record_twice_in_a_held_lane_makes_it_once(world: Any, anna: Any):
    hold(world, lanes=("red",))
    twice = [{"lane": "red", "text": text, "external_id": "n"} for text in ("First.", "Second.", "Third.")]
    reply = anna("e_record", "write_many", records=[*twice, {"lane": "blue", "text": "Free.", "external_id": "n"}])
    assert (reply["written"], reply["refused"]) == (2, 2)
    assert "under a hold" in reply["results"][1]["error"]["detail"]
    assert anna("e_record", "read", sr_id=reply["results"][0]["sr_id"])["record"]["text"] == "First."


def test_what_supersedes_comes_and_goes_without_taking_a_held_record_out(world: Any, anna: Any):
    """A held record is never taken out of default results; what took it out before may go, and then it is back."""
    held_, there = (
        anna.write("red", "Held.", external_id="held"),
        anna.write("red", "Was superseded.", external_id="w"),
    )
    beside, above = anna.write("blue", "Beside."), anna.write("red", "Above.")
    anna("e_property", "adjust", sr_id=held_, by=beside, hint="supersedes")
    anna("e_property", "adjust", sr_id=there, by=above, hint="supersedes")

    def shown() -> set[str]:
        return {r["external_id"] for r in anna("e_gather", "recent", limit=50).srs if r["external_id"]}

    assert shown() == {"held"}
    placed = hold(world, held_, there)
    assert anna("e_record", "update", sr_id=beside, lane="red").status == 200  # supersedes it now, but for the hold
    assert shown() == {"held"}
    assert anna("e_record", "delete", sr_id=above).status == 200
    assert shown() == {"held", "w"}
    holds.release(placed)
    assert shown() == {"w"}


def test_all_ends_of_a_connection_go_on_saying_the_same(world: Any, anna: Any):
    one, two = anna.write("red", "One."), anna.write("red", "Two.")
    said = {"sr_id": [one, two], "hint": "call", "type": "cites"}
    anna("e_property", "connect", **said, strength=0.5, reason="Original.")
    hold(world, two)
    assert anna("e_property", "connect", **said, strength=0.01, reason="Other.").status == 200
    for sr_id in (one, two):
        (told,) = anna("e_property", "list", sr_id=sr_id)["edge_properties"]
        assert (told["strength"], told["reason"], told["mentions"]) == (0.5, "Original.", 1)


def test_a_record_comes_to_a_held_lane_with_what_is_written_on_the_way(world: Any, anna: Any):
    hold(world, lanes=("blue",))
    sr_id = anna.write("red", "Comes.", ("client:Acme",), tags=["old"])
    moved = anna("e_record", "update", sr_id=sr_id, lane="blue", edge_properties=["client:Other"], tags=["new"])
    assert moved.status == 200, moved.body
    record = anna("e_record", "read", sr_id=sr_id)["record"]
    assert [p["value"] for p in record["edge_properties"]] == ["Other"] and record["on_hold"]
    assert "new" in {tag["value"] for tag in record["tags"]} and "old" not in {tag["value"] for tag in record["tags"]}
    assert anna("e_gather", "intersect", match=["client:Other"], lanes=["blue"]).ids == [sr_id]


def test_relationships_are_refused_only_where_something_held_would_end(world: Any, anna: Any):
    held_ = {"from": "person:Tim", "to": "org:Plix", "type": "MEMBER_OF", "lane": "red", "single_valued": True}
    anna("add_relationship", **held_, valid_from="2020-01-01")
    hold(world, lanes=("red",))
    elsewhere = {**held_, "to": "org:Else", "lane": "blue"}
    assert anna("add_relationship", **elsewhere).status == 200
    assert anna("add_relationship", **{**held_, "to": "org:Next"}).status == 409
    late = anna("add_relationship", **{**held_, "to": "org:Early"}, valid_from="2010-01-01")
    assert late.status == 200 and late["created"]
    edges = anna("traverse_entity", entity="person:Tim", include_invalidated=True)["edges"]
    ended = [edge for edge in edges if edge.get("invalidated_at")]
    assert [edge["invalidated_at"][:10] for edge in ended] == ["2020-01-01"]


def test_several_holds_are_released_together_in_any_order(world: Any, anna: Any):
    sr_ids = [anna.write(lane, "Held.") for lane in ("red", "blue", "green")]
    placed = [hold(world, lanes=(lane,), name=lane) for lane in ("green", "blue", "red")]
    assert holds.release_all(placed, reason="All.") == 3
    assert all(one.released_at for one in placed)
    assert all(anna("e_record", "delete", sr_id=sr_id).status == 200 for sr_id in sr_ids)


def test_a_hold_is_not_deleted_even_by_hand(world: Any, anna: Any):
    placed = hold(world, lanes=("red",))
    for statement in ("delete from memory_hold where id = %s", "delete from memory_holdlane where hold_id = %s"):
        with pytest.raises(IntegrityError, match="released, not deleted"), transaction.atomic():
            sql.execute(statement, (placed.pk,))


def test_of_very_many_that_are_held_each_is_told(world: Any, anna: Any):
    drafts = [{"lane": "red", "text": f"{n}.", "external_id": f"n{n}"} for n in range(40)]
    anna("e_record", "write_many", records=drafts)
    hold(world, lanes=("red",))
    reply = anna("e_record", "write_many", records=[
        *({**draft, "edge_properties": ["client:New"]} for draft in drafts), {"lane": "blue", "text": "Free."},
    ])  # fmt: skip
    assert (reply["written"], reply["refused"]) == (1, 40)
    assert all("under a hold" in item["error"]["detail"] for item in reply["results"][:40])
