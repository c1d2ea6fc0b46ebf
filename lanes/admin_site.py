"""The admin site: who gets in at all. What each page shows is decided in lanes.admin.base.

It stands outside the package lanes.admin because importing that registers pages with the site.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import URLPattern, URLResolver


class LanewiseAdminSite(admin.AdminSite):
    site_header = "Lanewise administration"
    site_title = "Lanewise administration"
    index_title = "What is set up"
    site_url = "/"

    def has_permission(self, request: HttpRequest) -> bool:
        """Platform operators, and people who administer an active tenant. Being staff alone opens nothing."""
        from lanes.admin.scope import scope_of

        return scope_of(request).enters

    def get_urls(self) -> list[Any]:
        """Without "view on site": it looks rows up by type and number, for anyone who is signed in."""

        def kept(url: URLPattern | URLResolver) -> bool:
            return getattr(url, "name", None) != "view_on_site"

        return [url for url in super().get_urls() if kept(url)]
