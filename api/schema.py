"""OpenAPI: each tool as one path whose body is any of its actions' arguments."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiResponse, extend_schema
from pydantic import BaseModel

from api import registry
from api.views import ToolView


class ErrorReply(BaseModel):
    """What every refusal looks like."""

    detail: str
    code: str
    errors: dict[str, list[str]]
    request_id: str


class KeyScheme(OpenApiAuthenticationExtension):
    target_class = "api.auth.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema) -> dict:
        return {"type": "http", "scheme": "bearer"}


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "api.auth.TenantSessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema) -> dict:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}


ERRORS = {
    status: OpenApiResponse(ErrorReply, description=text)
    for status, text in {
        400: "The input is wrong; errors names the fields.",
        401: "No key or session.",
        403: "Not allowed.",
        404: "Not there, or not visible to this caller.",
        409: "Somebody else changed it first.",
        503: "Stopped for taking too long, or the database is not answering.",
    }.items()
}


def tool_view(tool: str) -> type[ToolView]:
    """The view of one tool, described for OpenAPI."""
    made = type(f"{tool.title().replace('_', '')}View", (ToolView,), {"tool": tool, "post": ToolView.post})
    describe = extend_schema(
        operation_id=tool,
        description=registry.DESCRIPTIONS.get(tool),
        request=registry.body_of(tool),
        responses={200: registry.reply_of(tool), **ERRORS},
        tags=["tools"],
    )
    made.post = describe(_copy(ToolView.post))  # type: ignore[attr-defined]
    return made


def _copy(function):
    """extend_schema marks the function it is given, so each view needs one of its own."""

    def post(self, request):
        return function(self, request)

    return post
