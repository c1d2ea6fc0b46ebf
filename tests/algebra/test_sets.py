"""intersect, union, count and group against the brute-force model: any lanes, any terms, any paging."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.gather import meet
from memory.gather.count import count
from memory.gather.group import group
from memory.gather.intersect import intersect
from memory.gather.terms import Term
from memory.gather.union import union
from tests.algebra.model import LABELS, Model, build, fold, matches, readable_lanes, record_specs, rolled_back

pytestmark = pytest.mark.django_db
often = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def paged(operation, model: Model, readable, terms, limit: int, **more):
    """All pages of an operation as one list of records, and the first page's reply."""
    found, cursor, first = [], None, None
    while True:
        reply = operation(model.scope(readable), terms, limit=limit, cursor=cursor, **more)
        first = first or reply
        assert len(reply["srs"]) <= limit
        found += reply["srs"]
        cursor = reply["next_cursor"]
        if cursor is None:
            return found, first


def term_counts(model: Model, readable, terms) -> list[int]:
    positive = [type(term)(term.label, term.value) for term in terms]
    return [sum(rec.carries(term) for rec in model.visible(readable)) for term in positive]


@often
@given(record_specs, readable_lanes, matches, st.integers(1, 4))
def test_a_count_is_exact_however_far_its_terms_are_sized(specs, readable, terms, few):
    """With so few records every term is small: the sizes that choose the way are lowered to the records' number."""
    with pytest.MonkeyPatch.context() as patch, rolled_back():
        for name, size in (("count.FEW", few), ("meet.LARGE", few + 1), ("sets.CAP", few + 2)):
            patch.setattr(f"memory.gather.{name}", size)
        model = build(specs)
        expected = [rec for rec in model.visible(readable) if all(rec.carries(term) for term in terms)]
        assert count(model.scope(readable), terms)["count"] == len(expected)


@often
@given(record_specs, readable_lanes, matches, st.integers(1, 5))
def test_intersect_is_the_records_that_carry_every_term(specs, readable, terms, limit):
    with rolled_back():
        model = build(specs)
        expected = [rec.sr_id for rec in model.visible(readable) if all(rec.carries(term) for term in terms)]
        found, first = paged(intersect, model, readable, terms, limit)
        assert [record["sr_id"] for record in found] == expected
        assert [item["sr_count"] for item in first["counts"]] == term_counts(model, readable, terms)
        assert count(model.scope(readable), terms)["count"] == len(expected)


# Values that records of the model often carry together, and all asked for: what large properties are merged for.
carried = st.builds(Term, st.sampled_from(LABELS), st.sampled_from(("Acme", "open")))


@often
@given(record_specs, readable_lanes, st.lists(carried, min_size=2, max_size=4), st.integers(1, 5))
def test_merging_large_properties_gives_the_same_records(specs, readable, terms, limit):
    with pytest.MonkeyPatch.context() as patch, rolled_back():
        patch.setattr(meet, "LARGE", 0)  # as when all of them are large
        merged = []
        patch.setattr(meet, "_params", lambda *given, was=meet._params: merged.append(1) or was(*given))
        model = build(specs)
        expected = [rec.sr_id for rec in model.visible(readable) if all(rec.carries(term) for term in terms)]
        found, first = paged(intersect, model, readable, terms, limit)
        assert [record["sr_id"] for record in found] == expected
        assert [item["sr_count"] for item in first["counts"]] == term_counts(model, readable, terms)
        assert count(model.scope(readable), terms)["count"] == len(expected)
        assert merged or not readable


def test_merged_properties_follow_old_spellings_time_and_lanes(world, monkeypatch):
    """A value renamed in one lane, an ended property, a lane left out: merged as looked up row by row."""
    anna = world.anna
    for number in range(3):
        anna.write("red", f"R{number}", ("client:Brant", "status:open", "topic:x"))
    anna.write("blue", "B0", ("client:Old Brant", "status:open", "topic:x"))
    ended = anna.write("red", "E", ("client:Brant", "status:open", "topic:x"))
    anna("e_property", "invalidate", sr_id=ended, label="status", value="open", at="2024-05-01")
    anna("e_property", "rename", label="client", value="Old Brant", to="Brant", lanes=["blue"])

    def asked() -> list:
        return [
            (
                anna("e_gather", "intersect", match=match, **body).ids,
                anna("e_gather", "count", match=match, **body)["count"],
            )
            for match in (["client:Brant", "status:open", "topic:x"], ["client:Old Brant", "status:open"])
            for body in ({}, {"as_of": "2024-04-01"}, {"include_invalidated": True}, {"lanes": ["red"]})
        ]

    looked_up = asked()
    monkeypatch.setattr(meet, "LARGE", 1)
    assert asked() == looked_up
    assert [number for _, number in looked_up] == [4, 5, 5, 3, 1, 1, 1, 0]


@often
@given(record_specs, readable_lanes, matches, st.integers(1, 5))
def test_union_is_the_records_that_carry_any_term(specs, readable, terms, limit):
    with rolled_back():
        model = build(specs)
        expected = [rec for rec in model.visible(readable) if any(rec.carries(term) for term in terms)]
        found, first = paged(union, model, readable, terms, limit)
        assert [record["sr_id"] for record in found] == [rec.sr_id for rec in expected]
        assert [record["matched"] for record in found] == [
            [term.shown() for term in terms if rec.carries(term)] for rec in expected
        ]
        assert [item["sr_count"] for item in first["counts"]] == term_counts(model, readable, terms)
        assert count(model.scope(readable), terms, mode="union")["count"] == len(expected)


@often
@given(record_specs, readable_lanes, st.sampled_from(LABELS), st.one_of(st.none(), matches), st.integers(1, 3),
       st.sampled_from([None, "a", "Zo", "borealis"]))  # fmt: skip
def test_group_counts_the_readable_records_under_each_value(specs, readable, label, terms, limit, prefix):
    with rolled_back():
        model = build(specs)
        expected = Counter(
            value
            for rec in model.visible(readable)
            if all(rec.carries(term) for term in terms or ())
            for name, value in rec.properties
            if name == label and (prefix is None or value.startswith(fold(prefix)))
        )
        found, cursor = [], None
        while True:
            reply = group(model.scope(readable), label, terms=terms, prefix=prefix, limit=limit, cursor=cursor)
            found += [(fold(item["value"]), item["sr_count"]) for item in reply["values"]]
            cursor = reply["next_cursor"]
            if cursor is None:
                break
        assert [n for _, n in found] == sorted((n for _, n in found), reverse=True)
        assert dict(found) == dict(expected)
        assert len(found) == len(expected)


@often
@given(record_specs, readable_lanes)
def test_a_label_of_many_values_is_counted_at_once_with_the_same_result(specs, readable):
    with pytest.MonkeyPatch.context() as patch, rolled_back():
        patch.setattr("memory.gather.group.MANY_VALUES", 1)  # as when every label had very many
        model = build(specs)
        for label in LABELS:
            expected = Counter(v for rec in model.visible(readable) for name, v in rec.properties if name == label)
            reply = group(model.scope(readable), label, limit=50)
            assert {fold(item["value"]): item["sr_count"] for item in reply["values"]} == dict(expected)
