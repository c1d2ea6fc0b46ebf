"""The admin site: who gets in at all. What each page shows is decided in lanes.admin.base.

It stands outside the package lanes.admin because importing that registers pages with the site.
"""

from typing import Any

from django.contrib import admin
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, URLResolver, reverse
from django.utils.http import url_has_allowed_host_and_scheme


class LanewiseAdminSite(admin.AdminSite):
    site_header = "Lanewise administration"
    site_title = "Lanewise administration"
    index_title = "What is set up"
    site_url = "/"

    def has_permission(self, request: HttpRequest) -> bool:
        """Platform operators, and people who administer an active tenant. Being staff alone opens nothing."""
        from lanes.admin.scope import scope_of

        return scope_of(request).enters

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The product's own sign-in, where failed attempts are slowed down; one door is enough."""
        next_page = request.GET.get(REDIRECT_FIELD_NAME, reverse("admin:index"))
        if not url_has_allowed_host_and_scheme(next_page, allowed_hosts=None):
            next_page = reverse("admin:index")
        if not request.user.is_authenticated:
            return redirect_to_login(next_page)
        if self.has_permission(request):
            return HttpResponseRedirect(next_page)
        raise PermissionDenied

    def get_urls(self) -> list[Any]:
        """Without "view on site": it looks rows up by type and number, for anyone who is signed in."""

        def kept(url: URLPattern | URLResolver) -> bool:
            return getattr(url, "name", None) != "view_on_site"

        return [url for url in super().get_urls() if kept(url)]
