from django.apps import AppConfig


class LanesConfig(AppConfig):
    name = "lanes"
    verbose_name = "Who may read what"

    def ready(self) -> None:
        from lanes import checks  # noqa: F401  (registers the start-up checks)
