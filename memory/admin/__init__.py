"""The admin pages of what is remembered. Importing this registers them."""

from memory.admin import derived, properties, records, rules, running

__all__ = ["derived", "properties", "records", "rules", "running"]
