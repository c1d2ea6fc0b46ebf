"""Pages that are read while records are written: what stayed as it was comes exactly once, in the order it had."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.gather import group as group_module
from memory.gather import timeline as timeline_module
from memory.gather.group import group
from memory.gather.terms import Term
from memory.gather.timeline import Bounds, timeline
from memory.gather.traverse import traverse
from memory.services import records
from tests.algebra.model import LABELS, LANES, VALUES, Model, build, fold, record_specs, rolled_back
from tests.algebra.model import properties as some_properties
from tests.algebra.test_sets import often
from tests.algebra.test_traverse import expected_of

pytestmark = pytest.mark.django_db
# What happens after each page: records written with these properties, and which of those there were are deleted.
meanwhile = st.lists(
    st.tuples(st.lists(some_properties, max_size=2), st.lists(st.integers(0, 13), max_size=2)), max_size=6
)


class Writing:
    """Writes and deletes in a model's lanes between pages."""

    def __init__(self, model: Model, events: list[tuple], spared: tuple[str, ...] = ()) -> None:
        self.model, self.events, self.spared = model, iter(events), spared
        self.writer = replace(model.reader(set(LANES)), writable=tuple(sorted(model.lanes.values())))
        self.gone: set[str] = set()

    def __call__(self) -> None:
        written, deleted = next(self.events, ((), ()))
        for held in written:
            records.write(
                self.writer, lane="north", text="New.", occurred_at="2024-01-02",
                edge_properties=[{"label": label, "value": value} for label, value in sorted(held)],
            )  # fmt: skip
        for number in deleted:
            if number < len(self.model.recs):
                sr_id = self.model.recs[number].sr_id
                if sr_id not in self.gone and sr_id not in self.spared:
                    records.delete(self.writer, sr_id=sr_id)
                    self.gone.add(sr_id)


def replies(ask: Callable[..., dict[str, Any]], between: Callable[[], None], name: str = "cursor") -> Iterator[dict]:
    """The pages of an action, with something done between each and the next."""
    cursor = None
    while True:
        reply = ask(**{name: cursor})
        yield reply
        cursor = reply[f"next_{name}"]
        if cursor is None:
            return
        between()


@often
@given(record_specs.filter(bool), st.integers(1, 4), meanwhile, st.data())
def test_neighbours_that_stay_come_once_and_in_order(specs, limit, events, data):
    with rolled_back():
        model = build(specs)
        origin = data.draw(st.sampled_from(model.recs))
        scope, readable = model.scope(set(LANES)), set(LANES)
        near, _ = expected_of(model, readable, origin)
        write = Writing(model, events, spared=(origin.sr_id,))
        found = [
            record["sr_id"]
            for reply in replies(lambda cursor: traverse(scope, origin.sr_id, limit=limit, cursor=cursor), write)
            for record in reply["srs"]
        ]
        assert len(found) == len(set(found))
        before = {rec.sr_id for rec in model.recs}
        stayed = [rec.sr_id for rec in near if rec.sr_id not in write.gone]
        assert [sr_id for sr_id in found if sr_id in before and sr_id not in write.gone] == stayed


@pytest.mark.parametrize("most", [2, group_module.SEEN_MAX], ids=["few remembered", "all remembered"])
@often
@given(record_specs, st.sampled_from(LABELS), st.integers(1, 3), meanwhile)
def test_values_that_stay_come_once(most, specs, label, limit, events):
    with pytest.MonkeyPatch.context() as patch, rolled_back():
        patch.setattr(group_module, "SEEN_MAX", most)
        model = build(specs)
        scope = model.scope(set(LANES))
        write = Writing(model, events)
        pages = list(replies(lambda cursor: group(scope, label, limit=limit, cursor=cursor), write))
        found = [fold(item["value"]) for reply in pages for item in reply["values"]]
        assert len(found) == len(set(found))
        stayed = {
            value
            for rec in model.recs
            if rec.sr_id not in write.gone
            for name, value in rec.properties
            if name == label
        }
        assert stayed <= set(found)
        for reply in pages[: most // limit]:
            counts = [item["sr_count"] for item in reply["values"]]
            assert counts == sorted(counts, reverse=True)


@often
@given(record_specs, st.sampled_from(VALUES), st.integers(1, 4), st.integers(1, 3), meanwhile)
def test_a_timeline_goes_on_with_the_terms_it_began_with(specs, value, limit, most, events):
    with pytest.MonkeyPatch.context() as patch, rolled_back():
        patch.setattr(timeline_module, "MATCHES_MAX", most)
        model = build(specs)
        scope = model.scope(set(LANES))
        terms = [Term("client", " ".join(value.split())), Term("person", "o")]
        ask = lambda **cursor: timeline(scope, terms, bounds=Bounds(), limit=limit, **cursor)  # noqa: E731
        write = Writing(model, events)
        first = ask()
        kept = [term["label"] for term in first["kept"]]
        carriers = [
            rec
            for rec in model.recs
            if any(
                (label == "client" and "client" in kept and fold(value) in held)
                or (label == "person" and "person" in kept and "o" in held)
                for label, held in rec.properties
            )
        ]
        assert first["count"] == sum(rec.day is not None for rec in carriers)
        assert first["undated_count"] == sum(rec.day is None for rec in carriers)
        for name, place, dated in (("cursor", "srs", True), ("undated_cursor", "undated", False)):
            found = [r["sr_id"] for reply in replies(ask, write, name) for r in reply[place]]
            assert len(found) == len(set(found))
            stayed = {rec.sr_id for rec in carriers if rec.sr_id not in write.gone and (rec.day is not None) is dated}
            assert stayed <= set(found)
            if not write.gone and not events:
                assert stayed == set(found)
