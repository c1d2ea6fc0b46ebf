"""Who reads, and as of when: what every structural query is limited to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.utils import timezone

from lanes.readers import Reader

# Counts are exact up to this many; a bigger one is told as "more than" unless exact counts are asked for.
CAP = 10_000


@dataclass(frozen=True)
class Scope:
    """A reader (already narrowed to the lanes asked for), an instant, and whether ended things count too."""

    reader: Reader
    as_of: datetime | None = None
    include_invalidated: bool = False

    @property
    def lanes(self) -> list[int]:
        return self.reader.lane_list

    @cached_property
    def instant(self) -> datetime:
        return self.as_of or timezone.now()

    @property
    def params(self) -> dict[str, object]:
        """The parameters that `live` and `current` refer to."""
        return {"as_of": self.instant, "ended": self.include_invalidated}


# A row with state 0 is valid at every instant, and so is one that is only skipped for the budget (bit 2) or undated
# (bit 8): this is decided in the index. Comparing costs less than masking, which counts where a hub is read. The few
# others are looked up by their unique key, in a function so that statements do not pay for setting up a look-up that
# hardly any row needs. `%(ended)s` lets everything through.
_ALWAYS = "{e}.state = 0 or {e}.state = 8"
_HOLDS = "{e}.state & 5 = 0 or %(ended)s or edge_is_live({e}.record_id, {e}.key, {e}.seq, %(as_of)s)"


def live(alias: str) -> str:
    """SQL: the edge property row `alias` is valid at %(as_of)s, and its record not superseded then."""
    return f"({_ALWAYS} or {_HOLDS})".format(e=alias)


def followed(alias: str) -> str:
    """SQL: the edge property row `alias` is valid at %(as_of)s and is not skipped for the budget."""
    return f"({_ALWAYS} or {{e}}.state & 2 = 0 and ({_HOLDS}))".format(e=alias)


def current(alias: str) -> str:
    """SQL: the record `alias` is not superseded at %(as_of)s."""
    return f"({alias}.superseded_at is null or {alias}.superseded_at > %(as_of)s or %(ended)s)"


# Evaluated for the few stamps only.
_TOLD = """({e}.label not in ('e_connect', 'e_adjust') or exists (select 1 from memory_edgeproperty told
  where told.key = {e}.key and told.record_id <> {e}.record_id and told.lane_id = any(%(lanes)s::int[])))"""


def told(alias: str) -> str:
    """SQL: the edge property row `alias` of a readable record may be told of, or count towards a bound: it is no
    stamp, or one with another member in the lanes."""
    return _TOLD.format(e=alias)
