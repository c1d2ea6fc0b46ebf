"""What is remembered."""

from memory.models.edge import DATED, SKIPPED, SUPERSEDED, UNDATED, EdgeProperty, LaneValue
from memory.models.record import Record, parse_sr_id, sr_id
from memory.models.text import RecordText, Tag

__all__ = [
    "DATED",
    "SKIPPED",
    "SUPERSEDED",
    "UNDATED",
    "EdgeProperty",
    "LaneValue",
    "Record",
    "RecordText",
    "Tag",
    "parse_sr_id",
    "sr_id",
]
