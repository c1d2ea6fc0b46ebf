"""Addresses that do not exist: JSON under /api/, a page elsewhere."""

from django.http import HttpRequest, HttpResponse
from django.views import defaults

from api.errors import not_found


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Not found, in the shape of the surface that was asked."""
    if request.path.startswith("/api/"):
        return not_found(request, exception)
    return defaults.page_not_found(request, exception)
