"""What ingest may do in a lane beyond tagging: off by default, idempotent, told apart, taken back."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from lanes.models import Lane
from memory import sql
from memory.ingest import policies, queue, seek, worker
from memory.ingest.pipeline import LATER
from memory.models import EdgeProperty, IngestPolicy, Record, Tag
from tests.ingest.conftest import ingest, record_of, tags_of


@pytest.fixture(autouse=True)
def quick(settings):
    settings.LANEWISE_INGEST_STEPS = ["memory.ingest.steps.Tags", "memory.ingest.steps.KnownValues"]


def policy(world, lane="red", **switches):
    lane = Lane.objects.get(tenant=world.tenant, slug=lane)
    return IngestPolicy.everything.update_or_create(lane=lane, defaults={"tenant_id": lane.tenant_id, **switches})[0]


def properties(sr_id):
    return sorted(EdgeProperty.everything.filter(record=record_of(sr_id)).values_list("label", "value", "reason"))


def work(*sr_ids):
    ingest(*sr_ids)
    ingest(*sr_ids, phase=LATER)
    policies.apply([record_of(sr_id).pk for sr_id in sr_ids])


def test_without_a_policy_nothing_but_tags_is_written(world, settings):
    settings.LANEWISE_INGEST_LATER_STEPS = []
    world.anna.write("red", "x", ("client:Quay Harbour",))
    sr_id = world.anna.write("red", "Ana Lopez works for Quay Harbour.")
    before = Record.everything.count(), EdgeProperty.everything.count()
    work(sr_id)
    assert (Record.everything.count(), EdgeProperty.everything.count()) == before
    assert not sql.fetch("select 1 from procrastinate_jobs where task_name = %s", (queue.POLICIES,))


def test_mentions_are_promoted_once_and_told_apart_from_what_people_assert(world):
    policy(world, promote=True)
    world.anna.write("red", "x", ("client:Quay Harbour",))
    sr_id = world.anna.write("red", "Paid by Quay Harbour, Quay Harbour.", ("topic:fees",))
    for _ in range(2):
        work(sr_id)
    assert properties(sr_id) == [("client", "Quay Harbour", policies.PROMOTED), ("topic", "fees", "")]
    row = EdgeProperty.everything.get(record=record_of(sr_id), label="client")
    assert (row.asserted_by_id, row.asserted_profile_id, row.confidence) == (None, None, policies.CONFIDENCE)
    assert record_of(sr_id).ingested_version == record_of(sr_id).version
    neighbours = world.anna("e_gather", "traverse", sr_id=sr_id)
    assert len(neighbours.ids) == 1


def test_a_mention_that_is_edited_away_takes_its_promoted_property_along_and_no_other(world):
    policy(world, promote=True)
    world.anna.write("red", "x", ("client:Quay Harbour", "client:Bo Quist"))
    sr_id = world.anna.write("red", "Quay Harbour and Bo Quist.", ("client:Bo Quist",))
    work(sr_id)
    world.anna("e_record", "update", sr_id=sr_id, text="Nobody.")
    work(sr_id)
    assert properties(sr_id) == [("client", "Bo Quist", "")]


def test_only_the_labels_a_policy_names_are_promoted(world):
    policy(world, promote=True, promote_labels=["client"])
    world.anna.write("red", "x", ("client:Quay Harbour", "person:Ana Lopez"))
    sr_id = world.anna.write("red", "Ana Lopez of Quay Harbour.")
    work(sr_id)
    assert properties(sr_id) == [("client", "Quay Harbour", policies.PROMOTED)]


def test_a_lanes_policy_holds_in_that_lane_only(world):
    policy(world, "red", promote=True)
    for lane in ("red", "blue"):
        world.anna.write(lane, "x", ("client:Quay Harbour",))
    in_red, in_blue = (world.anna.write(lane, "Quay Harbour paid.") for lane in ("red", "blue"))
    work(in_red, in_blue)
    assert properties(in_red) and not properties(in_blue)


def test_what_was_promoted_can_be_taken_back_as_a_whole(world):
    policy(world, promote=True)
    world.anna.write("red", "x", ("client:Quay Harbour",))
    sr_ids = [world.anna.write("red", f"Quay Harbour paid {n}.") for n in range(3)]
    work(*sr_ids)
    out = StringIO()
    call_command("ingest_policy", tenant="firm", lane="red", promote="off", take_back=True, stdout=out)
    assert "3 records" in out.getvalue() and "promote: off" in out.getvalue()
    assert all(properties(sr_id) == [] for sr_id in sr_ids)
    assert EdgeProperty.everything.count() == 1


def test_relations_are_remembered_once_for_each_version(world):
    policy(world, relations=True)
    sr_id = world.anna.write("red", "Raj Patel reports to Priya Nair.")
    work(sr_id)
    relations = [value for label, value in tags_of(sr_id) if label == "relation"]
    if not relations:
        pytest.fail("the local grammar reads no relation in this sentence")
    entities = Record.everything.filter(kind="entity").count()
    mentions = list(EdgeProperty.everything.filter(label="e_connect").values_list("confidence", "mentions"))
    assert entities == 2 and mentions
    policies.apply([record_of(sr_id).pk])
    assert list(EdgeProperty.everything.filter(label="e_connect").values_list("confidence", "mentions")) == mentions
    assert Record.everything.filter(kind="entity").count() == 2


def test_the_engine_reads_and_writes_one_lane_and_no_more(world):
    lane = Lane.objects.select_related("tenant").get(tenant=world.tenant, slug="red")
    reader = policies.lane_reader(lane)
    assert reader.readable == reader.writable == (lane.pk,) and reader.manageable == ()
    assert not reader.is_tenant_admin and reader.user_id is None and reader.profile_id is None


def test_the_language_model_is_allowed_by_the_lanes_policy_alone(world):
    lane = Lane.objects.get(tenant=world.tenant, slug="red")
    assert not policies.language_model_allowed(lane.tenant_id, lane.pk)
    made = policy(world, language_model=True)
    assert policies.language_model_allowed(lane.tenant_id, lane.pk)
    assert not policies.language_model_allowed(world.other.pk, lane.pk)
    IngestPolicy.everything.filter(pk=made.pk).update(language_model=False)
    assert not policies.language_model_allowed(lane.tenant_id, lane.pk)


def test_a_policy_turned_on_reaches_earlier_records_through_the_queue(live, settings):
    settings.LANEWISE_INGEST_LATER_STEPS = []
    live.anna.write("red", "x", ("client:Quay Harbour",))
    sr_id = live.anna.write("red", "Paid by Quay Harbour.")
    assert worker.until_idle(timeout=60)
    assert properties(sr_id) == []
    call_command("ingest_policy", tenant="firm", lane="red", promote="on", labels="client, ", stdout=StringIO())
    assert worker.until_idle(timeout=60)
    assert properties(sr_id) == [("client", "Quay Harbour", policies.PROMOTED)]


def test_a_lane_that_is_not_there_is_refused(world):
    with pytest.raises(CommandError):
        call_command("ingest_policy", tenant="firm", lane="none")


def test_redo_runs_all_steps_again_for_one_lane(world):
    red, blue = world.anna.write("red", "On 3 May 2024."), world.anna.write("blue", "On 3 May 2024.")
    ingest(red, blue)
    Tag.everything.all().delete()
    out = StringIO()
    call_command("ingest", "--redo", "--tenant", "firm", "--lane", "red", stdout=out)
    assert "1 records" in out.getvalue()
    ingest(red, blue)
    assert tags_of(red) and not tags_of(blue)
    with pytest.raises(CommandError):
        call_command("ingest", "--redo", "--lane", "red")


def test_late_values_of_a_promoting_lane_wait_for_their_records(world):
    """A value that comes into use later becomes a tag at once and an edge property when the policy runs next."""
    policy(world, promote=True)
    sr_id = world.anna.write("red", "Paid by Quay Harbour.")
    work(sr_id)
    world.anna.write("red", "x", ("client:Quay Harbour",))
    seek.seek(record_of(sr_id).lane_id)
    jobs = sql.fetch("select args from procrastinate_jobs where task_name = %s", (queue.POLICIES,))
    assert any(record_of(sr_id).pk in args["record_ids"] for (args,) in jobs)
