"""Filters and small tags the templates speak with. Everything is escaped by Django unless built by format_html."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from memory import times
from web import words

register = template.Library()


@register.simple_tag
def icon(name: str, cls: str = "") -> str:
    """A 16 px symbol of the sprite in base.html; decorative, so words must stand beside it."""
    return format_html(
        '<svg class="i{}" viewBox="0 0 16 16" aria-hidden="true"><use href="#i-{}"/></svg>',
        f" {cls}" if cls else "", name,
    )  # fmt: skip


@register.filter
def label(value: str) -> str:
    return words.label_words(value or "")


@register.filter
def count(value: int | None) -> str:
    return words.count_words(value)


@register.filter
def clock(value: object) -> str:
    return words.clock_words(value, zone=timezone.get_current_timezone())  # type: ignore[arg-type]


@register.filter
def since(value: object) -> str:
    return words.since_words(value, zone=timezone.get_current_timezone())  # type: ignore[arg-type]


@register.filter
def exact(value: object) -> str:
    """A moment to the minute with the zone's offset: "14 Mar 2025, 11:02 +00:00"."""
    at = words.moment(value)  # type: ignore[arg-type]
    if at is None:
        return ""
    at = times.placed(at, timezone.get_current_timezone())
    offset = at.strftime("%z")
    return f"{words.date_words(at, 'time', timezone.get_current_timezone())} {offset[:3]}:{offset[3:5]}"


@register.filter
def day(value: object) -> str:
    return words.date_words(value, "day")  # type: ignore[arg-type]


@register.filter
def iso(value: object) -> str:
    at = words.moment(value)  # type: ignore[arg-type]
    return at.isoformat() if at else ""


@register.filter
def plural(value: int, noun: str) -> str:
    """{{ 3|plural:"record" }} or {{ 3|plural:"entry,entries" }}."""
    one, _, many = noun.partition(",")
    return words.plural(value or 0, one, many or None)


@register.filter
def initials(value: str) -> str:
    return words.initials(value or "")


@register.simple_tag
def value_url(label_name: str, value: str) -> str:
    return reverse("web:value", args=[label_name, value])


@register.filter
def bar(value: float, most: float) -> str:
    """Width of a bar in a 100 wide picture, as an SVG attribute."""
    return f"{100 * value / most:.1f}" if most else "0"
