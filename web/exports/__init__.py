"""A timeline as a file. Each writer takes the same Chronology and keeps its order."""

from web.exports.chronology import Chronology
from web.exports.docx import write_docx
from web.exports.pdf import write_pdf
from web.exports.table import write_csv

__all__ = ["Chronology", "write_csv", "write_docx", "write_pdf"]
