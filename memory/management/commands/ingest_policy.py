"""See or set what ingest may do in a lane beyond tagging."""

from django.core.management.base import CommandError
from django.db import transaction

from lanes.management.migrated import ReadyCommand
from lanes.models import Lane
from memory import sql
from memory.ingest import policies, queue
from memory.models import IngestPolicy

SWITCHES = ("promote", "relations", "discover", "language_model")


class Command(ReadyCommand):
    help = "Shows a lane's ingest policy, or turns parts of it on and off. Everything is off until it is turned on."

    def add_arguments(self, parser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument("--lane", required=True, help="slug of the lane")
        for switch in SWITCHES:
            parser.add_argument(f"--{switch.replace('_', '-')}", choices=("on", "off"))
        parser.add_argument("--labels", help="comma-separated labels that may be promoted; empty for all")
        parser.add_argument(
            "--take-back", action="store_true", help="remove the edge properties that promotion has written"
        )

    def handle(self, **options) -> None:
        lane = Lane.objects.filter(tenant__slug=options["tenant"], slug=options["lane"]).first()
        if lane is None:
            raise CommandError("There is no such lane.")
        given = {switch: options[switch] == "on" for switch in SWITCHES if options[switch]}
        if options["labels"] is not None:
            given["promote_labels"] = [label.strip() for label in options["labels"].split(",") if label.strip()]
        with transaction.atomic():
            policy, _ = IngestPolicy.everything.get_or_create(lane=lane, defaults={"tenant_id": lane.tenant_id})
            for name, value in given.items():
                setattr(policy, name, value)
            policy.save()
            if given:
                # What was derived already is looked at under the new policy.
                rows = sql.fetch("select id from memory_record where lane_id = %s", (lane.pk,))
                if policies.acting_lanes([lane.pk]):
                    queue.defer(queue.POLICIES, [row[0] for row in rows])
        if options["take_back"]:
            self.stdout.write(f"Promoted edge properties were removed from {policies.take_back(lane)} records.")
        for switch in SWITCHES:
            self.stdout.write(f"{switch}: {'on' if getattr(policy, switch) else 'off'}")
        if policy.promote_labels:
            self.stdout.write(f"labels: {', '.join(policy.promote_labels)}")
