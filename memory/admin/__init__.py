"""The admin pages of what is remembered. Importing this registers them."""

from memory.admin import derived, policies, properties, records, rules, running

__all__ = ["derived", "policies", "properties", "records", "rules", "running"]
