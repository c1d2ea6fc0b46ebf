"""Writes to tenants, lanes, profiles, people, grants and walls. All keyword-only; all safe to repeat."""

import hashlib
from collections.abc import Iterable

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import transaction
from guardian.shortcuts import assign_perm, remove_perm

from lanes.errors import Invalid
from lanes.models import AgentProfile, Lane, Membership, Team, Tenant, User, Wall, lane_slug_validator, slug_validator

EVERY = "*"
Holder = AgentProfile | User | Team


def check_slug(value: str, field: str, validator: RegexValidator = slug_validator) -> str:
    """A slug as given, or Invalid naming the field."""
    try:
        validator(value)
    except ValidationError as error:
        raise Invalid.field(field, error.messages[0]) from None
    return value


def create_tenant(*, slug: str, name: str | None = None) -> Tenant:
    """The tenant with that slug, made when missing."""
    check_slug(slug, "tenant")
    return Tenant.objects.get_or_create(slug=slug, defaults={"name": name or slug})[0]


def colour_of(slug: str) -> int:
    """The colour of a lane, 1 to 8. By its slug alone: one that went round would count the lanes made between two."""
    return hashlib.blake2b(slug.encode(), digest_size=1).digest()[0] % 8 + 1


@transaction.atomic
def create_lane(*, tenant: Tenant, slug: str, name: str | None = None, description: str = "") -> Lane:
    """The lane with that slug, made when missing."""
    check_slug(slug, "lane", lane_slug_validator)
    return Lane.objects.get_or_create(
        tenant=tenant,
        slug=slug,
        defaults={"name": name or slug, "description": description, "colour": colour_of(slug)},
    )[0]


@transaction.atomic
def create_profile(*, tenant: Tenant, slug: str, name: str | None = None) -> AgentProfile:
    """The agent profile with that slug, made when missing (with the group that holds its grants)."""
    check_slug(slug, "profile")
    profile = AgentProfile.objects.filter(tenant=tenant, slug=slug).first()
    if profile is None:
        group = Group.objects.get_or_create(name=f"profile:{tenant.slug[:60]}:{slug[:60]}:{tenant.pk}")[0]
        profile = AgentProfile.objects.create(tenant=tenant, slug=slug, name=name or slug, group=group)
    return profile


@transaction.atomic
def create_team(*, tenant: Tenant, name: str, members: Iterable[User] = ()) -> Team:
    """The team of that name, made when missing; `members` are added."""
    team = Team.objects.filter(tenant=tenant, name=name).first()
    if team is None:
        group = Group.objects.create(name=f"team:{tenant.pk}:{name}"[:150])
        team = Team.objects.create(tenant=tenant, name=name, group=group)
    for user in members:
        user.groups.add(team.group)
    return team


@transaction.atomic
def create_user(*, tenant: Tenant, username: str, password: str, admin: bool = False, name: str = "") -> User:
    """A person who may sign in and belongs to the tenant. The password of one who exists is set anew."""
    if not username.strip():
        raise Invalid.field("username", "May not be empty.")
    user, _ = User.objects.get_or_create(username=username)
    user.set_password(password)
    if name:
        user.first_name, _, user.last_name = name.partition(" ")
    if admin:
        user.is_staff = True
    user.save()
    role = Membership.Role.ADMIN if admin else Membership.Role.MEMBER
    Membership.objects.update_or_create(tenant=tenant, user=user, defaults={"role": role})
    return user


def parse_lanes(tenant: Tenant, slugs: str | None, field: str, *, create: bool = False) -> tuple[list[Lane], bool]:
    """Comma-separated lane slugs or `*`; returns (lanes, every).

    Lanes that do not exist are made when `create` is set; else Invalid names them.
    """
    names = [part.strip() for part in (slugs or "").split(",") if part.strip()]
    every = EVERY in names
    names = [name for name in names if name != EVERY]
    found = {lane.slug: lane for lane in Lane.objects.filter(tenant=tenant, slug__in=names)}
    missing = [name for name in names if name not in found]
    if create:
        found |= {name: create_lane(tenant=tenant, slug=name) for name in missing}
    elif missing:
        raise Invalid.field(field, f"No such lane: {', '.join(missing)}.")
    return [found[name] for name in dict.fromkeys(names)], every


def _flags(tenant: Tenant, holder: Holder) -> AgentProfile | Membership | None:
    """The row with reads_all and writes_all for a holder (teams have none)."""
    if isinstance(holder, AgentProfile):
        return holder
    if isinstance(holder, User):
        return Membership.objects.get(tenant=tenant, user=holder)
    return None


def _grantee(holder: Holder) -> User | Group:
    return holder if isinstance(holder, User) else holder.group


def _own_walls(tenant: Tenant, holder: Holder, *, write_only: bool | None = None):
    """The walls that `revoke` left for this holder alone."""
    walls = Wall.objects.filter(tenant=tenant, origin=Wall.Origin.REVOKED)
    if write_only is not None:
        walls = walls.filter(write_only=write_only)
    if isinstance(holder, AgentProfile):
        return walls.filter(profiles=holder)
    return walls.filter(users=holder) if isinstance(holder, User) else walls.filter(teams=holder)


@transaction.atomic
def grant(
    *,
    tenant: Tenant,
    holder: Holder,
    read: Iterable[Lane] = (),
    write: Iterable[Lane] = (),
    manage: Iterable[Lane] = (),
    read_all: bool = False,
    write_all: bool = False,
) -> None:
    """Let a holder read, write or manage lanes. Lifts what `revoke` took away, never a wall."""
    levels = {"read_lane": list(read), "write_lane": list(write), "manage_lane": list(manage)}
    for permission, lanes in levels.items():
        for lane in lanes:
            assign_perm(f"lanes.{permission}", _grantee(holder), lane)
    for wall in _own_walls(tenant, holder):
        lifted = levels["write_lane"] + levels["manage_lane"] + ([] if wall.write_only else levels["read_lane"])
        wall.lanes.remove(*lifted)
    flags = _flags(tenant, holder)
    if flags is not None and (read_all or write_all):
        flags.reads_all = flags.reads_all or read_all or write_all
        flags.writes_all = flags.writes_all or write_all
        flags.save(update_fields=["reads_all", "writes_all"])
        for wall in _own_walls(tenant, holder):
            if write_all or not wall.write_only:
                wall.lanes.clear()


@transaction.atomic
def revoke(
    *,
    tenant: Tenant,
    holder: Holder,
    read: Iterable[Lane] = (),
    write: Iterable[Lane] = (),
    read_all: bool = False,
    write_all: bool = False,
) -> None:
    """Take reading (and with it writing) or writing away. One who reads all lanes loses just the named ones."""
    flags = _flags(tenant, holder)
    if flags is not None and (read_all or write_all):
        flags.writes_all = False
        flags.reads_all = flags.reads_all and not read_all
        flags.save(update_fields=["reads_all", "writes_all"])
    every = list(Lane.objects.filter(tenant=tenant)) if read_all or write_all else []
    taken = {
        "read_lane": every if read_all else list(read),
        "write_lane": (every if read_all or write_all else []) or [*read, *write],
        "manage_lane": (every if read_all or write_all else []) or [*read, *write],
    }
    for permission, lanes in taken.items():
        for lane in lanes:
            remove_perm(f"lanes.{permission}", _grantee(holder), lane)
    if flags is not None:
        _close(tenant, holder, list(read) if flags.reads_all else [], write_only=False)
        _close(tenant, holder, list(write) if flags.writes_all else [], write_only=True)


def _close(tenant: Tenant, holder: Holder, lanes: list[Lane], *, write_only: bool) -> None:
    if not lanes:
        return
    wall = _own_walls(tenant, holder, write_only=write_only).first()
    if wall is None:
        wall = Wall.objects.create(
            tenant=tenant, name=f"Taken away from {holder}", origin=Wall.Origin.REVOKED, write_only=write_only
        )
        _put_behind(wall, holder)
    wall.lanes.add(*lanes)


def _put_behind(wall: Wall, *holders: Holder) -> None:
    for holder in holders:
        if isinstance(holder, AgentProfile):
            wall.profiles.add(holder)
        elif isinstance(holder, User):
            wall.users.add(holder)
        else:
            wall.teams.add(holder)


@transaction.atomic
def wall_off(*, tenant: Tenant, lanes: Iterable[Lane], holders: Iterable[Holder], name: str, reason: str = "") -> Wall:
    """Close lanes to holders whatever else they are granted; the same name adds to the same wall."""
    wall = Wall.objects.filter(tenant=tenant, name=name, origin=Wall.Origin.WALL).first()
    if wall is None:
        wall = Wall.objects.create(tenant=tenant, name=name, reason=reason)
    _put_behind(wall, *holders)
    wall.lanes.add(*lanes)
    return wall


@transaction.atomic
def grant_by_slugs(
    *,
    tenant: Tenant,
    holder: AgentProfile | User,
    read: str = "",
    write: str = "",
    walled: str = "",
    create: bool = False,
) -> None:
    """Grants and a wall from comma-separated slugs, as the commands take them."""
    read_lanes, read_all = parse_lanes(tenant, read, "--read", create=create)
    write_lanes, write_all = parse_lanes(tenant, write, "--write", create=create)
    walled_lanes, wall_all = parse_lanes(tenant, walled, "--except")
    if wall_all:
        raise Invalid.field("--except", "Name the lanes to wall off.")
    grant(tenant=tenant, holder=holder, read=read_lanes, write=write_lanes, read_all=read_all, write_all=write_all)
    if walled_lanes:
        who = f"person {holder.username}" if isinstance(holder, User) else f"profile {holder.slug}"
        wall_off(tenant=tenant, lanes=walled_lanes, holders=[holder], name=f"Exceptions for {who}")
