"""Putting the demo tenant into the database, through the same services and readers as everyone's writes.

Safe to repeat: what is there is left as it is, so a second run does not undo what people did in the demo.
"""

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from guardian.shortcuts import assign_perm

from lanes import keys, services
from lanes.errors import Conflict
from lanes.models import AgentProfile, ApiKey, Lane, Membership, Tenant, User
from lanes.readers import Reader, reader_for_profile, reader_for_user
from memory.demo import items
from memory.demo.cast import HOLD, LANES, PEOPLE, PROFILES, TENANT, WALL
from memory.demo.links import ADJUSTMENTS, CONNECTIONS, ENDED
from memory.demo.shape import Item, LaneSpec, Person, Profile, as_import
from memory.models import Hold, Record, sr_id
from memory.services import connections, holds, records

IMPORTER = "tunde"  # writes what has no writer of its own: the partner who may write everywhere


@dataclass
class Login:
    """What to tell whoever started the demo. Kept beside the data, readable by its owner only."""

    password: str = ""
    keys: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def path() -> Path:
        return Path(settings.DATA_DIR) / "demo-login.json"

    @classmethod
    def read(cls) -> "Login":
        path = cls.path()
        return cls(**json.loads(path.read_text())) if path.exists() else cls()

    def save(self) -> None:
        path = self.path()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=True)
        path.write_text(json.dumps({"password": self.password, "keys": self.keys}, indent=1))


@dataclass
class Seeded:
    """What a run did: the tenant, how many records it wrote and how many there were, how to log in."""

    tenant: Tenant
    written: int
    present: int
    login: Login


def seed(password: str = "") -> Seeded:
    """Make the demo tenant where it is missing; `password` sets everyone's password (else one is made up once).

    The caller saves `login` once the transaction has been committed.
    """
    login = Login.read()
    login.password = password or login.password or "-".join(secrets.token_hex(2) for _ in range(4))
    tenant = services.create_tenant(slug=TENANT[0], name=TENANT[1])
    lanes = {spec.slug: _lane(tenant, spec) for spec in LANES}
    people = {spec.username: _person(tenant, spec, login.password) for spec in PEOPLE}
    profiles = {spec.slug: services.create_profile(tenant=tenant, slug=spec.slug, name=spec.name) for spec in PROFILES}
    for spec in PEOPLE:
        _grant(tenant, people[spec.username], spec, lanes)
        for slug in spec.manage:
            services.grant(tenant=tenant, holder=people[spec.username], manage=[lanes[slug]])
    for agent in PROFILES:
        _grant(tenant, profiles[agent.slug], agent, lanes)
        for username in agent.act_as:
            assign_perm("lanes.act_as", people[username], profiles[agent.slug])
    services.wall_off(
        tenant=tenant,
        lanes=[lanes[slug] for slug in WALL.lanes],
        holders=[*(people[name] for name in WALL.people), *(profiles[slug] for slug in WALL.profiles)],
        name=WALL.name,
        reason=WALL.reason,
    )
    readers = {name: reader_for_user(user, tenant) for name, user in people.items()}
    readers |= {slug: reader_for_profile(profile) for slug, profile in profiles.items()}
    present = _present(lanes.values())
    written = _write(readers, lanes, present)
    _link(readers[IMPORTER], {**present, **written}, set(written))
    if not Hold.everything.filter(tenant=tenant, name=HOLD.name).exists():  # one that was released stays so
        holds.place(
            tenant_id=tenant.pk, name=HOLD.name, reason=HOLD.reason, lanes=[lanes[slug] for slug in HOLD.lanes],
            by=people[IMPORTER],
        )  # fmt: skip
    for slug, profile in profiles.items():
        login.keys[slug] = _key(tenant, profile, login.keys.get(slug))
    return Seeded(tenant, len(written), len(present), login)


def _lane(tenant: Tenant, spec: LaneSpec) -> Lane:
    lane = Lane.objects.filter(tenant=tenant, slug=spec.slug).first()
    if lane is None:
        lane = services.create_lane(tenant=tenant, slug=spec.slug, name=spec.name, description=spec.description)
        Lane.objects.filter(pk=lane.pk).update(colour=spec.colour)
    return lane


def _person(tenant: Tenant, spec: Person, password: str) -> User:
    """The demo person; Conflict when someone of that name belongs elsewhere, whose password is not ours to set."""
    user = User.objects.filter(username=spec.username).first()
    if user is not None:
        memberships = set(Membership.objects.filter(user=user).values_list("tenant_id", flat=True))
        if memberships != {tenant.pk} or user.is_superuser:
            raise Conflict(f"{spec.username} is the name of someone outside the demo tenant; nothing was changed.")
        if user.check_password(password):
            return user
    return services.create_user(
        tenant=tenant, username=spec.username, password=password, admin=spec.admin, name=spec.name
    )


def _grant(tenant: Tenant, holder: User | AgentProfile, spec: Person | Profile, lanes: dict[str, Lane]) -> None:
    services.grant(
        tenant=tenant,
        holder=holder,
        read=[lanes[slug] for slug in spec.read if slug != services.EVERY],
        write=[lanes[slug] for slug in spec.write if slug != services.EVERY],
        read_all=services.EVERY in spec.read,
        write_all=services.EVERY in spec.write,
    )


def _present(lanes: Iterable[Lane]) -> dict[str, str]:
    """External id to sr_id of the demo records that are there already."""
    wanted = [item.id for _, item in items()]
    rows = Record.everything.filter(lane__in=list(lanes), external_id__in=wanted)
    return {external: sr_id(public) for external, public in rows.values_list("external_id", "public_id")}


def _write(readers: dict[str, Reader], lanes: dict[str, Lane], present: dict[str, str]) -> dict[str, str]:
    """Write the missing records, each as its writer; returns external id to sr_id."""
    missing: dict[str, list[tuple[LaneSpec, Item]]] = {}
    for lane, item in items():
        if item.id not in present:
            missing.setdefault(item.by or IMPORTER, []).append((lane, item))
    made: dict[str, str] = {}
    for writer, batch in missing.items():
        reports = records.write_many(readers[writer], [as_import(lane, item) for lane, item in batch])
        for (_, item), report in zip(batch, reports, strict=True):
            if isinstance(report, Exception):
                raise report
            made[item.id] = report.sr_id
    return made


def _link(reader: Reader, ids: dict[str, str], new: set[str]) -> None:
    """Connections, corrections and endings that touch a record this run wrote."""
    for spec in CONNECTIONS:
        if not new.isdisjoint(spec.members):
            _connect(reader, spec, ids)
    for adjustment in ADJUSTMENTS:
        if not new.isdisjoint((adjustment.record, adjustment.by)):
            connections.adjust(
                reader,
                sr_id=ids[adjustment.record],
                by=ids[adjustment.by],
                hint=adjustment.hint,
                reason=adjustment.reason,
            )
    for ended in ENDED:
        if ended.record in new:
            connections.invalidate(
                reader,
                sr_id=ids[ended.record],
                label=ended.label,
                value=ended.value,
                at=ended.at,
                reason=ended.reason,
            )


def _connect(reader: Reader, spec: Any, ids: dict[str, str]) -> None:
    made = connections.connect(
        reader,
        sr_ids=[ids[member] for member in spec.members],
        hint=spec.hint,
        type=spec.type,
        directed=spec.directed,
        strength=spec.strength,
        confidence=spec.confidence,
        reason=spec.reason,
        attributes=spec.attributes,
        valid_from=spec.valid_from,
    )
    if spec.invalidated_at:
        connections.invalidate(reader, property=made["property"], at=spec.invalidated_at)


def _key(tenant: Tenant, profile: AgentProfile, known: str | None) -> str:
    """The profile's demo key: the one told before while it works, else a new one (and the old one revoked)."""
    row = keys.authenticate(known) if known else None
    if row is not None and row.tenant_id == tenant.pk:
        return known  # type: ignore[return-value]
    name = f"demo key of {profile.slug}"
    ApiKey.objects.filter(tenant=tenant, name=name).delete()
    return keys.issue(tenant=tenant, name=name, profiles=[profile])[1]
