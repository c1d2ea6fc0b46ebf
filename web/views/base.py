"""What every page view stands on: a signed-in person, a tenant they belong to, a reader, and one kind of "no"."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views import View

from lanes.errors import LanewiseError, NotVisible, Refused
from lanes.readers import Reader
from web.tenants import Seat, seat_of

log = logging.getLogger(__name__)

TITLES = {
    400: ("This address does not work", "alert"),
    403: ("You may see this, but not do that", "lock"),
    404: ("This page does not exist, or you cannot see it", "alert"),
    409: ("Somebody was there first", "alert"),
    429: ("Too many requests", "alert"),
    503: ("This took too long", "alert"),
}
ADMIN = "/admin/"
ADMINS_ONLY = (
    "Organisations, people, matters and what each may see are set up there. Your account may not change them; ask one "
    "of the administrators of your organisation."
)
TEXTS = {
    400: "Part of the address or of what was sent could not be read.",
    404: "Check the address. If someone sent it to you, ask them which matter it is in.",
    429: "Wait a little, then try again.",
    503: "The question was too big to answer in time. Narrow it and ask again.",
}


class RefusedThere(Refused):
    """Refused about something that this reader may see: the page leads back to it."""

    def __init__(self, detail: str, name: str, url: str) -> None:
        super().__init__(detail)
        self.back = {"name": f"Back to {name}", "url": url}


def error_page(
    request: HttpRequest, status: int, text: str = "", title: str = "", back: dict[str, str] | None = None
) -> HttpResponse:
    """The one page for every refusal. For 404 it is the same, byte for byte, whatever was asked for."""
    request._error_page = True  # type: ignore[attr-defined]
    usual, icon = TITLES.get(status, TITLES[400])
    title = title or usual
    said = TEXTS.get(status, "") if status == 404 else text or TEXTS.get(status, "")
    error = {"title": title, "text": said, "icon": icon, "back": back}
    response = render(request, "web/error.html", {"error": error}, status=status)
    response["Cache-Control"] = "no-store"
    return response


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_page(request, 404)


def forbidden(request: HttpRequest, exception: Exception | None = None, reason: str = "") -> HttpResponse:
    if isinstance(exception, PermissionDenied):
        if request.path.startswith(ADMIN):
            return error_page(request, 403, ADMINS_ONLY, "This part is for administrators")
        return error_page(request, 403, "Ask the person who gave you access if you need to.")
    # what is left is a form whose token has gone stale: another sign-in, or a page kept open very long
    return error_page(
        request, 403, "Nothing was saved. Go back, load the page again and repeat what you did.",
        "This form is too old to be taken",
    )  # fmt: skip


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_page(request, 400)


def server_error(request: HttpRequest) -> HttpResponse:
    return render(request, "500.html", {"request_id": getattr(request, "request_id", "")}, status=500)


class PageView(View):
    """A page for a signed-in person. Subclasses write `get` and `post` and read through `self.reader`.

    `dispatch` is final: it takes the seat first, so that no handler runs without a reader, and turns the product's
    own errors into pages.
    """

    request: HttpRequest
    seat: Seat
    # A hook that a subclass overrode would be a way round the seat; a test forbids it.
    final = ("dispatch",)

    @property
    def reader(self) -> Reader:
        return self.seat.reader

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        request.web_page = True  # type: ignore[attr-defined]
        part = request.headers.get("X-Part") == "1"
        if not request.user.is_authenticated:
            if part:
                return HttpResponse(status=401)
            return redirect_to_login(request.get_full_path(), settings.LOGIN_URL)
        try:
            seat = seat_of(request)
        except NotVisible:
            seat = None
        if seat is None:
            return HttpResponse(status=404) if part else render(request, "web/notenant.html", status=403)
        self.seat = seat
        request.reader = seat.reader  # type: ignore[attr-defined]
        try:
            response = super().dispatch(request, *args, **kwargs)
        except LanewiseError as error:
            return error_page(request, error.status, _sentence(error), back=getattr(error, "back", None))
        if part and request.method == "POST" and isinstance(response, HttpResponseRedirect):
            # A script that sent a form goes there itself: fetched for it, the page's messages would be used up.
            moved = HttpResponse(status=204)
            moved["X-Location"] = response.url
            return moved
        return response


class Posted(PageView):
    """A page that is only posted to. Whoever opens it, after signing in on the way, is taken to `place`."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return redirect(self.place(**kwargs))

    def place(self, **kwargs: Any) -> str:
        return reverse("web:home")


def _sentence(error: LanewiseError) -> str:
    fields = " ".join(message for messages in error.errors.values() for message in messages)
    return fields or error.detail
