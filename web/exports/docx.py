"""DOCX: a heading, what the selection was, a table by year, undated facts under their own heading."""

from __future__ import annotations

import io
from typing import Any

from docx import Document
from docx.enum.section import WD_ORIENT
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt

from web.exports.chronology import Chronology, clean, writer_of

WIDTHS = (Cm(3.6), Cm(11.4), Cm(5.0), Cm(4.6))


def write_docx(chronology: Chronology) -> bytes:
    document = Document()
    section = document.sections[0]
    section.orientation = WD_ORIENT.LANDSCAPE
    section.page_width, section.page_height = Cm(29.7), Cm(21.0)
    for side in ("left_margin", "right_margin", "top_margin", "bottom_margin"):
        setattr(section, side, Cm(2.2))
    document.styles["Normal"].font.name = "Calibri"
    document.styles["Normal"].font.size = Pt(10)
    document.core_properties.title = clean(chronology.title)
    document.core_properties.author = ""
    document.add_heading(clean(chronology.title), level=1)
    for line in chronology.about:
        document.add_paragraph(clean(line)).paragraph_format.space_after = Pt(2)
    year = ""
    table: Any = None
    for fact in chronology.facts:
        if fact["year"] != year:
            year = fact["year"]
            document.add_heading(year, level=2)
            table = _table(document)
        row = fact["row"]
        _add(table, f"{row['when']}\n{row['when_note']}" if row["when_note"] else row["when"], row)
    if chronology.undated:
        document.add_heading("Undated", level=2)
        table = _table(document)
        for row in chronology.undated:
            _add(table, "No date", row)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _table(document: Any) -> Any:
    table = document.add_table(rows=1, cols=4)
    table.style = "Light List Accent 1"
    table.autofit = False
    for cell, name, width in zip(table.rows[0].cells, ("When", "Fact", "Matter", "Written by"), WIDTHS, strict=True):
        cell.text, cell.width = name, width
    # the head of the table stands on every page it runs over
    repeat = OxmlElement("w:tblHeader")
    repeat.set(qn("w:val"), "true")
    table.rows[0]._tr.get_or_add_trPr().append(repeat)
    return table


def _add(table: Any, when: str, row: dict[str, Any]) -> None:
    cells = table.add_row().cells
    for cell, text, width in zip(cells, (when, row["title"], row["lane"].name, writer_of(row)), WIDTHS, strict=True):
        cell.text, cell.width = clean(text), width
