"""Which lanes' texts may change the graph by themselves. Off unless a policy says otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.utils.module_loading import import_string


@dataclass(frozen=True)
class GraphPolicy:
    """`relations`: what a text states is put into the graph of its lane. `discovery`: records are joined to those of
    their lane that read alike."""

    relations: bool = False
    discovery: bool = False

    @property
    def anything(self) -> bool:
        return self.relations or self.discovery


OFF = GraphPolicy()
Policy = Callable[[int, int], GraphPolicy]


def of_lane(tenant_id: int, lane_id: int) -> GraphPolicy:
    """The policy of a lane, from the function LANEWISE_GRAPH_POLICY names: (tenant_id, lane_id) → GraphPolicy."""
    path = getattr(settings, "LANEWISE_GRAPH_POLICY", "")
    return import_string(path)(tenant_id, lane_id) if path else OFF


def from_settings(tenant_id: int, lane_id: int) -> GraphPolicy:
    """A policy by settings alone: LANEWISE_GRAPH_LANES lists `tenant/lane:relations+discovery`; `tenant/*` is every
    lane of a tenant."""
    from lanes.models import Lane

    lane = Lane.objects.select_related("tenant").filter(pk=lane_id, tenant_id=tenant_id).first()
    if lane is None:
        return OFF
    for entry in getattr(settings, "LANEWISE_GRAPH_LANES", ()):
        where, _, what = entry.partition(":")
        tenant, _, slug = where.partition("/")
        if tenant == lane.tenant.slug and slug in ("*", lane.slug):
            parts = set(what.split("+")) if what else {"relations", "discovery"}
            return GraphPolicy("relations" in parts, "discovery" in parts)
    return OFF
