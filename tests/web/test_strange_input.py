"""Texts that cannot be stored, in the places of the web and of a session's API calls."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.conftest import Office

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/api/v1/lanes", "/api/v1/whoami"])
def test_a_profile_that_cannot_be_named_is_a_400(office: Office, path: str) -> None:
    response = office.ada.get(f"{path}?agent_profile=%00")
    assert (response.status_code, list(response.json()["errors"])) == (400, ["agent_profile"])
    assert office.world.anna.get(f"{path}?agent_profile=%00").status == 400


def test_a_search_is_not_saved_under_a_name_that_cannot_be_kept(office: Office) -> None:
    response: Any = office.ada.post("/search/save/", name="a\x00b", query="q=seal")
    assert response.status_code == 400
    assert office.ada.post("/search/save/", name="ab", query="q=seal&lane=%00").status_code == 302
