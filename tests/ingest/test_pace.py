"""Long and endless texts beside ordinary ones: what a worker lets pass, leaves, and survives."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from memory import sql
from memory.ingest import pace, slices, worker
from memory.models import Record, RecordVector, Tag
from tests.ingest.conftest import ingest, record_of, tags_of
from tests.ingest.stand_ins import Slow
from tests.ingest.test_worker import start_worker, wait_for

STANDS = "tests.ingest.stand_ins."
TAGS = "memory.ingest.steps.Tags"
LONG = "The clerk filed it on Monday. " * 2_000


def test_slices_overlap_and_each_place_belongs_to_one(settings):
    for text in (LONG, "x" * 3_000, "word " * 900, "", "a\n\nb" * 700, "one two"):
        parts = slices.slices(text, 1_000, 200)
        assert all(0 < part.end - part.start <= 1_000 for part in parts) or not text
        assert parts[0].first == 0 and parts[-1].last == len(text)
        for part, after in zip(parts, parts[1:], strict=False):
            assert part.last == after.first and after.start <= part.last <= part.end
            assert part.end - after.start <= 200
    settings.LANEWISE_MODEL_CHARACTERS = 500
    read = slices.readable("before " + "[" * 300 + " after" + "!" * 300)
    assert read == "before " + " " * 300 + " after" + "!" * 187


def test_names_and_relations_across_the_cut_of_a_slice_stand_where_the_text_has_them(db):
    from memory.ingest.extractors import ExtractContext
    from memory.ingest.extractors.entities import EntityExtractor
    from memory.relations.grammar import find_relations

    for before in (4_700, 4_985, 9_700, 9_985):
        filler = ("The clerk filed it. " * 600)[: before - 1] + "\n"
        text = filler + "Tobias Rehm works for Harbour Holdings Ltd. " + "[" * 900 + " It rained in Lisbon."
        found = EntityExtractor().extract(text, ExtractContext())
        assert [t.start for t in found if t.value == "Tobias Rehm"] == [before]
        assert [text[t.start : t.end] for t in found if t.value == "Lisbon"] == ["Lisbon"]
        (relation,) = find_relations(text).relations
        assert relation.triple == ("Tobias Rehm", "EMPLOYED_BY", "Harbour Holdings Ltd")
        assert "Tobias Rehm works for Harbour" in text[relation.start : relation.end]


def test_a_text_of_brackets_and_a_very_long_one_are_done_and_the_status_says_what_was_not_read(live, settings):
    settings.LANEWISE_MODEL_CHARACTERS, settings.LANEWISE_INGEST_STEPS = 2_000, [TAGS]
    brackets = live.anna.write("red", "[" * 100_000 + " Tobias Rehm went to Lisbon.")
    long = live.anna.write("red", "x " * 50_000)
    short = live.anna.write("red", "Tobias Rehm went to Lisbon.")
    began = time.monotonic()
    assert worker.until_idle(timeout=120) and time.monotonic() - began < 100
    assert {live.anna("e_record", "status", sr_id=sr_id)["status"] for sr_id in (brackets, long, short)} == {"done"}
    assert ("person", "Tobias Rehm") in tags_of(short)
    assert "first 2,000 of 100,000 characters" in live.anna("e_record", "status", sr_id=long)["note"]
    assert live.anna("e_record", "status", sr_id=short)["note"] is None


def test_a_record_that_takes_too_long_fails_by_itself_and_keeps_what_there_is(live, settings):
    settings.LANEWISE_INGEST_STEPS = ["memory.ingest.steps.Vectors", STANDS + "SlowTags"]
    settings.LANEWISE_INGEST_LATER_STEPS = []
    settings.LANEWISE_INGEST_SECONDS = 0.3
    good = [live.anna.write("red", f"Note {n}.") for n in range(3)]
    slow = live.anna.write("red", "SLOW")
    assert worker.until_idle(timeout=60)
    assert all(tags_of(sr_id) == [("seen", "yes")] for sr_id in good)
    status = live.anna("e_record", "status", sr_id=slow).body
    assert status["status"] == "failed" and "more than 0.3 seconds" in status["error"]
    assert RecordVector.everything.filter(record=record_of(slow)).exists()
    assert Slow.tries == 2  # with the others, and by itself: no time is spent on it again


def test_records_become_findable_while_a_long_text_is_read(live, settings):
    settings.LANEWISE_INGEST_STEPS, settings.LANEWISE_INGEST_LATER_STEPS = [TAGS], [STANDS + "SlowTags"]
    live.anna.write("red", "SLOW")
    written: list[str] = []
    done: list[int] = []

    def meanwhile(number: int) -> None:
        if number == 1:
            written.append(live.anna.write("red", "On 3 May 2024."))
            report = live.anna("e_record", "write_many", records=[{"lane": "red", "text": "USD 5."}] * 20)
            written.extend(item["sr_id"] for item in report["results"])
        if number == Slow.PIECES - 1:
            done.extend(record_of(sr_id).ingested_version for sr_id in written)

    Slow.meanwhile = meanwhile
    try:
        assert worker.until_idle(timeout=60)
    finally:
        Slow.meanwhile = None
    assert done == [1] * 21
    assert not Record.everything.exclude(enriched_version=1).exists()
    assert sql.fetch("select count(*) from procrastinate_jobs")[0][0] == 0


def test_records_become_findable_while_a_very_long_text_is_embedded(live, settings, monkeypatch):
    from memory.ingest import steps

    monkeypatch.setattr(steps, "EMBEDDED_AT_ONCE", 4)
    monkeypatch.setattr(steps, "EMBEDDED_NEXT", 2)
    monkeypatch.setattr(pace, "PASS_EVERY", 0.0)
    settings.LANEWISE_INGEST_STEPS, settings.LANEWISE_INGEST_LATER_STEPS = ["memory.ingest.steps.Vectors"], []
    long = live.anna.write("red", "The clerk filed it on Monday. " * 200)
    order: list[str] = []
    documents, store = steps.configured().documents, steps.vectors.store

    def embedded(texts):
        if not order and len(texts) == 4:
            order.append(live.anna.write("red", "Short."))
        return documents(texts)

    def stored(plans, rows):
        order.extend(plan.source.text[:5] for plan in plans)
        return store(plans, rows)

    monkeypatch.setattr(steps.configured(), "documents", embedded)
    monkeypatch.setattr(steps.vectors, "store", stored)
    assert worker.until_idle(timeout=60)
    assert order[1:] == ["Short", "The c"]
    record = record_of(long)
    assert record.ingested_version == 1
    assert sql.fetch("select count(*) from memory_window where record_id = %s", (record.pk,))[0][0] > 8


def test_a_worker_told_to_stop_leaves_a_long_text_and_the_next_one_does_it(live, settings, tmp_path):
    sr_id = live.anna.write("red", "SLOW")
    child = start_worker(tmp_path, "", STANDS + "EndlessTags")
    try:
        wait_for(lambda: (tmp_path / "endless").exists())
        child.terminate()
        assert child.wait(worker.GRACE + 10) == 0
    finally:
        child.kill()
    assert "doing" not in dict(sql.fetch("select status::text, count(*) from procrastinate_jobs group by 1"))
    settings.LANEWISE_INGEST_STEPS, settings.LANEWISE_INGEST_LATER_STEPS = [TAGS], []
    assert worker.until_idle(timeout=60)
    assert record_of(sr_id).ingested_version == 1


def test_a_worker_that_hangs_ends_itself(tmp_path):
    code = "import re\nfrom memory.ingest import pace\nwith pace.job(bool):\n    re.match('(a|a)*b', 'a' * 90)\n"
    child = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup()\n{code}"],
        env=os.environ | {"LANEWISE_INGEST_STUCK_SECONDS": "1", "DJANGO_SETTINGS_MODULE": "config.settings"},
        timeout=60, capture_output=True, check=False,
    )  # fmt: skip
    assert child.returncode == 1 and b"Timeout" in child.stderr


@pytest.mark.parametrize("offset", ["+23:59", "-23:59", "+16:00", "+14:00"])
def test_a_time_of_any_offset_is_stored(anna, offset):
    sr_id = anna.write("red", f"Heard 2026-03-05T10:00{offset}, and 0001-01-01T00:00+23:59.")
    assert not ingest(sr_id).failed
    (tag,) = Tag.everything.filter(record=record_of(sr_id), label="time", value="2026-03-05T10:00")
    assert tag.begins.isoformat() in ("2026-03-04T10:01:00+00:00", "2026-03-06T09:59:00+00:00",
                                      "2026-03-04T18:00:00+00:00", "2026-03-04T20:00:00+00:00")  # fmt: skip
    reply = anna("e_timeline", "intersect", match=[f"time:2026-03-05T10:00{offset}"])
    assert reply.status == 200


def test_work_goes_back_to_the_record_after_others_were_let_pass(settings):
    settings.LANEWISE_INGEST_SECONDS = 0.2
    passed = []

    def let_pass():
        time.sleep(0.4)
        passed.append(1)
        pace.between_pieces()  # nested: nobody passes twice, and no limit holds

    with pace.job(lambda: False, let_pass), pace.limited():
        pace._now.looked = 0
        pace.between_pieces()
        assert passed == [1]
        time.sleep(0.25)
        with pytest.raises(pace.TooSlow):
            pace.between_pieces()
    with pace.job(lambda: True), pytest.raises(pace.Stopping):
        pace.between_pieces()
    pace.between_pieces()
