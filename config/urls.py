"""Addresses: /api/v1/ for tools, /admin/ for admins, everything else is the web UI."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", include("api.urls")),
]

handler404 = "config.errors.handler404"
