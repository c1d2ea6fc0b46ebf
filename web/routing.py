"""Web sockets: one address, for signed-in pages of this site only."""

from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.urls import path, re_path

from web.live.consumers import LiveConsumer


async def nowhere(scope: Any, receive: Any, send: Any) -> None:
    """Any other address: the handshake is refused."""
    await receive()
    await send({"type": "websocket.close"})


websocket = AllowedHostsOriginValidator(
    AuthMiddlewareStack(URLRouter([path("ws/live/", LiveConsumer.as_asgi()), re_path("", nowhere)]))
)
