"""Opaque page cursors: where a page ended, sealed so that they work for the one query they came from.

Sealed as a synthetic-IV cipher: a tag over the query and the content, and the content masked by a stream derived
from the tag (HMAC-SHA-256 and SHAKE-256 of the server's secret). Primary keys inside stay inside, and a cursor
moved to another query, profile or tenant is refused.
"""

import base64
import hashlib
import hmac
import json
from typing import Any

from django.conf import settings

from lanes.errors import Invalid

_TAG = 12


def _secret(purpose: bytes) -> bytes:
    return hashlib.sha256(b"lanewise cursor " + purpose + settings.SECRET_KEY.encode()).digest()


def _tag(query: Any, content: bytes) -> bytes:
    about = json.dumps(query, sort_keys=True, default=str).encode()
    return hmac.new(_secret(b"tag"), hashlib.sha256(about).digest() + content, hashlib.sha256).digest()[:_TAG]


def _mask(tag: bytes, content: bytes) -> bytes:
    stream = hashlib.shake_256(_secret(b"mask") + tag).digest(len(content))
    return bytes(a ^ b for a, b in zip(content, stream, strict=True))


def seal(query: Any, place: list, more: bytes = b"") -> str:
    """The cursor for a place (JSON values, and bytes where there is much to remember) in the pages of a query (any
    JSON value that identifies it)."""
    content = json.dumps(place, separators=(",", ":")).encode() + (b"\0" + more if more else b"")
    tag = _tag(query, content)
    return base64.urlsafe_b64encode(tag + _mask(tag, content)).decode().rstrip("=")


def unseal(query: Any, cursor: str | None, field: str = "cursor") -> list | None:
    """The place a cursor stands for; Invalid when it was not made for this query."""
    return opened(query, cursor, field)[0]


def opened(query: Any, cursor: str | None, field: str = "cursor") -> tuple[list | None, bytes]:
    """The place a cursor stands for, and the bytes that were sealed with it."""
    if cursor is None:
        return None, b""
    try:
        raw = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except ValueError:
        raw = b""
    tag, content = raw[:_TAG], _mask(raw[:_TAG], raw[_TAG:])
    if len(raw) <= _TAG or not hmac.compare_digest(tag, _tag(query, content)):
        raise Invalid.field(field, "Not a cursor of this query. Ask for the first page again without one.")
    place, _, more = content.partition(b"\0")
    return json.loads(place), more
