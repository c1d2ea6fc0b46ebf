"""Django's migrate, one at a time: what starts meanwhile waits for it."""

from typing import Any

from django.core.management.commands import migrate

from lanes.management.migrated import migrating


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        with migrating():
            super().handle(*args, **options)
