"""The reader: the resolved scope of one request. Every read in the code base takes one.

Resolved once a request from the database and never kept longer, so a grant taken away or a wall put up holds
from the next request on, whatever is cached elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from lanes import sql
from lanes.errors import Invalid, NotVisible, Refused
from lanes.models import AgentProfile, ApiKey, Lane, Membership, Tenant, User, Wall

READ, WRITE, MANAGE = 1, 2, 3


@dataclass(frozen=True)
class LaneInfo:
    """What a reader may know of a lane it can read."""

    id: int
    slug: str
    name: str
    colour: int


@dataclass(frozen=True)
class Reader:
    """Tenant, readable and writable lanes (primary keys, ascending), who is acting and on whose behalf."""

    tenant_id: int
    tenant_slug: str
    readable: tuple[int, ...]
    writable: tuple[int, ...]
    manageable: tuple[int, ...]
    lanes: dict[int, LaneInfo] = field(repr=False, hash=False, compare=False)
    user_id: int | None = None
    profile_id: int | None = None
    profile_slug: str = ""
    key_id: int | None = None
    is_tenant_admin: bool = False
    # Lanes that counts may cover when count_scope "all_lanes" is asked: every lane not walled off, or just the
    # readable ones when the permission is missing.
    countable: tuple[int, ...] = field(default=(), repr=False)
    may_count_all: bool = False

    @cached_property
    def _by_slug(self) -> dict[str, int]:
        return {info.slug: info.id for info in self.lanes.values()}

    @cached_property
    def lane_list(self) -> list[int]:
        """The readable lanes as the one array parameter SQL takes."""
        return list(self.readable)

    def can_read(self, lane_id: int) -> bool:
        return lane_id in self.lanes

    def can_write(self, lane_id: int) -> bool:
        return lane_id in self.writable

    def lane_id(self, slug: str) -> int:
        """The readable lane with that slug; NotVisible when there is none for this reader."""
        found = self._by_slug.get(slug)
        if found is None:
            raise NotVisible()
        return found

    def writable_lane_id(self, slug: str) -> int:
        """The writable lane with that slug; NotVisible when it cannot be read, Refused when only read."""
        found = self.lane_id(slug)
        if found not in self.writable:
            raise Refused("You may read this lane but not write to it.")
        return found

    def narrow(self, slugs: Iterable[str] | None) -> Reader:
        """The same reader limited to some of its lanes (None: unchanged)."""
        if slugs is None:
            return self
        wanted = {self.lane_id(slug) for slug in slugs}
        keep = lambda ids: tuple(i for i in ids if i in wanted)  # noqa: E731
        return replace(
            self,
            readable=keep(self.readable),
            writable=keep(self.writable),
            manageable=keep(self.manageable),
            countable=keep(self.countable),
            lanes={i: info for i, info in self.lanes.items() if i in wanted},
        )

    def for_counts(self, count_scope: str) -> list[int]:
        """Lane ids that counts cover: "readable", or "all_lanes" where this reader has that permission."""
        if count_scope == "all_lanes":
            if not self.may_count_all:
                raise Refused("Counting over all lanes needs the count_all_lanes permission.")
            return list(self.countable)
        return self.lane_list


# One statement: every lane of the tenant that no wall closes, with the highest level granted on it. Walls of the
# person, the person's teams and the profile all count: a profile never lifts a wall of the one it acts for.
_RESOLVE = """
select l.id, l.slug, l.name, l.colour,
       greatest(
         case when %(writes_all)s then 2 when %(reads_all)s then 1 else 0 end,
         coalesce(g.level, 0)) as level,
       exists (select 1 from lanes_wall_lanes wl join lanes_wall w on w.id = wl.wall_id and w.write_only
               where wl.lane_id = l.id and w.id = any(%(walls)s)) as closed_to_writing
from lanes_lane l
left join (
  select content_object_id as lane_id,
         max(case p.codename when 'manage_lane' then 3 when 'write_lane' then 2 when 'read_lane' then 1 else 0 end)
           as level
  from (select content_object_id, permission_id from lanes_lanegroupobjectpermission
         where group_id = any(%(groups)s)
        union all
        select content_object_id, permission_id from lanes_laneuserobjectpermission
         where user_id = %(grantee)s) grants
  join auth_permission p on p.id = grants.permission_id
  group by content_object_id) g on g.lane_id = l.id
where l.tenant_id = %(tenant)s
  and not exists (select 1 from lanes_wall_lanes wl join lanes_wall w on w.id = wl.wall_id and not w.write_only
                  where wl.lane_id = l.id and w.id = any(%(walls)s))
order by l.id
"""

_WALLS = """
select w.id from lanes_wall w
where w.tenant_id = %(tenant)s and (
  exists (select 1 from lanes_wall_users x where x.wall_id = w.id and x.user_id = %(user)s)
  or exists (select 1 from lanes_wall_profiles x where x.wall_id = w.id and x.agentprofile_id = %(profile)s)
  or exists (select 1 from lanes_wall_teams x join lanes_team t on t.id = x.team_id
             join lanes_user_groups ug on ug.group_id = t.group_id
             where x.wall_id = w.id and ug.user_id = %(user)s))
"""

_TEAM_GROUPS = """
select t.group_id from lanes_team t join lanes_user_groups ug on ug.group_id = t.group_id
where t.tenant_id = %(tenant)s and ug.user_id = %(user)s
"""


def _resolve(
    tenant: Tenant, *, user: User | None, profile: AgentProfile | None, key: ApiKey | None, holder, **who
) -> Reader:
    """Build the reader of `holder` (a membership or a profile: whoever holds the grants)."""
    ids = {"tenant": tenant.pk, "user": user.pk if user else None, "profile": profile.pk if profile else None}
    walls = [row[0] for row in sql.fetch(_WALLS, ids)]
    if profile is not None:
        groups, grantee = [profile.group_id], None
    else:
        groups, grantee = [row[0] for row in sql.fetch(_TEAM_GROUPS, ids)], user.pk if user else None
    rows = sql.fetch(
        _RESOLVE,
        {
            "tenant": tenant.pk,
            "walls": walls,
            "groups": groups,
            "grantee": grantee,
            "reads_all": holder.reads_all,
            "writes_all": holder.writes_all,
        },
    )
    lanes = {row[0]: LaneInfo(*row[:4]) for row in rows if row[4] >= READ}
    return Reader(
        tenant_id=tenant.pk,
        tenant_slug=tenant.slug,
        readable=tuple(lanes),
        writable=tuple(row[0] for row in rows if row[4] >= WRITE and not row[5]),
        manageable=tuple(row[0] for row in rows if row[4] >= MANAGE and not row[5]),
        lanes=lanes,
        user_id=user.pk if user else None,
        profile_id=profile.pk if profile else None,
        profile_slug=profile.slug if profile else "",
        key_id=key.pk if key else None,
        countable=tuple(row[0] for row in rows) if holder.count_all_lanes else tuple(lanes),
        may_count_all=holder.count_all_lanes,
        **who,
    )


def reader_for_user(user: User, tenant: Tenant, key: ApiKey | None = None) -> Reader:
    """A person reading as themselves. NotVisible when the person is not an active member of the tenant."""
    membership = (
        Membership.objects.filter(user=user, tenant=tenant, user__is_active=True, tenant__is_active=True).first()
        if user.is_active and tenant.is_active
        else None
    )
    if membership is None:
        raise NotVisible()
    return _resolve(
        tenant,
        user=user,
        profile=None,
        key=key,
        holder=membership,
        is_tenant_admin=membership.role == Membership.Role.ADMIN,
    )


def reader_for_profile(profile: AgentProfile, *, user: User | None = None, key: ApiKey | None = None) -> Reader:
    """A profile reading, on behalf of `user` where there is one. Whether they may act as it is asked before."""
    tenant = profile.tenant
    if not (profile.is_active and tenant.is_active and (user is None or user.is_active)):
        raise NotVisible()
    return _resolve(tenant, user=user, profile=profile, key=key, holder=profile)


def description(reader: Reader, lane_id: int) -> str:
    """What a readable lane is about, as whoever made it wrote; "" for one the reader cannot read."""
    if lane_id not in reader.readable:
        return ""
    found = Lane.objects.filter(pk=lane_id, tenant_id=reader.tenant_id).values_list("description", flat=True)
    return found.first() or ""


def walled_lanes(reader: Reader) -> set[int]:
    """Those of the readable lanes that a wall closes to somebody: told to those inside only."""
    closed = Wall.objects.filter(tenant_id=reader.tenant_id, lanes__in=reader.lane_list, origin=Wall.Origin.WALL)
    return set(closed.values_list("lanes", flat=True)) & set(reader.readable)


def may_act_as(user: User, profile: AgentProfile) -> bool:
    """Whether a person may act as a profile of a tenant they belong to, by their own or a team's grant."""
    if not (user.is_active and Membership.objects.filter(user=user, tenant_id=profile.tenant_id).exists()):
        return False
    grants = {"permission__codename": "act_as"}
    return (
        profile.agentprofileuserobjectpermission_set.filter(user=user, **grants).exists()
        or profile.agentprofilegroupobjectpermission_set.filter(group__user=user, **grants).exists()
    )


def choose_profile(candidates: list[AgentProfile], slug: str | None) -> AgentProfile:
    """The profile a call names, or the only one it could mean.

    A slug that is not among the candidates is refused in one way, whether or not such a profile exists.
    """
    if slug is None:
        if len(candidates) == 1:
            return candidates[0]
        if not candidates:
            raise Refused("This key may not act as any agent profile.")
        raise Invalid.field("agent_profile", "Name the profile: this key may act as more than one.")
    for profile in candidates:
        if profile.slug == slug:
            return profile
    raise Refused("You may not act as this agent profile.")
