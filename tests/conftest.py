"""Fixtures: a throwaway embedded Postgres, named personas in two tenants, callers for every surface."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from hypothesis import settings

# The same examples every time, so that a run says something of the change that was made and not of its luck;
# HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("repeatable", derandomize=True)
settings.register_profile("explore", derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@dataclass
class Reply:
    """A reply of the API."""

    status: int
    body: dict[str, Any]
    raw: bytes

    def __getitem__(self, name: str) -> Any:
        assert self.status == 200, self.body
        return self.body[name]

    @property
    def srs(self) -> list[dict[str, Any]]:
        return self["srs"]

    @property
    def ids(self) -> list[str]:
        return [record["sr_id"] for record in self.srs]

    @property
    def names(self) -> list[str]:
        return [record["external_id"] for record in self.srs]


class Caller:
    """Calls the tools with a key."""

    def __init__(self, key: str) -> None:
        self.key = key
        self._client = Client()

    def __call__(self, tool: str, action: str | None = None, **arguments: Any) -> Reply:
        body = {**({"action": action} if action else {}), **arguments}
        return self.post(f"/api/v1/tools/{tool}", json.dumps(body))

    def post(self, path: str, body: str | bytes, **extra: Any) -> Reply:
        response = self._client.post(
            path, body, content_type="application/json", headers={"Authorization": f"Bearer {self.key}", **extra}
        )
        return Reply(response.status_code, response.json(), response.content)

    def get(self, path: str, **extra: Any) -> Reply:
        response = self._client.get(path, headers={"Authorization": f"Bearer {self.key}", **extra})
        return Reply(response.status_code, response.json(), response.content)

    def pages(self, tool: str, action: str, limit: int = 50, **arguments: Any) -> list[dict[str, Any]]:
        """Every record of a paged action."""
        found: list[dict[str, Any]] = []
        cursor = None
        while True:
            more = {"cursor": cursor} if cursor else {}
            reply = self(tool, action, limit=limit, **arguments, **more)
            found += reply.srs
            cursor = reply["next_cursor"]
            if cursor is None:
                return found

    def write(self, lane: str, text: str = "A note.", properties: tuple[str, ...] = (), **fields: Any) -> str:
        """Write a record; its sr_id."""
        return self("e_record", "write", lane=lane, text=text, edge_properties=list(properties), **fields)["sr_id"]


def make_caller(tenant: Any, profile: str, *, read: str = "", write: str = "", walled: str = "") -> Caller:
    """A key for a profile with these lanes."""
    from lanes import keys, services

    made = services.create_profile(tenant=tenant, slug=profile)
    services.grant_by_slugs(tenant=tenant, holder=made, read=read, write=write, walled=walled, create=True)
    _, key = keys.issue(tenant=tenant, name=profile, profiles=[made])
    return Caller(key)


@dataclass
class World:
    """Two tenants. anna writes red, blue and green; andy reads only red; wally reads all but blue (a wall);
    rita reads red and blue; bert is in the other tenant, in a lane of the same name."""

    tenant: Any
    other: Any
    anna: Caller
    andy: Caller
    rita: Caller
    wally: Caller
    bert: Caller

    @property
    def personas(self) -> dict[str, Caller]:
        return {name: getattr(self, name) for name in ("anna", "andy", "rita", "wally", "bert")}


def make_world() -> World:
    """The personas."""
    from lanes import services

    tenant = services.create_tenant(slug="firm", name="The firm")
    other = services.create_tenant(slug="elsewhere", name="Another firm")
    for slug in ("red", "blue", "green"):
        services.create_lane(tenant=tenant, slug=slug, name=slug.title())
    services.create_lane(tenant=other, slug="red", name="Red elsewhere")
    return World(
        tenant=tenant,
        other=other,
        anna=make_caller(tenant, "anna", write="red,blue,green"),
        andy=make_caller(tenant, "andy", read="red"),
        rita=make_caller(tenant, "rita", read="red,blue"),
        wally=make_caller(tenant, "wally", write="*", walled="blue"),
        bert=make_caller(other, "bert", write="*"),
    )


@pytest.fixture(autouse=True)
def empty_queue(request: pytest.FixtureRequest) -> Iterator[None]:
    """After a test whose commits are real, the queue's tables are emptied: Django's flush passes over them, because
    their models are unmanaged, and the next test of the same process would find its jobs."""
    marker = request.node.get_closest_marker("django_db")
    real = "transactional_db" in request.fixturenames or (marker is not None and marker.kwargs.get("transaction"))
    if real:
        request.getfixturevalue("transactional_db")
    yield
    if real:
        from memory import sql

        sql.execute("truncate procrastinate_jobs, procrastinate_workers, procrastinate_periodic_defers cascade")


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.fixture
def anna(world: World) -> Caller:
    return world.anna


@pytest.fixture
def readers(world: World) -> Callable[[str], Any]:
    """The Reader of a persona, resolved anew each time."""
    from lanes.models import AgentProfile
    from lanes.readers import reader_for_profile

    def of(name: str) -> Any:
        return reader_for_profile(AgentProfile.objects.select_related("tenant").get(slug=name))

    return of


@pytest.fixture
def server() -> Any:
    """A stand-in for a language model's endpoint."""
    from tests.language_model import StandIn

    stand_in = StandIn()
    yield stand_in
    stand_in.shutdown()
    stand_in.server_close()
