"""Replies as JSON."""

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json
from rest_framework.renderers import JSONRenderer


def dumped(reply: Any) -> bytes:
    """A reply as compact JSON in UTF-8; what JSON does not know (a lazy sentence, say) as its text. Made in Rust: a
    thousand nodes take half a millisecond instead of three."""
    return to_json(reply, inf_nan_mode="null", fallback=str)


class ReplyRenderer(JSONRenderer):
    """DRF's renderer, by `dumped` unless an indent is asked for (`Accept: application/json; indent=2`)."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        if data is None or self.get_indent(accepted_media_type, renderer_context or {}) is not None:
            return super().render(data, accepted_media_type, renderer_context)
        return dumped(data)
