"""What base.html says around every page: tenant, person, navigation, theme."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from web import words
from web.tenants import Seat

THEMES = (("system", "Auto"), ("light", "Light"), ("dark", "Dark"))
THEME_MEDIA = {"system": "(prefers-color-scheme: dark)", "dark": "all", "light": "not all"}
THEME_COOKIE = "lanewise_theme"
NAV = (
    ("Home", "web:home", "home"),
    ("Search", "web:search", "search"),
    ("Timeline", "web:timeline", "timeline"),
    ("Insights", "web:insights", "chart"),
)


def shell(request: HttpRequest) -> dict[str, Any]:
    """The `shell` variable. Only a view that took a seat shows tenant and person: error pages never do."""
    theme = request.COOKIES.get(THEME_COOKIE, "system")
    theme = theme if theme in THEME_MEDIA else "system"
    out: dict[str, Any] = {"theme": theme, "theme_media": THEME_MEDIA[theme], "themes": THEMES}
    user = getattr(request, "user", None)
    if getattr(request, "_error_page", False) and user is not None and user.is_authenticated:
        # the ways on, and nothing else: no name, no token, nothing that differs from one refusal to the next
        out["ways"] = [{"name": label, "url": reverse(view), "icon": icon} for label, view, icon in NAV]
    known = getattr(request, "web_page", False) and not getattr(request, "_error_page", False)
    seat: Seat | None = getattr(request, "_seat", None) if known else None
    if seat is not None:
        user = seat.user
        name = user.get_full_name() or user.get_username()
        here = request.path
        out |= {
            "signed_in": True,
            "user_name": name,
            "initials": words.initials(name),
            "role": seat.membership.get_role_display() if seat.membership.role == "admin" else "",
            "is_staff": user.is_staff,
            "can_write": bool(seat.reader.writable),
            "tenant": seat.tenant,
            # What changes from here on until the page listens, it asks for when it begins to.
            "began": getattr(request, "began", 0.0),
            "tenants": [
                {"slug": m.tenant.slug, "name": m.tenant.name, "role": m.get_role_display()} for m in seat.memberships
            ],
            "nav": [
                {
                    "name": label,
                    "url": reverse(view),
                    "icon": icon,
                    "current": here == reverse(view) if view == "web:home" else here.startswith(reverse(view)),
                }
                for label, view, icon in NAV
            ],
        }
    return {"shell": out, "request_id": getattr(request, "request_id", "")}
