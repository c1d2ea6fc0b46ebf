"""Passwords are of no interest here, and hashing them well takes longer than everything else."""

import pytest


@pytest.fixture(autouse=True)
def quick_passwords(settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
