"""The database brought up to date before anything else is asked of it, by one process at a time."""

from __future__ import annotations

import pkgutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

LOCK = 7300  # in the corner of the advisory locks that is ours
EVERY = 0.2  # seconds between two tries for it


@contextmanager
def migrating() -> Iterator[None]:
    """Hold the lock under which migrations run, permissions and content types included.

    It is tried for again and again: a session that waits in one statement would be waited for by the migrations that
    build an index concurrently.
    """
    with connection.cursor() as cursor:
        while not _one(cursor, "select pg_try_advisory_lock(%s)"):
            time.sleep(EVERY)
    try:
        yield
    finally:
        if connection.connection is not None and not connection.needs_rollback:
            with connection.cursor() as cursor:
                _one(cursor, "select pg_advisory_unlock(%s)")


def _one(cursor: Any, statement: str) -> bool:
    cursor.execute(statement, (LOCK,))
    return cursor.fetchone()[0]


def missing() -> list[tuple[str, str]]:
    """(app, name) of migrations that are there and not applied. Names only: no migration is loaded."""
    applied = set(MigrationRecorder(connection).applied_migrations())
    found = []
    for app in apps.get_app_configs():
        try:
            package = import_module(f"{app.name}.migrations")
        except ModuleNotFoundError:
            continue
        names = [module.name for module in pkgutil.iter_modules(package.__path__) if module.name[0] not in "_~"]
        found += [(app.label, name) for name in names if (app.label, name) not in applied]
    return found


def ensure() -> None:
    """Wait for migrations that are under way; migrate the embedded database where it is behind.

    A database of one's own is migrated by who runs it: CommandError says how.
    """
    with migrating():
        if not missing():
            return
        if not connection.settings_dict.get("EMBEDDED_DIR"):
            raise CommandError("The database is not up to date. Run `manage.py migrate` first.")
        call_command("migrate", verbosity=0)


class ReadyCommand(BaseCommand):
    """A command that finds the database up to date, also on a data directory nobody has used before."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        ensure()
        return super().execute(*args, **options)
