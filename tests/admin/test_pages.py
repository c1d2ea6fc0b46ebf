"""What single pages promise."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from lanes import keys, services
from lanes.models import AgentProfile, ApiKey, Lane, Membership, Team, User, Wall
from lanes.readers import reader_for_profile, reader_for_user
from memory.models import EdgeProperty, Record, RecordText, RecordVector
from memory.services import records
from tests.admin import desk as desks
from tests.admin.desk import Desk, address, changed, form_data, record_of, tables

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(db: None) -> Desk:
    return desks.build()


@pytest.fixture
def ada(desk: Desk) -> Client:
    return desk.client("ada")


def save(client: Client, row: Any, **fields: Any) -> Any:
    """Change some fields of a row on its page."""
    path = address(type(row), "change", row.pk)
    data = {**form_data(client.get(path)), **fields}
    return client.post(path, {name: value for name, value in data.items() if value is not None}, follow=True)


def delete(client: Client, row: Any) -> Any:
    return client.post(address(type(row), "delete", row.pk), {"post": "yes"}, follow=True)


def test_a_key_is_shown_once_and_kept_nowhere(desk: Desk, ada: Client) -> None:
    firm = desk.tenants["firm"]
    profile = firm.profiles.get(slug="zqdomestic-profile")
    response = ada.post(address(ApiKey, "add"), {"tenant": firm.pk, "name": "New key", "profiles": [profile.pk]})
    (key,) = re.findall(r"lw_[0-9a-f]{8}_[\w-]{40,}", response.content.decode())
    assert response["Cache-Control"].startswith("no-store")
    assert key not in str(response.cookies)
    row = keys.authenticate(key)
    assert row is not None
    assert list(row.profiles.all()) == [profile]
    for path in (address(ApiKey, "changelist"), address(ApiKey, "change", row.pk), address(ApiKey, "history", row.pk)):
        text = ada.get(path).content.decode()
        assert key not in text
        assert row.digest not in text
    save(ada, row, name="Renamed")
    row.refresh_from_db()
    assert row.name == "Renamed"
    posted = {"action": "revoke", "_selected_action": [str(row.pk)], "index": "0"}
    ada.post(address(ApiKey, "changelist"), posted)
    assert keys.authenticate(key) is None


def test_a_record_is_written_edited_moved_and_deleted_through_its_service(desk: Desk, ada: Client) -> None:
    red, blue = (desk.tenants["firm"].lanes.get(slug=slug) for slug in ("red", "blue"))
    empty = {"edgeproperty_set-TOTAL_FORMS": "0", "edgeproperty_set-INITIAL_FORMS": "0"}
    posted = {
        "lane": red.pk,
        "title": "Lease",
        "text": "Signed.",
        "kind": "note",
        "occurred": "2024-03",
        "source": "{}",
    }
    ada.post(address(Record, "add"), {**posted, **empty})
    record = Record.everything.get(title="Lease")
    assert (record.date_precision, record.written_by_id) == ("month", desk.people["ada"].pk)
    words = RecordText.everything.get(record=record).tsv
    save(ada, record, title="Sublease")
    record.refresh_from_db()
    assert (record.title, record.version) == ("Sublease", 2)
    assert RecordText.everything.get(record=record).tsv != words
    save(ada, record, lane=str(blue.pk))
    record.refresh_from_db()
    assert record.lane_id == blue.pk
    assert RecordText.everything.get(record=record).lane_id == blue.pk
    ada.post(address(EdgeProperty, "add"), {"sr_id": record.sr_id, "label": "client", "value": "Acme"})
    (held,) = EdgeProperty.everything.filter(record=record)
    assert (held.label, held.value, held.lane_id) == ("client", "Acme", blue.pk)
    delete(ada, held)
    assert not EdgeProperty.everything.filter(record=record).exists()
    delete(ada, record)
    assert not Record.everything.filter(pk=record.pk).exists()
    assert not RecordText.everything.filter(record_id=record.pk).exists()


def test_what_the_service_refuses_is_said_beside_the_field(desk: Desk, ada: Client) -> None:
    record = record_of(desk, "red")
    before = tables()
    response = save(ada, record, occurred="the day before")
    assert response.context["errors"]
    assert "occurred" in response.context["adminform"].form.errors
    response = save(ada, record, source='"a string"')
    assert "JSON object" in response.content.decode()
    response = save(ada, record, title="Late", expected_version="7")
    assert "not 7" in response.content.decode()
    response = ada.post(
        address(EdgeProperty, "add"), {"sr_id": record.sr_id, "label": "e_connect", "value": "x_" + "0" * 32}
    )
    assert "reserved" in response.content.decode()
    assert not changed(before)


def test_saving_a_record_as_it_is_keeps_its_vector_and_version(desk: Desk, ada: Client) -> None:
    record = record_of(desk, "red")
    before = tables()
    response = save(ada, record)
    assert "changed successfully" in response.content.decode()
    assert not changed(before)
    assert RecordVector.everything.filter(record=record).exists()
    text = " Two\nlines, and a space at the end. "
    records.update(reader_for_user(desk.people["ada"], desk.tenants["firm"]), sr_id=record.sr_id, text=text)
    before = tables()
    save(ada, record, text=text.replace("\n", "\r\n"))  # as browsers send it
    assert not changed(before)


def test_reading_is_not_writing(desk: Desk) -> None:
    Membership.objects.filter(user=desk.people["ada"]).update(writes_all=False)
    client = desk.client("ada")
    record = record_of(desk, "red")
    page = client.get(address(Record, "change", record.pk))
    assert page.status_code == 200
    assert not page.context["has_change_permission"]
    before = tables()
    assert client.post(address(Record, "change", record.pk), {"title": "x"}).status_code == 403
    assert client.post(address(Record, "delete", record.pk), {"post": "yes"}).status_code == 403
    assert client.get(address(Record, "add")).status_code == 403
    posted = {"action": "delete_selected", "_selected_action": [str(record.pk)], "post": "yes", "index": "0"}
    client.post(address(Record, "changelist"), posted)
    held = EdgeProperty.everything.filter(record=record).first()
    assert client.post(address(EdgeProperty, "delete", held.pk), {"post": "yes"}).status_code == 403
    assert not changed(before)


def test_deleting_in_bulk_goes_through_the_service(desk: Desk, ada: Client) -> None:
    """A connection that now joins nothing goes with its last members."""
    red, blue = record_of(desk, "red"), record_of(desk, "blue")
    stamp = desk.marked.across["red", "blue"].split(":")[1]
    assert EdgeProperty.everything.filter(value=stamp).count() == 2
    posted = {"action": "delete_selected", "_selected_action": [str(red.pk)], "index": "0"}
    page = ada.post(address(Record, "changelist"), posted)
    assert page.status_code == 200
    assert Record.everything.filter(pk=red.pk).exists()
    ada.post(address(Record, "changelist"), {**posted, "post": "yes"})
    assert not Record.everything.filter(pk=red.pk).exists()
    assert not EdgeProperty.everything.filter(value=stamp).exists()
    assert Record.everything.filter(pk=blue.pk).exists()


def test_a_connections_stamp_is_not_deleted_by_itself(desk: Desk, ada: Client) -> None:
    held = EdgeProperty.everything.filter(label="e_connect", lane__slug="red").first()
    before = tables()
    assert "disconnect" in delete(ada, held).content.decode()
    assert not changed(before)


@pytest.mark.parametrize("name", ("ada", "wanda", "root"))
def test_a_lane_with_records_stays_and_says_no_more(desk: Desk, name: str) -> None:
    lane = desk.tenants["firm"].lanes.get(slug="blue")
    client = desk.client(name)
    before = tables()
    for response in (client.get(address(Lane, "delete", lane.pk)), delete(client, lane)):
        text = response.content.decode()
        assert "still has records; they have to go first" in text
        assert "zqcobalt" not in text
        assert not re.search(r"records: \d", text)
    assert not changed(before)
    assert Lane.objects.filter(pk=lane.pk).exists()


def test_an_empty_lane_goes_with_its_grants(desk: Desk, ada: Client) -> None:
    lane = desk.tenants["firm"].lanes.get(slug="zqdomestic-lane")
    page = ada.get(address(Lane, "delete", lane.pk)).content.decode()
    assert "zqdomestic-person" in page
    delete(ada, lane)
    assert not Lane.objects.filter(pk=lane.pk).exists()


def test_nobody_moves_a_wall_they_stand_behind(desk: Desk) -> None:
    wall = Wall.objects.get(users=desk.people["wanda"])
    client = desk.client("wanda")
    before = tables()
    page = client.get(address(Wall, "change", wall.pk))
    assert not page.context["has_change_permission"]
    assert client.post(address(Wall, "change", wall.pk), {"name": "x"}).status_code == 403
    assert client.post(address(Wall, "delete", wall.pk), {"post": "yes"}).status_code == 403
    posted = {"action": "delete_selected", "_selected_action": [str(wall.pk)], "post": "yes", "index": "0"}
    client.post(address(Wall, "changelist"), posted)
    assert not changed(before)
    save(desk.client("ada"), wall, users=[])
    assert not wall.users.exists()


def test_a_wall_keeps_whom_its_editor_cannot_see(desk: Desk, ada: Client) -> None:
    """Someone who left the tenant and comes back is still walled off, though the wall was saved in between."""
    wall = desk.tenants["firm"].walls.get(name="zqdomestic wall")
    (person,) = wall.users.all()
    Membership.objects.filter(user=person).delete()
    response = save(ada, wall, name="Renamed", users=[])  # what a browser sends: the person is not on the form
    assert "changed successfully" in response.content.decode()
    wall.refresh_from_db()
    assert wall.name == "Renamed"
    assert list(wall.users.all()) == [person]


def test_an_admin_of_two_tenants_keeps_them_apart(desk: Desk) -> None:
    firm, annex = desk.tenants["firm"], desk.tenants["annex"]
    client = desk.client("dora")
    before = tables()
    mixed = {"tenant": firm.pk, "name": "Mixed", "lanes": [annex.lanes.first().pk], "users": [], "teams": []}
    assert client.post(address(Wall, "add"), mixed).context["errors"]
    stranger = annex.memberships.get(user__username="zqannex-person").user_id
    mixed = {"tenant": firm.pk, "name": "Mixed", "members": [stranger]}
    assert client.post(address(Team, "add"), mixed).context["errors"]
    mixed = {"tenant": firm.pk, "name": "Mixed", "profiles": [annex.profiles.first().pk]}
    assert client.post(address(ApiKey, "add"), mixed).context["errors"]
    save(client, firm.lanes.get(slug="red"), tenant=str(annex.pk))
    assert firm.lanes.filter(slug="red").exists()
    assert not {label for label in changed(before) if label != "lanes.Lane"}


def test_grants_are_given_on_the_lanes_page(desk: Desk, ada: Client) -> None:
    firm = desk.tenants["firm"]
    lane, mia = firm.lanes.get(slug="green"), desk.people["mia"]
    Membership.objects.filter(user=mia).update(reads_all=False, writes_all=False)
    team = firm.teams.get()
    added = {
        "laneuserobjectpermission_set-TOTAL_FORMS": "1",
        "laneuserobjectpermission_set-0-person": mia.pk,
        "laneuserobjectpermission_set-0-level": "write_lane",
        "lanegroupobjectpermission_set-TOTAL_FORMS": str(lane.lanegroupobjectpermission_set.count() + 1),
        f"lanegroupobjectpermission_set-{lane.lanegroupobjectpermission_set.count()}-team": team.pk,
        f"lanegroupobjectpermission_set-{lane.lanegroupobjectpermission_set.count()}-level": "read_lane",
    }
    response = save(ada, lane, **added)
    assert "changed successfully" in response.content.decode(), response.context["errors"]
    assert lane.pk in reader_for_user(mia, firm).writable
    assert lane.lanegroupobjectpermission_set.filter(group=team.group).exists()
    response = save(ada, lane, **{**added, "laneuserobjectpermission_set-TOTAL_FORMS": "2",
                                  "laneuserobjectpermission_set-1-person": mia.pk,
                                  "laneuserobjectpermission_set-1-level": "write_lane"})  # fmt: skip
    assert "has this already" in response.content.decode()


def test_teams_and_profiles_bring_and_take_their_group(desk: Desk, ada: Client) -> None:
    firm, mia = desk.tenants["firm"], desk.people["mia"]
    ada.post(address(Team, "add"), {"tenant": firm.pk, "name": "Disputes", "members": [mia.pk]})
    team = Team.objects.get(name="Disputes")
    assert list(team.group.user_set.all()) == [mia]
    save(ada, team, name="Arbitration", members=[])
    team.refresh_from_db()
    assert team.name == "Arbitration"
    assert not team.group.user_set.exists()
    ada.post(address(Team, "add"), {"tenant": firm.pk, "name": "Disputes"})
    assert Team.objects.filter(name="Disputes").exists()
    groups = Group.objects.count()
    delete(ada, team)
    assert Group.objects.count() == groups - 1


def test_a_profiles_page_shows_what_it_may_really_do(desk: Desk, ada: Client) -> None:
    firm = desk.tenants["firm"]
    profile = AgentProfile.objects.get(slug="wally")
    text = ada.get(address(AgentProfile, "change", profile.pk)).content.decode()
    table = re.search(r'<div class="lw-table">.*?</div>', text, re.S).group()
    reader = reader_for_profile(profile)
    assert len(re.findall(r"<tr><td>", table)) == len(reader.readable)
    assert "<td>Red</td>" in table
    assert "<td>Blue</td>" not in table
    services.wall_off(tenant=firm, lanes=[firm.lanes.get(slug="red")], holders=[profile], name="x")
    assert "<td>Red</td>" not in ada.get(address(AgentProfile, "change", profile.pk)).content.decode()


def test_people_of_two_tenants_are_nobodys_to_change(desk: Desk, ada: Client) -> None:
    firm = desk.tenants["firm"]
    mia, dora = desk.people["mia"], desk.people["dora"]
    text = ada.get(address(User, "change", mia.pk)).content.decode()
    assert mia.password not in text
    assert "md5" not in text  # the hasher of tests
    assert "is_superuser" not in text
    save(ada, mia, first_name="Mia", is_superuser="on", is_staff="on", username="other")
    mia.refresh_from_db()
    assert (mia.first_name, mia.username, mia.is_superuser) == ("Mia", "mia", False)
    assert ada.post(address(User, "change", dora.pk), {"first_name": "x"}).status_code == 403
    assert ada.get(f"/admin/lanes/user/{mia.pk}/password/").status_code == 403
    services.create_user(tenant=firm, username="root", password="Long-enough-1")
    root = User.objects.get(username="root")
    assert ada.post(address(User, "change", root.pk), {"is_active": ""}).status_code == 403
    assert ada.post(address(User, "delete", mia.pk), {"post": "yes"}).status_code == 403


def test_admins_can_sign_in_to_the_admin_and_former_ones_cannot(desk: Desk, ada: Client) -> None:
    person = User.objects.get(username="zqdomestic-person")
    place = Membership.objects.get(user=person)
    save(ada, place, role="admin")
    person.refresh_from_db()
    assert person.is_staff
    theirs = Client()
    theirs.force_login(person)
    assert theirs.get("/admin/").status_code == 200
    save(ada, place, role="member")
    assert theirs.get("/admin/").status_code == 302
    person.refresh_from_db()
    assert not person.is_staff


def test_failed_ingest_is_listed_and_tried_again(desk: Desk, ada: Client) -> None:
    failed, hidden = record_of(desk, "red"), record_of(desk, "elsewhere")
    rows = Record.everything.filter(pk__in=[failed.pk, hidden.pk])
    rows.update(ingest_error="ValueError: broken", ingest_attempts=99)
    page = ada.get(address(Record, "changelist") + "?ingest=failed")
    assert [row.pk for row in page.context["cl"].result_list] == [failed.pk]
    posted = {"action": "ingest_again", "_selected_action": [str(failed.pk), str(hidden.pk)], "index": "0"}
    ada.post(address(Record, "changelist"), posted)
    failed.refresh_from_db()
    hidden.refresh_from_db()
    assert (failed.ingest_error, failed.ingest_attempts) == ("", 0)
    assert hidden.ingest_attempts == 99


def test_searches_of_records(desk: Desk, ada: Client) -> None:
    record = record_of(desk, "red")

    def found(term: str) -> list[int]:
        page = ada.get(address(Record, "changelist"), {"q": term})
        return [row.pk for row in page.context["cl"].result_list]

    assert found(record.sr_id) == [record.pk]
    assert found(record.external_id) == [record.pk]
    assert record.pk in found("zqverm")
    assert len(found("zqvermilion note")) == 4
    assert found("served") == []  # a word of the text, not of a title
    assert found(record_of(desk, "elsewhere").sr_id) == []


def test_history_tells_only_of_people_one_may_meet(desk: Desk, ada: Client) -> None:
    lane = desk.tenants["firm"].lanes.get(slug="red")
    save(desk.client("root"), lane, name="Scarlet")
    save(ada, lane, name="Crimson")
    mine = ada.get(address(Lane, "history", lane.pk)).content.decode()
    assert "Changed Name" in mine
    assert "root" not in mine
    assert "root" in desk.client("root").get(address(Lane, "history", lane.pk)).content.decode()


def test_an_inactive_tenant_or_person_is_let_in_no_more(desk: Desk, ada: Client) -> None:
    assert ada.get("/admin/").status_code == 200
    firm = desk.tenants["firm"]
    firm.is_active = False
    firm.save()
    assert ada.get("/admin/").status_code == 302


def test_there_is_one_door(desk: Desk) -> None:
    """Signing in to the admin goes through the page that slows failed attempts down."""
    response = Client().get("/admin/", follow=True)
    assert [url for url, _ in response.redirect_chain][-1].startswith("/accounts/login/?next=/admin/")
    assert desk.client("mia").get("/admin/", follow=True).status_code == 403
    assert desk.client("ada").get("/admin/login/?next=https://example.com/").url == "/admin/"
    posted = {"username": "ada", "password": "Long-enough-1"}
    assert Client().post("/admin/login/", posted).url.startswith("/accounts/login/")
