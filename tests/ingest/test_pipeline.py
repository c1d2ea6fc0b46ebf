"""The pipeline: what it derives, and that edits, moves, deletions and failures leave nothing wrong behind."""

from __future__ import annotations

import pytest

from memory import sql
from memory.ingest import failures, pipeline, queue
from memory.ingest.pipeline import FIRST, LATER
from memory.models import IngestBatch, Record, RecordVector, Tag, Window
from tests.ingest.conftest import ingest, record_of, tags_of
from tests.ingest.stand_ins import Away, BrokenStatement, Meddler, PoisonTags, WholeBatch

STANDS = "tests.ingest.stand_ins."
TAGS = "memory.ingest.steps.Tags"
KNOWN = "memory.ingest.steps.KnownValues"


def jobs(task=queue.FIRST):
    return [args["record_ids"] for (args,) in sql.fetch(
        "select args from procrastinate_jobs where task_name = %s and status = 'todo' order by id", (task,)
    )]  # fmt: skip


def test_a_write_defers_its_job_in_its_own_transaction(anna):
    from django.db import transaction

    sr_id = anna.write("red", "First.")
    assert jobs() == [[record_of(sr_id).pk]]
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        anna.write("red", "Never written.")
        raise ZeroDivisionError
    assert len(jobs()) == 1


def test_many_records_are_deferred_by_sixty_four(anna):
    anna("e_record", "write_many", records=[{"lane": "red", "text": f"Note {n}."} for n in range(130)])
    assert [len(ids) for ids in jobs()] == [64, 64, 2]


def test_tags_vectors_and_windows_come_from_the_first_phase_and_names_later(anna):
    long = "Tobias Rehm paid USD 5,000 on 3 May 2024 in case 1:08-cv-00284. " + "He went on and on about it. " * 60
    sr_id = anna.write("red", long, title="Call with +1 212 555 0147")
    assert anna("e_record", "status", sr_id=sr_id)["status"] == "pending"
    assert ingest(sr_id).failed == {}
    tags = tags_of(sr_id)
    assert ("time", "2024-05-03") in tags and ("docket", "1:08-cv-00284") in tags and ("money", "USD 5000") in tags
    assert ("tense", "past") in tags and ("phone", "+12125550147") in tags
    assert not any(label == "person" for label, _ in tags)
    assert RecordVector.everything.filter(record=record_of(sr_id)).count() == 1
    assert Window.everything.filter(record=record_of(sr_id)).count() > 1
    status = anna("e_record", "status", sr_id=sr_id).body
    assert status["status"] == "done" and status["steps"] == {
        "words": True, "vectors": True, "tags": True, "names": False,
    }  # fmt: skip
    assert jobs(queue.LATER) == [[record_of(sr_id).pk]]
    ingest(sr_id, phase=LATER)
    assert ("person", "Tobias Rehm") in tags_of(sr_id)
    assert anna("e_record", "status", sr_id=sr_id)["steps"]["names"] is True


def test_a_tags_place_and_span_are_stored(anna):
    text = "We met last Tuesday."
    sr_id = anna.write("red", text, occurred_at="2024-05-15")
    ingest(sr_id)
    tag = Tag.everything.get(record=record_of(sr_id), label="time")
    assert text[tag.start : tag.end] == "last Tuesday"
    assert (tag.begins.isoformat(), tag.ends.isoformat()) == ("2024-05-14T00:00:00+00:00", "2024-05-15T00:00:00+00:00")
    assert tag.extractor == "times" and tag.data["unit"] == "day"


def test_running_twice_changes_nothing(anna, settings):
    sr_id = anna.write("red", "Ana met Bo on 3 May 2024, 531 U.S. 98.", tags=["kept"])
    ingest(sr_id)
    before = sorted(Tag.everything.values_list("record_id", "extractor", "label", "value", "start"))
    Record.everything.update(ingested_version=0)
    ingest(sr_id)
    assert sorted(Tag.everything.values_list("record_id", "extractor", "label", "value", "start")) == before
    assert Tag.everything.filter(extractor="writer").count() == 1
    assert IngestBatch.objects.count() == 2
    assert pipeline.run(FIRST, [record_of(sr_id).pk]).done == {record_of(sr_id).pk}
    assert IngestBatch.objects.count() == 2  # up to date: no work


def test_an_edit_replaces_every_derived_row(anna):
    sr_id = anna.write("red", "Signed on 3 May 2024.")
    ingest(sr_id)
    anna("e_record", "update", sr_id=sr_id, text="Signed on 6 June 2023.")
    assert anna("e_record", "status", sr_id=sr_id)["status"] == "pending"
    ingest(sr_id)
    assert [value for label, value in tags_of(sr_id) if label == "time"] == ["2023-06-06"]


def test_a_new_date_of_the_record_moves_its_relative_terms(anna):
    sr_id = anna.write("red", "We met yesterday.", occurred_at="2024-05-15")
    ingest(sr_id)
    anna("e_record", "update", sr_id=sr_id, occurred_at="2023-01-01")
    ingest(sr_id)
    assert ("time", "2022-12-31") in tags_of(sr_id) and ("time", "2024-05-14") not in tags_of(sr_id)


def test_what_only_touches_properties_needs_no_new_ingest(anna):
    sr_id = anna.write("red", "Signed on 3 May 2024.")
    other = anna.write("red", "Another.")
    ingest(sr_id, other)
    anna("e_property", "add", sr_id=sr_id, edge_properties=["client:Acme"])
    anna("e_property", "connect", sr_id=[sr_id, other], hint="seen with")
    record = record_of(sr_id)
    assert record.version > 1 and record.ingested_version == record.version


def test_an_edit_while_the_batch_is_in_work_throws_the_result_away_and_does_it_again(anna, settings):
    settings.LANEWISE_INGEST_STEPS = [TAGS, STANDS + "Meddler"]
    sr_id = anna.write("red", "Signed on 3 May 2024.")
    other = anna.write("red", "Signed on 1 May 2024.")
    Meddler.deed = lambda records: anna("e_record", "update", sr_id=sr_id, text="Signed on 6 June 2023.")
    outcome = ingest(sr_id, other)
    assert outcome.done == {record_of(sr_id).pk, record_of(other).pk}
    assert [value for label, value in tags_of(sr_id) if label == "time"] == ["2023-06-06"]
    assert record_of(sr_id).ingested_version == record_of(sr_id).version == 2


def test_a_record_deleted_while_it_is_in_work_leaves_nothing(anna, settings):
    settings.LANEWISE_INGEST_STEPS = [TAGS, "memory.ingest.steps.Vectors", STANDS + "Meddler"]
    sr_id = anna.write("red", "Signed on 3 May 2024.")
    pk = record_of(sr_id).pk
    Meddler.deed = lambda records: anna("e_record", "delete", sr_id=sr_id)
    assert ingest(sr_id).done == {pk}
    for model in (Tag, RecordVector, Window):
        assert not model.everything.filter(record_id=pk).exists()


def test_a_record_moved_while_it_is_in_work_gets_the_tags_of_its_new_lane(anna, settings):
    settings.LANEWISE_INGEST_STEPS = [TAGS, KNOWN, STANDS + "Meddler"]
    anna.write("red", "x", ("client:Zephyr Walled",))
    anna.write("blue", "x", ("client:Quay Harbour",))
    sr_id = anna.write("red", "Zephyr Walled and Quay Harbour.")
    Meddler.deed = lambda records: anna("e_record", "update", sr_id=sr_id, lane="blue")
    ingest(sr_id)
    assert tags_of(sr_id, "known_values") == [("client", "Quay Harbour")]


def test_one_bad_record_costs_itself_only(anna, settings):
    settings.LANEWISE_INGEST_STEPS = [STANDS + "PoisonTags"]
    good = [anna.write("red", f"Note {n}.") for n in range(5)]
    bad = anna.write("red", "POISON")
    outcome = ingest(*good, bad)
    assert set(outcome.failed) == {record_of(bad).pk}
    assert outcome.failed[record_of(bad).pk] == "ValueError: cannot read this text"
    assert all(tags_of(sr_id) == [("seen", "yes")] for sr_id in good)
    assert record_of(bad).ingested_version == 0


def test_a_step_that_fails_as_a_whole_is_halved_down_to_the_record_at_fault(anna, settings):
    settings.LANEWISE_INGEST_STEPS = [TAGS, STANDS + "WholeBatch"]
    WholeBatch.runs.clear()
    good = [anna.write("red", f"On {n} May 2024.") for n in range(1, 16)]
    bad = anna.write("red", "TOXIC")
    outcome = ingest(*good, bad)
    assert set(outcome.failed) == {record_of(bad).pk}
    assert len(outcome.done) == 15
    assert len(WholeBatch.runs) <= 9  # 16, then halves: a logarithm, not one by one


def test_an_endpoint_that_is_away_fails_the_batch_at_once_without_blame(anna, settings):
    settings.LANEWISE_INGEST_STEPS = [STANDS + "Away"]
    Away.runs.clear()
    sr_ids = [anna.write("red", f"Note {n}.") for n in range(8)]
    outcome = ingest(*sr_ids)
    assert len(outcome.failed) == 8 and Away.runs == [8]


def test_a_fault_of_the_database_fails_the_batch_at_once_without_blame(anna, settings):
    settings.LANEWISE_INGEST_STEPS = [TAGS, STANDS + "BrokenStatement"]
    BrokenStatement.runs.clear()
    sr_ids = [anna.write("red", f"On {n} May 2024.") for n in range(1, 9)]
    outcome = ingest(*sr_ids)
    assert len(outcome.failed) == 8 and BrokenStatement.runs == [8]
    assert not Tag.everything.exclude(extractor="writer").exists()


def test_failures_are_counted_shown_given_up_and_started_over(anna, settings):
    settings.LANEWISE_INGEST_STEPS = [STANDS + "PoisonTags"]
    settings.LANEWISE_INGEST_ATTEMPTS = 3
    sr_id = anna.write("red", "POISON")
    pk = record_of(sr_id).pk
    assert failures.record(ingest(sr_id).failed, FIRST, counted=False) == {pk}
    status = anna("e_record", "status", sr_id=sr_id).body
    assert (status["status"], status["attempts"]) == ("retrying", 1)
    assert status["error"] == "ValueError: cannot read this text"
    for _ in range(2):
        assert failures.begin([pk], FIRST) == [pk]
        again = failures.record(ingest(sr_id).failed, FIRST, counted=True)
    assert again == set() and failures.begin([pk], FIRST) == []
    assert anna("e_record", "status", sr_id=sr_id)["status"] == "failed"
    sql.execute("delete from procrastinate_jobs")
    assert failures.start_over() == 1
    assert jobs() == [[pk]] and anna("e_record", "status", sr_id=sr_id)["status"] == "pending"


def test_an_edit_forgets_earlier_failures(anna, settings):
    settings.LANEWISE_INGEST_STEPS = [STANDS + "PoisonTags"]
    sr_id = anna.write("red", "POISON")
    failures.record(ingest(sr_id).failed, FIRST, counted=False)
    anna("e_record", "update", sr_id=sr_id, text="Clean.")
    assert (record_of(sr_id).ingest_error, record_of(sr_id).ingest_attempts) == ("", 0)
    assert ingest(sr_id).failed == {}


def test_status_of_a_record_is_for_those_who_may_read_it(world):
    sr_id = world.anna.write("blue", "x")
    seen = world.andy.post("/api/v1/tools/e_record", f'{{"action": "status", "sr_id": "{sr_id}"}}')
    none = world.andy.post("/api/v1/tools/e_record", '{"action": "status", "sr_id": "sr_%s"}' % ("0" * 32))
    assert seen.status == none.status == 404
    assert {**seen.body, "request_id": ""} == {**none.body, "request_id": ""}


def test_news_is_published_with_ids_only_when_a_record_is_ready(anna, monkeypatch):
    from memory import events

    told = []
    monkeypatch.setattr(events, "publish", lambda **news: told.append(news))
    sr_id = anna.write("red", "Signed on 3 May 2024.")
    told.clear()
    ingest(sr_id)
    (news,) = told
    assert news["kind"] == "ingested" and list(news["records"]) == [(sr_id, 1)]
    assert "Signed" not in str(news)


def test_long_texts_are_worked_in_smaller_batches(anna, settings):
    settings.LANEWISE_INGEST_STEPS = [TAGS]
    sr_ids = [anna.write("red", "word " * 12_000) for _ in range(4)]
    ingest(*sr_ids)
    assert [batch.records for batch in IngestBatch.objects.order_by("id")] == [2, 2]


def test_poison_tags_stand_in_is_a_step():
    assert PoisonTags().name == "poison_tags"
