"""CSV: one line a fact, dates both as people read them and as machines do."""

from __future__ import annotations

import csv
import io

from web.exports.chronology import Chronology, carries, writer_of

COLUMNS = ("when", "date", "precision", "fact", "matter", "kind", "carries", "written by", "id")


def _cell(text: str) -> str:
    """A spreadsheet runs a cell that starts with one of these: an apostrophe makes it text."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def write_csv(chronology: Chronology) -> bytes:
    """UTF-8 with a byte order mark, so that office programs read accents rightly."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for when, row in chronology.lines():
        cells = (
            when, row["when_iso"], row["date_precision"] or ("day" if row["occurred_at"] else "none"), row["title"],
            row["lane"].name, row["kind_words"], carries(row), writer_of(row), row["sr_id"],
        )  # fmt: skip
        writer.writerow([_cell(cell) for cell in cells])
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8", "replace")
