"""Values that may be mentioned in a lane's records: its own, and those the tenant controls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db import transaction

from memory import sql
from memory.ingest.extractors.known_values import KnownValue
from memory.services.locks import LANES

# One descent of an index for each hash; an old spelling counts as the value that is kept. A value that ends in a
# parenthesis ("Quay (ship)") is also mentioned without it.
_VALUES = r"""
select lane_id, norm_key, label, coalesce(alias_value, value), coalesce(alias_of, key), value, false
from memory_lanevalue where lane_id = %(lane)s and norm_key = any(%(hashes)s::bigint[])
union all
select lane_id, bare_key, label, coalesce(alias_value, value), coalesce(alias_of, key),
  regexp_replace(value, '\s*\([^()]*\)\s*$', ''), true
from memory_lanevalue where lane_id = %(lane)s and bare_key is not null and bare_key = any(%(hashes)s::bigint[])
"""


def known_values(tenant_id: int, lane_id: int, hashes: Sequence[int]) -> list[KnownValue]:
    """The values with these hashes in use in this lane, and the tenant's controlled ones.

    Never another lane's: what a tag says must be known to whoever reads the record's lane.
    """
    sought = sql.array(hashes)
    found = [KnownValue(*row) for row in sql.fetch(_VALUES, {"lane": lane_id, "hashes": sought})]
    own = {(value.key, value.norm_key) for value in found}
    return found + [value for value in controlled(tenant_id, sought) if (value.key, value.norm_key) not in own]


def complete_through(lane_ids: Iterable[int]) -> dict[int, int]:
    """{lane id: an id up to which all values the lane will ever have are visible now}; 0 where that is not sure.

    Writers hold their lanes (memory.services.locks) before they take ids, so a lane that can be had alone for an
    instant has no value under way. Called inside a transaction; the locks go with the savepoint.
    """
    found = dict.fromkeys(lane_ids, 0)
    with transaction.atomic():
        free = sql.fetch(
            f"select lane from unnest(%s::int[]) lane where pg_try_advisory_xact_lock({LANES}, lane)",  # noqa: S608
            (sorted(found),),
        )
        last = sql.fetch("select last_value from memory_lanevalue_id_seq")[0][0]
        transaction.set_rollback(True)
    return found | {lane: last for (lane,) in free}


_CONTROLLED = """
select null::int, s.norm_key, v.label, v.value, v.key, s.written, s.bare
from memory_controlledspelling s join memory_controlledvalue v on v.id = s.of_id
where s.tenant_id = %s and s.norm_key = any(%s::bigint[])
"""


def controlled(tenant_id: int, hashes: str) -> list[KnownValue]:
    """Values the tenant controls with these hashes (an array as Postgres writes it), under any of their spellings.
    Every lane may be told of them."""
    return [KnownValue(*row) for row in sql.fetch(_CONTROLLED, (tenant_id, hashes))]
