"""Let go of found connections that have grown weak."""

from datetime import timedelta
from typing import Any

from django.core.management.base import CommandParser

from lanes.management.base import TenantCommand
from lanes.models import Tenant
from memory.relations import decay


class Command(TenantCommand):
    """A job for a scheduler, once a day or a week."""

    help = (
        "Removes connections that discovery made and whose strength, halved every half life without a mention, is "
        "under a limit. Asserted connections are never removed."
    )
    creates_tenant = False
    atomic = False

    def add_arguments(self, parser: CommandParser) -> None:
        """--half-life-days, --below."""
        super().add_arguments(parser)
        parser.add_argument("--half-life-days", type=float, default=decay.HALF_LIFE.days)
        parser.add_argument("--below", type=float, default=decay.BELOW, help="strength, 0 to 1")

    def may_create_tenant(self, options: dict[str, Any]) -> bool:
        """Never: there would be nothing to prune."""
        return False

    def run(self, tenant: Tenant, options: dict[str, Any]) -> str:
        """Prune; one line of what was done."""
        done = decay.prune(tenant.pk, half_life=timedelta(days=options["half_life_days"]), below=options["below"])
        return f"{done['looked_at']} found connections looked at, {len(done['dropped'])} removed."
