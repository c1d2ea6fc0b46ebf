"""Headers every page carries, and the tenant and reader of a browser session."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# Scripts and styles come from here and nowhere else; nothing inline; nobody frames us. cytoscape and htmx are set
# up not to inject styles (templates/web/base.html), so no exception is needed for them.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class PageHeaders:
    """Content Security Policy on every HTML page; pages for a signed-in person are never stored by a cache."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.get("Content-Type", "").startswith("text/html"):
            response.setdefault("Content-Security-Policy", POLICY)
            response.setdefault("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
        if getattr(request, "web_page", False):
            # A page taken from a cache, or from the browser's memory of pages, would outlive a permission.
            response.setdefault("Cache-Control", "no-store")
        return response
