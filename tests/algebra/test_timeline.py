"""e_timeline against the brute-force model."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.gather import timeline as module
from memory.gather.terms import Term
from memory.gather.timeline import Bounds, timeline
from tests.algebra.model import DAY0, LABELS, build, fold, readable_lanes, record_specs, rolled_back
from tests.algebra.test_sets import often

pytestmark = pytest.mark.django_db

needles = st.lists(
    st.one_of(
        st.builds(
            Term, st.sampled_from(LABELS), st.sampled_from(["ac", "Bore", "o", "zoë", "nothing"]), st.booleans()
        ),
        st.builds(Term, st.none(), st.sampled_from(["ac", "Bore", "o", "ZOË", "zo"])),
        st.builds(Term, st.sampled_from(LABELS), st.none()),
    ),
    min_size=1,
    max_size=4,
)


def holds(rec, term: Term) -> bool:
    """The record has a value (of the label) that contains the needle."""
    return any(
        (term.label is None or label == term.label) and (term.value is None or fold(term.value) in value)
        for label, value in rec.properties
    )


def expected(recs, terms, require):
    must_not = [term for term in terms if term.negated]
    wanted = [term for term in terms if not term.negated]
    combine = all if require == "all" else any
    return [
        rec
        for rec in recs
        if not any(holds(rec, term) for term in must_not)
        and (not wanted or combine(holds(rec, term) for term in wanted))
    ]


@often
@given(record_specs, readable_lanes, needles, st.sampled_from(["any", "all"]), st.integers(1, 4),
       st.one_of(st.none(), st.integers(0, 3)), st.one_of(st.none(), st.integers(0, 3)), st.booleans())  # fmt: skip
def test_timeline_is_in_the_order_of_events(specs, readable, terms, require, limit, first, last, wide):
    with pytest.MonkeyPatch.context() as patch, rolled_back():
        if wide:  # as when more values contain a needle than are listed
            patch.setattr(module, "VALUES_MAX", 0)
        model = build(specs)
        bounds = Bounds(
            None if first is None else DAY0 + timedelta(days=first),
            None if last is None else DAY0 + timedelta(days=last + 1),
        )
        match = expected(model.visible(readable), terms, require)
        dated = [
            rec for rec in match
            if rec.day is not None and (first is None or rec.day >= first) and (last is None or rec.day <= last)
        ]  # fmt: skip
        dated.sort(key=lambda rec: (rec.day, rec.number))
        found, cursor = [], None
        while True:
            reply = timeline(model.scope(readable), terms, bounds=bounds, require=require, limit=limit, cursor=cursor)
            found += reply["srs"]
            assert reply["count"] == len(dated)
            cursor = reply["next_cursor"]
            if cursor is None:
                break
        assert [record["sr_id"] for record in found] == [rec.sr_id for rec in dated]
        undated = sorted((rec for rec in match if rec.day is None), key=lambda rec: -rec.number)
        assert [record["sr_id"] for record in reply["undated"]] == [rec.sr_id for rec in undated]


@often
@given(record_specs, needles, st.integers(0, 6))
def test_the_most_widely_shared_term_is_dropped_until_few_enough_match(specs, terms, most):
    with pytest.MonkeyPatch.context() as patch, rolled_back():
        patch.setattr(module, "MATCHES_MAX", most)
        model = build(specs)
        readable = {"north", "south"}
        recs = model.visible(readable)
        droppable = [term for term in terms if not term.negated]
        negated = [term for term in terms if term.negated]
        while len(droppable) > 1 and len(expected(recs, droppable + negated, "any")) > most:
            widest = max(droppable, key=lambda term: len(expected(recs, [term], "any")))
            droppable.remove(widest)
        reply = timeline(model.scope(readable), terms, bounds=Bounds(), limit=200)
        found = {record["sr_id"] for record in reply["srs"]}
        assert found == {rec.sr_id for rec in expected(recs, droppable + negated, "any") if rec.day is not None}
        assert len(reply["kept"]) == len(droppable) + len(negated)


def test_of_alternatives_one_is_needed_beside_every_time_term(world):
    """A record with the time alone, or an alternative alone, is not in the timeline; an excluded one never is."""
    anna = world.anna
    hearing = "hearing:3 May 2024"
    both = anna.write("red", "Both.", (hearing, "client:Quay"), occurred_at="2024-05-03")
    other = anna.write("red", "Both, by the other.", (hearing, "party:Orvanto"), occurred_at="2024-05-04")
    anna.write("red", "Only the time.", (hearing,), occurred_at="2024-05-05")
    anna.write("red", "Only one of them.", ("client:Quay",), occurred_at="2024-05-06")
    settled = anna.write("red", "Both, settled.", (hearing, "client:Quay", "state:settled"), occurred_at="2024-05-07")
    match = [{"value": "3 May 2024"}, {"value": "quay"}, {"value": "orvanto"}]
    assert anna("e_timeline", "intersect", match=match).ids == [both, other, settled]
    assert anna("e_timeline", "intersect", match=match, require="all").ids == []
    assert anna("e_timeline", "intersect", match=match[:2], require="all").ids == [both, settled]
    assert len(anna("e_timeline", "intersect", match=match[:1]).ids) == 4
    assert len(anna("e_timeline", "intersect", match=[{"value": "30 days"}, {"value": "quay"}]).ids) == 0
    without = [*match, {"value": "settled", "not": True}]
    assert anna("e_timeline", "intersect", match=without).ids == [both, other]


def test_undated_records_are_counted_and_paged_to_the_last(anna):
    names = [f"u{n}" for n in range(255)]
    records = [{"lane": "red", "text": "x", "external_id": name, "edge_properties": ["client:Acme"]} for name in names]
    assert anna("e_record", "write_many", records=records)["written"] == 255
    for day in range(3):
        anna.write("red", properties=("client:Acme",), occurred_at=f"2026-01-0{day + 1}")
    first = anna("e_timeline", "intersect", match=["client:Acme"], limit=2)
    assert (first["count"], first["undated_count"], len(first["undated"])) == (3, 255, 200)
    assert "255 matching records have no date; undated holds the newest 200" in first["hint"]
    second = anna("e_timeline", "intersect", match=["client:Acme"], limit=2, cursor=first["next_cursor"])
    assert (len(second.srs), second["undated"], second["undated_count"], second["hint"]) == (1, [], 255, None)
    assert second["next_undated_cursor"] is None
    more = {"undated_cursor": first["next_undated_cursor"]}
    rest = anna("e_timeline", "intersect", match=["client:Acme"], limit=2, **more)
    assert (rest.srs, rest["next_cursor"], rest["next_undated_cursor"], len(rest["undated"])) == ([], None, None, 55)
    assert [r["external_id"] for r in first["undated"] + rest["undated"]] == names[::-1]
    assert "these are 55 of them" in rest["hint"]
    both = anna("e_timeline", "intersect", match=["client:Acme"], cursor=first["next_cursor"], **more)
    assert (both.status, list(both.body["errors"])) == (400, ["undated_cursor"])
    other = anna("e_timeline", "intersect", match=["client:Other"], **more)
    assert (other.status, list(other.body["errors"])) == (400, ["undated_cursor"])
