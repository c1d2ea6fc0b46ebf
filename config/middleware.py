"""Gives every request an id (in the response header, every error body, every log line) and the time it began."""

import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from config.logs import request_id


class RequestId:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Always our own: a caller's id could be used to forge log lines.
        request.request_id = uuid.uuid4().hex  # type: ignore[attr-defined]
        request.began = time.time()  # type: ignore[attr-defined]
        token = request_id.set(request.request_id)  # type: ignore[attr-defined]
        try:
            response = self.get_response(request)
        finally:
            request_id.reset(token)
        response["X-Request-ID"] = request.request_id  # type: ignore[attr-defined]
        return response
