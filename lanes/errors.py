"""The one family of errors the product raises on purpose; api/ and web/ turn them into replies."""

from enum import StrEnum
from typing import ClassVar


class Code(StrEnum):
    """Every `code` an error reply can carry."""

    INVALID = "invalid"
    NOT_AUTHENTICATED = "not_authenticated"
    REFUSED = "refused"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    UNSUPPORTED = "unsupported_media_type"
    THROTTLED = "throttled"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"


class LanewiseError(Exception):
    """`detail` is one sentence for the caller; `errors` maps a field's path to what is wrong with it."""

    status: ClassVar[int] = 400
    code: ClassVar[Code] = Code.INVALID

    def __init__(self, detail: str, errors: dict[str, list[str]] | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = errors or {}


class Invalid(LanewiseError):
    """The input is wrong, whoever sends it."""

    @classmethod
    def field(cls, name: str, message: str) -> "Invalid":
        return cls(f"{name}: {message}", {name: [message]})


class TooLarge(LanewiseError):
    """More was sent than is taken at once."""

    status = 413
    code = Code.TOO_LARGE


class NotVisible(LanewiseError):
    """Not there, or not there for this reader: the two are answered alike, so the sentence names nothing."""

    status = 404
    code = Code.NOT_FOUND

    def __init__(self, detail: str = "Not found, or not visible to you.", errors: dict | None = None) -> None:
        super().__init__(detail, errors)


class Busy(LanewiseError):
    """Others were writing to the same places again and again while this was tried."""

    status = 503
    code = Code.UNAVAILABLE

    def __init__(self) -> None:
        super().__init__("Others were changing the same records at the same moment. Nothing was changed; try again.")


class Refused(LanewiseError):
    """Visible, but this reader may not do that to it."""

    status = 403
    code = Code.REFUSED


class Conflict(LanewiseError):
    """Someone else changed it first, or a standing rule is in the way."""

    status = 409
    code = Code.CONFLICT
