"""Pairs that read somewhat alike: the language model decides about each, once, within its bounds."""

from __future__ import annotations

import json

import pytest

from memory import sql
from memory.ingest import policies
from memory.ingest.errors import Unavailable
from memory.ingest.language_model import LLMUnusable
from memory.models import IngestPolicy, RefusedPair
from memory.relations.confirm import Verdict, verdict
from memory.relations.discovery import discover
from memory.services import properties, records
from tests.graph.test_scoring_and_decay import vectors
from tests.language_model import reply, settings_of

YES = {"related": True, "strength": 0.5, "reason": "Both are about the lease."}
NO = {"related": False, "strength": 0.0, "reason": "They have nothing in common."}


@pytest.fixture
def doubtful(firm, settings, server):
    """b reads much like a (.94); c, d and e somewhat (.57, .50, .42); f not at all; h is hidden."""
    settings.LANEWISE_LLM = settings_of(server)
    for name in "abcdef":
        firm.write(name, text=f"Text of {name}.")
    firm.write("h", "hidden", text="Hidden text.")
    vectors(firm, a=0, b=20, c=55, d=60, e=65, f=89, h=62)
    allow(firm)
    answer_with(server, YES)
    return firm


def allow(firm, **switches):
    given = {"discover": True, "language_model": True, **switches}
    IngestPolicy.everything.update_or_create(
        lane_id=firm.lanes["alpha"], defaults={"tenant_id": firm.tenant.pk, **given}
    )


def answer_with(server, answer):
    server.answer = lambda: reply(json.dumps(answer))


def found(firm, name="a"):
    """{the other record: (type, strength, reason)} of a record's found connections."""
    rows = sql.fetch(
        "select r.title, e.type, round(e.strength::numeric, 2)::float8, e.reason from memory_edgeproperty e "
        "join memory_edgeproperty o on o.key = e.key and o.record_id <> e.record_id "
        "join memory_record r on r.id = o.record_id where e.record_id = %s and e.label = 'e_connect'",
        (firm.ids[name],),
    )
    return {title: rest for title, *rest in rows}


def apply(firm, *names):
    policies.apply([firm.ids[name] for name in names or ("a",)])


def pairs():
    return set(RefusedPair.everything.values_list("record__title", "other__title"))


def test_what_the_model_confirms_is_connected_with_its_reason(doubtful, server):
    apply(doubtful)
    made = found(doubtful)
    assert set(made) == {"b", "c", "d", "e"}
    assert made["b"][:2] == ["similar", 0.94] and "language model" not in made["b"][2]
    assert made["c"] == [
        "related", 0.5, "Read alike: similarity 0.57. Confirmed by the language model: Both are about the lease.",
    ]  # fmt: skip
    assert len(server.asked) == 3 and not pairs()
    body = server.asked[0][1]
    assert "Text of a." in body["messages"][1]["content"] and "Text of c." in body["messages"][1]["content"]
    assert body["response_format"]["json_schema"]["strict"] is True
    assert not any("Hidden" in json.dumps(asked) for asked in server.asked)
    apply(doubtful)
    assert len(server.asked) == 3


def test_a_refused_pair_is_not_asked_again_from_either_side_until_one_reads_differently(doubtful, server):
    answer_with(server, NO)
    apply(doubtful)
    assert set(found(doubtful)) == {"b"} and len(server.asked) == 3
    assert pairs() == {("a", "c"), ("a", "d"), ("a", "e")}
    apply(doubtful, "a")
    apply(doubtful, "c")  # c's own doubtful neighbours are none: b, d and e read much like it
    assert len(server.asked) == 3
    sr_id = sql.fetch("select public_id from memory_record where id = %s", (doubtful.ids["d"],))[0][0].hex
    records.update(doubtful.scribe, sr_id=f"sr_{sr_id}", text="Another text of d.")
    sql.execute("delete from memory_recordvector where record_id = %s", (doubtful.ids["d"],))
    vectors(doubtful, d=60)  # as ingest would make it anew
    answer_with(server, YES)
    apply(doubtful)
    assert len(server.asked) == 4 and "d" in found(doubtful)


def test_what_only_touches_properties_is_no_reason_to_ask_again(doubtful, server):
    answer_with(server, NO)
    apply(doubtful)
    sr_id = sql.fetch("select public_id from memory_record where id = %s", (doubtful.ids["a"],))[0][0].hex
    properties.add(doubtful.scribe, sr_id=f"sr_{sr_id}", edge_properties=["client:Halden"])
    apply(doubtful)
    assert len(server.asked) == 3


def test_the_questions_a_record_may_cost_are_counted_over_all_runs(doubtful, server, settings):
    settings.LANEWISE_DISCOVERY_QUESTIONS = 2
    answer_with(server, NO)
    for _ in range(3):
        apply(doubtful)
    assert len(server.asked) == 2 and pairs() == {("a", "c"), ("a", "d")}  # the most alike first
    settings.LANEWISE_DISCOVERY_QUESTIONS = 0
    apply(doubtful, "b")
    assert len(server.asked) == 2


@pytest.mark.parametrize("switches", [{"language_model": False}, {"discover": False}])
def test_only_where_the_lane_allows_both(doubtful, server, switches):
    allow(doubtful, **switches)
    apply(doubtful)
    assert server.asked == []
    assert set(found(doubtful)) == (set() if "discover" in switches else {"b"})


def test_without_an_endpoint_the_doubtful_are_left_alone(doubtful, server, settings):
    settings.LANEWISE_LLM = {}
    apply(doubtful)
    assert set(found(doubtful)) == {"b"} and server.asked == []


asked_policy: list[tuple[int, int]] = []


def twice(tenant_id: int, lane_id: int) -> bool:
    """A policy that closes the lane after it was asked three times: by the job, and for both records of a pair."""
    asked_policy.append((tenant_id, lane_id))
    return len(asked_policy) <= 3


def test_a_lane_that_is_closed_meanwhile_is_asked_about_no_more(doubtful, server, settings):
    settings.LANEWISE_LLM_POLICY = f"{__name__}.twice"
    asked_policy.clear()
    apply(doubtful)
    assert len(server.asked) == 1 and set(found(doubtful)) == {"b", "c"}
    assert set(asked_policy) == {(doubtful.tenant.pk, doubtful.lanes["alpha"])}


def test_the_model_is_not_asked_about_entities(doubtful, server):
    sql.execute("update memory_record set kind = 'entity' where id = any(%s)", ([doubtful.ids[n] for n in "cd"],))
    apply(doubtful)
    assert len(server.asked) == 1 and set(found(doubtful)) == {"b", "e"}


def test_an_endpoint_that_is_away_leaves_the_questions_and_not_the_rest(doubtful, server):
    server.answer = lambda: (500, b"{}")
    with pytest.raises(Unavailable):
        apply(doubtful)
    assert set(found(doubtful)) == {"b"} and len(server.asked) == 1 and not pairs()
    answer_with(server, YES)
    apply(doubtful)
    assert set(found(doubtful)) == {"b", "c", "d", "e"}


@pytest.mark.parametrize(
    "content",
    ["no", "[]", "{}", '{"related": "true", "strength": 1, "reason": "x"}', '{"related": 1}', '{"related": null}'],
)
def test_an_answer_that_is_none_connects_nothing_and_refuses_nothing(doubtful, server, content):
    server.answer = lambda: reply(content)
    apply(doubtful)
    assert set(found(doubtful)) == {"b"} and not pairs()


@pytest.mark.parametrize(
    ("given", "kept"),
    [(0.45, 0.45), (99, 0.6), (-3, 0.3), (None, 0.57), ("0.4", 0.57), (True, 0.57), (float("nan"), 0.57)],
)
def test_strength_stays_within_the_band(doubtful, server, given, kept):
    answer_with(server, {**YES, "strength": given})
    apply(doubtful)
    assert found(doubtful)["c"][1] == kept


def test_a_reason_is_text_within_bounds(doubtful, server):
    answer_with(server, {**YES, "reason": "<b>x</b>\x00\ud800\n" + "long " * 400})
    apply(doubtful)
    reason = found(doubtful)["c"][2]
    assert reason.startswith("Read alike: similarity 0.57. Confirmed by the language model: <b>x</b> long")
    assert len(reason) < 400
    answer_with(server, {**YES, "reason": ["x"]})
    assert verdict({**YES, "reason": ["x"]}) == Verdict(True, 0.5, "")
    with pytest.raises(LLMUnusable):
        verdict({"reason": "x"})


def test_a_pair_goes_with_either_record_and_follows_the_first(doubtful, server):
    answer_with(server, NO)
    apply(doubtful)
    ids = dict(sql.fetch("select title, public_id from memory_record"))
    records.delete(doubtful.scribe, sr_id=f"sr_{ids['c'].hex}")
    assert pairs() == {("a", "d"), ("a", "e")}
    records.update(doubtful.scribe, sr_id=f"sr_{ids['a'].hex}", lane="hidden")
    assert set(RefusedPair.everything.values_list("lane_id", flat=True)) == {doubtful.lanes["hidden"]}
    records.delete(doubtful.scribe, sr_id=f"sr_{ids['a'].hex}")
    assert not pairs()


def test_the_admin_shows_a_pair_to_whoever_reads_both_records(doubtful, server, client):
    from lanes import services
    from lanes.models import Lane, Membership

    answer_with(server, NO)
    apply(doubtful)
    chief = services.create_user(tenant=doubtful.tenant, username="chief", password="Long-enough-1", admin=True)
    Membership.objects.filter(user=chief).update(reads_all=True)
    client.force_login(chief)
    page = "/admin/memory/refusedpair/"
    assert client.get(page).content.decode().count("field-asked_at") == 3
    ids = dict(sql.fetch("select title, public_id from memory_record"))
    records.update(doubtful.scribe, sr_id=f"sr_{ids['e'].hex}", lane="hidden")
    hidden = Lane.objects.get(pk=doubtful.lanes["hidden"])
    services.wall_off(tenant=doubtful.tenant, lanes=[hidden], holders=[chief], name="wall")
    assert client.get(page).content.decode().count("field-asked_at") == 2
    gone = RefusedPair.everything.get(other__title="e")
    assert client.get(f"{page}{gone.pk}/change/").status_code == 302


def test_a_model_is_never_shown_two_lanes_together(firm):
    """Joining across lanes and asking a model exclude each other."""
    with pytest.raises(ValueError, match="two lanes"):
        discover(firm.scribe, [], across_lanes=True, confirm=lambda one, two: None)
