"""The tool endpoints: who calls is resolved once, the call is made, the reply is JSON."""

from functools import partial
from typing import ClassVar

from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api import calls, registry
from api.auth import reader_of
from lanes.errors import Invalid


class ToolView(APIView):
    """One tool; subclasses are made for each in urls.py."""

    tool: ClassVar[str]
    permission_classes = [IsAuthenticated]

    def post(self, request: Request) -> Response:
        return Response(calls.perform(self.tool, request.data, partial(reader_of, request)))


class ToolsView(APIView):
    """Every tool and action with a JSON Schema of its arguments."""

    def get(self, request: Request) -> Response:
        return Response({"tools": registry.described()})


class LanesView(APIView):
    """The lanes this caller may read."""

    def get(self, request: Request) -> Response:
        return Response(calls.lanes_of(reader_of(request, _profile(request))))


class WhoAmIView(APIView):
    """Who this caller is taken for."""

    def get(self, request: Request) -> Response:
        return Response(calls.whoami(reader_of(request, _profile(request))))


def _profile(request: Request) -> str | None:
    unknown = set(request.query_params) - {"agent_profile"}
    if unknown:
        raise Invalid.field(sorted(unknown)[0], "Unknown argument.")
    return request.query_params.get("agent_profile")
