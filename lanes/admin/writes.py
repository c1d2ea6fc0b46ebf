"""What saving a page of the admin means beyond its own row."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from lanes.models import AgentProfile, ApiKey, Membership, Team, User


def group_name(holder: Team | AgentProfile) -> str:
    """What the group behind a team or profile is called, as lanes.services calls it."""
    if isinstance(holder, Team):
        return f"team:{holder.tenant_id}:{holder.name}"[:150]
    return f"profile:{holder.tenant.slug[:60]}:{holder.slug[:60]}:{holder.tenant_id}"


@transaction.atomic
def save_holder(holder: Team | AgentProfile) -> None:
    """Save a team or profile; its group is made with it and follows its name."""
    if holder.group_id is None:
        holder.group = Group.objects.create(name=group_name(holder))
    else:
        Group.objects.filter(pk=holder.group_id).update(name=group_name(holder))
    holder.save()


@transaction.atomic
def delete_holder(holder: Team | AgentProfile) -> None:
    """Delete a team or profile and the group behind it, with the group's grants."""
    group = holder.group
    holder.delete()
    group.delete()


@transaction.atomic
def set_members(team: Team, people: Iterable[User], met: QuerySet[User]) -> None:
    """Make `people` the members of a team; members that whoever saves cannot meet stay."""
    before = team.group.user_set.filter(pk__in=met.values("pk"))
    wanted = {person.pk for person in people}
    team.group.user_set.remove(*[person for person in before if person.pk not in wanted])
    team.group.user_set.add(*wanted)


def let_admins_sign_in(user: User) -> None:
    """`is_staff` opens the sign-in of the admin: true for operators and for admins of a tenant, for nobody else."""
    staff = user.is_superuser or Membership.objects.filter(user=user, role=Membership.Role.ADMIN).exists()
    User.objects.filter(pk=user.pk).exclude(is_staff=staff).update(is_staff=staff)


def revoke_keys(keys: QuerySet[ApiKey]) -> int:
    """Revoke the keys that are not revoked yet; returns how many."""
    return keys.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())
