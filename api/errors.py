"""One error shape for everything the API refuses: {detail, code, errors, request_id}."""

import logging
from collections.abc import Mapping
from typing import Any

import psycopg.errors
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from pydantic import ValidationError
from rest_framework import exceptions
from rest_framework.response import Response

from config.logs import request_id
from lanes.errors import Code, Invalid, LanewiseError, NotVisible

log = logging.getLogger("lanewise.api")


def body(detail: str, code: Code, errors: Mapping[str, list[str]] | None = None) -> dict[str, Any]:
    """The one error shape."""
    return {"detail": detail, "code": str(code), "errors": dict(errors or {}), "request_id": request_id.get()}


_BY_STATUS = {
    401: Code.NOT_AUTHENTICATED,
    403: Code.REFUSED,
    404: Code.NOT_FOUND,
    405: Code.METHOD_NOT_ALLOWED,
    413: Code.TOO_LARGE,
    415: Code.UNSUPPORTED,
    429: Code.THROTTLED,
}


def handler(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's exception handler."""
    if isinstance(error, ValidationError):
        error = invalid_from(error)
    if isinstance(error, LanewiseError):
        return Response(body(error.detail, error.code, error.errors), status=error.status)
    if isinstance(error, Http404):
        return Response(body(NotVisible().detail, Code.NOT_FOUND), status=404)
    if isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied(str(error) or None)
    if isinstance(error, exceptions.APIException):
        code = _BY_STATUS.get(error.status_code, Code.INVALID)
        headers = {"WWW-Authenticate": "Bearer"} if error.status_code == 401 else {}
        return Response(body(str(error.detail), code), status=error.status_code, headers=headers)
    if isinstance(error, DatabaseError):
        found = _database(error)
        if found is not None:
            return found
    log.exception("A request failed")
    detail = "Something went wrong on our side; the request id finds it in the log."
    return Response(body(detail, Code.INTERNAL), status=500)


def _database(error: DatabaseError) -> Response | None:
    """What the database refuses for want of time or connections is no fault of the program's."""
    if isinstance(error.__cause__, psycopg.errors.QueryCanceled):
        detail = "This took too long and was stopped. Narrow it: fewer lanes, a rarer term, a smaller depth."
        return Response(body(detail, Code.TIMEOUT), status=503)
    if isinstance(error, OperationalError):
        log.exception("The database did not answer")
        detail = "The database is not answering. Try again in a moment."
        return Response(body(detail, Code.UNAVAILABLE), status=503, headers={"Retry-After": "5"})
    return None


UNKNOWN = "Unknown argument."
# What pydantic puts into an error's place that is no field of the caller's.
_TAGS = {"text", "object"}


def invalid_from(error: ValidationError) -> Invalid:
    """Pydantic's findings as field paths: match[0].label."""
    errors: dict[str, list[str]] = {}
    for found in error.errors(include_url=False, include_context=False, include_input=False):
        path = ""
        for part in found["loc"]:
            if isinstance(part, int):
                path += f"[{part}]"
            elif part not in _TAGS or path == "":
                path += f".{part}" if path else part
        message = UNKNOWN if found["type"] == "extra_forbidden" else found["msg"] + "."
        errors.setdefault(path or "body", []).append(message)
    name, messages = next(iter(errors.items()))
    return Invalid(f"{name}: {messages[0]}", errors)


def unknown_argument(name: str) -> Invalid:
    """What is said of an argument that there is not."""
    return Invalid(f"{name}: {UNKNOWN}", {name: [UNKNOWN]})


def _plain(detail: str, code: Code, status: int) -> JsonResponse:
    return JsonResponse(body(detail, code), status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> JsonResponse:
    """The answer to a request that Django itself refuses (a forbidden host, too many fields)."""
    return _plain("The request is malformed.", Code.INVALID, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> JsonResponse:
    """The answer to a request that Django itself forbids."""
    return _plain("Not allowed.", Code.REFUSED, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> JsonResponse:
    """The answer to an address of the API that does not exist."""
    return _plain(NotVisible().detail, Code.NOT_FOUND, 404)


def server_error(request: HttpRequest) -> JsonResponse:
    """The answer when something broke before or after the view."""
    return _plain("Something went wrong on our side; the request id finds it in the log.", Code.INTERNAL, 500)
