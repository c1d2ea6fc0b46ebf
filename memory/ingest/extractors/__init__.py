"""Extractors: from a record's text to proposed tags, one module each.

To add one, write a class with `name` and `extract(text, context)` (see `base`) and name it in
LANEWISE_EXTRACTORS.
"""

from memory.ingest.extractors.base import ExtractContext, Extractor, TagProposal, extract_many, from_titles

__all__ = ["ExtractContext", "Extractor", "TagProposal", "extract_many", "from_titles"]
