"""JSON bodies, strictly: an object, of texts that can be stored, without NaN."""

import json
from typing import Any

from rest_framework.parsers import BaseParser

from lanes.errors import Invalid
from memory.services.drafts import check_json


def _refuse_constant(name: str) -> None:
    raise Invalid.field("body", f"{name} is not JSON.")


def check_body(data: dict[str, Any]) -> None:
    """Invalid, naming the argument, where a text cannot be stored or a number is not finite."""
    for name, value in data.items():
        check_json(name, "body")
        check_json(value, name)


class StrictJSONParser(BaseParser):
    """application/json only."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        try:
            data = json.loads(stream.read().decode("utf-8"), parse_constant=_refuse_constant)
        except UnicodeDecodeError:
            raise Invalid.field("body", "Not UTF-8.") from None
        except (ValueError, RecursionError) as error:
            raise Invalid.field("body", f"Not JSON: {error}.") from None
        if not isinstance(data, dict):
            raise Invalid.field("body", "Must be a JSON object.")
        check_body(data)
        return data
