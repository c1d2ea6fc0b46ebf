"""/api/v1/: the tools, what they are, who is asking."""

from django.urls import path
from drf_spectacular.utils import OpenApiTypes, extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.views import APIView

from api import registry
from api.schema import ERRORS, tool_view
from api.views import LanesView, ToolsView, WhoAmIView


def _described(view: type[APIView], operation: str) -> type[APIView]:
    describe = extend_schema(operation_id=operation, responses={200: OpenApiTypes.OBJECT, **ERRORS}, tags=["about"])
    view.get = describe(view.get)  # type: ignore[attr-defined]
    return view


urlpatterns = [
    path("tools", _described(ToolsView, "tools").as_view(), name="tools"),
    *[path(f"tools/{tool}", tool_view(tool).as_view(), name=f"tool-{tool}") for tool in registry.TOOLS],
    path("lanes", _described(LanesView, "lanes").as_view(), name="lanes"),
    path("whoami", _described(WhoAmIView, "whoami").as_view(), name="whoami"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(template_name="api/docs.html", url_name="schema"), name="docs"),
]
