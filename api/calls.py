"""One call of a tool: checked strictly, read or written as one reader, answered in one shape. HTTP and MCP both come
here, so that neither can do more than the other."""

from collections.abc import Callable
from typing import Any

from api import registry
from lanes.errors import Invalid
from lanes.models import User
from lanes.readers import Reader

ReaderFor = Callable[[str | None], Reader]


def perform(tool: str, body: dict[str, Any], reader_for: ReaderFor) -> dict[str, Any]:
    """The reply to a call of a tool, by its name in the registry.

    `reader_for` resolves who reads from the profile the caller names. Raises LanewiseError, pydantic's
    ValidationError.
    """
    actions = registry.TOOLS[tool]
    name = None if None in actions else body.get("action")
    if None not in actions and "action" not in body:
        raise Invalid.field("action", f"Required: one of {', '.join(map(str, actions))}.")
    if not (name is None or isinstance(name, str)) or name not in actions:
        raise Invalid.field("action", f"One of {', '.join(map(str, actions))}.")
    action = actions[name]
    given = action.Arguments.model_validate(body)
    reader = reader_for(given.agent_profile)
    reply = {**({"action": name} if name else {}), **action().run(reader, given)}
    reply.setdefault("next_cursor", None)
    reply.setdefault("hint", None)
    return reply


def lanes_of(reader: Reader) -> dict[str, Any]:
    """The lanes a reader may read, and what else they may do there."""
    return {
        "lanes": [
            {
                "slug": info.slug,
                "name": info.name,
                "colour": info.colour,
                "may_write": reader.can_write(info.id),
                "may_manage": info.id in reader.manageable,
            }
            for info in sorted(reader.lanes.values(), key=lambda info: info.slug)
        ]
    }


def whoami(reader: Reader) -> dict[str, Any]:
    """Who a caller is taken for."""
    user = User.objects.filter(pk=reader.user_id).first() if reader.user_id else None
    return {
        "tenant": reader.tenant_slug,
        "agent_profile": reader.profile_slug or None,
        "user": user.username if user else None,
        "readable_lanes": len(reader.readable),
        "writable_lanes": len(reader.writable),
        "may_count_all_lanes": reader.may_count_all,
    }
