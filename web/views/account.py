"""Signing in and out, password, tenant, theme."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth import views as auth_views
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from lanes.errors import NotVisible
from memory import events
from web import words
from web.context import THEME_COOKIE, THEME_MEDIA
from web.models import SignInFailure
from web.tenants import SESSION_KEY
from web.views.base import Posted

TRIES = 5  # for one name from one address
TRIES_NAME = 25  # for one name from anywhere: a guess spread over many machines
TRIES_ADDRESS = 100  # from one address for any names: an office may share one
WINDOW = timedelta(minutes=15)


def name_hash(name: str) -> str:
    return hashlib.sha256(name.strip().casefold().encode()).hexdigest()


class Throttle:
    """Failed sign-ins of the last 15 minutes, kept in the database so that every process counts the same."""

    def __init__(self, request: HttpRequest, name: str) -> None:
        self.name = name_hash(name)
        self.address = request.META.get("REMOTE_ADDR", "")[:64]
        since = timezone.now() - WINDOW
        rows = list(
            SignInFailure.objects.filter(at__gt=since, name_hash=self.name)
            .order_by("at")
            .values_list("address", "at")[: TRIES_NAME + 1]
        )
        mine = [at for address, at in rows if address == self.address]
        shared = list(
            SignInFailure.objects.filter(at__gt=since, address=self.address)
            .order_by("at")
            .values_list("at", flat=True)[: TRIES_ADDRESS + 1]
        )
        self.left = max(0, TRIES - len(mine))
        blocks = [
            times[-limit] + WINDOW
            for times, limit in ((mine, TRIES), ([at for _, at in rows], TRIES_NAME), (shared, TRIES_ADDRESS))
            if len(times) >= limit
        ]
        self.until = max(blocks) if blocks else None

    @property
    def waiting(self) -> str:
        """How long until the next try, in words; empty when there is one left."""
        if self.until is None:
            return ""
        minutes = max(1, -(-int((self.until - timezone.now()).total_seconds()) // 60))
        return words.plural(minutes, "minute")

    def failed(self) -> None:
        SignInFailure.objects.create(name_hash=self.name, address=self.address)
        SignInFailure.objects.filter(at__lt=timezone.now() - WINDOW).delete()
        self.left = max(0, self.left - 1)

    def passed(self) -> None:
        SignInFailure.objects.filter(name_hash=self.name, address=self.address).delete()


class SignIn(auth_views.LoginView):
    """A wrong name and a wrong password are answered alike; the sixth try in a row has to wait."""

    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.throttle = Throttle(request, request.POST.get("username", ""))
        if self.throttle.until is not None:
            form = AuthenticationForm(request)  # unbound: the password is not even looked at
            return self.render_to_response(self.get_context_data(form=form, waiting=self.throttle.waiting), status=429)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        self.throttle.passed()
        return super().form_valid(form)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        self.throttle.failed()
        context = self.get_context_data(
            form=form, tries_left=self.throttle.left, wait_minutes=int(WINDOW.total_seconds() // 60)
        )
        return self.render_to_response(context, status=200)


class PasswordChange(auth_views.PasswordChangeView):
    success_url = reverse_lazy("web:home")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        from web.tenants import seat_of

        request.web_page = True  # type: ignore[attr-defined]
        if request.user.is_authenticated:
            try:
                seat_of(request)
            except NotVisible:
                request._seat = None  # type: ignore[attr-defined]
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        events.person_left(self.request.user.pk)
        messages.success(self.request, "Your password is changed. Other devices are signed out.", extra_tags="ok")
        return response


class SwitchTenant(Posted):
    """Choose among one's own tenants. One that is not one's own is answered like one that does not exist."""

    def post(self, request: HttpRequest) -> HttpResponse:
        slug = request.POST.get("tenant", "")
        if slug not in {m.tenant.slug for m in self.seat.memberships}:
            raise NotVisible()
        request.session[SESSION_KEY] = slug
        return redirect("web:home")


class SetTheme(Posted):
    def post(self, request: HttpRequest) -> HttpResponse:
        theme = request.POST.get("theme", "system")
        theme = theme if theme in THEME_MEDIA else "system"
        back = request.headers.get("Referer", "")
        safe = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
        part = request.headers.get("X-Part") == "1"
        response = HttpResponse(status=204) if part else redirect(back if safe else "web:home")
        response.set_cookie(
            THEME_COOKIE, theme, max_age=365 * 24 * 3600, samesite="Lax", httponly=True, secure=request.is_secure()
        )
        return response
