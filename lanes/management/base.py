"""What the commands about permissions share: a tenant by slug, lanes by slug, errors as one plain line."""

from contextlib import nullcontext
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from lanes import services
from lanes.errors import LanewiseError
from lanes.management.migrated import ReadyCommand
from lanes.models import AgentProfile, Membership, Tenant, User


class TenantCommand(ReadyCommand):
    """Subclasses implement `run(tenant, options)`; it happens wholly or not at all, unless `atomic` is unset."""

    creates_tenant = False
    atomic = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")

    def handle(self, *args: Any, **options: Any) -> str | None:
        try:
            with transaction.atomic() if self.atomic else nullcontext():
                tenant = Tenant.objects.filter(slug=options["tenant"]).first()
                if tenant is None:
                    if not self.may_create_tenant(options):
                        raise CommandError(f"There is no tenant {options['tenant']!r}.")
                    tenant = services.create_tenant(slug=options["tenant"])
                return self.run(tenant, options)
        except LanewiseError as error:
            raise CommandError(error.detail) from None

    def may_create_tenant(self, options: dict[str, Any]) -> bool:
        """Whether a tenant that does not exist is made."""
        return self.creates_tenant and options.get("create", True)

    def run(self, tenant: Tenant, options: dict[str, Any]) -> str | None:
        raise NotImplementedError


class HolderCommand(TenantCommand):
    """A command about what one person or one profile may do."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        who = parser.add_mutually_exclusive_group(required=True)
        who.add_argument("--user", help="username")
        who.add_argument("--profile", help="slug of the agent profile")
        parser.add_argument("--read", default="", help="lane slugs, comma-separated, or *")
        parser.add_argument("--write", default="", help="lane slugs, comma-separated, or *")

    def lanes_named(self, tenant: Tenant, options: dict[str, Any]) -> dict[str, Any]:
        """What --read and --write name, as services take it; an error where they name nothing."""
        if not options["read"].strip() and not options["write"].strip():
            raise CommandError("Name lanes with --read or --write (comma-separated, or * for all).")
        read, read_all = services.parse_lanes(tenant, options["read"], "--read")
        write, write_all = services.parse_lanes(tenant, options["write"], "--write")
        return {"read": read, "read_all": read_all, "write": write, "write_all": write_all}

    def holder(self, tenant: Tenant, options: dict[str, Any]) -> User | AgentProfile:
        if options["user"]:
            member = Membership.objects.filter(tenant=tenant, user__username=options["user"]).first()
            if member is None:
                raise CommandError(f"Tenant {tenant.slug} has no member {options['user']!r}.")
            return member.user
        profile = AgentProfile.objects.filter(tenant=tenant, slug=options["profile"]).first()
        if profile is None:
            raise CommandError(f"Tenant {tenant.slug} has no agent profile {options['profile']!r}.")
        return profile
