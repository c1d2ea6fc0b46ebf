"""Import records from a file of JSON lines."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from lanes.management.base import TenantCommand
from lanes.models import AgentProfile, Lane, Tenant
from lanes.readers import LaneInfo, Reader, reader_for_profile
from memory.services.bulk import Lanes, Report, import_lines, maker

SHOWN = 20


class Command(TenantCommand):
    help = (
        "Imports records from JSON lines (external_id, lane, title, text, occurred_at, recorded_at, "
        "edge_properties, tags, kind, source). Safe to repeat and to restart; bad lines are reported."
    )
    creates_tenant = True
    atomic = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="a file of JSON lines")
        parser.add_argument("--lane", help="slug of the lane for lines that name none")
        parser.add_argument("--create-lanes", action="store_true", help="make lanes (and the tenant) when missing")
        parser.add_argument("--profile", help="slug of the agent profile that writes (else: the operator)")
        parser.add_argument("--report", type=Path, help="write the refused lines here, as JSON lines")
        parser.add_argument("--no-progress", action="store_true")

    def may_create_tenant(self, options: dict[str, Any]) -> bool:
        return bool(options["create_lanes"])

    def run(self, tenant: Tenant, options: dict[str, Any]) -> str:
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        resolve = self._resolver(tenant, options["profile"])
        lanes = Lanes(resolve(), options["lane"], maker(tenant, resolve) if options["create_lanes"] else None)
        with (
            path.open("rb") as lines,
            tqdm(
                total=path.stat().st_size, unit="B", unit_scale=True, disable=options["no_progress"] or None,
                dynamic_ncols=True,
            ) as bar,
        ):  # fmt: skip

            def progress(read: int, written: int) -> None:
                rate = written / (bar.format_dict["elapsed"] or 1)
                bar.set_postfix_str(f"{written:,} records, {rate:,.0f}/s")
                bar.update(read)

            report = import_lines(lines, lanes, progress=progress)
        self._report(report, options["report"])
        said = (
            f"{report.lines:,} lines: {report.created:,} created, {report.updated:,} updated, "
            f"{report.unchanged:,} unchanged, {len(report.refused):,} refused."
        )
        if report.refused and not report.written:
            self.stdout.write(said)
            raise CommandError("Nothing was imported.")
        return said

    def _resolver(self, tenant: Tenant, slug: str | None):
        if slug is None:
            return lambda: operator(tenant)
        profile = AgentProfile.objects.filter(tenant=tenant, slug=slug).select_related("tenant").first()
        if profile is None:
            raise CommandError(f"Tenant {tenant.slug} has no agent profile {slug!r}.")
        return lambda: reader_for_profile(profile)

    def _report(self, report: Report, path: Path | None) -> None:
        import json

        for refused in report.refused[:SHOWN]:
            name = f" ({refused.external_id})" if refused.external_id else ""
            self.stderr.write(f"line {refused.line}{name}: {refused.reason}")
        if len(report.refused) > SHOWN:
            self.stderr.write(f"… and {len(report.refused) - SHOWN:,} more; --report FILE lists them all.")
        if path is not None:
            with path.open("w", encoding="utf-8") as file:
                for refused in report.refused:
                    file.write(json.dumps(vars(refused), ensure_ascii=False) + "\n")
        if report.skipped_properties:
            self.stderr.write(f"{report.skipped_properties:,} edge properties are beyond the walking budget.")


def operator(tenant: Tenant) -> Reader:
    """Whoever runs commands on the server writes every lane of the tenant."""
    lanes = {
        lane.pk: LaneInfo(lane.pk, lane.slug, lane.name, lane.colour) for lane in Lane.objects.filter(tenant=tenant)
    }
    ids = tuple(sorted(lanes))
    return Reader(
        tenant_id=tenant.pk, tenant_slug=tenant.slug, readable=ids, writable=ids, manageable=ids, lanes=lanes,
        countable=ids,
    )  # fmt: skip
