"""The tool endpoints: parse strictly, resolve the reader once, run the action, answer in one shape."""

from typing import Any, ClassVar

from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api import registry
from api.auth import reader_of
from lanes.errors import Invalid


class ToolView(APIView):
    """One tool; subclasses are made for each in urls.py."""

    tool: ClassVar[str]
    permission_classes = [IsAuthenticated]

    def post(self, request: Request) -> Response:
        actions = registry.TOOLS[self.tool]
        body: dict[str, Any] = request.data
        name = None if None in actions else body.get("action")
        if None not in actions and "action" not in body:
            raise Invalid.field("action", f"Required: one of {', '.join(map(str, actions))}.")
        if not (name is None or isinstance(name, str)) or name not in actions:
            raise Invalid.field("action", f"One of {', '.join(map(str, actions))}.")
        action = actions[name]
        given = action.Arguments.model_validate(body)
        reader = reader_of(request, given.agent_profile)
        reply = {**({"action": name} if name else {}), **action().run(reader, given)}
        reply.setdefault("next_cursor", None)
        reply.setdefault("hint", None)
        return Response(reply)


class ToolsView(APIView):
    """Every tool and action with a JSON Schema of its arguments."""

    def get(self, request: Request) -> Response:
        return Response({"tools": registry.described()})


class LanesView(APIView):
    """The lanes this caller may read."""

    def get(self, request: Request) -> Response:
        reader = reader_of(request, _profile(request))
        return Response(
            {
                "lanes": [
                    {
                        "slug": info.slug,
                        "name": info.name,
                        "colour": info.colour,
                        "may_write": reader.can_write(info.id),
                        "may_manage": info.id in reader.manageable,
                    }
                    for info in sorted(reader.lanes.values(), key=lambda info: info.slug)
                ]
            }
        )


class WhoAmIView(APIView):
    """Who this caller is taken for."""

    def get(self, request: Request) -> Response:
        reader = reader_of(request, _profile(request))
        from lanes.models import User

        user = User.objects.filter(pk=reader.user_id).first() if reader.user_id else None
        return Response(
            {
                "tenant": reader.tenant_slug,
                "agent_profile": reader.profile_slug or None,
                "user": user.username if user else None,
                "readable_lanes": len(reader.readable),
                "writable_lanes": len(reader.writable),
                "may_count_all_lanes": reader.may_count_all,
            }
        )


def _profile(request: Request) -> str | None:
    unknown = set(request.query_params) - {"agent_profile"}
    if unknown:
        raise Invalid.field(sorted(unknown)[0], "Unknown argument.")
    return request.query_params.get("agent_profile")
