"""Every persona over every page: nothing hidden in any answer, foreign rows answered like none, nothing changed.

The pages come from the site's registry: one that is added without a row in the test world fails here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import admin
from django.db import transaction

from lanes import services
from lanes.models import Team
from tests.admin import desk as desks
from tests.admin.desk import FOREIGN, MARKERS, REGISTRY, Desk, address, changed, form_data, nowhere, same, tables

pytestmark = pytest.mark.django_db
INSIDE = ("ada", "wanda", "bela", "dora", "root")
TERMS = ("", "zq", MARKERS["blue"], FOREIGN, "zqdomestic", "person:zqcobalt person", "client:Shared Holdings")


@pytest.fixture
def desk(db: None) -> Desk:
    return desks.build()


def for_each(*names: str) -> Callable[[Callable[[Desk, str], None]], Callable[[Desk], None]]:
    """Try one world with each of these people in turn: none of them changes it."""

    def over(check: Callable[[Desk, str], None]) -> Callable[[Desk], None]:
        def test(desk: Desk) -> None:
            for name in names:
                check(desk, name)

        test.__doc__ = check.__doc__
        return test

    return over


def leaks(desk: Desk, name: str, response: Any, said: str) -> set[str]:
    """Hidden texts in an answer, apart from what the person typed."""
    text = desks.body_of(response) + str(response.headers) + str(response.cookies)
    return {hidden for hidden in desk.hidden_from(name) if hidden in text and hidden not in said}


def test_the_world_has_a_row_of_every_table(desk: Desk) -> None:
    for model in REGISTRY:
        if model._meta.model_name in desks.RUNNING:
            assert desk.own("root", model) is not None, model
            continue
        for name in ("ada", "bela", "wanda"):
            assert desk.own(name, model) is not None, (name, model)
            assert desk.foreign(name, model), (name, model)


@for_each(*INSIDE)
def test_pages_show_nothing_hidden(desk: Desk, name: str) -> None:
    client = desk.client(name)
    found = []
    seen_own = 0
    lanes = desk.tenants["firm"].lanes.filter(slug__in=("red", "blue"))
    for model in REGISTRY:
        queries = [f"?q={term}" for term in TERMS] + ["?o=1", "?all="]
        if model._meta.model_name in desks.CONTENT:
            queries += [f"?lane={lane.pk}" for lane in (*lanes, desk.tenants["elsewhere"].lanes.first())]
        for query in queries:
            response = client.get(address(model, "changelist") + query)
            assert response.status_code in (200, 302, 403), (model, query)
            found += [(model, query, leak) for leak in leaks(desk, name, response, query)]
        response = client.get(address(model, "add"))
        found += [(model, "add", leak) for leak in leaks(desk, name, response, "")]
        own = desk.own(name, model)
        if own is None:
            continue
        for page in ("change", "delete", "history"):
            response = client.get(address(model, page, own.pk))
            assert response.status_code in (200, 403), (model, page)
            seen_own += response.status_code == 200
            found += [(model, page, leak) for leak in leaks(desk, name, response, "")]
    for path in ("/admin/", "/admin/lanes/", "/admin/memory/", "/admin/jsi18n/"):
        found += [(path, leak) for leak in leaks(desk, name, client.get(path), "")]
    assert not found, name
    assert seen_own >= 20, name  # the pages were really shown


@for_each(*INSIDE)
def test_foreign_rows_are_answered_like_none(desk: Desk, name: str) -> None:
    client = desk.client(name)
    before = tables()
    asked = 0
    for model in REGISTRY:
        own = desk.own(name, model)
        data: dict[str, Any] = {}
        if own is not None:
            page = client.get(address(model, "change", own.pk))
            data = form_data(page) if page.status_code == 200 else {}
        none = nowhere(model)
        gets = {page: client.get(address(model, page, none), follow=True) for page in ("change", "delete", "history")}
        posts = [("change", data), ("change", {}), ("delete", {"post": "yes"})]
        refused = [client.post(address(model, page, none), posted, follow=True) for page, posted in posts]
        for row in desk.foreign(name, model):
            pks = (row.pk, none)
            for page, expected in gets.items():
                answer = client.get(address(model, page, row.pk), follow=True)
                assert same(answer, *pks) == same(expected, *pks), (model, page)
                asked += 1
            for (page, posted), expected in zip(posts, refused, strict=True):
                answer = client.post(address(model, page, row.pk), posted, follow=True)
                assert same(answer, *pks) == same(expected, *pks), (model, page)
    assert asked
    assert not changed(before)


@for_each(*INSIDE)
def test_actions_do_nothing_to_foreign_rows(desk: Desk, name: str) -> None:
    client = desk.client(name)
    before = tables()
    for model in REGISTRY:
        actions = ["delete_selected", *(admin.site._registry[model].actions or ())]
        for action in actions:
            for row in desk.foreign(name, model):
                answers = []
                pks = (row.pk, nowhere(model))
                for pk in pks:
                    posted = {"action": action, "_selected_action": [str(pk)], "post": "yes", "index": "0"}
                    response = client.post(address(model, "changelist"), posted, follow=True)
                    assert not leaks(desk, name, response, ""), (model, action)
                    answers.append(same(response, *pks))
                assert answers[0] == answers[1], (model, action)
    assert not changed(before)


@for_each(*INSIDE)
def test_autocomplete_offers_nothing_hidden(desk: Desk, name: str) -> None:
    client = desk.client(name)
    asked = offered = 0
    for model in REGISTRY:
        for field in model._meta.get_fields():
            if not (field.is_relation and field.concrete):
                continue
            for term in ("", "zq", FOREIGN, MARKERS["blue"]):
                where = {"app_label": model._meta.app_label, "model_name": model._meta.model_name}
                response = client.get("/admin/autocomplete/", {**where, "field_name": field.name, "term": term})
                asked += 1
                if response.status_code == 200:
                    offered += len(response.json()["results"])
                assert not leaks(desk, name, response, term), (model, field, term)
    assert asked > 100
    assert offered


@for_each(*INSIDE)
def test_columns_that_are_not_shown_answer_no_questions(desk: Desk, name: str) -> None:
    """A filter in the address must not tell a digest, a password or a hidden text, letter by letter."""
    client = desk.client(name)
    for model in REGISTRY:
        for field in model._meta.get_fields():
            for lookup in ("startswith", "tenant__slug"):
                response = client.get(address(model, "changelist"), {f"{field.name}__{lookup}": "a"})
                assert response.status_code in (400, 403), (model, field.name, lookup)


@for_each("mia", "anonymous")
def test_nobody_else_gets_in(desk: Desk, name: str) -> None:
    client = desk.client(name)
    before = tables()
    for model in REGISTRY:
        row = model._base_manager.first()
        pages = [address(model, "changelist"), address(model, "add")]
        pages += [address(model, page, row.pk) for page in ("change", "delete", "history")]
        for page in pages:
            for response in (client.get(page), client.post(page, {"post": "yes"})):
                assert response.status_code == 302, page
                assert "/login/" in response.url
                assert not response.content
    for path in ("/admin/", "/admin/autocomplete/?app_label=lanes&model_name=wall&field_name=lanes&term="):
        assert client.get(path).status_code == 302
    assert not changed(before)


def valid(desk: Desk) -> dict[str, dict[str, Any]]:
    """For every table that dora or ada may add to: what to post, in the firm."""
    firm, annex = desk.tenants["firm"], desk.tenants["annex"]
    held = firm.lanes.get(slug="zqdomestic-held")
    lane, team, profile = firm.lanes.get(slug="red"), firm.teams.get(), firm.profiles.get(slug="zqdomestic-profile")
    grants = {"TOTAL_FORMS": "0", "INITIAL_FORMS": "0"}

    def empty(*prefixes: str) -> dict[str, str]:
        return {f"{prefix}-{name}": value for prefix in prefixes for name, value in grants.items()}

    mia = desk.people["mia"].pk
    outsider = annex.memberships.get(user__username="zqannex-person").user_id
    lane_grants = empty("laneuserobjectpermission_set", "lanegroupobjectpermission_set")
    profile_grants = empty("agentprofileuserobjectpermission_set", "agentprofilegroupobjectpermission_set")
    passwords = {"password1": "Quite-long-22", "password2": "Quite-long-22"}
    behind = {"users": [mia], "teams": [team.pk], "profiles": [profile.pk]}
    text = {"title": "Made", "text": "Made text.", "kind": "note", "source": "{}"}
    return {
        "lanes.Membership": {"tenant": firm.pk, "user": outsider, "role": "member"},
        "lanes.Team": {"tenant": firm.pk, "name": "Made team", "members": [mia]},
        "lanes.Lane": {"tenant": firm.pk, "slug": "made", "name": "Made", **lane_grants},
        "lanes.AgentProfile": {"tenant": firm.pk, "slug": "made", "name": "Made", **profile_grants},
        "lanes.ApiKey": {"tenant": firm.pk, "name": "Made", "profiles": [profile.pk], "user": mia},
        "lanes.Wall": {"tenant": firm.pk, "name": "Made", "lanes": [lane.pk], **behind},
        "lanes.User": {"tenant": firm.pk, "role": "member", "username": "made", **passwords},
        "lanes.LaneUserObjectPermission": {"content_object": lane.pk, "person": mia, "level": "read_lane"},
        "lanes.LaneGroupObjectPermission": {"content_object": lane.pk, "team": team.pk, "level": "read_lane"},
        "lanes.AgentProfileUserObjectPermission": {"content_object": profile.pk, "person": mia},
        "lanes.AgentProfileGroupObjectPermission": {"content_object": profile.pk, "team": _fresh_team(desk).pk},
        "memory.Record": {"lane": lane.pk, **text, **empty("edgeproperty_set")},
        "memory.Hold": {"tenant": firm.pk, "name": "Made", "reason": "", "lanes": [held.pk], "records": ""},
        "memory.IngestPolicy": {"lane": lane.pk, "promote_labels": "", "relations": "on"},
        "memory.ControlledValue": {"tenant": firm.pk, "label": "client", "value": "Made", "aliases": "Made Ltd"},
        "memory.EdgeProperty": {"sr_id": desk.marked.records["red"][0], "label": "client", "value": "Made"},
    }


def _fresh_team(desk: Desk) -> Team:
    """A team without leave to act as anything."""
    return services.create_team(tenant=desk.tenants["firm"], name="Fresh team")


def test_rows_are_added_here_and_never_elsewhere(desk: Desk) -> None:
    """Each page adds a row in the own tenant; with any one relation turned to a row of another tenant it does not."""
    cases = valid(desk)
    addable = set()
    for name in ("ada", "dora"):
        client = desk.client(name)
        for model in REGISTRY:
            if client.get(address(model, "add")).status_code == 200:
                addable.add(model._meta.label)
    assert addable == set(cases), "every page that adds needs a case here"
    for label, posted in cases.items():
        model = next(m for m in REGISTRY if m._meta.label == label)
        client = desk.client("dora" if label == "lanes.Membership" else "ada")
        rows = model._base_manager.all()
        count = rows.count()
        before = tables()
        for forged in forgeries(desk, posted):
            response = client.post(address(model, "add"), forged)
            assert rows.count() == count, (label, forged)
            assert response.status_code in (200, 302), (label, forged)
            assert not leaks(desk, "ada", response, str(forged)) - {desks.ANNEX}, label
        assert not changed(before), label
        with transaction.atomic():
            response = client.post(address(model, "add"), posted)
            assert rows.count() == count + 1, (label, _errors(response))


def forgeries(desk: Desk, posted: dict[str, Any]) -> list[dict[str, Any]]:
    """The same form with one relation after the other turned to a row of another tenant."""
    other = desk.tenants["elsewhere"]
    theirs = {
        "tenant": other.pk,
        "user": desk.people["bela"].pk,
        "person": desk.people["bela"].pk,
        "users": [desk.people["bela"].pk],
        "members": [desk.people["bela"].pk],
        "lanes": [other.lanes.first().pk],
        "lane": other.lanes.first().pk,
        "team": other.teams.first().pk,
        "teams": [other.teams.first().pk],
        "profile": other.profiles.first().pk,
        "profiles": [other.profiles.first().pk],
        "sr_id": desk.marked.records["elsewhere"][0],
    }
    made = [{**posted, name: value} for name, value in theirs.items() if name in posted]
    if "content_object" in posted:
        kind = "lanes" if "level" in posted else "profiles"
        made.append({**posted, "content_object": getattr(other, kind).first().pk})
    assert made
    return made


def _errors(response: Any) -> Any:
    return response.context["errors"] if response.context and "errors" in response.context else response.status_code


@for_each("ada", "bela", "wanda")
def test_own_rows_are_not_pointed_elsewhere(desk: Desk, name: str) -> None:
    """Saving an own row with a foreign id in any of its fields changes nothing of anyone else's."""
    client = desk.client(name)
    tried = 0
    for model in REGISTRY:
        own = desk.own(name, model)
        if own is None:
            continue
        page = client.get(address(model, "change", own.pk))
        if page.status_code != 200 or not page.context["has_change_permission"]:
            continue
        data = form_data(page)
        stranger = desk.tenants["firm" if name == "bela" else "elsewhere"]
        theirs = {
            "tenant": stranger.pk, "user": stranger.memberships.first().user_id,
            "users": [stranger.memberships.first().user_id], "members": [stranger.memberships.first().user_id],
            "lanes": [stranger.lanes.first().pk], "lane": stranger.lanes.first().pk,
            "teams": [stranger.teams.first().pk], "profiles": [stranger.profiles.first().pk],
        }  # fmt: skip
        for field, value in theirs.items():
            before = tables()
            response = client.post(address(model, "change", own.pk), {**data, field: value})
            tried += 1
            moved = {label for label in changed(before) if field in data}
            assert not moved, (model, field, moved)
            assert not leaks(desk, name, response, ""), (model, field)
            own.refresh_from_db()
            if hasattr(own, "tenant_id"):
                assert own.tenant_id != stranger.pk
    assert tried > 20
    assert FOREIGN
