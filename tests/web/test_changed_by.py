"""Who made the newest version: stored by every way to change a record, told to whoever may read it, and no more."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from lanes.readers import reader_for_user
from memory.ingest.policies import lane_reader
from memory.models import Record, parse_sr_id
from memory.normal import edge_key
from memory.services import aliases, connections, properties, records
from tests.web.conftest import Office
from tests.web.test_pages import text_of
from tests.web.test_writing import new

pytestmark = pytest.mark.django_db


def row(sr_id: str) -> Record:
    return Record.everything.get(public_id=parse_sr_id(sr_id))


def ada_of(office: Office) -> Any:
    return reader_for_user(office.ada.user, office.world.tenant)


WAYS: dict[str, Callable[[Any, str, str], Any]] = {
    "update": lambda ada, one, two: records.update(ada, sr_id=one, title="Other"),
    "update of properties": lambda ada, one, two: records.update(ada, sr_id=one, edge_properties=["client:New"]),
    "move": lambda ada, one, two: records.update(ada, sr_id=one, lane="blue"),
    "written again": lambda ada, one, two: records.write(ada, lane="red", external_id="x-1", title="T", text="Again."),
    "written again with other properties": lambda ada, one, two: records.write(
        ada, lane="red", external_id="x-1", title="T", text="First.", edge_properties=["person:Joan Merrow"]
    ),
    "property added": lambda ada, one, two: properties.add(ada, sr_id=one, edge_properties=["batch:9"]),
    "property removed": lambda ada, one, two: properties.remove(ada, sr_id=one, edge_properties=["client:Meridale"]),
    "property ended": lambda ada, one, two: connections.invalidate(ada, sr_id=one, label="client", value="Meridale"),
    "value renamed": lambda ada, one, two: aliases.rename(ada, label="client", value="Meridale", to="Meridale Ltd"),
    "spelling changed": lambda ada, one, two: aliases.rename(ada, label="client", value="Meridale", to="MERIDALE"),
    "connected": lambda ada, one, two: connections.connect(ada, sr_ids=[one, two], hint="pair"),
    "superseded": lambda ada, one, two: connections.adjust(ada, sr_id=one, by=two, hint="supersedes"),
}


@pytest.fixture
def pair(office: Office) -> tuple[str, str]:
    """Two records of the red lane, written by an agent's key."""
    one = office.world.anna.write("red", "First.", ("client:Meridale",), title="T", external_id="x-1")
    return one, office.world.anna.write("red", "Second.", ("client:Meridale",), title="U")


@pytest.mark.parametrize("way", WAYS)
def test_every_change_says_whose_it_is(office: Office, pair: tuple[str, str], way: str) -> None:
    before = row(pair[0])
    assert (before.changed_by, before.changed_profile) == (None, None)  # a first version: whoever wrote it
    WAYS[way](ada_of(office), *pair)
    after = row(pair[0])
    assert after.version > before.version
    assert (after.changed_by, after.changed_profile) == (office.ada.user, None)
    assert after.profile == before.profile and after.written_by == before.written_by


def test_disconnecting_and_an_agent_s_change(office: Office, pair: tuple[str, str]) -> None:
    ada = ada_of(office)
    made = connections.connect(ada, sr_ids=list(pair), hint="pair")["property"]
    assert office.world.anna("e_record", "update", sr_id=pair[0], title="By an agent").status == 200
    changed = row(pair[0])
    assert changed.changed_by is None and changed.changed_profile == changed.profile is not None
    page = text_of(office.cleo.get(f"/records/{pair[0]}/"))
    assert f'data-changed-by="{changed.profile.name}"' in page
    connections.disconnect(ada, property=made)
    assert [row(sr_id).changed_by for sr_id in pair] == [office.ada.user] * 2


def test_the_engine_s_own_changes_name_nobody(office: Office, pair: tuple[str, str]) -> None:
    records.update(ada_of(office), sr_id=pair[0], title="By Ada")
    lane = office.world.tenant.lanes.get(slug="red")
    properties.add(lane_reader(lane), sr_id=pair[0], edge_properties=["topic:seals"])
    assert (row(pair[0]).changed_by, row(pair[0]).changed_profile) == (None, None)
    assert "data-changed-by" not in text_of(office.ada.get(f"/records/{pair[0]}/"))


def test_a_person_who_is_gone_is_not_named(office: Office, pair: tuple[str, str]) -> None:
    records.update(ada_of(office), sr_id=pair[0], title="By Ada")
    office.ada.user.delete()
    assert row(pair[0]).changed_by is None


def test_pages_name_who_changed_a_record(office: Office) -> None:
    sr_id = new(office, title="Seal log", text="As read.")
    page = text_of(office.cleo.get(f"/records/{sr_id}/"))
    assert "data-changed-by" not in page and "<dt>Changed</dt>" not in page
    office.ada.post(f"/records/{sr_id}/edit/", version="1", title="Seal log", text="As read again.", kind="note")
    page = text_of(office.cleo.get(f"/records/{sr_id}/"))
    assert 'data-changed-by="Ada Brook"' in page
    assert "<b>Ada Brook</b>" in page.partition("<dt>Changed</dt>")[2].partition("</dd>")[0]
    said = f'<b>Ada Brook</b> changed <a dir="auto" href="/records/{sr_id}/">Seal log</a>'
    assert said in text_of(office.cleo.get("/"))
    late = office.ada.post(f"/records/{sr_id}/edit/", version="1", title="Seal log", text="Late.", kind="note")
    assert "Ada Brook saved this record while you were editing" in text_of(late)


def test_who_superseded_a_record_is_not_taken_for_who_changed_it_later(office: Office, pair: tuple[str, str]) -> None:
    office.world.anna("e_property", "adjust", sr_id=pair[0], by=pair[1], hint="supersedes")
    agent = row(pair[0]).changed_profile.name
    assert f'<b>{agent}</b> superseded <a dir="auto" href="/records/{pair[0]}/">T</a>' in text_of(office.cleo.get("/"))
    old = row(pair[0])
    Record.everything.filter(pk=old.pk).update(superseded_at=old.superseded_at.replace(year=2020))
    records.update(ada_of(office), sr_id=pair[0], text="A typo less.")
    assert f'<b>Ada Brook</b> changed <a dir="auto" href="/records/{pair[0]}/">T</a>' in text_of(office.cleo.get("/"))


def test_a_change_whose_other_side_is_hidden_names_nobody(office: Office, pair: tuple[str, str]) -> None:
    """Cleo reads red only. That Ada joined a red record to a blue one is not Cleo's to know, nor that it was Ada."""
    ada = ada_of(office)
    made = connections.connect(ada, sr_ids=[pair[0], office.blue], hint="same incident")["property"]
    places = ("/", f"/records/{pair[0]}/", f"/records/{pair[0]}/part/about/", f"/records/{pair[0]}/part/head/")

    def named() -> list[str]:
        return [path for path in places if "Ada Brook" in text_of(office.cleo.get(path)).replace("Ada Brook met", "")]

    assert row(pair[0]).version == 2 and named() == []
    connections.invalidate(ada, property=made)
    assert row(pair[0]).version == 3 and named() == []
    connections.disconnect(ada, property=made)
    assert row(pair[0]).version == 4 and named() == []
    connections.adjust(ada, sr_id=pair[0], by=office.blue, hint="corrects")
    assert row(pair[0]).version == 5 and named() == []
    read = office.world.personas["andy"]("e_record", "read", sr_id=pair[0]).body["record"]
    assert read["changed_by"] is None
    # joined to another red one as well, the change is there for Cleo to see
    connections.connect(ada, sr_ids=[*pair, office.blue], hint="three")
    assert named() == list(places)
    assert office.world.personas["andy"]("e_record", "read", sr_id=pair[0]).body["record"]["changed_by"] == {
        "user": "ada", "agent_profile": None,
    }  # fmt: skip


def test_what_a_page_listens_for_does_not_tell_of_a_hidden_connection(office: Office, pair: tuple[str, str]) -> None:
    def keys() -> set[str]:
        found = re.search(r'"watchKeys": \[([^]]*)\]', office.cleo.get(f"/records/{pair[0]}/").content.decode())
        assert found
        return set(re.findall("[0-9a-f]{32}", found[1]))

    ada, before = ada_of(office), keys()
    assert before
    connections.connect(ada, sr_ids=[pair[0], office.blue], hint="same incident")
    connections.adjust(ada, sr_id=pair[0], by=office.blue, hint="corrects")
    assert keys() == before
    made = connections.connect(ada, sr_ids=list(pair), hint="pair")["property"]
    assert keys() == before | {edge_key(*made.split(":")).hex}
