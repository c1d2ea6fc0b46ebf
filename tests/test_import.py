"""import_records: streamed, restartable, and a bad line never stops or spoils the rest."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from lanes.models import Lane, Tenant
from memory.models import EdgeProperty, Record
from memory.services import bulk

pytestmark = pytest.mark.django_db

GOOD = {
    "external_id": "a", "lane": "m-1", "title": "T", "text": "The lease.", "occurred_at": "2024-03",
    "recorded_at": None, "edge_properties": [{"label": "client", "value": "Acme"}], "tags": ["filing"],
}  # fmt: skip


def run(tmp_path, lines, *options):
    path = tmp_path / "records.jsonl"
    data = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    path.write_bytes(data)
    out, err = StringIO(), StringIO()
    call_command("import_records", str(path), "--tenant", "t", "--no-progress", *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


BAD = [
    (b"{", "Not JSON"),
    (b"[]", "Not a JSON object"),
    (b"\xff\xfe", "Not JSON"),
    (b"[" * 100_000, "Not JSON"),
    ({**GOOD, "surprise": 1}, "surprise"),
    ({**GOOD, "text": 1}, "text"),
    ({**GOOD, "text": "\x00"}, "text"),
    ({**GOOD, "text": "", "title": ""}, "text"),
    ({**GOOD, "lane": None}, "lane"),
    ({**GOOD, "lane": "a,b"}, "lane"),
    ({**GOOD, "occurred_at": "yesterday"}, "occurred_at"),
    ({**GOOD, "edge_properties": [{"label": "e_connect", "value": "x"}]}, "reserved"),
    ({**GOOD, "edge_properties": [5]}, "edge_properties"),
    ({**GOOD, "edge_properties": {"client": "Acme"}}, "edge_properties"),
    ({**GOOD, "tags": ["\ud800"]}, "tags"),
]


def test_bad_lines_are_reported_with_their_number_and_the_rest_is_imported(tmp_path):
    lines = [GOOD]
    for number, (bad, _) in enumerate(BAD):
        lines += [bad, {**GOOD, "external_id": f"good-{number}"}]
    report = tmp_path / "refused.jsonl"
    out, err = run(tmp_path, [*lines, b""], "--create-lanes", "--report", str(report))
    assert f"{1 + len(BAD)} created" in out
    assert f"{len(BAD)} refused" in out
    refused = [json.loads(line) for line in report.read_text().splitlines()]
    assert [item["line"] for item in refused] == list(range(2, 2 * len(BAD) + 1, 2))
    for item, (_, named) in zip(refused, BAD, strict=True):
        assert named in item["reason"], item
    assert "line 2" in err
    assert Record.everything.count() == 1 + len(BAD)


def test_importing_again_changes_nothing_and_a_changed_line_updates(tmp_path):
    nameless = {"lane": "m-1", "text": "No external id."}
    run(tmp_path, [GOOD, nameless], "--create-lanes")
    before = list(Record.everything.order_by("id").values_list("id", "public_id", "version", "text"))
    out, _ = run(tmp_path, [GOOD, nameless])
    assert "0 created, 0 updated, 2 unchanged" in out
    assert list(Record.everything.order_by("id").values_list("id", "public_id", "version", "text")) == before
    out, _ = run(tmp_path, [{**GOOD, "edge_properties": ["client:Borealis"]}])
    assert "1 updated" in out
    assert EdgeProperty.everything.get().value == "Borealis"


def test_an_import_that_was_cut_short_can_be_run_again(tmp_path, monkeypatch):
    monkeypatch.setattr(bulk, "BATCH", 2)
    lines = [{**GOOD, "external_id": str(n)} for n in range(7)]
    save, calls = bulk.records.save, []

    def dies_on_the_third(*args):
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return save(*args)

    monkeypatch.setattr(bulk.records, "save", dies_on_the_third)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, lines, "--create-lanes")
    assert Record.everything.count() == 4
    monkeypatch.setattr(bulk.records, "save", save)
    out, _ = run(tmp_path, lines)
    assert "3 created, 0 updated, 4 unchanged" in out


def test_a_line_the_database_refuses_does_not_take_its_batch_along(tmp_path, monkeypatch):
    real = bulk.drafts.draft

    def year_that_postgres_refuses(**fields):
        made = real(**fields)
        if made.external_id == "bad":
            made.kind = "x" * 100  # the column holds 40
        return made

    monkeypatch.setattr(bulk.drafts, "draft", year_that_postgres_refuses)
    lines = [{**GOOD, "external_id": name} for name in ("a", "b", "bad", "c")]
    out, err = run(tmp_path, lines, "--create-lanes")
    assert "3 created" in out and "1 refused" in out
    assert "line 3 (bad)" in err


def test_lanes_are_made_only_when_asked(tmp_path):
    with pytest.raises(CommandError, match="no tenant"):
        run(tmp_path, [GOOD])
    assert not Tenant.objects.exists()
    Tenant.objects.create(slug="t", name="T")
    report = tmp_path / "refused"
    with pytest.raises(CommandError, match="Nothing was imported"):
        run(tmp_path, [GOOD, {**GOOD, "lane": None}], "--report", str(report))
    assert report.read_text().count("\n") == 2 and "No such lane" in report.read_text()
    assert not Lane.objects.exists()
    out, _ = run(tmp_path, [{**GOOD, "lane": None}], "--lane", "m-2", "--create-lanes")
    assert "1 created" in out
    assert [lane.slug for lane in Lane.objects.all()] == ["m-2"]


def test_a_profile_imports_only_into_lanes_it_may_write(tmp_path, world):
    out, err = run_as(tmp_path, world, [{**GOOD, "lane": "red"}, {**GOOD, "lane": "blue"}])
    assert "1 created" in out and "1 refused" in out
    assert Record.everything.get().profile.slug == "wally"


def run_as(tmp_path, world, lines):
    path = tmp_path / "records.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    out, err = StringIO(), StringIO()
    call_command(
        "import_records", str(path), "--tenant", world.tenant.slug, "--profile", "wally", "--no-progress",
        stdout=out, stderr=err,
    )  # fmt: skip
    return out.getvalue(), err.getvalue()
