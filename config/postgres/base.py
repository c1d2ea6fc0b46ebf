"""Django's PostgreSQL backend, able to start the embedded server when the first connection is asked for.

Starting it lazily keeps `manage.py check`, `--help` and the like from touching the data directory.
"""

from pathlib import Path

from django.db.backends.postgresql import base

from config import embedded


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict:
        embedded_dir = self.settings_dict.get("EMBEDDED_DIR")
        if embedded_dir:
            throwaway = bool(self.settings_dict.get("EMBEDDED_THROWAWAY"))
            params = embedded.start(Path(embedded_dir), throwaway)
            self.settings_dict.update(HOST=params["host"], USER=params["user"], PORT=params.get("port", ""))
        return super().get_connection_params()
