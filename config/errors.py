"""What no view answered: JSON under /api/, a page elsewhere."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from api import errors as api
from web.views import base as web


def _by_surface(on_api: Callable, on_web: Callable) -> Callable:
    def handler(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
        given = () if exception is None else (exception,)
        return (on_api if request.path.startswith("/api/") else on_web)(request, *given)

    return handler


handler400 = _by_surface(api.bad_request, web.bad_request)
handler403 = _by_surface(api.forbidden, web.forbidden)
handler404 = _by_surface(api.not_found, web.not_found)
handler500 = _by_surface(api.server_error, web.server_error)
