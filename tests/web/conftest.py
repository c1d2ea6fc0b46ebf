"""People at their browsers: ada writes red and blue, cleo (of a client's team) reads red only, bea is elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

PASSWORD = "correct-horse-battery"
SECRET = "zebrafinch"  # a word that only stands behind what cleo may not read


@dataclass
class Desk:
    """A person and their browser."""

    user: Any
    client: Client

    def get(self, path: str, **extra: Any) -> Any:
        return self.client.get(path, **extra)

    def post(self, path: str, **data: Any) -> Any:
        return self.client.post(path, data)


def make_desk(
    tenant: Any, username: str, *, read: str = "", write: str = "", name: str = "", admin: bool = False
) -> Desk:
    from lanes import services

    user = services.create_user(tenant=tenant, username=username, password=PASSWORD, name=name, admin=admin)
    services.grant_by_slugs(tenant=tenant, holder=user, read=read, write=write)
    client = Client()
    client.force_login(user)
    return Desk(user, client)


@dataclass
class Office:
    """The world with people in it, and a few records."""

    world: Any
    ada: Desk
    cleo: Desk
    bea: Desk
    red: str
    blue: str
    far: str


def fill(world: Any) -> Office:
    ada = make_desk(world.tenant, "ada", write="red,blue", name="Ada Brook")
    cleo = make_desk(world.tenant, "cleo", read="red", name="Cleo Marsh")
    bea = make_desk(world.other, "bea", write="*", name="Bea Stone")
    red = world.anna.write(
        "red", "Ada Brook met Joan Merrow about the seal on line 4.", ("client:Meridale", "person:Joan Merrow"),
        title="Meeting about the seal", occurred_at="2025-03-14", kind="call",
    )  # fmt: skip
    world.anna.write(
        "red", "The invoice came.", ("client:Meridale", "batch:QP-1"), title="Invoice", occurred_at="2025-02"
    )
    blue = world.anna.write(
        "blue", f"Privileged: the {SECRET} settlement.", (f"client:{SECRET.title()} Ltd", "person:Joan Merrow",
        f"{SECRET}_no:77", "client:Meridale"), title=f"The {SECRET} memo", occurred_at="2025-04-01", kind="memo",
    )  # fmt: skip
    far = world.bert.write("red", "Far away.", ("client:Meridale",), title="Elsewhere")
    return Office(world, ada, cleo, bea, red, blue, far)


@pytest.fixture
def office(world: Any) -> Office:
    return fill(world)


@pytest.fixture
def queries(django_assert_max_num_queries: Any) -> Callable[[Desk, str], int]:
    """How many statements a page runs."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    def count(desk: Desk, path: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert desk.get(path).status_code == 200
        return len(captured)

    return count
