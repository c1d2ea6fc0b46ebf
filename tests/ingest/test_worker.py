"""Workers: the queue worked empty, batches, retries, and a worker killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from memory import sql
from memory.ingest import queue, upkeep, worker
from memory.models import IngestBatch, Record, RecordVector, Tag
from tests.ingest.conftest import record_of, tags_of
from tests.ingest.stand_ins import Away

STANDS = "tests.ingest.stand_ins."
TAGS = "memory.ingest.steps.Tags"


def counts():
    return sql.fetch("select status::text, count(*) from procrastinate_jobs group by 1 order by 1")


def test_until_idle_brings_everything_up_to_date_and_empties_the_queue(live):
    texts = ["Tobias Rehm paid USD 5 on 3 May 2024.", "Lunch with Quay Harbour.", "§", "x " * 2_000]
    sr_ids = [live.anna.write("red", text) for text in texts]
    live.anna.write("red", "Named.", ("client:Quay Harbour",))
    assert worker.until_idle(timeout=120)
    assert counts() == []
    for record in Record.everything.all():
        assert record.ingested_version == record.enriched_version == record.version and not record.ingest_error
    assert ("client", "Quay Harbour") in tags_of(sr_ids[1])
    assert ("person", "Tobias Rehm") in tags_of(sr_ids[0])
    assert RecordVector.everything.count() == 5


def test_jobs_of_single_records_are_worked_in_batches(live, settings):
    settings.LANEWISE_INGEST_STEPS, settings.LANEWISE_INGEST_LATER_STEPS = [TAGS], []
    for n in range(150):
        live.anna.write("red", f"On {n % 28 + 1} May 2024.")
    assert sql.fetch("select count(*) from procrastinate_jobs")[0][0] == 150
    assert worker.until_idle(timeout=60)
    # The last of several batches is small: nothing is embedded while it is stored.
    assert sorted(IngestBatch.objects.values_list("records", flat=True)) == [6, 16, 128]


def test_a_failing_record_is_tried_again_then_given_up_and_the_others_are_done(live, settings):
    settings.LANEWISE_INGEST_STEPS, settings.LANEWISE_INGEST_LATER_STEPS = [STANDS + "PoisonTags"], []
    settings.LANEWISE_INGEST_ATTEMPTS = 3
    good = [live.anna.write("red", f"Note {n}.") for n in range(3)]
    bad = live.anna.write("red", "POISON")
    assert worker.until_idle(timeout=60)
    assert counts() == []
    assert all(tags_of(sr_id) == [("seen", "yes")] for sr_id in good)
    status = live.anna("e_record", "status", sr_id=bad).body
    assert (status["status"], status["attempts"]) == ("failed", 3)
    out = StringIO()
    call_command("ingest", "--status", stdout=out)
    assert "0 pending" in out.getvalue() and "1 failed" in out.getvalue()
    settings.LANEWISE_INGEST_STEPS = [TAGS]
    call_command("ingest", "--retry-failed", stdout=out)
    call_command("ingest", "--until-idle", stdout=out)
    assert live.anna("e_record", "status", sr_id=bad)["status"] == "done"


def test_a_retry_waits_longer_each_time(live, settings):
    settings.LANEWISE_INGEST_STEPS, settings.LANEWISE_INGEST_LATER_STEPS = [STANDS + "Away"], []
    Away.here = False
    live.anna.write("red", "Note.")
    waits = []
    for _ in range(3):
        with worker.app.replace_connector(worker.app.connector.get_worker_connector()) as working:
            working.run_worker(wait=False, install_signal_handlers=False, delete_jobs="successful")
        (wait,) = sql.fetch("select extract(epoch from scheduled_at - now())::float8 from procrastinate_jobs")[0]
        waits.append(wait)
        queue.hasten()
    assert 3 < waits[0] < 6 and 17 < waits[1] < 21 and 75 < waits[2] < 81
    Away.here = True
    assert worker.until_idle(timeout=60)
    assert Record.everything.get().ingested_version == 1


def test_a_leased_job_that_fails_is_given_back_and_not_leased_again(live, settings):
    for n in range(3):
        live.anna.write("red", f"Note {n}.")
    first, second, third = [row[0] for row in sql.fetch("select id from procrastinate_jobs order by id")]
    sql.execute("update procrastinate_jobs set status = 'doing' where id = %s", (first,))
    leased = queue.lease(queue.FIRST, first, 10)
    assert sorted(item.job_id for item in leased) == [second, third]
    assert queue.lease(queue.FIRST, first, 10) == []
    queue.finish([second])
    queue.release([third])
    assert queue.lease(queue.FIRST, first, 10) == []
    assert sql.fetch("select id, scheduled_at from procrastinate_jobs where status = 'todo'") == [(third, None)]


def test_leases_are_released_when_their_leader_is_gone(live):
    for n in range(3):
        live.anna.write("red", f"Note {n}.")
    leader = sql.fetch("select min(id) from procrastinate_jobs")[0][0]
    sql.execute("update procrastinate_jobs set status = 'doing' where id = %s", (leader,))
    queue.lease(queue.FIRST, leader, 10)
    assert queue.release_orphans() == 0
    sql.execute("update procrastinate_jobs set status = 'todo' where id = %s", (leader,))
    assert queue.release_orphans() == 2
    assert len(queue.lease(queue.FIRST, leader, 10)) == 3


def test_records_without_a_job_are_found(live):
    sr_id = live.anna.write("red", "On 3 May 2024.")
    sql.execute("delete from procrastinate_jobs")
    assert upkeep.defer_orphans() == 1
    assert upkeep.defer_orphans() == 0  # it has one now
    assert worker.until_idle(timeout=60)
    assert record_of(sr_id).ingested_version == 1


CHILD = textwrap.dedent(
    """
    import os, django
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    from django.conf import settings
    from django.db import connections
    connections["default"].settings_dict["NAME"] = os.environ["TEST_DATABASE"]
    settings.LANEWISE_INGEST_STEPS = os.environ["STEPS"].split(",")
    settings.LANEWISE_INGEST_LATER_STEPS = []
    if os.environ["STUCK_IN"] == "after":
        from memory.ingest import failures
        from tests.ingest.stand_ins import Stuck
        failures.record = lambda *args, **kwargs: Stuck.hang()
    from memory.ingest import worker
    worker.run()
    """
)


def start_worker(tmp_path: Path, stuck_in: str, steps: str) -> subprocess.Popen:
    """A worker in a process of its own, on this test's database."""
    env = os.environ | {
        "LANEWISE_DATA_DIR": str(settings.DATA_DIR),
        "TEST_DATABASE": connection.settings_dict["NAME"],
        "STEPS": steps,
        "STUCK_IN": stuck_in,
        "STUCK_FILE": str(tmp_path / "stuck"),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    return subprocess.Popen([sys.executable, "-c", CHILD], env=env, cwd=Path(__file__).parents[2])


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.parametrize("stuck_in", ["run", "store", "after"])
def test_a_killed_worker_loses_nothing_and_doubles_nothing(live, tmp_path, settings, stuck_in):
    """SIGKILL while a batch is in work, inside the storing transaction, and after its commit."""
    sr_ids = [live.anna.write("red", f"Paid USD {n} on {n} May 2024.") for n in range(1, 21)]
    child = start_worker(tmp_path, stuck_in, f"{TAGS},{STANDS}Stuck")
    try:
        wait_for(lambda: (tmp_path / "stuck").exists() or child.poll() is not None)
        assert child.poll() is None
        child.send_signal(signal.SIGKILL)
    finally:
        child.kill()
        child.wait()
    done = Record.everything.filter(ingested_version=1).count()
    assert done == (20 if stuck_in == "after" else 0)
    assert dict(counts())["doing"] >= 1
    assert upkeep.recover_stalled(30) == 0  # its heartbeat is fresh: it could be alive
    time.sleep(1.1)
    assert upkeep.recover_stalled(1) >= 1
    assert queue.release_orphans() == (0 if stuck_in == "after" else 19)
    settings.LANEWISE_INGEST_STEPS, settings.LANEWISE_INGEST_LATER_STEPS = [TAGS], []
    assert worker.until_idle(timeout=60)
    assert counts() == []
    for n, sr_id in enumerate(sr_ids, 1):
        record = record_of(sr_id)
        assert (record.ingested_version, record.ingest_error, record.ingest_attempts) == (1, "", 0)
        assert Tag.everything.filter(record=record, label="money").count() == 1
        assert ("time", f"2024-05-{n:02d}") in tags_of(sr_id)


def test_a_record_that_kills_workers_is_given_up_and_the_rest_is_done(live, tmp_path, settings):
    """Each try is counted before it is made, so a record that takes its worker with it does not come back for ever."""
    settings.LANEWISE_INGEST_ATTEMPTS = 2
    sr_id = live.anna.write("red", "It kills.")
    for attempts in (0, 1, 2):
        (tmp_path / "stuck").unlink(missing_ok=True)
        child = start_worker(tmp_path, "run", f"{TAGS},{STANDS}Stuck")
        try:
            wait_for((tmp_path / "stuck").exists)
        finally:
            child.kill()
            child.wait()
        assert record_of(sr_id).ingest_attempts == attempts
        time.sleep(1.1)
        assert upkeep.recover_stalled(1) >= 1
    settings.LANEWISE_INGEST_STEPS, settings.LANEWISE_INGEST_LATER_STEPS = [f"{STANDS}Stuck"], []
    assert worker.until_idle(timeout=60)  # it would hang here, were the record tried again
    status = live.anna("e_record", "status", sr_id=sr_id).body
    assert (status["status"], status["error"]) == ("failed", "The worker stopped while it was working on this record.")


def test_a_stopping_worker_finishes_its_batch(live, tmp_path):
    for n in range(30):
        live.anna.write("red", f"On {n % 28 + 1} May 2024.")
    child = start_worker(tmp_path, "", TAGS)
    try:
        wait_for(lambda: Record.everything.filter(ingested_version=1).count() > 0)
        child.terminate()
        assert child.wait(30) == 0
    finally:
        child.kill()
    assert "doing" not in dict(counts())


def test_two_workers_share_the_work_and_double_nothing(live, tmp_path):
    live.anna("e_record", "write_many", records=[{"lane": "red", "text": f"Paid USD {n}."} for n in range(500)])
    for n in range(100):
        live.anna.write("red", f"Paid EUR {n}.")
    children = [start_worker(tmp_path, "", TAGS) for _ in range(2)]
    try:
        wait_for(lambda: not Record.everything.exclude(ingested_version=1).exists(), 90)
    finally:
        for child in children:
            child.terminate()
        for child in children:
            child.wait(30)
    assert Tag.everything.filter(label="money").count() == 600
    assert sum(IngestBatch.objects.values_list("records", flat=True)) == 600
