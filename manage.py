#!/usr/bin/env python
"""Django's command-line entry point."""

import os
import sys


def main() -> None:
    """Run a command; a database that does not answer is told in one sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        sys.exit(f"The database is not answering: {error}".strip())


if __name__ == "__main__":
    main()
