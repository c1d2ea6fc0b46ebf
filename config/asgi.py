"""ASGI entry point: HTTP by Django, web sockets by channels."""

import gc
import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# A web process pools its connections and bounds every statement; commands and workers do neither.
os.environ.setdefault("LANEWISE_DB_POOL", "1")
os.environ.setdefault("LANEWISE_STATEMENT_TIMEOUT", "15s")

from channels.routing import ProtocolTypeRouter  # noqa: E402
from django.core.asgi import get_asgi_application  # noqa: E402

http = get_asgi_application()  # sets Django up: what follows needs its models

import config.urls  # noqa: E402, F401  (every view, and what it imports)
from api import mcp  # noqa: E402
from web.routing import websocket  # noqa: E402

# What stands loaded now stays: looking through all of it for garbage again and again stops every page for a tenth of
# a second.
gc.collect()
gc.freeze()


async def by_path(scope, receive, send):  # type: ignore[no-untyped-def]
    """MCP has an address of its own; everything else is Django's."""
    await (mcp.endpoint if scope["path"] in mcp.PATHS else http)(scope, receive, send)


application = ProtocolTypeRouter({"http": by_path, "websocket": websocket})
