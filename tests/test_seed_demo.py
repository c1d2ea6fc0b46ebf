"""seed_demo: what it loads, who may read it, and that repeating it changes nothing."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from lanes import keys, services
from lanes.models import AgentProfile, Tenant, User
from lanes.readers import may_act_as, reader_for_profile, reader_for_user
from memory.demo import records as demo_records
from memory.demo.cast import LANES, PEOPLE, WALL
from memory.demo.load import Login
from memory.gather.count import count
from memory.gather.intersect import intersect
from memory.gather.scope import Scope
from memory.gather.terms import parse
from memory.models import EdgeProperty, Record
from memory.services import records

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(settings, tmp_path, capsys) -> str:
    """The demo tenant, and what the command printed."""
    settings.DATA_DIR = tmp_path
    call_command("seed_demo", url="http://demo.example")
    return capsys.readouterr().out


@pytest.fixture
def tenant(told) -> Tenant:
    return Tenant.objects.get(slug="demo")


def _person(tenant: Tenant, username: str) -> Scope:
    return Scope(reader_for_user(User.objects.get(username=username), tenant))


def test_it_says_who_can_log_in_and_what_to_try(told, tenant):
    login = Login.read()
    assert Login.path().stat().st_mode & 0o077 == 0
    for person in PEOPLE:
        assert person.username in told
        assert User.objects.get(username=person.username).check_password(login.password)
    assert login.password in told
    for slug, key in login.keys.items():
        row = keys.authenticate(key)
        assert [profile.slug for profile in row.profiles.all()] == [slug]
        assert key in told
    assert told.count("curl -s http://demo.example/api/v1/tools/") == 3
    for line in told.splitlines():
        if "-d '" in line:
            assert "action" in json.loads(line.split("-d '")[1].rstrip("'"))


def test_everything_is_there_once_however_often_it_is_loaded(told, tenant, capsys):
    expected = len(list(demo_records()))
    before = set(EdgeProperty.everything.values_list("pk", "state", "invalidated_at"))
    login = Login.read()
    call_command("seed_demo")
    assert f"0 records written, {expected} were there" in capsys.readouterr().out
    assert Record.everything.filter(tenant=tenant).count() == expected
    assert set(EdgeProperty.everything.values_list("pk", "state", "invalidated_at")) == before
    assert Login.read() == login


def test_a_second_run_leaves_what_people_did_and_mends_what_is_missing(tenant):
    reader = _person(tenant, "tunde").reader
    lane = reader.lane_id("newark-lease")
    edited = Record.everything.get(lane=lane, external_id="lease-02")
    records.update(reader, sr_id=edited.sr_id, title="Looked at again")
    gone = Record.everything.get(lane=lane, external_id="lease-16")
    records.delete(reader, sr_id=gone.sr_id)
    call_command("seed_demo")
    edited.refresh_from_db()
    assert edited.title == "Looked at again"
    back = Record.everything.get(lane=lane, external_id="lease-16")
    assert back.pk != gone.pk
    stamps = EdgeProperty.everything.filter(record=back, label="e_connect")
    assert stamps.count() == 1, "its connection is made again with it"


def test_the_wall_holds_for_those_who_read_everything_else(tenant):
    names = {lane.slug for lane in LANES}
    slugs = {
        person.username: {info.slug for info in _person(tenant, person.username).reader.lanes.values()}
        for person in PEOPLE
    }
    assert slugs["tunde"] == names
    assert slugs["margit"] == names - set(WALL.lanes)
    assert slugs["ottilie"] == {"newark-lease", "corbel-coverage", "fennwick-loggers", "kestrelgate-general"}
    fennwick = parse(["company:Fennwick Sensors, Inc."])
    inside, outside = (count(_person(tenant, name), fennwick)["count"] for name in ("tunde", "margit"))
    walled = sum(
        1
        for record in demo_records()
        if record["lane"] in WALL.lanes
        and {"label": "company", "value": "Fennwick Sensors, Inc."} in record["edge_properties"]
    )
    assert inside - outside == walled > 5
    services.grant(tenant=tenant, holder=User.objects.get(username="margit"), read_all=True)
    assert count(_person(tenant, "margit"), fennwick)["count"] == outside, "a grant does not lift a wall"


def test_agents_read_and_write_as_they_are_told(tenant):
    research = AgentProfile.objects.get(tenant=tenant, slug="research-agent")
    assert may_act_as(User.objects.get(username="nadia"), research)
    assert not may_act_as(User.objects.get(username="ottilie"), research)
    reader = reader_for_profile(research)
    assert "project-lantern" not in {info.slug for info in reader.lanes.values()}
    notes = Record.everything.filter(tenant=tenant, kind="agent_note")
    assert notes.filter(profile=research).count() >= 3
    assert not notes.filter(profile=None).exists()
    page = intersect(Scope(reader), parse(["person:Teodor Wisk", "company:Fennwick Sensors, Inc."]), limit=200)
    assert len(page["srs"]) >= 5
    assert {record["lane"] for record in page["srs"]} >= {"fennwick-loggers", "kestrelgate-general"}


def test_what_was_superseded_or_has_ended_is_out_of_default_results(tenant):
    scope = _person(tenant, "tunde")
    initials = parse(["person:Tabitha Wren", "topic:logger drift"])
    assert [r["external_id"] for r in intersect(scope, initials)["srs"]] == ["fenn-16"]
    ended = Scope(scope.reader, include_invalidated=True)
    assert {r["external_id"] for r in intersect(ended, initials)["srs"]} == {"fenn-15", "fenn-16"}
    employer = parse(["employer:Fennwick Sensors, Inc."])
    assert count(scope, employer)["count"] == 0
    assert count(ended, employer)["count"] == 1


def test_a_stranger_of_the_same_name_is_not_touched(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    other = services.create_tenant(slug="elsewhere")
    services.create_user(tenant=other, username="margit", password="her own long password")
    with pytest.raises(CommandError, match="outside the demo tenant"):
        call_command("seed_demo")
    assert User.objects.get(username="margit").check_password("her own long password")
    assert not Tenant.objects.filter(slug="demo").exists()


def test_scale_loads_once_and_goes_on_where_it_stopped(capsys):
    call_command("seed_demo", scale=40, tenant="bulk")
    call_command("seed_demo", scale=60, tenant="bulk")
    call_command("seed_demo", scale=60, tenant="bulk")
    said = [line for line in capsys.readouterr().out.splitlines() if "records written" in line]
    assert [line.split()[0] for line in said] == ["40", "20", "0"]
    loaded = Record.everything.filter(tenant__slug="bulk")
    assert loaded.count() == 60
