"""Whether a hold stands in the way of a change. Services ask once they have the records locked."""

from collections.abc import Iterable

from lanes.errors import Conflict
from memory import sql


class Held(Conflict):
    """A standing hold is in the way."""


def standing(record_ids: Iterable[int]) -> set[int]:
    """Those of some records that a hold stands over."""
    ids = sorted(set(record_ids))
    return {record for (record,) in sql.fetch("select * from memory_under_hold(%s)", (ids,))} if ids else set()


def refuse(record_ids: Iterable[int]) -> None:
    """Held when a hold stands over any of these locked records."""
    ids = set(record_ids)
    held = standing(ids)
    if held:
        few = "This record is" if len(ids) == 1 else "One of these records is"
        many = f"{len(held)} of these records are under a hold and stay as they are; nothing was changed."
        raise Held(f"{few} under a hold and stays as it is." if len(held) == 1 else many)
