"""Work the ingest queue, or see how far it is."""

import json

from django.core.management.base import CommandError

from lanes.management.migrated import ReadyCommand
from memory.ingest import failures, worker
from memory.selectors import ingest as selectors


class Command(ReadyCommand):
    help = "Runs an ingest worker until stopped; or works the queue empty, shows it, or tries failed records again."

    def add_arguments(self, parser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--until-idle", action="store_true", help="work the queue empty and return")
        what.add_argument("--status", action="store_true", help="show backlog, throughput and failures")
        what.add_argument("--retry-failed", action="store_true", help="forget failures and defer those records again")
        what.add_argument("--redo", action="store_true", help="defer all steps again (after a change of the steps)")
        parser.add_argument("--tenant", help="with --redo: only this tenant's records")
        parser.add_argument("--lane", help="with --redo: only this lane's records")
        parser.add_argument("--timeout", type=float, help="give up --until-idle after so many seconds")
        parser.add_argument("--json", action="store_true", help="print the status as JSON")
        parser.add_argument("--name", default="worker", help="the worker's name in the log")

    def handle(self, **options) -> None:
        if options["status"]:
            self.show(options["json"])
        elif options["retry_failed"]:
            count = failures.start_over()
            self.stdout.write(f"{count} failed {'record is' if count == 1 else 'records are'} deferred again.")
        elif options["redo"]:
            if options["lane"] and not options["tenant"]:
                raise CommandError("--lane needs --tenant: lanes of different tenants may have the same name.")
            self.stdout.write(f"{failures.redo(options['tenant'], options['lane'])} records are deferred again.")
        elif options["until_idle"]:
            if not worker.until_idle(options["timeout"]):
                raise CommandError("The queue was not empty in time; `manage.py ingest --status` shows it.")
            self.show(options["json"])
        else:
            worker.run(options["name"])

    def show(self, as_json: bool) -> None:
        status = selectors.overall()
        if as_json:
            self.stdout.write(json.dumps(status))
            return
        oldest = status["oldest_pending_seconds"]
        self.stdout.write(
            f"{status['pending']} pending"
            + (f" (oldest {oldest:.0f} s)" if oldest is not None else "")
            + f", {status['failed']} failed, {status['workers']} workers; jobs: "
            + ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in status["jobs"].items())
        )
        for phase, rate in status["last_10_minutes"].items():
            self.stdout.write(
                f"last 10 minutes, {phase}: {rate['records']} records, {rate['records_a_second']} a second "
                f"({rate['busy_records_a_second']} a second of work)"
            )
        if status["milliseconds_a_record"]:
            spent = sorted(status["milliseconds_a_record"].items(), key=lambda item: -item[1])
            self.stdout.write("ms a record: " + ", ".join(f"{name} {ms}" for name, ms in spent))
