"""Make a person who may sign in."""

from typing import Any

from django.core.management.base import CommandParser

from lanes import services
from lanes.management.base import TenantCommand
from lanes.models import Tenant, User


class Command(TenantCommand):
    help = "Makes a person in a tenant, with what they may read and write."
    creates_tenant = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--username", required=True)
        parser.add_argument("--password", required=True)
        parser.add_argument("--name", default="", help="first and last name")
        parser.add_argument("--admin", action="store_true", help="an admin of the tenant, who may use /admin/")
        parser.add_argument("--read", default="", help="lane slugs, comma-separated, or *")
        parser.add_argument("--write", default="", help="lane slugs, comma-separated, or *")
        parser.add_argument("--except", dest="walled", default="", help="lane slugs to wall off from this person")

    def run(self, tenant: Tenant, options: dict[str, Any]) -> str:
        there = User.objects.filter(username=options["username"]).exists()
        user = services.create_user(
            tenant=tenant,
            username=options["username"],
            password=options["password"],
            admin=options["admin"],
            name=options["name"],
        )
        services.grant_by_slugs(
            tenant=tenant, holder=user, read=options["read"], write=options["write"], walled=options["walled"]
        )
        anew = " They were there before: their password was set anew." if there else ""
        return f"{user.username} may sign in to {tenant.slug}.{anew}"
