"""Web sockets: one address, for signed-in pages of this site only."""

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.urls import path

from web.live.consumers import LiveConsumer

websocket = AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter([path("ws/live/", LiveConsumer.as_asgi())])))
