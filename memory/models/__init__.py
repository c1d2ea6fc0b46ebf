"""What is remembered."""

from memory.models.controlled import ControlledSpelling, ControlledValue
from memory.models.edge import DATED, SKIPPED, SUPERSEDED, UNDATED, EdgeProperty, LaneValue
from memory.models.hold import Hold, HoldLane, HoldRecord
from memory.models.ingest import IngestBatch, IngestPolicy
from memory.models.record import SR_PREFIX, Record, parse_sr_id, sr_id
from memory.models.refused import RefusedPair
from memory.models.text import RecordText, Tag
from memory.models.vector import EmbeddingSpace, LaneStat, RecordVector, TermFrequency, Window

__all__ = [
    "DATED",
    "SKIPPED",
    "SR_PREFIX",
    "SUPERSEDED",
    "UNDATED",
    "ControlledSpelling",
    "ControlledValue",
    "EdgeProperty",
    "EmbeddingSpace",
    "Hold",
    "HoldLane",
    "HoldRecord",
    "LaneStat",
    "IngestBatch",
    "IngestPolicy",
    "LaneValue",
    "Record",
    "RecordText",
    "RecordVector",
    "RefusedPair",
    "Tag",
    "TermFrequency",
    "Window",
    "parse_sr_id",
    "sr_id",
]
