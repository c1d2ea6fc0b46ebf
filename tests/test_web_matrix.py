"""Every page for every persona: nothing of a hidden lane in any of them, and hidden is like missing.

The list of pages comes from the address table, so a page without a case here fails the first test.
"""

import html
import io
import re
import uuid
import zipfile
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, unquote

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver
from docx import Document
from pypdf import PdfReader

from lanes import services
from lanes.models import AgentProfile
from tests import matrix
from tests.matrix import ENTITIES, MARKERS, READABLE, Marked
from tests.test_persona_matrix import everything
from web import urls
from web.views.timeline import FORMATS

pytestmark = pytest.mark.django_db

TRIES = [
    "client:Shared Holdings", "status:open", "notice", "common tag", "Shared Entity",
    *MARKERS.values(), *[f"person:{marker} person" for marker in MARKERS.values()], *ENTITIES.values(),
]  # fmt: skip


def searches(path: str) -> Callable[[str, str], list[str]]:
    """A page that takes words and terms."""
    return lambda own, sr_id: (
        [path]
        + [f"{path}?{name}={quote(text)}" for text in TRIES for name in ("q", "t")]
        + [f"{path}?lane={lane}" for lane in MARKERS]
        + [f"{path}?ended=1&order=newest&{name}=notice" for name in ("q", "t")]
        # what is not found, with what could be taken away; a phrase; a date that cannot be read
        + [f"{path}?t=client:Shared+Holdings&t=-client:Shared+Holdings&q=notice", f"{path}?q=%22common+tag%22"]
        + [f"{path}?from=soon&q=notice"]
    )


def of_record(tail: str = "", *extra: str) -> Callable[[str, str], list[str]]:
    """A page about a record."""
    return lambda own, sr_id: [f"/records/{sr_id}/{tail}{more}" for more in ("", *extra)]


VALUES = [f"client/{quote('Shared Holdings')}", "status/open"] + [
    f"person/{quote(f'{marker} person')}" for marker in MARKERS.values()
]
# route -> addresses to open (GET); None: of another library, or nothing to open.
PAGES: dict[str, Callable[[str, str], list[str]] | None] = {
    "": lambda own, sr_id: ["/"],
    "seen/": lambda own, sr_id: ["/seen/"],
    "tenant/": lambda own, sr_id: ["/tenant/"],
    "theme/": lambda own, sr_id: ["/theme/"],
    "live/session/": lambda own, sr_id: ["/live/session/"],
    "search/": searches("/search/"),
    "search/suggest/": lambda own, sr_id: [
        f"/search/suggest/?q={quote(text)}"
        for text in ("zq", "client:", "client:zq", "person:zq", "sh", "zqcob", "person:", "e_")
    ],
    "search/values/": lambda own, sr_id: [
        f"/search/values/?label={label}&q={text}&value={text}" for label in ("person", "client") for text in ("", "zq")
    ],
    "search/save/": lambda own, sr_id: ["/search/save/"],
    "search/saved/<int:pk>/forget/": lambda own, sr_id: ["/search/saved/1/forget/"],
    "values/": lambda own, sr_id: [f"/values/?t={label}:" for label in ("person", "client", "matter", "status")],
    "values/<str:label>/<path:value>/rename": lambda own, sr_id: [f"/values/{value}/rename" for value in VALUES],
    "values/<str:label>/<path:value>/": lambda own, sr_id: [f"/values/{value}/" for value in VALUES],
    "records/new/": lambda own, sr_id: ["/records/new/", "/records/new/?lane=blue", f"/records/new/?from={sr_id}"],
    "records/<str:sr_id>/": of_record("", "?depth=3", "?labels=e_connect", "?as_of=2026-01-01"),
    "records/<str:sr_id>/part/<str:part>/": lambda own, sr_id: [
        f"/records/{sr_id}/part/{part}/"
        for part in ("text", "carries", "about", "history", "list", "neighbours", "radius", "adjustments", "tags")
    ],
    "records/<str:sr_id>/radius/": of_record("radius/", "?depth=3", "?labels=e_connect"),
    "records/<str:sr_id>/hub/": of_record("hub/", "?label=client&value=Shared+Holdings", "?label=status&value=open"),
    "records/<str:sr_id>/path/": lambda own, sr_id: [
        f"/records/{own}/path/?to={sr_id}", f"/records/{sr_id}/path/?to={own}"
    ],
    "records/<str:sr_id>/edit/": of_record("edit/"),
    "records/<str:sr_id>/properties/": of_record("properties/"),
    "records/<str:sr_id>/connect/": of_record("connect/", "?q=zq", "?q=notice", "?hint=x&type=related"),
    "records/<str:sr_id>/correct/": of_record("correct/", "?q=zq"),
    "records/<str:sr_id>/delete/": of_record("delete/"),
    "timeline/": lambda own, sr_id: (
        searches("/timeline/")(own, sr_id) + [f"/timeline/?around={sr_id}", f"/timeline/?part=data&around={sr_id}"]
    ),
    "timeline/export/<str:fmt>/": lambda own, sr_id: [
        f"/timeline/export/{fmt}/{query}"
        for fmt in FORMATS
        for query in ("", "?require=all&t=client:Shared+Holdings&t=notice", *(f"?t={quote(text)}" for text in TRIES))
    ],
    "insights/": lambda own, sr_id: ["/insights/"] + [f"/insights/?lane={lane}" for lane in MARKERS],
    "accounts/login/": lambda own, sr_id: ["/accounts/login/"],
    "accounts/logout/": None,
    "accounts/password_change/": lambda own, sr_id: ["/accounts/password_change/"],
}  # fmt: skip
ABOUT_A_RECORD = [route for route in PAGES if "<str:sr_id>" in route]
POSTED = {
    "edit/": {"title": "tried", "text": "tried", "version": 1, "expected_version": 1},
    "properties/": {"add": "client:Tried", "label": "client", "value": "Tried", "action": "add"},
    "connect/": {"hint": "tried", "type": "related"},
    "correct/": {"text": "tried", "hint": "supersedes", "title": "tried"},
    "delete/": {"sure": "yes", "confirm": "yes", "version": 1},
}


def routes(patterns: list[Any], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        here = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, here)
        elif isinstance(pattern, URLPattern):
            yield here


@pytest.fixture
def marked(db: None) -> Marked:
    return matrix.build()


def signed_in(marked: Marked, persona: str) -> Client:
    """A browser of a person who may read what the persona of that name may."""
    tenant = marked.world.other if persona == "bert" else marked.world.tenant
    user = services.create_user(tenant=tenant, username=persona, password="long enough 1")
    lanes = {lane.slug: lane for lane in tenant.lanes.all()}
    profile = AgentProfile.objects.get(slug=persona)
    if persona == "wally":
        services.grant(tenant=tenant, holder=user, write_all=True)
        services.wall_off(tenant=tenant, lanes=[lanes["blue"]], holders=[user], name="w")
    elif persona == "bert":
        services.grant(tenant=tenant, holder=user, write_all=True)
    else:
        readable = [lanes[slug] for slug in READABLE[persona]]
        services.grant(tenant=tenant, holder=user, **{"write" if persona == "anna" else "read": readable})
    assert profile.tenant == tenant
    client = Client()
    client.force_login(user)
    return client


def written_in(document: bytes, kind: str) -> str:
    """All the text of an exported document, whatever it is packed in: what a reader sees, and what a reader does not
    (properties, comments, file names)."""
    if "pdf" in kind:
        pdf = PdfReader(io.BytesIO(document))
        return "\n".join([*(page.extract_text() for page in pdf.pages), str(pdf.metadata), str(pdf.trailer)])
    with zipfile.ZipFile(io.BytesIO(document)) as packed:
        raw = [f"{name}\n{packed.read(name).decode('utf-8', 'replace')}" for name in packed.namelist()]
    made = Document(io.BytesIO(document))
    cells = [cell.text for table in made.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in made.paragraphs), *cells, *raw])


def told(response: Any) -> str:
    """What a page says, entities resolved."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    kind = response.headers.get("Content-Type", "")
    if "pdf" in kind or "officedocument" in kind:
        return html.unescape(written_in(body, kind)) + str(dict(response.headers))
    return html.unescape(unquote(body.decode("utf-8", "replace"))) + str(dict(response.headers))


def alike(text: str, sr_id: str) -> str:
    """A page without what may differ between two requests for a page that is not there."""
    text = re.sub(r"[0-9a-f]{32}", "·", text.replace(sr_id, "·"))
    return re.sub(r'csrf[^>]*value="[^"]*"|hx-headers=\'[^\']*\'|[A-Za-z0-9]{64}', "·", text)


def test_every_page_has_a_case():
    assert set(PAGES) == set(routes(urls.urlpatterns))


@pytest.mark.parametrize("persona", READABLE)
def test_no_page_shows_anything_of_a_hidden_lane(marked: Marked, persona: str):
    client, hidden = signed_in(marked, persona), marked.hidden_from(persona)
    own = marked.own(persona)
    for route, addresses in PAGES.items():
        for address in addresses(own, own) if addresses else ():
            response = client.get(address)
            assert response.status_code in (200, 204, 302, 400, 403, 404, 405), (address, response.status_code)
            page, asked = told(response), unquote(address)
            met = {text for text in hidden if text in page and text.strip('"') not in asked}
            assert not met, (route, address, met)


@pytest.mark.parametrize("persona", [name for name in READABLE if name != "anna"])
def test_a_hidden_record_is_answered_like_a_missing_one(marked: Marked, persona: str):
    client, before = signed_in(marked, persona), everything()
    own = marked.own(persona)
    for lane in set(MARKERS) - READABLE[persona]:
        hidden, missing = marked.records[lane][0], "sr_" + uuid.uuid4().hex
        for route in ABOUT_A_RECORD:
            addresses = PAGES[route]
            assert addresses is not None
            for one, other in zip(addresses(own, hidden), addresses(own, missing), strict=True):
                replies = client.get(one), client.get(other)
                assert {reply.status_code for reply in replies} in ({404}, {405}), (one, replies)
                assert alike(told(replies[0]), hidden) == alike(told(replies[1]), missing), one
            tail = route.removeprefix("records/<str:sr_id>/")
            if tail in POSTED:
                body = {**POSTED[tail], "to": own, "by": own, "other": own}
                replies = (
                    client.post(f"/records/{hidden}/{tail}", body), client.post(f"/records/{missing}/{tail}", body)
                )  # fmt: skip
                assert [reply.status_code for reply in replies] == [404, 404], (tail, replies)
                assert alike(told(replies[0]), hidden) == alike(told(replies[1]), missing), tail
    assert everything() == before


@pytest.mark.parametrize("persona", [name for name in READABLE if name != "anna"])
def test_a_hidden_record_named_by_another_pages_address_is_like_a_missing_one(marked: Marked, persona: str):
    """Records carried along while connecting, and the one a timeline is opened around."""
    client, own = signed_in(marked, persona), marked.own(persona)
    for lane in set(MARKERS) - READABLE[persona]:
        hidden, missing = marked.records[lane][0], "sr_" + uuid.uuid4().hex
        for address in (f"/records/{own}/connect/?with=%s", "/timeline/?around=%s", "/timeline/?part=data&around=%s"):
            one, other = client.get(address % hidden), client.get(address % missing)
            assert one.status_code == other.status_code, address
            pages = (alike(told(one), hidden), alike(told(other), missing))
            said = [re.sub(r"\d{10}[\d.]*", "·", page) for page in pages]  # but for the instant
            assert said[0] == said[1], address
            assert not {text for text in marked.hidden_from(persona) - {hidden} if text in told(one)}


@pytest.mark.parametrize("persona", READABLE)
@pytest.mark.parametrize("fmt", FORMATS)
def test_an_export_holds_what_its_reader_may_read(marked: Marked, persona: str, fmt: str):
    """The text of the documents is really looked at: each persona's own lanes are found in it."""
    page = told(signed_in(marked, persona).get(f"/timeline/export/{fmt}/?t=client:Shared+Holdings"))
    assert {lane for lane, marker in MARKERS.items() if f"{marker} note 0" in page} == READABLE[persona]
    assert {lane for lane, marker in MARKERS.items() if marker in page} == READABLE[persona]


def test_no_page_opens_without_a_session(marked: Marked):
    client, sr_id = Client(), marked.records["red"][0]
    for route, addresses in PAGES.items():
        if route.startswith("accounts/login"):
            continue
        for address in addresses(sr_id, sr_id) if addresses else ():
            response = client.get(address)
            assert response.status_code in (302, 401, 403, 404, 405), (address, response.status_code)
            assert not {marker for marker in MARKERS.values() if marker in told(response)} - {
                marker for marker in MARKERS.values() if marker in unquote(address)
            }
