"""The world the admin is tried on: the persona matrix's records, and permission rows with markers in every tenant."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.urls import reverse
from guardian.shortcuts import assign_perm

from lanes import keys, services
from lanes.models import Membership, Tenant, User
from memory.models import EmbeddingSpace, IngestBatch, IngestPolicy, Record
from memory.services import controlled, holds
from tests import matrix
from tests.matrix import MARKERS, Marked

REGISTRY = sorted(admin.site._registry, key=lambda model: model._meta.label)
RECORD_MARKERS = {marker for lane, marker in MARKERS.items() if lane != "elsewhere"}
HOME, FOREIGN, ANNEX = "zqdomestic", MARKERS["elsewhere"], "zqannex"
NAMES = {"firm": HOME, "elsewhere": FOREIGN, "annex": ANNEX}
CONTENT = {"record", "edgeproperty", "tag", "lanevalue", "window", "recordvector", "refusedpair"}
RUNNING = {"procrastinatejob", "ingestbatch", "embeddingspace"}


@dataclass
class Desk:
    """ada administers the firm and reads all its lanes; wanda too, but a wall closes blue to her; bela administers
    the other tenant; dora administers the firm and its annex; mia is staff and a plain member; root is a superuser
    who belongs nowhere."""

    marked: Marked
    tenants: dict[str, Tenant]
    people: dict[str, User] = field(default_factory=dict)

    def client(self, name: str) -> Client:
        client = Client()
        if name != "anonymous":
            client.force_login(self.people[name])
        return client

    def hidden_from(self, name: str) -> set[str]:
        """Texts that this person must never meet in the admin."""
        srs = {lane: set(ids) for lane, ids in self.marked.records.items()}
        if name == "ada":
            return {FOREIGN, ANNEX, *srs["elsewhere"]}
        if name == "wanda":
            joined = {
                stamp.split(":")[1]
                for lanes, stamp in self.marked.across.items()
                if len([lane for lane in lanes if lane != "blue"]) < 2
            }
            return {FOREIGN, ANNEX, MARKERS["blue"], *srs["elsewhere"], *srs["blue"], *joined}
        if name == "bela":
            return {HOME, ANNEX, *RECORD_MARKERS, *srs["red"], *srs["blue"], *srs["green"]}
        if name == "dora":
            return {FOREIGN, *RECORD_MARKERS, *srs["elsewhere"], *srs["blue"]}
        return {*RECORD_MARKERS, f"{FOREIGN} note", f"{FOREIGN} person", *set().union(*srs.values())}

    def row(self, model: Any, where: str) -> Any | None:
        """A row of a tenant, or (for content) of a lane."""
        name = model._meta.model_name
        rows = model._base_manager.all()
        if name in RUNNING:
            return rows.first() if where == "running" else None
        if name in CONTENT:
            tenant = self.tenants["elsewhere" if where == "elsewhere" else "firm"]
            lane = "red" if where == "elsewhere" else where
            found = rows.filter(tenant=tenant, lane__slug=lane).order_by("pk")
            # A property every lane could have tells nothing: take one that only this lane has.
            return found.filter(label="person").first() if name == "edgeproperty" else found.first()
        tenant = self.tenants.get(where)
        if tenant is None:
            return None
        if name == "tenant":
            return tenant
        if name == "user":
            return rows.get(username=f"{NAMES[where]}-person")
        path = "content_object__tenant" if name.endswith("objectpermission") else "tenant"
        return rows.filter(**{path: tenant}).order_by("-pk").first()

    def own(self, name: str, model: Any) -> Any | None:
        """A row this person may meet."""
        if model._meta.model_name in RUNNING:
            return self.row(model, "running") if name == "root" else None
        if model._meta.model_name in CONTENT:
            return self.row(model, {"bela": "elsewhere", "ada": "red", "wanda": "red"}.get(name, "none"))
        return self.row(model, "elsewhere" if name == "bela" else "firm")

    def foreign(self, name: str, model: Any) -> list[Any]:
        """Rows this person must not meet."""
        content = model._meta.model_name in CONTENT
        where = {
            "ada": ["elsewhere", "annex", "running"],
            "wanda": ["elsewhere", "annex", "running", *(["blue"] if content else [])],
            "bela": ["red", "blue", "green"] if content else ["firm", "annex", "running"],
            "dora": ["red", "blue", "elsewhere"] if content else ["elsewhere", "running"],
            "root": ["red", "blue", "elsewhere"] if content else [],
        }[name]
        return [row for row in (self.row(model, place) for place in where) if row is not None]


def build() -> Desk:
    marked = matrix.build()
    tenants = {"firm": marked.world.tenant, "elsewhere": marked.world.other}
    tenants["annex"] = services.create_tenant(slug="annex", name=f"{ANNEX} tenant")
    Tenant.objects.filter(pk=tenants["elsewhere"].pk).update(name=f"{FOREIGN} tenant")
    Tenant.objects.filter(pk=tenants["firm"].pk).update(name=f"{HOME} tenant")
    for tenant in tenants.values():
        tenant.refresh_from_db()
    desk = Desk(marked, tenants)

    def person(name: str, *places: str, admin: bool = True, reads: bool = True) -> None:
        for place in places:
            desk.people[name] = services.create_user(
                tenant=tenants[place], username=name, password="Long-enough-1", admin=admin
            )
            mine = Membership.objects.filter(tenant=tenants[place], user=desk.people[name])
            mine.update(reads_all=reads, writes_all=reads)

    person("ada", "firm")
    person("wanda", "firm")
    person("bela", "elsewhere")
    person("dora", "firm", "annex", reads=False)
    person("mia", "firm", admin=False)
    User.objects.filter(username="mia").update(is_staff=True)
    desk.people["mia"].refresh_from_db()
    desk.people["root"] = User.objects.create_superuser("root", password="Long-enough-1")
    for place, marker in NAMES.items():
        _permission_rows(desk, place, marker)
    blue = tenants["firm"].lanes.get(slug="blue")
    services.wall_off(tenant=tenants["firm"], lanes=[blue], holders=[desk.people["wanda"]], name=f"{HOME} for wanda")
    _derived_rows()
    return desk


def _permission_rows(desk: Desk, place: str, marker: str) -> None:
    """One of everything, named after its tenant."""
    tenant = desk.tenants[place]
    person = services.create_user(tenant=tenant, username=f"{marker}-person", password="Long-enough-1")
    lane = services.create_lane(tenant=tenant, slug=f"{marker}-lane", name=f"{marker} lane")
    IngestPolicy.everything.create(tenant=tenant, lane=lane, discover=True)
    held = services.create_lane(tenant=tenant, slug=f"{marker}-held", name=f"{marker} held lane")
    holds.place(tenant_id=tenant.pk, name=f"{marker} hold", lanes=[held], reason=f"{marker} reason", by=person)
    controlled.put(tenant.pk, [controlled.entry("client", f"{marker} controlled", [f"{marker} alias"])])
    team = services.create_team(tenant=tenant, name=f"{marker} team", members=[person])
    profile = services.create_profile(tenant=tenant, slug=f"{marker}-profile", name=f"{marker} profile")
    for holder in (person, team, profile):
        services.grant(tenant=tenant, holder=holder, read=[lane])
    assign_perm("lanes.act_as", person, profile)
    assign_perm("lanes.act_as", team.group, profile)
    keys.issue(tenant=tenant, name=f"{marker} key", profiles=[profile], user=person)
    services.wall_off(tenant=tenant, lanes=[lane], holders=[person, team, profile], name=f"{marker} wall")


def _derived_rows() -> None:
    """Windows and vectors of every record, and refused pairs of neighbours in a lane, as ingest would leave them."""
    vector = "[" + ",".join(["0.1"] * 384) + "]"
    with connection.cursor() as cursor:
        cursor.execute(
            'insert into memory_window (record_id, tenant_id, lane_id, at, ordinal, start, "end", embedding) '
            "select id, tenant_id, lane_id, at, 0, 0, 10, %s::halfvec from memory_record",
            [vector],
        )
        cursor.execute(
            "insert into memory_recordvector (record_id, tenant_id, lane_id, at, whole, embedding) "
            "select id, tenant_id, lane_id, at, true, %s::halfvec from memory_record",
            [vector],
        )
        cursor.execute(
            "insert into memory_refusedpair (record_id, tenant_id, lane_id, at, other_id, said, other_said, asked_at) "
            "select a.id, a.tenant_id, a.lane_id, a.at, min(b.id), 1, 2, now() from memory_record a "
            "join memory_record b on b.lane_id = a.lane_id and b.id > a.id group by a.id"
        )
    IngestBatch.objects.create(phase="first", records=1, characters=1, seconds=0.1)
    EmbeddingSpace.objects.get_or_create(role="next", defaults={"name": "stand-in", "dimension": 384})


def address(model: Any, page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def nowhere(model: Any) -> str:
    """An id that no row has."""
    return "nobody" if model is EmbeddingSpace else "987654321"


# CSRF tokens and request ids.
_NOISE = re.compile(r"[A-Za-z0-9]{64}|[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def body_of(response: Any) -> str:
    """What a response says, read to the end where it is streamed (and to be read again)."""
    if response.streaming and not hasattr(response, "kept"):
        response.kept = b"".join(response.streaming_content)
    return (response.kept if response.streaming else response.content).decode()


def same(response: Any, *pks: Any) -> tuple[Any, ...]:
    """A response without what differs between any two requests, and with the asked ids blotted out.

    Of two responses that are compared both ids are blotted out in both: a short one may stand in the page anyway.
    """
    body = _NOISE.sub("", body_of(response))
    if response.status_code == 403:  # the product's own page, with the person's lanes and clock around the refusal
        body = "".join(re.findall(r"<main.*?</main>", body, re.S))
        assert "This part is for administrators" in body
    chain = list(getattr(response, "redirect_chain", []))
    for pk in pks:
        for before, after in (("“", "”"), ("/", "/"), ('"', '"')):
            body = body.replace(f"{before}{pk}{after}", f"{before}ID{after}")
        chain = [(url.replace(f"/{pk}/", "/ID/"), status) for url, status in chain]
    return response.status_code, chain, body


def tables() -> dict[str, str]:
    """A fingerprint of every table of the product."""
    found = {}
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            if model._meta.app_label in ("lanes", "memory", "auth", "guardian"):
                columns = "t.*"
                if model is User:
                    columns = (
                        "t.id, t.username, t.first_name, t.last_name, t.email, t.password, t.is_active, t.is_staff"
                    )
                cursor.execute(
                    f"select md5(coalesce(string_agg(x::text, '|' order by x::text), '')) "
                    f"from (select {columns} from {model._meta.db_table} t) x"
                )
                found[model._meta.label] = cursor.fetchone()[0]
    return found


def changed(before: dict[str, str]) -> set[str]:
    now = tables()
    return {label for label in before if before[label] != now[label]}


def form_data(response: Any) -> dict[str, Any]:
    """What a browser would post from an admin form page that was left as it is."""
    data: dict[str, Any] = {}

    def take(form: Any) -> None:
        for bound in form:
            value = bound.value()
            widget = bound.field.widget
            if hasattr(widget, "decompress"):
                for index, part in enumerate(widget.decompress(value)):
                    data[f"{bound.html_name}_{index}"] = "" if part is None else str(part)
            elif value is True:
                data[bound.html_name] = "on"
            elif isinstance(value, list | tuple):
                data[bound.html_name] = [str(getattr(item, "pk", item)) for item in value]
            elif value is not None and value is not False:
                data[bound.html_name] = str(value)

    take(response.context["adminform"].form)
    for inline in response.context["inline_admin_formsets"]:
        take(inline.formset.management_form)
        for form in inline.formset.forms:
            take(form)
    return data


def record_of(desk: Desk, lane: str) -> Record:
    where = "red" if lane == "elsewhere" else lane
    tenant = desk.tenants["elsewhere" if lane == "elsewhere" else "firm"]
    return Record.everything.filter(tenant=tenant, lane__slug=where).order_by("pk").first()
