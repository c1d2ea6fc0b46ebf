"""Records that are written and worked, and the legs asked one by one."""

from collections.abc import Callable

import pytest

from memory.find import engine
from memory.gather.scope import Scope
from memory.ingest import pipeline
from memory.models import Record


def work() -> None:
    """Bring every record up to date, in this process."""
    ids = list(Record.everything.values_list("id", flat=True))
    outcome = pipeline.run(pipeline.FIRST, ids)
    assert not outcome.failed


@pytest.fixture
def ask(readers) -> Callable:
    """Ask as a persona; the external ids in order. `only` keeps one leg."""

    def asked(name: str, question: str, *, only: str | None = None, **options) -> list[str]:
        ranking = ranked(name, question, only=only, **options)
        names = dict(Record.everything.filter(id__in=ranking.order).values_list("id", "external_id"))
        return [names[record] for record in ranking.order]

    def ranked(name: str, question: str, *, only: str | None = None, as_of=None, ended: bool = False, **options):
        without = set(options.pop("without", ()))
        if only:
            without |= {*engine.LEGS, "context"} - {only}
        scope = Scope(readers(name), as_of, ended)
        return engine.rank(scope, question, without=without, **options)

    asked.ranking = ranked
    return asked
