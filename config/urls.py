"""Addresses: /api/v1/ for tools, /admin/ for admins, everything else is the web UI."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", include("api.urls")),
    path("", include("web.urls")),
]

handler400 = "web.views.base.bad_request"
handler403 = "web.views.base.forbidden"
handler404 = "web.views.base.not_found"
handler500 = "web.views.base.server_error"
