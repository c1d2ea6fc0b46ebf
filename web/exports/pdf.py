"""PDF: the same table, with page numbers. Letters the built-in faces lack are drawn with a system face."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from web.exports.chronology import Chronology, clean, writer_of

WIDTHS = (3.4 * cm, 12.2 * cm, 5.2 * cm, 4.5 * cm)
# Usual places of faces with wide coverage; the built-in Helvetica knows Western European letters only.
FACES = (
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
    "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
    "/Library/Fonts/Arial Unicode.ttf",
    "/System/Library/Fonts/Supplemental/Arial Unicode.ttf",
    "C:/Windows/Fonts/arial.ttf",
)


@cache
def face() -> str:
    """A face for all text: the first of FACES that is installed, else Helvetica."""
    for path in FACES:
        if Path(path).is_file():
            try:
                pdfmetrics.registerFont(TTFont("Lanewise", path))
            except TTFError:
                continue
            return "Lanewise"
    return "Helvetica"


def write_pdf(chronology: Chronology) -> bytes:
    name = face()
    body = ParagraphStyle("body", fontName=name, fontSize=8.5, leading=11)
    note = ParagraphStyle("note", parent=body, textColor=colors.HexColor("#3f4954"))
    heading = ParagraphStyle("h1", parent=body, fontSize=15, leading=20, spaceAfter=6)
    year_style = ParagraphStyle("h2", parent=body, fontSize=11, leading=15, spaceBefore=10, spaceAfter=4)

    def cell(text: str) -> Paragraph:
        return Paragraph(escape(clean(text)).replace("\n", "<br/>"), body)

    parts: list[Any] = [Paragraph(escape(clean(chronology.title)), heading)]
    parts += [Paragraph(escape(clean(line)), note) for line in chronology.about]
    parts.append(Spacer(1, 6))
    groups: dict[str, list[list[Paragraph]]] = {}
    for fact in chronology.facts:
        row = fact["row"]
        when = f"{row['when']}\n{row['when_note']}" if row["when_note"] else row["when"]
        groups.setdefault(fact["year"], []).append(_line(cell, when, row))
    if chronology.undated:
        groups["Undated"] = [_line(cell, "No date", row) for row in chronology.undated]
    for year, lines in groups.items():
        parts.append(Paragraph(year, year_style))
        table = Table([[cell(n) for n in ("When", "Fact", "Matter", "Written by")], *lines], WIDTHS, repeatRows=1)
        table.setStyle(
            TableStyle(
                [
                    ("VALIGN", (0, 0), (-1, -1), "TOP"),
                    ("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.HexColor("#dfe3e7")),
                    ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#f1f3f5")),
                    ("LEFTPADDING", (0, 0), (-1, -1), 4),
                ]
            )
        )
        parts.append(table)
    out = io.BytesIO()
    document = SimpleDocTemplate(
        out, pagesize=landscape(A4), leftMargin=2 * cm, rightMargin=2 * cm, topMargin=1.8 * cm, bottomMargin=1.8 * cm,
        title=clean(chronology.title), author="",
    )  # fmt: skip

    def page_number(canvas: Any, _: Any) -> None:
        canvas.setFont(name, 8)
        canvas.setFillColor(colors.HexColor("#59636f"))
        canvas.drawRightString(landscape(A4)[0] - 2 * cm, 1.1 * cm, str(canvas.getPageNumber()))

    document.build(parts, onFirstPage=page_number, onLaterPages=page_number)
    return out.getvalue()


def _line(cell: Any, when: str, row: dict[str, Any]) -> list[Paragraph]:
    return [cell(when), cell(row["title"]), cell(row["lane"].name), cell(writer_of(row))]
