"""The admin pages of what is remembered. Importing this registers them."""

from memory.admin import controlled, derived, holds, policies, properties, records, rules, running

__all__ = ["controlled", "derived", "holds", "policies", "properties", "records", "rules", "running"]
