"""Signing in and out, slowly when guessed at."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from tests.web.conftest import PASSWORD, Office
from tests.web.test_pages import text_of

pytestmark = pytest.mark.django_db


def sign_in(client: Client, name: str, password: str, **extra: Any) -> Any:
    return client.post("/accounts/login/", {"username": name, "password": password}, **extra)


def test_signing_in_and_out(office: Office) -> None:
    client = Client()
    assert sign_in(client, "ada", PASSWORD).status_code == 302
    assert client.get("/").status_code == 200
    assert client.get("/accounts/logout/").status_code == 405  # a link cannot sign anybody out
    assert client.post("/accounts/logout/").status_code == 302
    assert client.get("/").status_code == 302


def test_wrong_name_and_wrong_password_look_alike(office: Office) -> None:
    one = text_of(sign_in(Client(), "ada", "wrong"))
    two = text_of(sign_in(Client(), "nobody", "wrong"))
    clean = lambda text: [line for line in text.splitlines() if "csrf" not in line and "username" not in line]  # noqa: E731
    assert clean(one) == clean(two)
    assert "do not match" in one and "4 tries left" in one


def test_sixth_try_waits_even_with_the_right_password(office: Office) -> None:
    from web.models import SignInFailure

    client = Client()
    for _ in range(5):
        sign_in(client, "ada", "wrong")
    blocked = sign_in(client, "Ada", PASSWORD)  # the same name in other letters is the same name
    assert blocked.status_code == 429 and "Too many tries" in text_of(blocked)
    assert client.get("/").status_code == 302
    # somebody at another address is not locked out by it, nor is another name
    assert sign_in(Client(REMOTE_ADDR="10.0.0.9"), "ada", PASSWORD).status_code == 302
    assert sign_in(Client(), "cleo", PASSWORD).status_code == 302
    from django.utils import timezone

    SignInFailure.objects.update(at=timezone.now() - timedelta(minutes=16))
    assert sign_in(client, "ada", PASSWORD).status_code == 302


def test_a_guess_from_many_addresses_waits_too(office: Office) -> None:
    for i in range(25):
        sign_in(Client(REMOTE_ADDR=f"10.0.{i}.1"), "ada", "wrong")
    assert sign_in(Client(REMOTE_ADDR="10.9.9.9"), "ada", PASSWORD).status_code == 429


def test_next_leads_nowhere_else(office: Office) -> None:
    response = Client().post(
        "/accounts/login/?next=https://evil.example/", {"username": "ada", "password": PASSWORD,
                                                         "next": "https://evil.example/"},
    )  # fmt: skip
    assert response["Location"] == "/"


def test_changing_the_password_signs_others_out(office: Office) -> None:
    mine, other = Client(), Client()
    sign_in(mine, "ada", PASSWORD)
    sign_in(other, "ada", PASSWORD)
    again = "another-good-phrase"
    response = mine.post(
        "/accounts/password_change/", {"old_password": PASSWORD, "new_password1": again, "new_password2": again}
    )
    assert response.status_code == 302
    assert mine.get("/").status_code == 200
    assert other.get("/").status_code == 302


def test_a_person_without_a_tenant_sees_nothing(db: None) -> None:
    from lanes.models import User

    client = Client()
    client.force_login(User.objects.create_user("stray", password=PASSWORD))
    response = client.get("/")
    assert response.status_code == 403 and "do not belong to an organisation" in text_of(response)


def test_a_deactivated_person_is_out_at_once(office: Office) -> None:
    office.ada.user.is_active = False
    office.ada.user.save()
    assert office.ada.get("/").status_code == 302
    assert office.ada.get(f"/records/{office.red}/").status_code == 302


def test_theme_is_remembered_and_checked(office: Office) -> None:
    office.ada.post("/theme/", theme="dark")
    assert 'id="theme-dark" media="all"' in text_of(office.ada.get("/"))
    office.ada.post("/theme/", theme='"><script>')
    assert "prefers-color-scheme: dark" in text_of(office.ada.get("/"))


def test_writes_need_a_token(office: Office) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(office.ada.user)
    assert client.post(f"/records/{office.red}/delete/").status_code == 403
    assert office.ada.get(f"/records/{office.red}/").status_code == 200
