"""Which rows of what is remembered the admin shows: those in lanes the person may read. See lanes.admin.scope."""

from django.db.models import Exists, OuterRef, Q
from procrastinate.contrib.django.models import ProcrastinateJob

from lanes.admin.scope import NOTHING, AdminScope, rule
from memory.models import (
    ControlledValue,
    EdgeProperty,
    EmbeddingSpace,
    Hold,
    IngestBatch,
    IngestPolicy,
    LaneValue,
    Record,
    RecordVector,
    RefusedPair,
    Tag,
    Window,
)

STAMPS = ("e_connect", "e_adjust")


@rule(Record, Tag, Window, RecordVector)
def _in_readable_lanes(scope: AdminScope) -> Q:
    return Q(lane_id__in=scope.readable_lanes) if scope.readable_lanes else NOTHING


@rule(RefusedPair)
def _pairs(scope: AdminScope) -> Q:
    """Met only where both records may be read."""
    return _in_readable_lanes(scope) & Q(other__lane_id__in=scope.readable_lanes)


@rule(LaneValue)
def _values(scope: AdminScope) -> Q:
    """Values that people and agents wrote; the names of connections tell of what they join."""
    return _in_readable_lanes(scope) & ~Q(label__in=STAMPS)


@rule(EdgeProperty)
def _properties(scope: AdminScope) -> Q:
    """A connection's stamp is met only when another of its members is: it must not tell of a record behind a wall."""
    if not scope.readable_lanes:
        return NOTHING
    another = EdgeProperty.everything.filter(key=OuterRef("key"), lane_id__in=scope.readable_lanes)
    another = another.exclude(record_id=OuterRef("record_id"))
    return Q(lane_id__in=scope.readable_lanes) & (~Q(label__in=STAMPS) | Q(Exists(another)))


@rule(IngestPolicy, ControlledValue, Hold)
def _policies(scope: AdminScope) -> Q:
    """How lanes and the tenant's vocabulary are set up and what is held, like the lanes themselves."""
    return scope.in_tenants("tenant")


@rule(IngestBatch, EmbeddingSpace, ProcrastinateJob)
def _for_operators(scope: AdminScope) -> Q:
    """How the platform runs: numbers and ids over all tenants, so for operators alone."""
    return Q() if scope.operator else NOTHING
