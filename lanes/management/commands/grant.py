"""Let a person or a profile read or write lanes."""

from typing import Any

from lanes import services
from lanes.management.base import HolderCommand
from lanes.models import Tenant


class Command(HolderCommand):
    help = "Lets a person or an agent profile read or write lanes. Never lifts a wall."

    def run(self, tenant: Tenant, options: dict[str, Any]) -> str:
        holder = self.holder(tenant, options)
        self.lanes_named(tenant, options)
        services.grant_by_slugs(tenant=tenant, holder=holder, read=options["read"], write=options["write"])
        return f"Granted to {holder}."
