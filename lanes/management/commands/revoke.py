"""Take reading or writing away from a person or a profile."""

from typing import Any

from lanes import services
from lanes.management.base import HolderCommand
from lanes.models import Tenant


class Command(HolderCommand):
    help = "Takes reading (and with it writing) or writing of lanes away, from the next request on."

    def run(self, tenant: Tenant, options: dict[str, Any]) -> str:
        holder = self.holder(tenant, options)
        services.revoke(tenant=tenant, holder=holder, **self.lanes_named(tenant, options))
        return f"Taken away from {holder}."
