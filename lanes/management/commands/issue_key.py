"""Make an API key for an agent profile, and the profile itself with --create."""

import json
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from lanes import keys, services
from lanes.management.base import TenantCommand
from lanes.models import AgentProfile, Tenant


class Command(TenantCommand):
    help = "Issues an API key that acts as one agent profile. The key is printed once and kept only as a hash."
    creates_tenant = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--profile", required=True, help="slug of the agent profile")
        parser.add_argument(
            "--create",
            action="store_true",
            help="make the tenant, the profile and the lanes to read or write when missing",
        )
        parser.add_argument("--read", default="", help="lane slugs, comma-separated, or * for all, later ones too")
        parser.add_argument("--write", default="", help="lane slugs, comma-separated, or * for all, later ones too")
        parser.add_argument("--except", dest="walled", default="", help="lane slugs to wall off from the profile")
        parser.add_argument("--name", default="", help="a name for the key, shown in the admin")
        parser.add_argument("--days", type=int, help="the key stops working after so many days")
        parser.add_argument("--json", action="store_true", help="print tenant, profile and key as JSON")

    def run(self, tenant: Tenant, options: dict[str, Any]) -> str:
        profile = AgentProfile.objects.filter(tenant=tenant, slug=options["profile"]).first()
        if profile is None:
            if not options["create"]:
                raise CommandError(f"Tenant {tenant.slug} has no agent profile {options['profile']!r}; use --create.")
            profile = services.create_profile(tenant=tenant, slug=options["profile"])
        services.grant_by_slugs(
            tenant=tenant,
            holder=profile,
            read=options["read"],
            write=options["write"],
            walled=options["walled"],
            create=options["create"],
        )
        expires = timezone.now() + timedelta(days=options["days"]) if options["days"] else None
        _, key = keys.issue(
            tenant=tenant, name=options["name"] or f"{profile.slug} key", profiles=[profile], expires_at=expires
        )
        if options["json"]:
            return json.dumps({"tenant": tenant.slug, "profile": profile.slug, "key": key})
        return key
