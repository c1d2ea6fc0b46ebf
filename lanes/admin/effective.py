"""What somebody may really do in each lane, as a table: grants, "all lanes" and walls taken together."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from lanes.errors import NotVisible
from lanes.readers import Reader

SHOWN = 500


def table(resolve: Callable[[], Reader]) -> SafeString:
    """The lanes that a reader may read, and which of them it may write and manage; the first 500."""
    try:
        reader = resolve()
    except NotVisible:
        return format_html("<p>{}</p>", "Nothing at all: it is inactive, or its tenant is.")
    if not reader.readable:
        return format_html("<p>{}</p>", "No lane.")
    writable, manageable = set(reader.writable), set(reader.manageable)
    yes = mark_safe('<span class="lw-yes">yes</span>')  # noqa: S308  (a constant)
    rows = format_html_join(
        "",
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        (
            (info.name, yes, yes if lane in writable else "–", yes if lane in manageable else "–")
            for lane, info in list(reader.lanes.items())[:SHOWN]
        ),
    )
    count = len(reader.readable)
    note = f"{count:,} lanes may be read, {len(writable):,} written. Walls are taken into account."
    if count > SHOWN:
        note = f"The first {SHOWN} of {count:,} readable lanes. Walls are taken into account."
    return format_html(
        '<div class="lw-table"><p>{}</p><table><thead><tr><th>Lane</th><th>Reads</th><th>Writes</th><th>Manages</th>'
        "</tr></thead><tbody>{}</tbody></table></div>",
        note,
        rows,
    )
