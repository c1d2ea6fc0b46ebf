"""What is typed into a search box: a term, or words?"""

from __future__ import annotations

from lanes.readers import Reader
from memory.gather.terms import Term
from memory.selectors import values
from web import terms


def typed_chip(reader: Reader, text: str) -> Term | None:
    """The term a text is: "client:Acme", or "Client: Acme" when the reader's lanes know that label.

    "re: the seal" stays words, unless somebody uses `re` as a label.
    """
    term = terms.typed(text)
    if term is None or term.label is None:
        return None
    _, _, rest = text.partition(":")
    if rest[:1].strip() or term.label in values.offered_labels(reader):
        return term
    return None
