"""MCP: every action as a tool of the Model Context Protocol, over streamable HTTP at one address.

The protocol is the official SDK's; who calls, what they may read and what is answered are the HTTP API's own (`auth`,
`calls`, `errors`). There are no sessions: each request brings its key, so that a revoked key or a new wall holds from
the next call on, and any process can answer it. Only keys are taken, never a browser's cookie, so no page of another
origin can call in somebody's name.
"""

import json
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import mcp_types as types
from asgiref.sync import ThreadSensitiveContext
from channels.db import database_sync_to_async
from django.conf import settings
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from api import calls, errors, registry
from api.actions.base import Action, CallArguments
from api.auth import NOT_VALID, TENANT_HEADER, key_of, reader_of_key
from api.parsers import check_body
from api.render import dumped
from config.logs import request_id
from lanes.errors import Code, Invalid
from lanes.models import ApiKey
from memory import strict_json

PATHS = ("/mcp", "/mcp/")
INSTRUCTIONS = """
Lanewise remembers records (notes, filings, calls, facts) with `label: value` properties such as `client: Acme`.
Records that carry the same property are joined. A record is in one lane (a matter, a client, a team); you see only
lanes you may read, and every count is limited to them.

To answer a question, start with e_gather_find (words, meaning and properties together). When every record about
something is needed, not the likeliest few, use e_gather_intersect or e_gather_union with terms such as "client:Acme";
e_gather_labels tells which labels there are and e_gather_group which values one has. e_gather_traverse and
e_gather_radius walk outward from a record, e_timeline_intersect puts records in the order of events. Follow
next_cursor for the rest of a page, and cite records by sr_id. `lanes` lists the lanes and where you may write.
""".strip()

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True)
class Exposed:
    """A tool as MCP lists it, and what a call of it does."""

    tool: types.Tool
    run: Callable[[dict[str, Any], calls.ReaderFor], dict[str, Any]]


def name_of(action: type[Action]) -> str:
    """e_gather's intersect is e_gather_intersect: hosts offer a model a flat list, and check one schema a tool."""
    return action.tool if action.name is None else f"{action.tool}_{action.name}"


def _exposed(action: type[Action]) -> Exposed:
    schema = registry.schema_of(action)
    schema["properties"].pop("action", None)
    schema["examples"] = action.examples
    schema["required"] = [name for name in schema.get("required", ()) if name != "action"]
    tool = types.Tool(
        name=name_of(action),
        description=registry.description_of(action),
        input_schema=schema,
        annotations=types.ToolAnnotations(
            read_only_hint=action.effect == "reads",
            destructive_hint=action.effect == "changes",
            open_world_hint=False,
        ),
    )

    def run(arguments: dict[str, Any], reader_for: calls.ReaderFor) -> dict[str, Any]:
        if action.name is None:
            return calls.perform(action.tool, arguments, reader_for)
        if "action" in arguments:
            raise errors.unknown_argument("action")
        return calls.perform(action.tool, {"action": action.name, **arguments}, reader_for)

    return Exposed(tool, run)


def _about(name: str, description: str, told: Callable[..., dict[str, Any]]) -> Exposed:
    """What has an address of its own over HTTP and is a tool here."""
    schema = registry.plain_schema(CallArguments)

    def run(arguments: dict[str, Any], reader_for: calls.ReaderFor) -> dict[str, Any]:
        check_body(arguments)
        return told(reader_for(CallArguments.model_validate(arguments).agent_profile))

    hints = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
    return Exposed(types.Tool(name=name, description=description, input_schema=schema, annotations=hints), run)


@cache
def exposed() -> dict[str, Exposed]:
    """Every tool by its name."""
    made = [
        *map(_exposed, registry.ACTIONS),
        _about("lanes", "The lanes you may read, and whether you may write to them.", calls.lanes_of),
        _about("whoami", "Who you are taken for.", calls.whoami),
    ]
    return {one.tool.name: one for one in made}


async def _list(_: ServerRequestContext, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[one.tool for one in exposed().values()])


@dataclass(frozen=True)
class Caller:
    """Who makes a request, for the handlers that answer it."""

    key: ApiKey
    tenant: str | None
    request_id: str


SCOPE_KEY = "lanewise.caller"


async def _call(ctx: ServerRequestContext, params: types.CallToolRequestParams) -> types.CallToolResult:
    one = exposed().get(params.name)
    if one is None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:100]}")
    assert ctx.request is not None
    text, failed = await _threaded(_answer, one, params.arguments or {}, ctx.request.scope[SCOPE_KEY])
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=json.loads(text), is_error=failed
    )


def _answer(one: Exposed, arguments: dict[str, Any], caller: Caller) -> tuple[str, bool]:
    """(the reply or the refusal as JSON, whether it is a refusal)."""
    token = request_id.set(caller.request_id)
    try:
        reply, failed = one.run(arguments, partial(reader_of_key, caller.key, caller.tenant)), False
    except Exception as error:
        reply, failed = errors.handler(error, {}).data, True
    finally:
        request_id.reset(token)
    return dumped(reply).decode(), failed


async def _threaded(function: Callable, *arguments: Any) -> Any:
    """Run what needs the database in a thread of this request's own, as Django does with its views."""
    async with ThreadSensitiveContext():
        return await database_sync_to_async(function)(*arguments)


server: Server = Server(
    "lanewise", title="Lanewise", instructions=INSTRUCTIONS, on_list_tools=_list, on_call_tool=_call
)


async def endpoint(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """The ASGI application: authenticate, then let the SDK answer this one request."""
    headers = {name.lower(): value for name, value in scope["headers"]}
    own = uuid.uuid4().hex
    token = request_id.set(own)
    try:
        key = await _threaded(key_of, headers.get(b"authorization", b""))
        if key is None:
            await _refuse(send, 401, NOT_VALID, Code.NOT_AUTHENTICATED, (b"www-authenticate", b"Bearer"))
        elif scope["method"] != "POST":
            await _refuse(send, 405, "Only POST.", Code.METHOD_NOT_ALLOWED, (b"allow", b"POST"))
        else:
            tenant = headers.get(TENANT_HEADER.lower().encode())
            caller = Caller(key, tenant.decode("latin-1") if tenant is not None else None, own)
            manager = StreamableHTTPSessionManager(
                server,
                json_response=True,
                stateless=True,
                max_request_body_size=_most(),
            )
            again, body = await _read(receive)
            try:
                _named_once(body)
            except Invalid as error:
                await _refuse(send, error.status, error.detail, error.code)
                return
            async with manager.run():
                await manager.handle_request({**scope, SCOPE_KEY: caller}, again, _naming(send, own))  # type: ignore[arg-type]
    finally:
        request_id.reset(token)


async def _read(receive: Receive) -> tuple[Receive, bytes]:
    """(the same messages again, the body they carry), as far as a body may go."""
    messages, size = [await receive()], 0
    while messages[-1].get("more_body") and (size := size + len(messages[-1].get("body", b""))) <= _most():
        messages.append(await receive())
    waiting = iter(messages)

    async def again() -> Mapping[str, Any]:
        return next(waiting, None) or await receive()

    return again, b"".join(message.get("body", b"") for message in messages)


def _named_once(body: bytes) -> None:
    """Refuse a name given twice: the SDK would take the last, which may ask for more. What else is wrong it says."""
    if len(body) > _most():
        return
    try:
        strict_json.loads(body)
    except strict_json.NamedTwice:
        raise
    except Invalid:
        return


def _most() -> int:
    return settings.DATA_UPLOAD_MAX_MEMORY_SIZE


def _naming(send: Send, own: str) -> Send:
    """Tell the request's id in the response's headers, as everywhere."""

    async def named(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), (b"x-request-id", own.encode())]}
        await send(message)

    return named


async def _refuse(send: Send, status: int, detail: str, code: Code, *header: tuple[bytes, bytes]) -> None:
    send = _naming(send, request_id.get())
    content = json.dumps(errors.body(detail, code)).encode()
    named = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode()), *header]
    await send({"type": "http.response.start", "status": status, "headers": named})
    await send({"type": "http.response.body", "body": content})
