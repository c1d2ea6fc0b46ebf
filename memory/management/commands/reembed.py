"""`manage.py reembed`: make every vector anew with the embedder that EMBEDDER names."""

from tqdm import tqdm

from lanes.management.migrated import ReadyCommand
from memory.ingest import reembed, space
from memory.ingest.embedders import configured


class Command(ReadyCommand):
    help = (
        "Make all vectors anew with the configured EMBEDDER, while the old ones serve; --status tells how far it is."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser) -> None:
        parser.add_argument("--status", action="store_true", help="only tell how far a re-embedding is")
        parser.add_argument("--force", action="store_true", help="also when the stored vectors are this embedder's")

    def handle(self, *args, **options) -> None:
        if options["status"]:
            found = reembed.progress()
            self.stdout.write(
                f"{found['name']}: {found['done']} of {found['total']} vectors"
                if found
                else "No re-embedding is going on."
            )
            return
        embedder = configured()
        stored = space.serving()
        if stored is None:
            space.ensure(embedder)
            self.stdout.write(f"No vectors yet; {embedder.name} will make them.")
            return
        if stored == (embedder.name, embedder.dimension) and not options["force"]:
            self.stdout.write(f"The stored vectors are already made by {embedder.name}.")
            return
        reembed.start(embedder)
        left = reembed.progress() or {"total": 0, "done": 0}
        with tqdm(total=left["total"], initial=left["done"], unit="vector", file=self.stderr) as bar:
            reembed.fill(embedder, bar.update)
        reembed.index()
        reembed.swap(embedder)
        self.stdout.write(
            f"Done: the vectors of {embedder.name} serve. Restart web and worker processes with "
            f"EMBEDDER set to it; those still running another embedder search by words and structure only."
        )
