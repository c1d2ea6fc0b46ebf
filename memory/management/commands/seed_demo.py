"""Load the demo tenant, or any number of invented records for load work."""

import json
import shlex
import time
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from tqdm import tqdm

from lanes import services
from lanes.errors import LanewiseError
from lanes.management.migrated import ReadyCommand
from lanes.models import AgentProfile
from lanes.readers import reader_for_profile
from memory.demo.cast import PEOPLE
from memory.demo.load import Seeded, seed
from memory.demo.scale import lane_slugs, stream
from memory.models import Record
from memory.services.bulk import Lanes, import_items

LOADER = "loader"
CURLS = (
    (
        "Everything on one person, whichever matter it is in",
        "research-agent",
        "e_gather",
        {"action": "intersect", "match": ["person:Teodor Wisk", "company:Fennwick Sensors, Inc."]},
    ),
    (
        "A question in plain language, answered from words, meaning and structure",
        "research-agent",
        "e_gather",
        {"action": "find", "question": "Who knew that the loggers read low?", "limit": 5},
    ),
    (
        "The same hub for an agent that reads two lanes only: its counts are its own",
        "intake-agent",
        "e_gather",
        {"action": "group", "label": "company"},
    ),
)


class Command(ReadyCommand):
    help = "Loads the demo tenant (what is there is left as it is) and prints who can log in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--password", default="", help="everyone's password (default: one made up and kept)")
        parser.add_argument("--url", default="http://localhost:8000", help="the server's address, for the examples")
        parser.add_argument("--scale", type=int, metavar="N", help="load N invented records instead")
        parser.add_argument("--tenant", default="scale", help="the tenant that --scale loads into")
        parser.add_argument("--seed", type=int, default=7, help="other seeds give other records")

    def handle(self, *args: Any, **options: Any) -> str:
        try:
            if options["scale"]:
                return self.load(options["scale"], options["tenant"], options["seed"])
            with transaction.atomic():
                seeded = seed(options["password"])
            seeded.login.save()
        except LanewiseError as error:
            raise CommandError(error.detail) from None
        return tell(seeded, options["url"].rstrip("/"))

    def load(self, count: int, slug: str, seed: int) -> str:
        """Import `count` invented records; running it again goes on where it stopped."""
        tenant = services.create_tenant(slug=slug)
        for lane in lane_slugs():
            services.create_lane(tenant=tenant, slug=lane)
        profile = services.create_profile(tenant=tenant, slug=LOADER)
        services.grant(tenant=tenant, holder=profile, read_all=True, write_all=True)
        lanes = Lanes(reader_for_profile(AgentProfile.objects.select_related("tenant").get(pk=profile.pk)), None, None)
        there = Record.everything.filter(tenant=tenant, external_id__startswith=f"scale-{seed}-").count()
        start = time.monotonic()
        report = import_items(tqdm(stream(count, seed, start=there), total=count, initial=there, unit="rec"), lanes)
        rate = report.lines / max(time.monotonic() - start, 0.001)
        return (
            f"{report.created:,} records written to tenant {slug} ({there:,} were there), {rate:,.0f}/s. "
            f"A key for them: manage.py issue_key --tenant {slug} --profile {LOADER}"
        )


def tell(seeded: Seeded, url: str) -> str:
    """Who can log in, the agents' keys, and three commands worth trying."""
    login = seeded.login
    lines = [
        f"Demo tenant {seeded.tenant.slug} ({seeded.tenant.name}): "
        f"{seeded.written} records written, {seeded.present} were there.",
        "",
        f"Log in at {url}/accounts/login/ with the password {login.password} as",
        *(f"  {person.username:<10}{person.name}, {person.title}" for person in PEOPLE),
        "",
        "Agent profiles and their keys:",
        *(f"  {slug:<16}{key}" for slug, key in login.keys.items()),
        "",
        "Worth trying:",
    ]
    for what, profile, tool, body in CURLS:
        lines += [
            f"  # {what}",
            f"  curl -s {url}/api/v1/tools/{tool} -H 'Authorization: Bearer {login.keys[profile]}' \\",
            f"    -H 'Content-Type: application/json' -d {shlex.quote(json.dumps(body))}",
        ]
    return "\n".join(lines)
