"""From what selectors and gather return to what templates say. No database: everything needed comes in."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from datetime import UTC
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from django.urls import get_script_prefix, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from lanes.readers import LaneInfo, Reader
from memory import normal
from memory import words as lexical
from memory.gather.scope import CAP
from memory.selectors.rows import UNKNOWN
from web import words

# What stands unescaped in an address, as `reverse` has it.
SAFE = "!$&'()*+,;=/~:@"
# Records that say so are shown as privileged: a property `privilege` or `privileged` with any value but a denial.
PRIVILEGE_LABELS = {"privilege", "privileged"}
DENIALS = {"no", "none", "false", "not privileged"}
KIND_COLOURS = {"call": 6, "email": 8, "letter": 8, "note": 5, "memo": 5, "filing": 1, "order": 2, "contract": 3,
                "fact": 4, "decision": 4, "entity": 7}  # fmt: skip


def kind_colour(kind: str) -> int:
    """The colour a kind is drawn in: fixed for the usual kinds, by name for others."""
    return KIND_COLOURS.get(kind) or sum(kind.encode()) % 8 + 1


def title_of(shape: Mapping[str, Any]) -> str:
    """A title to show: the record's own, else how its text begins."""
    title = (shape.get("title") or "").strip()
    if title:
        return title
    start = " ".join((shape.get("snippet") or shape.get("text") or "").split())
    return (start[:80].rsplit(" ", 1)[0] + "…" if len(start) > 80 else start) or "Untitled"


@cache
def _pattern(view: str, names: tuple[str, ...], prefix: str) -> str:
    """The address of a view with the names standing for its parts. A page holds thousands of addresses, and resolving
    each of them took half the time of a long list."""
    return reverse(view, args=names)


def record_url(sr_id: str) -> str:
    return _pattern("web:record", ("-",), get_script_prefix()).replace("/-/", f"/{quote(sr_id, safe=SAFE)}/")


def value_url(label: str, value: str) -> str:
    pattern = _pattern("web:value", ("-", "--"), get_script_prefix())
    return pattern.replace("/-/--/", f"/{quote(label, safe=SAFE)}/{quote(value, safe=SAFE)}/")


def search_url(**pairs: Any) -> str:
    query = urlencode([(k, v) for k, v in _flat(pairs) if v not in (None, "")])
    return reverse("web:search") + (f"?{query}" if query else "")


def _flat(pairs: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in pairs.items():
        if isinstance(value, list | tuple):
            yield from ((name, item) for item in value)
        else:
            yield name, value


def chip(label: str, value: str, *, count: int | None = None, capped: bool = False, **more: Any) -> dict[str, Any]:
    """An edge property as a chip: everything that carries it is one click away."""
    reserved = label.startswith(normal.RESERVED_PREFIX)
    label_words, shown = words.property_words(label, value)
    return {
        "label": label,
        "label_words": label_words,
        "value": shown,
        "url": "" if reserved else value_url(label, value),
        "count": count,
        "count_words": words.count_words(count, capped) if count is not None else "",
        "key": normal.edge_key(label, value).hex,
        **more,
    }


def is_privileged(properties: Iterable[Mapping[str, Any]]) -> bool:
    return any(p["label"] in PRIVILEGE_LABELS and p["value"].strip().lower() not in DENIALS for p in properties)


def row(reader: Reader, shape: Mapping[str, Any], *, without: str = "") -> dict[str, Any]:
    """A record as lists and tables show it. `without` leaves out the chip with that key (hex)."""
    zone = timezone.get_current_timezone()
    precision = shape.get("date_precision") or ""
    lane = reader.lanes[reader.lane_id(shape["lane"])]
    properties = shape.get("edge_properties") or ()
    chips = [
        chip(p["label"], p["value"], skipped=bool(p.get("skipped")))
        for p in properties
        if not p["label"].startswith(normal.RESERVED_PREFIX)
    ]
    return {
        "sr_id": shape["sr_id"],
        "version": shape.get("version") or 0,
        "url": record_url(shape["sr_id"]),
        "title": title_of(shape),
        "lane": lane,
        "kind": shape.get("kind") or "",
        "kind_words": words.kind_words(shape.get("kind") or ""),
        "icon": words.kind_icon(shape.get("kind") or ""),
        "occurred_at": shape.get("occurred_at"),
        "date_precision": precision,
        "when": words.date_words(shape.get("occurred_at"), precision, zone),
        "when_iso": when_iso(shape.get("occurred_at"), precision),
        "when_note": words.precision_words(precision),
        "recorded_at": shape.get("recorded_at"),
        "updated_at": shape.get("updated_at"),
        "author": shape.get("author") or UNKNOWN,
        "changer": shape.get("changer"),
        "chips": [c for c in chips if c["key"] != without],
        "privileged": is_privileged(properties),
        "superseded": bool(shape.get("superseded_at")),
        "on_hold": bool(shape.get("on_hold")),
        "snippet": shape.get("snippet") or "",
        "external_id": shape.get("external_id"),
    }


def when_iso(value: Any, precision: str) -> str:
    """A `datetime` attribute as exact as the date is known."""
    at = words.moment(value)
    if at is None:
        return ""
    at = at.astimezone(UTC)
    formats = {"year": f"{at.year:04d}", "month": f"{at.year:04d}-{at:%m}", "day": f"{at.year:04d}-{at:%m-%d}"}
    return formats.get(precision) or at.isoformat()


def rows(reader: Reader, shapes: Iterable[Mapping[str, Any]], **kwargs: Any) -> list[dict[str, Any]]:
    return [row(reader, shape, **kwargs) for shape in shapes]


# ---- marks in text
def highlighted(text: str, wanted: set[str]) -> SafeString:
    """The text, escaped, with the words that have one of these lexemes marked as hits."""
    if not wanted or not text:
        return mark_safe(html.escape(text))  # noqa: S308
    out, at = [], 0
    for found, start, end in lexical.spans(text):
        if found & wanted and start >= at:
            out += [html.escape(text[at:start]), '<mark class="hit">', html.escape(text[start:end]), "</mark>"]
            at = end
    out.append(html.escape(text[at:]))
    return mark_safe("".join(out))  # noqa: S308


def found_words(text: str, wanted: set[str]) -> list[str]:
    """The words of a text that are hits, as written, each once."""
    said: dict[str, None] = {}
    for found, start, end in lexical.spans(text):
        if found & wanted:
            said.setdefault(text[start:end].lower())
    return list(said)


def passage(text: str, wanted: set[str], size: int = 240) -> str:
    """The stretch of a text that holds most different hits, cut at words."""
    flat = " ".join(text.split())
    if len(flat) <= size:
        return flat
    hits = [(start, end, found & wanted) for found, start, end in lexical.spans(flat) if found & wanted]
    best, at = 0, 0
    for start, _, _ in hits:
        inside = {x for s, e, f in hits if start <= s and e <= start + size for x in f}
        if len(inside) > best:
            best, at = len(inside), start
    begin = max(0, at - size // 6)
    if begin:
        begin = flat.find(" ", begin) + 1
    end = begin + size
    cut = flat[begin:end].rsplit(" ", 1)[0] if end < len(flat) else flat[begin:]
    return ("… " if begin else "") + cut + (" …" if end < len(flat) else "")


def marked_paragraphs(
    text: str, properties: Iterable[Mapping[str, Any]], tags: Iterable[Mapping[str, Any]]
) -> tuple[list[SafeString], bool, bool]:
    """A record's text by paragraphs, with mentions of its own values as links and found terms dotted.

    A mention is a value that the record carries, found by its words; a tag is not a link. Returns the paragraphs,
    and whether there are mentions and tags among the marks.
    """
    marks: list[tuple[int, int, str, str, str]] = []
    folded = text.casefold()
    for prop in properties:
        if prop["label"].startswith(normal.RESERVED_PREFIX) or len(prop["value"]) < 2:
            continue
        if prop["value"].split()[0].casefold() not in folded:
            continue  # most values are not in the text: a cheap look before the pattern
        pattern = re.compile(
            r"(?<!\w)" + r"\s+".join(map(re.escape, prop["value"].split())) + r"(?!\w)", re.IGNORECASE
        )
        said = f"{words.label_words(prop['label'])}: {prop['value']}"
        marks += [
            (m.start(), m.end(), "mention", value_url(prop["label"], prop["value"]), said)
            for m in list(pattern.finditer(text))[:50]
        ]
    for tag in tags:
        if tag["label"] == "tense":
            continue  # nobody reads for the tense of a verb
        if tag["start"] is not None and tag["end"] is not None and 0 <= tag["start"] < tag["end"] <= len(text):
            said = f"{words.label_words(tag['label'])} found in the text: {tag['value']}"
            marks.append((tag["start"], tag["end"], "derived", "", said))
    # mentions win over tags, longer over shorter; what overlaps a mark that stands is left out
    marks.sort(key=lambda m: (m[2] != "mention", m[0] - m[1], m[0]))
    taken: list[tuple[int, int, str, str, str]] = []
    covered = bytearray(len(text))
    for mark in marks:
        if not any(covered[mark[0] : mark[1]]):
            covered[mark[0] : mark[1]] = b"\x01" * (mark[1] - mark[0])
            taken.append(mark)
    taken.sort()
    paragraphs: list[SafeString] = []
    for match in re.finditer(r"(?:(?!\n\s*\n).)+", text, re.DOTALL):
        start, end = match.span()
        out, at = [], start
        for m_start, m_end, kind, url, said in taken:
            if m_start < start or m_end > end:
                continue
            out.append(html.escape(text[at:m_start]))
            inner = text[m_start:m_end]
            out.append(
                format_html('<a class="mention" href="{}" title="{}">{}</a>', url, said, inner)
                if kind == "mention"
                else format_html('<span class="derived" title="{}">{}</span>', said, inner)
            )
            at = m_end
        out.append(html.escape(text[at:end]))
        paragraph = "".join(out).strip()
        if paragraph:
            paragraphs.append(mark_safe(paragraph))  # noqa: S308
    kinds = {mark[2] for mark in taken}
    return paragraphs, "mention" in kinds, "derived" in kinds


def lane_choices(reader: Reader, ids: Iterable[int]) -> list[LaneInfo]:
    """Lanes by name, for a select."""
    return sorted((reader.lanes[i] for i in ids if i in reader.lanes), key=lambda lane: lane.name.lower())


def capped(count: int) -> tuple[str, bool]:
    """A count that stopped at CAP + 1, in words."""
    return words.count_words(min(count, CAP), count > CAP), count > CAP
