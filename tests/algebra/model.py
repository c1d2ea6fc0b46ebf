"""A brute-force model of the hypergraph: the definitions of SPEC, over Python sets."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from hypothesis import strategies as st

from lanes import services as lane_services
from lanes.readers import LaneInfo, Reader
from memory.gather.scope import Scope
from memory.gather.terms import Term
from memory.services import drafts, records

LANES = ("north", "south", "east")
LABELS = ("client", "person", "status")
VALUES = ("Acme", "acme ", "Borealis", "Zoë", "open")
WORDS = ("indemnity", "notice", "breach")
DAY0 = datetime(2024, 1, 1, tzinfo=UTC)


def fold(text: str) -> str:
    return " ".join(text.split()).casefold()


@dataclass(frozen=True)
class Rec:
    """A record of the model; `number` is the order of writing."""

    number: int
    lane: str
    day: int | None
    properties: frozenset[tuple[str, str]]
    words: frozenset[str]
    sr_id: str = ""
    at: datetime | None = None

    def carries(self, term: Term) -> bool:
        if term.label is None:
            found = fold(term.value or "") in self.words
        elif term.value is None:
            found = any(label == term.label for label, _ in self.properties)
        else:
            found = (term.label, fold(term.value)) in self.properties
        return found != term.negated


@dataclass
class Model:
    """Records that were written both here and in the database."""

    tenant: Any
    lanes: dict[str, int]
    recs: list[Rec] = field(default_factory=list)

    def reader(self, readable: frozenset[str] | set[str]) -> Reader:
        """A reader of these lanes (and writer of none)."""
        infos = {self.lanes[name]: LaneInfo(self.lanes[name], name, name, 1) for name in readable}
        ids = tuple(sorted(infos))
        return Reader(
            tenant_id=self.tenant.pk, tenant_slug=self.tenant.slug, readable=ids, writable=(), manageable=(),
            lanes=infos, countable=ids,
        )  # fmt: skip

    def scope(self, readable: frozenset[str] | set[str]) -> Scope:
        return Scope(self.reader(readable))

    def visible(self, readable: frozenset[str] | set[str]) -> list[Rec]:
        """Newest first, then the one written last."""
        return sorted(
            (rec for rec in self.recs if rec.lane in readable),
            key=lambda rec: (rec.at, rec.number), reverse=True,
        )  # fmt: skip


def build(specs: list[tuple[str, int | None, frozenset, frozenset]]) -> Model:
    """Write the records and keep them in the model."""
    tenant = lane_services.create_tenant(slug="model")
    lanes = {name: lane_services.create_lane(tenant=tenant, slug=name).pk for name in LANES}
    model = Model(tenant, lanes)
    writer = replace(model.reader(set(LANES)), writable=tuple(sorted(lanes.values())))
    start = datetime.now(UTC)
    batch = [
        drafts.draft(
            lane_id=lanes[lane],
            text="Some text " + " ".join(sorted(words)),
            occurred_at=None if day is None else f"{DAY0 + timedelta(days=day):%Y-%m-%d}",
            recorded_at=(start + timedelta(seconds=number)).isoformat(),
            edge_properties=[{"label": label, "value": value} for label, value in sorted(properties)],
        )
        for number, (lane, day, properties, words) in enumerate(specs)
    ]
    for number, (spec, written) in enumerate(zip(specs, records.save(writer, batch), strict=True)):
        lane, day, properties, words = spec
        at = start + timedelta(seconds=number) if day is None else DAY0 + timedelta(days=day)
        folded = frozenset((label, fold(value)) for label, value in properties)
        model.recs.append(Rec(number, lane, day, folded, words, written.sr_id, at))
    return model


class rolled_back:  # noqa: N801 - reads like a statement
    """Everything inside is undone, so that examples of one test do not see each other."""

    def __enter__(self) -> None:
        self._atomic = transaction.atomic()
        self._atomic.__enter__()

    def __exit__(self, *exc: Any) -> None:
        if exc[0] is None:
            transaction.set_rollback(True)
        self._atomic.__exit__(*exc)


properties = st.frozensets(st.tuples(st.sampled_from(LABELS), st.sampled_from(VALUES)), max_size=5)
record_specs = st.lists(
    st.tuples(
        st.sampled_from(LANES),
        st.one_of(st.none(), st.integers(0, 3)),
        properties,
        st.frozensets(st.sampled_from(WORDS), max_size=2),
    ),
    max_size=14,
)
readable_lanes = st.frozensets(st.sampled_from(LANES), min_size=0)
terms = st.one_of(
    st.builds(
        Term, st.sampled_from(LABELS), st.sampled_from(VALUES).map(lambda v: " ".join(v.split())), st.booleans()
    ),
    st.builds(Term, st.sampled_from(LABELS), st.none(), st.booleans()),
    st.builds(Term, st.none(), st.sampled_from(WORDS), st.booleans()),
)
matches = st.lists(terms, min_size=1, max_size=4)
