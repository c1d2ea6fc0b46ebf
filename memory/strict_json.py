"""JSON as it comes from outside, read strictly: no name twice, no NaN, nothing nested without end."""

import json
import math
from collections.abc import Mapping
from typing import Any

from lanes.errors import Invalid
from memory import normal

# Deep enough for anything that means something, and far from what any writer or reader of JSON gives up at.
DEPTH_MAX = 64


class NamedTwice(Invalid):
    """An object has a name twice."""


def loads(raw: bytes | str, where: str = "body") -> Any:
    """The value of a JSON text. Invalid for what is none, and for a name that an object has twice: parsers differ in
    which of the two they take, and one of them would widen what was asked for."""
    try:
        text = raw.decode("utf-8") if isinstance(raw, bytes) else raw
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_named_once)
    except UnicodeDecodeError:
        raise Invalid.field(where, "Not JSON: not UTF-8.") from None
    except (ValueError, RecursionError) as error:
        raise Invalid.field(where, f"Not JSON: {error}.") from None


def _refuse_constant(name: str) -> None:
    raise Invalid.field("body", f"{name} is not JSON.")


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise NamedTwice.field(normal.check_text(twice[:100], "body"), "Given twice.")
    return made


def check(value: Any, where: str) -> None:
    """Invalid for what is inside a JSON value and cannot be stored or told again: some texts, numbers that are not
    finite, what is nested too deep."""
    _check(value, where, where, DEPTH_MAX)


def _check(value: Any, where: str, top: str, room: int) -> None:
    if isinstance(value, str):
        normal.check_text(value, where)
    elif isinstance(value, float) and not math.isfinite(value):
        raise Invalid.field(where, "Not a finite number.")
    elif isinstance(value, Mapping | list | tuple):
        if room <= 0:
            raise Invalid.field(top, f"Nested deeper than {DEPTH_MAX} levels.")
        if isinstance(value, Mapping):
            for key, inner in value.items():
                _check(key, where, top, room)
                _check(inner, f"{where}.{key}", top, room - 1)
        else:
            for index, inner in enumerate(value):
                _check(inner, f"{where}[{index}]", top, room - 1)
