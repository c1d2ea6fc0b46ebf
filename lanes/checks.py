"""Start-up checks of the database: a clear sentence instead of a failing migration."""

from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections

MIN_VERSION = 150000


@register(Tags.database)
def database_can_hold_us(databases: list[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """PostgreSQL is recent enough and pgvector can be created."""
    errors: list[CheckMessage] = []
    for alias in databases or []:
        connection = connections[alias]
        with connection.cursor() as cursor:
            version = connection.pg_version
            if version < MIN_VERSION:
                errors.append(
                    Error(
                        f"PostgreSQL {version // 10000} is too old: Lanewise needs 15 or newer.",
                        hint="Upgrade the server, or unset DATABASE_URL to use the embedded one.",
                        id="lanewise.E001",
                    )
                )
            cursor.execute("select 1 from pg_available_extensions where name = 'vector'")
            if cursor.fetchone() is None:
                errors.append(
                    Error(
                        "The PostgreSQL server of DATABASE_URL has no pgvector extension.",
                        hint=(
                            "Install it on the database server (Debian and Ubuntu: "
                            f"apt install postgresql-{version // 10000}-pgvector) and start again, "
                            "or unset DATABASE_URL to use the embedded server, which brings it."
                        ),
                        id="lanewise.E002",
                    )
                )
    return errors
