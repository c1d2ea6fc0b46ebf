"""The admin pages of who may read what. Importing this registers them."""

from lanes.admin import agents, grants, people, places, walls

__all__ = ["agents", "grants", "people", "places", "walls"]
