"""After ingest: relations become tags, and graph where a lane's policy says so; reading again is not stating again."""

from datetime import UTC, datetime

import pytest

from memory import sql
from memory.entities.store import GraphStore
from memory.ingest import pipeline, policies
from memory.models import IngestPolicy
from memory.services import properties, records
from tests.graph.test_grammar import SEED


@pytest.fixture(autouse=True)
def reading(settings):
    settings.LANEWISE_INGEST_LATER_STEPS = ["memory.relations.steps.Relations"]


def allow(firm, lane="alpha"):
    IngestPolicy.everything.create(lane_id=firm.lanes[lane], tenant_id=firm.tenant.pk, relations=True)


def tags(record):
    return {
        v for (v,) in sql.fetch("select value from memory_tag where record_id = %s and label = 'relation'", (record,))
    }


def read(firm, name):
    pipeline.run(pipeline.LATER, [firm.ids[name]])


def test_relations_become_tags_and_the_graph_where_the_policy_says_so(firm):
    allow(firm)
    firm.write("note", "alpha", text=SEED)
    firm.write("other", "beta", text=SEED)
    read(firm, "note"), read(firm, "other")
    assert "Raj HANDED_OFF_TO Priya" in tags(firm.ids["note"])
    assert tags(firm.ids["other"]) == tags(firm.ids["note"])
    policies.apply([firm.ids["note"], firm.ids["other"]])
    edges = GraphStore(firm.anna, "alpha").traverse("Raj")["edges"]
    assert {(e["type"], e["target"]) for e in edges} == {
        ("MEMBER_OF", "Frontend Team"),
        ("COMPLETED", "Checkout Redesign"),
        ("HANDED_OFF_TO", "Priya"),
    }
    assert {lane for e in GraphStore(firm.scribe, "alpha").traverse("Raj")["nodes"] for lane in e["lanes"]} == {
        "alpha"
    }


def test_reading_again_does_not_count_as_stating_again(firm):
    allow(firm)
    note = firm.write("note", "alpha", text=SEED)
    read(firm, "note")
    policies.apply([firm.ids["note"]])
    policies.apply([firm.ids["note"]])
    properties.add(firm.scribe, sr_id=note, edge_properties=["client:Halden"])
    read(firm, "note")
    policies.apply([firm.ids["note"]])
    assert {e["mentions"] for e in GraphStore(firm.anna, "alpha").traverse("Raj")["edges"]} == {1}
    firm.write("second", "alpha", text=SEED)
    read(firm, "second")
    policies.apply([firm.ids["second"]])
    assert {e["mentions"] for e in GraphStore(firm.anna, "alpha").traverse("Raj")["edges"]} == {2}


def test_a_later_text_ends_what_an_earlier_one_said(firm):
    allow(firm)
    firm.write("first", "alpha", text=SEED, occurred_at="2024-01-01")
    firm.write("later", "alpha", text="Raj moved from frontend to platform.", occurred_at="2024-06-01")
    for name in ("first", "later"):
        read(firm, name)
        policies.apply([firm.ids[name]])
    teams = {e["target"] for e in GraphStore(firm.anna, "alpha").traverse("Raj", edge_types=["MEMBER_OF"])["edges"]}
    assert teams == {"Platform Team"}
    for month, team in ((3, "Frontend Team"), (7, "Platform Team")):
        at = GraphStore(firm.anna, "alpha", as_of=datetime(2024, month, 1, tzinfo=UTC))
        assert {e["target"] for e in at.traverse("Raj", edge_types=["MEMBER_OF"])["edges"]} == {team}


def test_an_old_text_read_late_ends_nothing_that_began_since(firm):
    allow(firm)
    firm.write("later", "alpha", text="Raj joined the platform team.", occurred_at="2024-06-01")
    firm.write("old", "alpha", text="Raj left the platform team.", occurred_at="2023-01-01")
    for name in ("later", "old"):
        read(firm, name)
        policies.apply([firm.ids[name]])
    assert len(GraphStore(firm.anna, "alpha").traverse("Raj")["edges"]) == 1


def test_a_deleted_record_is_passed_over(firm):
    allow(firm)
    note = firm.write("note", "alpha", text=SEED)
    read(firm, "note")
    records.delete(firm.scribe, sr_id=note)
    policies.apply([firm.ids["note"]])
