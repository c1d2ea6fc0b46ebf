"""Controlled values are offered to every member of the tenant, whatever lanes they read, and to nobody else."""

from __future__ import annotations

import pytest

from memory.services import controlled
from tests.web.conftest import make_desk

pytestmark = pytest.mark.django_db


@pytest.fixture
def offered(office):
    entries = [
        controlled.entry("court", "High Court of Harbour", ["HCH"]),
        controlled.entry("client", "Meridian Works"),
    ]
    controlled.put(office.world.tenant.pk, entries)
    return office


def read(desk, text):
    return desk.get(f"/search/suggest/?q={text}").content.decode()


def values(desk, label, start=""):
    return desk.get(f"/search/values/?label={label}&q={start}").json()["values"]


def test_they_are_offered_while_writing_and_searching_by_name_and_alias(offered):
    nobody = make_desk(offered.world.tenant, "nell", read="green")
    for desk in (offered.ada, offered.cleo, nobody):
        assert values(desk, "court") == ["High Court of Harbour"]
        assert values(desk, "court", "hch") == values(desk, "court", "high c") == ["High Court of Harbour"]
        assert values(desk, "court", "harbour") == []
        assert "court:" in read(desk, "cou")
        assert "High Court of Harbour" in read(desk, "court:hi") and "Meridian Works" in read(desk, "merid")
    assert values(offered.cleo, "client", "meri") == ["Meridale", "Meridian Works"]


def test_nobody_elsewhere_is_told(offered):
    assert values(offered.bea, "court") == []
    assert "court:" not in read(offered.bea, "cou")
    assert "Harbour" not in read(offered.bea, "high") and "Meridian" not in read(offered.bea, "client:m")


def test_a_suggestion_does_not_tell_whether_a_hidden_lane_uses_the_value(offered):
    before = read(offered.cleo, "court:hi"), values(offered.cleo, "court")
    offered.world.anna.write("blue", "x", ("court:High Court of Harbour",))
    assert (read(offered.cleo, "court:hi"), values(offered.cleo, "court")) == before
    assert read(offered.ada, "court:hi") != before[0]
