"""JSON bodies, strictly: an object, of bounded size, no name twice, of texts that can be stored, without NaN."""

from typing import Any

from django.conf import settings
from rest_framework.parsers import BaseParser

from lanes.errors import Invalid, TooLarge
from memory import strict_json

TOO_LARGE = "The body is larger than {:,} bytes; send less at a time."


def check_body(data: dict[str, Any], *, but: frozenset[str] = frozenset()) -> None:
    """Invalid, naming the argument, where a text cannot be stored, a number is not finite or a value nested too deep.

    `but`: arguments whose items are checked one by one by whoever takes them.
    """
    for name, value in data.items():
        strict_json.check(name, "body")
        if name not in but:
            strict_json.check(value, name)


def too_large() -> TooLarge:
    """The refusal of a body that is larger than it may be."""
    return TooLarge(TOO_LARGE.format(settings.DATA_UPLOAD_MAX_MEMORY_SIZE))


class StrictJSONParser(BaseParser):
    """application/json only. What the arguments hold is checked by `calls.perform`, which knows them."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        raw = stream.read(most + 1)
        if len(raw) > most:
            raise too_large()
        data = strict_json.loads(raw)
        if not isinstance(data, dict):
            raise Invalid.field("body", "Must be a JSON object.")
        return data
