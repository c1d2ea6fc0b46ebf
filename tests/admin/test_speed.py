"""Pages cost the same however many rows there are: 2 and 50 rows take the same statements, and nothing is counted."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from guardian.shortcuts import assign_perm

from lanes import keys, services
from lanes.models import AgentProfile, Lane, Membership, Tenant, User, Wall
from lanes.readers import reader_for_user
from memory.admin import content, newest
from memory.models import EmbeddingSpace, IngestBatch, IngestPolicy, LaneValue, Record
from memory.services import controlled, holds, records
from tests.admin.desk import REGISTRY, _derived_rows, address

pytestmark = pytest.mark.django_db


@pytest.fixture
def office(db: None) -> Tenant:
    tenant = services.create_tenant(slug="firm")
    chief = services.create_user(tenant=tenant, username="chief", password="Long-enough-1", admin=True)
    Membership.objects.filter(user=chief).update(reads_all=True, writes_all=True)
    User.objects.filter(pk=chief.pk).update(is_superuser=True)
    services.create_lane(tenant=tenant, slug="main")
    return tenant


def grow(tenant: Tenant, start: int, stop: int) -> None:
    """Rows number `start` up to `stop` of every table; grants all on one lane and one profile."""
    lane = Lane.objects.get(slug="main")
    for i in range(start, stop):
        person = User.objects.create(username=f"person{i}")
        Membership.objects.create(tenant=tenant, user=person)
        team = services.create_team(tenant=tenant, name=f"team {i}", members=[person])
        profile = services.create_profile(tenant=tenant, slug=f"profile{i}")
        other = services.create_lane(tenant=tenant, slug=f"lane{i}")
        IngestPolicy.everything.create(tenant=tenant, lane=other)
        holds.place(tenant_id=tenant.pk, name=f"hold {i}", lanes=[other], by=person)
        controlled.put(tenant.pk, [controlled.entry("client", f"Client {i}", [f"C{i}"])])
        first = AgentProfile.objects.order_by("pk").first()
        for holder in (person, team, profile):
            services.grant(tenant=tenant, holder=holder, read=[lane])
        assign_perm("lanes.act_as", person, first)
        assign_perm("lanes.act_as", team.group, first)
        keys.issue(tenant=tenant, name=f"key {i}", profiles=[profile], user=person)
        wall = Wall.objects.create(tenant=tenant, name=f"wall {i}")
        wall.lanes.add(other)
        wall.users.add(person)
        IngestBatch.objects.create(phase="first", records=1, characters=1, seconds=0.1)
    reader = reader_for_user(User.objects.get(username="chief"), tenant)
    for i in range(start, stop):
        records.write(
            reader,
            lane="main",
            title=f"Title {i}",
            text="Text.",
            edge_properties=["client:Acme", f"matter:{i}"],
            tags=[f"tag {i}"],
        )
    connection.cursor().execute(
        "truncate memory_window, memory_refusedpair restart identity; truncate memory_recordvector"
    )
    EmbeddingSpace.objects.all().delete()
    _derived_rows()


def statements(client: Client, path: str) -> tuple[int, Any]:
    with CaptureQueriesContext(connection) as queries:
        response = client.get(path)
    assert response.status_code == 200, path
    return len(queries), response


def test_2_and_50_rows_take_the_same_statements(office: Tenant) -> None:
    client = Client()
    client.force_login(User.objects.get(username="chief"))
    grow(office, 0, 2)
    for model in REGISTRY:  # content types and the like are looked up once a process
        client.get(address(model, "changelist"))
    paths = {f"{model._meta.label} list": address(model, "changelist") for model in REGISTRY}
    for model in REGISTRY:
        row = model._base_manager.order_by("pk").first()
        paths[f"{model._meta.label} change"] = address(model, "change", row.pk)
        paths[f"{model._meta.label} search"] = address(model, "changelist") + "?q=client:acme"
    for path in paths.values():
        client.get(path)
    few = {name: statements(client, path)[0] for name, path in paths.items()}
    grow(office, 2, 50)
    many = {name: statements(client, path) for name, path in paths.items()}
    assert {name: found[0] for name, found in many.items()} == few
    assert max(few.values()) <= 25
    assert max(len(response.content) for _, response in many.values()) < 300_000


def test_a_page_with_hundreds_of_grants_stays_small(office: Tenant) -> None:
    client = Client()
    client.force_login(User.objects.get(username="chief"))
    lane = Lane.objects.get(slug="main")
    people = User.objects.bulk_create(User(username=f"p{i}") for i in range(500))
    Membership.objects.bulk_create(Membership(tenant=office, user=person) for person in people)
    for person in people:
        assign_perm("lanes.read_lane", person, lane)
    count, response = statements(client, address(Lane, "change", lane.pk))
    assert count <= 25
    assert len(response.content) < 300_000
    assert response.content.count(b"has_original") <= 101


def test_lists_count_no_further_than_their_bound(office: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    client.force_login(User.objects.get(username="chief"))
    grow(office, 0, 3)
    for model in REGISTRY:
        with CaptureQueriesContext(connection) as queries:
            client.get(address(model, "changelist"))
        counts = [q["sql"] for q in queries if "count(*)" in q["sql"].lower() and model._meta.db_table in q["sql"]]
        assert counts
        assert all("limit" in statement.lower() for statement in counts), model


def test_the_newest_rows_are_those_of_a_plain_sort(office: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "NEWEST", 2)
    grow(office, 0, 4)
    reader = reader_for_user(User.objects.get(username="chief"), office)
    for i, slug in enumerate(["lane0", "lane1", "lane2", "lane0"]):
        records.write(reader, lane=slug, title=f"Other {i}", text="x", occurred_at=f"20{20 + i}-01-01")
    plain = list(Record.everything.order_by("-at", "-pk").values_list("pk", flat=True))
    for limit in (1, 3, 100):
        assert newest.records(reader.lane_list, limit) == plain[:limit]
    assert LaneValue.everything.exists()
