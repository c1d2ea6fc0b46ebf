"""MCP: the SDK's own client against the ASGI application, and the same answers as over HTTP for every persona."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from channels.db import database_sync_to_async
from django.utils import timezone
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from api import mcp, registry
from tests import matrix
from tests.conftest import Caller
from tests.matrix import MARKERS, READABLE
from tests.test_persona_matrix import CASES, READS, everything

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]
ADDRESS = "http://testserver/mcp"
VARYING = ("request_id", "next_cursor", "ms")
# What scores by how long ago something was mentioned is asked as of one instant.
FADING = {("build_context", None), ("query_graph", None), ("traverse_entity", None)}


def http(key: str | None, **headers: str) -> httpx2.AsyncClient:
    from config.asgi import application

    named = {**({"Authorization": f"Bearer {key}"} if key else {}), **headers}
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=application), headers=named)


@asynccontextmanager
async def connected(key: str, **options: Any) -> AsyncIterator[Client]:
    async with http(key) as client, Client(streamable_http_client(ADDRESS, http_client=client), **options) as session:
        yield session


async def posted(client: httpx2.AsyncClient, method: str, **params: Any) -> httpx2.Response:
    """One JSON-RPC request as any client would post it."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return await client.post(ADDRESS, json=body, headers={"accept": "application/json, text/event-stream"})


def plain(told: Any) -> Any:
    """A reply without what differs from call to call: ids of requests, cursors, times taken."""
    if isinstance(told, dict):
        return {name: plain(value) for name, value in told.items() if name not in VARYING}
    if isinstance(told, list):
        return [plain(item) for item in told]
    return told


@pytest.fixture
def marked(transactional_db: None) -> matrix.Marked:
    return matrix.build()


async def call(client: httpx2.AsyncClient, key: tuple[str, str | None], body: dict[str, Any]) -> dict[str, Any]:
    """The result of tools/call with an action's arguments."""
    name = key[0] if key[1] is None else f"{key[0]}_{key[1]}"
    arguments = {argument: value for argument, value in body.items() if argument != "action"}
    response = await posted(client, "tools/call", name=name, arguments=arguments)
    assert response.status_code == 200, response.text
    return response.json()["result"]


@pytest.mark.parametrize("options", [{}, {"mode": "legacy"}], ids=["newest protocol", "with a handshake"])
async def test_a_client_finds_the_tools_and_calls_them(marked: matrix.Marked, options: dict[str, Any]):
    async with connected(marked.world.anna.key, **options) as session:
        assert "e_gather_find" in (session.instructions or "")
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        found = await session.call_tool("e_gather_intersect", {"match": ["status:open"], "limit": 200})
        assert not found.is_error
        assert len(found.structured_content["srs"]) == 12
        assert json.loads(found.content[0].text) == found.structured_content
        assert (await session.call_tool("whoami", {})).structured_content["agent_profile"] == "anna"
        lanes = (await session.call_tool("lanes", {})).structured_content["lanes"]
        assert [(lane["slug"], lane["may_write"]) for lane in lanes] == [
            ("blue", True), ("green", True), ("red", True)
        ]  # fmt: skip
        with pytest.raises(MCPError, match="Unknown tool"):
            await session.call_tool("e_gather", {"action": "count", "match": ["status:open"]})
    actions = {mcp.name_of(action): action for action in registry.ACTIONS}
    assert set(tools) == {*actions, "lanes", "whoami"}
    for name, action in actions.items():
        schema, hints = tools[name].input_schema, tools[name].annotations
        assert schema["type"] == "object" and "action" not in schema["properties"] and tools[name].description
        assert hints.read_only_hint is ((action.tool, action.name) in READS), name


@pytest.mark.parametrize("persona", READABLE)
async def test_a_persona_is_answered_as_over_http(marked: matrix.Marked, persona: str):
    """Asked about a record of their own and about one they may not read."""
    now = timezone.now().isoformat()
    caller, hidden = marked.caller(persona), marked.hidden_from(persona)
    unread = next(ids[0] for lane, ids in marked.records.items() if lane not in READABLE[persona])
    async with http(caller.key) as client:
        for key in sorted(READS, key=str):
            for sr_id in (marked.own(persona), unread):
                for body in CASES[key](marked, persona, sr_id):
                    if key in FADING:
                        body["as_of"] = now
                    told = await call(client, key, body)
                    over_http = await _over_http(caller, key, body)
                    assert told["isError"] is (over_http.status != 200), (key, body)
                    assert plain(told["structuredContent"]) == plain(over_http.body), (key, body)
                    text = json.dumps(told, ensure_ascii=False)
                    said = str(body).replace("'", '"')
                    assert not {name for name in hidden if name in text and name not in said}, (key, body)


async def _over_http(caller: Caller, key: tuple[str, str | None], body: dict[str, Any]) -> Any:
    return await database_sync_to_async(caller)(key[0], **body)


async def test_a_reader_changes_nothing_and_hidden_is_answered_as_nonexistent(marked: matrix.Marked):
    before = await database_sync_to_async(everything)()
    for persona in ("andy", "rita"):
        hidden = marked.records[next(lane for lane in MARKERS if lane not in READABLE[persona])][0]
        async with http(marked.caller(persona).key) as client:
            for key in set(CASES) - READS:
                for on_hidden, on_missing in zip(
                    CASES[key](marked, persona, hidden),
                    CASES[key](marked, persona, "sr_" + "1" * 32),
                    strict=True,
                ):
                    told, missing = await call(client, key, on_hidden), await call(client, key, on_missing)
                    if key == ("e_record", "write_many"):
                        assert told["structuredContent"]["written"] == 0
                        continue
                    assert told["isError"], (key, on_hidden)
                    assert plain(told["structuredContent"]) == plain(missing["structuredContent"]), (key, on_hidden)
    assert await database_sync_to_async(everything)() == before


async def test_what_is_written_is_read_back_and_signed(world_committed: Any):
    async with connected(world_committed.anna.key) as session:
        made = await session.call_tool(
            "e_record_write", {"lane": "red", "text": "The lease ends in May.", "edge_properties": ["client:Acme"]}
        )
        read = await session.call_tool("e_record_read", {"sr_id": made.structured_content["sr_id"]})
        assert not read.is_error, (made.structured_content, read.structured_content)
        assert read.structured_content["record"]["text"] == "The lease ends in May."
        assert read.structured_content["record"]["written_by"] == {"user": None, "agent_profile": "anna"}
        gone = await session.call_tool("e_record_delete", {"sr_id": made.structured_content["sr_id"]})
        assert gone.structured_content["deleted"] is True
    async with connected(world_committed.andy.key) as session:
        refused = await session.call_tool("e_record_write", {"lane": "red", "text": "No."})
        assert refused.is_error and refused.structured_content["code"] == "refused"


@pytest.fixture
def world_committed(transactional_db: None) -> Any:
    from tests.conftest import make_world

    return make_world()


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"match": ["client:x"], "limti": 3}, "limti"),
        ({"match": "client:x"}, "match"),
        ({"match": ["a\u0000b"]}, "match[0]"),
        ({"match": ["client:x"], "limit": 0}, "limit"),
        ({"match": ["client:x"], "action": "union"}, "action"),
        ({"match": ["client:x"], "agent_profile": 5}, "agent_profile"),
        ({}, "match"),
    ],
)
async def test_bad_arguments_are_a_refusal_that_names_them(world_committed: Any, arguments: dict, field: str):
    async with connected(world_committed.anna.key) as session:
        told = await session.call_tool("e_gather_intersect", arguments)
    assert told.is_error and told.structured_content["code"] == "invalid"
    assert field in told.structured_content["errors"] and told.structured_content["request_id"]


async def test_a_number_that_is_not_finite_is_refused(world_committed: Any):
    async with http(world_committed.anna.key) as client:
        for written in ("NaN", "Infinity", "1e999"):
            call = {"name": "e_record_write", "arguments": {"lane": "red", "text": "x", "source": {"weight": 0.5}}}
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
            body = body.replace("0.5", written)
            answer = await client.post(
                ADDRESS,
                content=body,
                headers={"content-type": "application/json", "accept": "application/json, text/event-stream"},
            )
            refused = answer.status_code == 400 or (
                answer.json()["result"]["isError"] and "source.weight" in answer.json()["result"]["content"][0]["text"]
            )
            assert refused, (written, answer.status_code, answer.text)


async def test_a_name_given_twice_is_refused_and_a_large_body_too(world_committed: Any, settings: Any):
    call = {"name": "e_gather_count", "arguments": {"match": ["a:b"], "lanes": ["red"]}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    sent = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    async with http(world_committed.anna.key) as client:
        plain = await client.post(ADDRESS, content=body, headers=sent)
        twice = await client.post(ADDRESS, content=body.replace("]}}", '], "lanes": null}}'), headers=sent)
        large = await client.post(ADDRESS, content=body + " " * 1_000, headers=sent)
    assert plain.json()["result"]["structuredContent"]["count"] == 0
    assert (twice.status_code, twice.json()["detail"]) == (400, "lanes: Given twice.")
    assert large.status_code == 413


async def test_without_a_live_key_nothing_is_answered(world_committed: Any):
    from lanes.models import ApiKey

    refusals = set()
    await database_sync_to_async(lambda: ApiKey.objects.filter(name="andy").update(revoked_at=timezone.now()))()
    await database_sync_to_async(
        lambda: ApiKey.objects.filter(name="rita").update(expires_at=timezone.now() - timedelta(days=1))
    )()
    for key in (None, "", "lw_00000000_nothing", world_committed.andy.key, world_committed.rita.key, "two words"):
        async with http(None, **({} if key is None else {"Authorization": f"Bearer {key}"})) as client:
            for method in ("tools/list", "tools/call", "initialize"):
                answer = await posted(client, method)
                assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
                body = answer.json()
                assert body.pop("request_id") == answer.headers["x-request-id"]
                refusals.add(json.dumps(body))
            assert (await client.get(ADDRESS)).status_code == 401
    assert len(refusals) == 1


async def test_a_revoked_key_and_a_new_wall_hold_from_the_next_call_on(world_committed: Any):
    from lanes import services
    from lanes.models import AgentProfile, ApiKey

    def wall() -> None:
        profile = AgentProfile.objects.get(slug="rita")
        services.grant_by_slugs(tenant=profile.tenant, holder=profile, read="", write="", walled="blue", create=False)

    async with connected(world_committed.rita.key) as session:

        async def seen() -> list[str]:
            lanes = (await session.call_tool("lanes", {})).structured_content["lanes"]
            return [lane["slug"] for lane in lanes]

        assert await seen() == ["blue", "red"]
        await database_sync_to_async(wall)()
        assert await seen() == ["red"]
        await database_sync_to_async(lambda: ApiKey.objects.filter(name="rita").update(revoked_at=timezone.now()))()
        with pytest.raises(Exception):  # noqa: B017 (the client tells a 401 by an error of its own)
            await seen()


async def test_other_methods_too_long_bodies_and_foreign_tenants(world_committed: Any, settings: Any):
    async with http(world_committed.anna.key) as client:
        for method in ("GET", "DELETE", "PUT"):
            answer = await client.request(method, ADDRESS)
            assert answer.status_code == 405 and answer.headers["allow"] == "POST"
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
        assert (await posted(client, "tools/call", name="whoami", arguments={"x": "y" * 2_000})).status_code == 413
        for body in (b"", b"nonsense", b"[]", b"\xff\xfe", b"{}", b'{"jsonrpc": "2.0"}'):
            answer = await client.post(ADDRESS, content=body, headers={"content-type": "application/json"})
            assert 400 <= answer.status_code < 500, (body, answer.status_code)
    async with http(world_committed.anna.key, **{"X-Lanewise-Tenant": "elsewhere"}) as client:
        told = (await posted(client, "tools/call", name="whoami", arguments={})).json()["result"]
        assert told["isError"] and told["structuredContent"]["code"] == "not_found"
