"""Keys, grants, walls and the commands that outside checks use."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from lanes import keys, services
from lanes.models import AgentProfile, ApiKey, Lane, Membership, Tenant, User
from lanes.readers import may_act_as, reader_for_profile, reader_for_user
from tests.conftest import Caller

pytestmark = pytest.mark.django_db


def command(name: str, *arguments: str) -> str:
    out = StringIO()
    call_command(name, *arguments, stdout=out)
    return out.getvalue()


def issue(*arguments: str) -> Caller:
    return Caller(json.loads(command("issue_key", "--json", *arguments))["key"])


def slugs(caller: Caller) -> dict[str, bool]:
    return {lane["slug"]: lane["may_write"] for lane in caller.get("/api/v1/lanes")["lanes"]}


def test_issue_key_makes_what_is_missing_and_prints_the_key_once():
    told = json.loads(
        command("issue_key", "--tenant", "t", "--profile", "p", "--create", "--read", "a", "--write", "b", "--json")
    )
    assert set(told) == {"tenant", "profile", "key"}
    assert slugs(Caller(told["key"])) == {"a": False, "b": True}
    row = ApiKey.objects.get()
    assert told["key"] not in str(vars(row))
    with pytest.raises(CommandError, match="no tenant"):
        command("issue_key", "--tenant", "u", "--profile", "p")
    with pytest.raises(CommandError, match="no agent profile"):
        command("issue_key", "--tenant", "t", "--profile", "q")
    with pytest.raises(CommandError, match="No such lane: zzz"):
        command("issue_key", "--tenant", "t", "--profile", "p", "--read", "zzz")
    assert ApiKey.objects.count() == 1


def test_a_star_covers_later_lanes_and_an_exception_beats_it():
    services.create_lane(tenant=services.create_tenant(slug="t"), slug="a")
    caller = issue("--tenant", "t", "--profile", "p", "--create", "--read", "*", "--write", "*", "--except", "a")
    assert slugs(caller) == {}
    services.create_lane(tenant=Tenant.objects.get(), slug="later")
    assert slugs(caller) == {"later": True}
    command("grant", "--tenant", "t", "--profile", "p", "--read", "a", "--write", "a")
    assert slugs(caller) == {"later": True}


def test_grant_and_revoke_hold_from_the_next_call():
    caller = issue("--tenant", "t", "--profile", "p", "--create", "--read", "a,b", "--write", "b")
    assert slugs(caller) == {"a": False, "b": True}
    command("revoke", "--tenant", "t", "--profile", "p", "--write", "b")
    assert slugs(caller) == {"a": False, "b": False}
    command("revoke", "--tenant", "t", "--profile", "p", "--read", "b")
    assert slugs(caller) == {"a": False}
    command("grant", "--tenant", "t", "--profile", "p", "--write", "b")
    assert slugs(caller) == {"a": False, "b": True}
    command("revoke", "--tenant", "t", "--profile", "p", "--read", "*")
    assert slugs(caller) == {}


def test_revoking_one_lane_of_a_star_takes_just_that_one_and_granting_gives_it_back():
    caller = issue("--tenant", "t", "--profile", "p", "--create", "--read", "*", "--write", "*")
    for slug in ("a", "b"):
        services.create_lane(tenant=Tenant.objects.get(), slug=slug)
    command("revoke", "--tenant", "t", "--profile", "p", "--write", "b")
    assert slugs(caller) == {"a": True, "b": False}
    command("revoke", "--tenant", "t", "--profile", "p", "--read", "a")
    assert slugs(caller) == {"b": False}
    command("grant", "--tenant", "t", "--profile", "p", "--read", "a")
    assert slugs(caller) == {"a": True, "b": False}
    command("grant", "--tenant", "t", "--profile", "p", "--write", "*")
    assert slugs(caller) == {"a": True, "b": True}


def test_create_user_makes_a_member_who_reads_what_is_granted(client):
    tenant = services.create_tenant(slug="t")
    for slug in ("a", "b", "c"):
        services.create_lane(tenant=tenant, slug=slug)
    command("create_user", "--tenant", "t", "--username", "u", "--password", "long enough 1", "--read", "*",
            "--write", "a", "--except", "c")  # fmt: skip
    assert client.login(username="u", password="long enough 1")
    reply = client.get("/api/v1/lanes").json()
    assert {lane["slug"]: lane["may_write"] for lane in reply["lanes"]} == {"a": True, "b": False}
    command("revoke", "--tenant", "t", "--user", "u", "--read", "a")
    assert [lane["slug"] for lane in client.get("/api/v1/lanes").json()["lanes"]] == ["b"]
    User.objects.update(is_active=False)
    assert client.get("/api/v1/lanes").status_code == 401


@pytest.mark.parametrize("spoil", ["revoked", "expired", "unknown", "tenant", "profile", "user", "left", "cut"])
def test_a_dead_key_opens_nothing(world, spoil):
    key = world.anna.key
    row = ApiKey.objects.get(prefix=key[:11])
    if spoil == "revoked":
        ApiKey.objects.filter(pk=row.pk).update(revoked_at=timezone.now())
    elif spoil == "expired":
        ApiKey.objects.filter(pk=row.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    elif spoil == "tenant":
        Tenant.objects.filter(pk=row.tenant_id).update(is_active=False)
    elif spoil == "profile":
        AgentProfile.objects.filter(keys=row).update(is_active=False)
    elif spoil == "user":
        row.user = User.objects.create(username="gone", is_active=False)
        row.save()
    elif spoil == "left":  # the person it speaks for belongs to another tenant only by now
        row.user = services.create_user(tenant=world.other, username="left", password="long enough 1")
        row.save()
    elif spoil == "cut":
        key = key[:-1]
    else:
        key = "lw_00000000_" + "x" * 43
    expected = 403 if spoil == "profile" else 401
    assert Caller(key).get("/api/v1/lanes").status == expected


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Bearer a b", "Basic eDp5", "Bearer \u00fc", "bearer lw_\x00"]
)
def test_an_odd_authorization_header_is_a_401(client, header):
    response = client.get("/api/v1/lanes", headers={"Authorization": header})
    assert response.status_code == 401
    assert response.json()["code"] == "not_authenticated"


def test_a_key_with_two_profiles_must_say_which_and_no_other_will_do(world):
    profiles = list(AgentProfile.objects.filter(slug__in=["andy", "rita"]))
    _, key = keys.issue(tenant=world.tenant, name="two", profiles=profiles)
    caller = Caller(key)
    match = ["client:Acme"]
    assert "agent_profile" in caller("e_gather", "count", match=match).body["errors"]
    assert caller("e_gather", "count", match=match, agent_profile="andy").status == 200
    refused = [caller("e_gather", "count", match=match, agent_profile=slug) for slug in ("anna", "bert", "nobody")]
    assert {reply.status for reply in refused} == {403}
    assert len({reply.body["detail"] for reply in refused}) == 1


def test_a_key_never_acts_as_a_profile_of_another_tenant(world):
    """Not even one that reads everything, should a row say that it may."""
    theirs = AgentProfile.objects.get(slug="bert")
    assert theirs.reads_all or theirs.writes_all
    row, key = keys.issue(tenant=world.tenant, name="odd", profiles=[theirs])
    sr_id = world.anna.write("blue", "Ours.")
    caller = Caller(key)
    for named in ({}, {"agent_profile": "bert"}):
        assert caller("e_record", "read", sr_id=sr_id, **named).status == 403
    row.profiles.add(AgentProfile.objects.get(slug="andy"))
    assert caller("e_record", "read", sr_id=sr_id).status == 404  # andy, who reads red only


def test_a_person_acts_as_a_profile_only_with_leave_and_keeps_their_walls(world):
    from guardian.shortcuts import assign_perm

    user = services.create_user(tenant=world.tenant, username="u", password="long enough 1")
    profile = AgentProfile.objects.get(slug="anna")
    assert not may_act_as(user, profile)
    assign_perm("lanes.act_as", user, profile)
    assert may_act_as(user, profile)
    assert len(reader_for_profile(profile, user=user).readable) == 3
    services.wall_off(tenant=world.tenant, lanes=[Lane.objects.get(slug="blue")], holders=[user], name="w")
    slugs_left = {info.slug for info in reader_for_profile(profile, user=user).lanes.values()}
    assert slugs_left == {"red", "green"}
    Membership.objects.filter(user=user).delete()
    assert not may_act_as(user, profile)


def test_team_grants_and_team_walls_hold_for_members(world):
    user = services.create_user(tenant=world.tenant, username="u", password="long enough 1")
    team = services.create_team(tenant=world.tenant, name="litigators", members=[user])
    red, blue = Lane.objects.get(slug="red", tenant=world.tenant), Lane.objects.get(slug="blue")
    services.grant(tenant=world.tenant, holder=team, read=[red], write=[blue])
    reader = reader_for_user(user, world.tenant)
    assert (set(reader.readable), set(reader.writable)) == ({red.pk, blue.pk}, {blue.pk})
    services.wall_off(tenant=world.tenant, lanes=[blue], holders=[team], name="w")
    assert reader_for_user(user, world.tenant).readable == (red.pk,)
    user.groups.clear()
    assert reader_for_user(user, world.tenant).readable == ()


def test_the_tenant_of_a_session_is_named_or_the_only_one(world, client):
    user = services.create_user(tenant=world.tenant, username="u", password="long enough 1")
    client.force_login(user)
    assert client.get("/api/v1/whoami").json()["tenant"] == "firm"
    assert client.get("/api/v1/whoami", headers={"X-Lanewise-Tenant": "elsewhere"}).status_code == 404
    Membership.objects.create(tenant=world.other, user=user)
    assert client.get("/api/v1/whoami").status_code == 400
    assert client.get("/api/v1/whoami", headers={"X-Lanewise-Tenant": "elsewhere"}).json()["tenant"] == "elsewhere"
    assert world.anna.get("/api/v1/whoami", **{"X-Lanewise-Tenant": "elsewhere"}).status == 404


def test_every_change_of_a_grant_is_announced(django_db_blocker, world):
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("select tgrelid::regclass::text from pg_trigger where tgname = 'announce_grant'")
        announced = {row[0] for row in cursor.fetchall()}
    from django.apps import apps

    silent = {"lanes_lane", "lanes_team", "lanes_user_user_permissions", "lanes_apikey_profiles"}
    tables = {
        table
        for model in apps.get_app_config("lanes").get_models(include_auto_created=True)
        for table in [model._meta.db_table]
    }
    assert tables - announced == silent
