"""Composite scores, discovery by vector, decay and pruning."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import sql
from memory.relations import decay, scoring
from memory.relations.discovery import discover, nearest
from memory.services import connections, holds

NOW = datetime(2026, 1, 1, tzinfo=UTC)
UNIT = st.floats(0, 1)


@given(UNIT, UNIT, UNIT, UNIT, UNIT, UNIT, st.integers(0, 1000), st.integers(0, 4000))
def test_scores_lie_between_nothing_and_one_and_rise_with_their_parts(w1, w2, w3, similarity, more, imp, n, days):
    weights = scoring.Weights(w1, w2, w3, 0.1)
    given_ = {"last_mentioned": NOW - timedelta(days=days), "importance": imp, "mentions": n, "now": NOW}
    low, high = sorted((similarity, more))
    one, two = (scoring.score(weights, similarity=x, **given_) for x in (low, high))
    assert 0 <= one <= two <= 1
    fresher = scoring.score(weights, similarity=low, **{**given_, "last_mentioned": NOW})
    assert fresher >= one


def test_the_formula_by_hand():
    weights = scoring.Weights(0.4, 0.3, 0.2, 0.1, timedelta(days=10))
    got = scoring.score(
        weights, similarity=0.5, last_mentioned=NOW - timedelta(days=20), importance=0.8, mentions=3, now=NOW
    )
    assert got == pytest.approx(0.4 * 0.5 + 0.3 * 0.25 + 0.2 * 0.8 + 0.1 * 0.5)


def test_weights_are_read_from_a_setting():
    made = scoring.Weights.parse("similarity=1, recency=0", 7)
    assert (made.similarity, made.recency, made.importance) == (1, 0, 0.2)
    assert made.half_life == timedelta(days=7)
    for wrong in ("beauty=1", "similarity=-1", "similarity=x"):
        with pytest.raises(ValueError):
            scoring.Weights.parse(wrong)
    with pytest.raises(ValueError):
        scoring.Weights(0, 0, 0, 0)


@given(UNIT, st.integers(0, 5000), st.integers(1, 400))
def test_strength_halves_every_half_life(strength, days, half):
    got = scoring.decayed(strength, NOW - timedelta(days=days), NOW, timedelta(days=half))
    assert 0 <= got <= strength
    assert got == pytest.approx(strength * 0.5 ** (days / half))
    assert scoring.decayed(strength, None, NOW, timedelta(days=half)) == strength


def vectors(firm, **given_):
    """Give records unit vectors in a plane, by angle in degrees."""
    import math

    for name, angle in given_.items():
        x, y = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        literal = "[" + ",".join([f"{x:.6f}", f"{y:.6f}"] + ["0"] * 382) + "]"
        sql.execute(
            "insert into memory_recordvector (record_id, tenant_id, lane_id, at, whole, embedding) "
            "select id, tenant_id, lane_id, at, true, %s::halfvec from memory_record where id = %s",
            (literal, firm.ids[name]),
        )


@pytest.fixture
def alike(firm):
    """a reads much like b (cos 20° = .94), somewhat like c (cos 50° = .64), hardly like d; h is hidden and nearest."""
    for name in "abcd":
        firm.write(name)
    firm.write("h", "hidden")
    vectors(firm, a=0, b=20, c=50, d=85, h=1)
    return firm


def test_nearest_keeps_to_lanes(alike):
    found = nearest(alike.scope(), alike.ids["a"])
    assert [(f.title, f.type) for f in found] == [("b", "similar"), ("c", "related")]
    assert [round(f.similarity, 2) for f in found] == [0.94, 0.64]
    seen = nearest(alike.scope(alike.scribe), alike.ids["a"])
    assert seen[0].title == "h"


def test_discovery_connects_explains_and_repeats_nothing(alike):
    ids = [alike.ids["a"]]
    made = discover(alike.anna, ids)
    assert len(made["connected"]) == 2
    rows = sql.fetch(
        "select type, round(strength::numeric, 2)::float8, reason from memory_edgeproperty "
        "where record_id = %s order by 2 desc",
        (alike.ids["a"],),
    )
    assert [row[:2] for row in rows] == [("similar", 0.94), ("related", 0.64)]
    assert "0.94" in rows[0][2]
    again = discover(alike.anna, [*ids, alike.ids["b"]])
    assert again["joined_before"] >= 2
    assert {frozenset(c["members"]) for c in again["connected"]}.isdisjoint(
        {frozenset(c["members"]) for c in made["connected"]}
    )
    assert discover(alike.anna, [alike.ids["h"]])["looked_at"] == 0


def test_what_was_disputed_is_not_found_again(alike):
    made = discover(alike.anna, [alike.ids["a"]])
    connections.invalidate(alike.anna, property=made["connected"][0]["property"])
    assert discover(alike.anna, [alike.ids["a"]])["connected"] == []


def test_discovery_stops_at_the_cap(alike, settings):
    settings.LANEWISE_CONNECTION_CAP = 1
    assert len(discover(alike.anna, [alike.ids["a"]])["connected"]) == 1


def test_pruning_drops_only_what_was_found_and_is_weak_and_not_held(alike):
    discover(alike.anna, [alike.ids["a"]])
    a, b = alike.ids["a"], alike.ids["b"]
    connections.connect(
        alike.scribe,
        sr_ids=[
            f"sr_{p.hex}" for (p,) in sql.fetch("select public_id from memory_record where id = any(%s)", ([a, b],))
        ],
        hint="asserted",
        strength=0.1,
    )
    tenant = alike.tenant.pk
    soon = datetime.now(UTC) + timedelta(days=1)
    assert decay.prune(tenant, now=soon)["dropped"] == []
    later = soon + timedelta(days=230)  # .94 → .39, .64 → .26
    (public,) = sql.fetch("select public_id from memory_record where id = %s", (a,))[0]
    hold = holds.place(tenant_id=tenant, name="Kept", reader=alike.scribe, sr_ids=[f"sr_{public.hex}"])
    held = decay.prune(tenant, now=later)
    assert (held["dropped"], held["held_back"]) == ([], 1)
    holds.release(hold)
    assert len(decay.prune(tenant, now=later)["dropped"]) == 1
    assert len(decay.prune(tenant, now=later + timedelta(days=400))["dropped"]) == 1
    left = sql.fetch("select value from memory_edgeproperty where record_id = %s", (a,))
    assert len(left) == 1 and left[0][0].startswith("asserted_")
    assert decay.prune(tenant, now=later)["looked_at"] == 0


def test_the_command_prunes_one_tenant(alike, capsys):
    from django.core.management import CommandError, call_command

    discover(alike.anna, [alike.ids["a"]])
    call_command("prune_connections", tenant="ferris")
    assert "2 found connections looked at, 0 removed" in capsys.readouterr().out
    call_command("prune_connections", tenant="ferris", below=0.7)
    assert "2 found connections looked at, 1 removed" in capsys.readouterr().out
    with pytest.raises(CommandError):
        call_command("prune_connections", tenant="nobody")
