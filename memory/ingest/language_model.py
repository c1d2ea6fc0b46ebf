"""The language model as ingest uses it: one question, one JSON object, within bounds of time and size.

Any endpoint that speaks OpenAI's chat completions. Off unless one is configured, and for every lane whose policy does
not allow it. What comes back is material to check, never an instruction; what goes out is one record's text (or two
beginnings), and errors hold neither it nor the key.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memory.ingest.errors import Unavailable

MAX_TEXT = 24_000
MAX_ANSWER = 200_000  # characters
MAX_REPLY = 2_000_000  # bytes, of the whole reply around the answer


class LLMUnavailable(Unavailable):
    """The endpoint did not answer; it is asked again later. Never holds the text or the key."""


class LLMUnusable(RuntimeError):
    """The endpoint answered with something else than what was asked for; it is asked again later."""


@dataclass(frozen=True, slots=True)
class LLMSettings:
    """Where the endpoint is. `timeout` is in seconds, for one answer as a whole."""

    base_url: str
    model: str
    api_key: str = "none"
    timeout: float = 30.0
    max_retries: int = 1


def denied(tenant_id: int, lane_id: int) -> bool:
    """The default policy: no lane's text leaves the machine."""
    return False


class LanguageModel:
    """A configured endpoint. May be used from several threads."""

    def __init__(self, settings: LLMSettings) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._client: Any = None

    def ask(self, instructions: str, content: str, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        """The JSON object that the model answers with; `schema` is asked for, and for the caller to check.

        Raises LLMUnavailable where there is no answer in time and LLMUnusable where it is no JSON object.
        """
        import openai

        try:
            reply = self._connect().chat.completions.with_raw_response.create(
                model=self.settings.model,
                temperature=0,
                messages=[{"role": "system", "content": instructions}, {"role": "user", "content": content}],
                response_format={
                    "type": "json_schema",
                    "json_schema": {"name": name, "strict": True, "schema": schema},
                },
            )
            answer = json.loads(reply.text)["choices"][0]["message"]["content"]
        except openai.OpenAIError as error:
            raise LLMUnavailable(f"the language model did not answer ({type(error).__name__})") from None
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise LLMUnusable(f"the language model's reply has no message ({type(error).__name__})") from None
        return object_of(answer)

    def _connect(self) -> Any:
        with self._lock:
            if self._client is None:
                import openai

                self._client = openai.OpenAI(
                    base_url=self.settings.base_url,
                    api_key=self.settings.api_key or "none",
                    timeout=self.settings.timeout,
                    max_retries=self.settings.max_retries,
                    http_client=_http(self.settings.timeout),
                )
            return self._client


def _http(timeout: float) -> Any:
    """An HTTP client that gives up on replies that are too long or drip in too slowly, and follows no redirect: the
    text goes where the settings say and nowhere else."""
    import httpx

    class Bounded(httpx.SyncByteStream):
        def __init__(self, stream: Any, until: float) -> None:
            self.stream, self.until = stream, until

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for piece in self.stream:
                size += len(piece)
                if size > MAX_REPLY:
                    raise httpx.ReadError("The reply is too long.")
                if time.monotonic() > self.until:
                    raise httpx.ReadTimeout("The reply takes too long.")
                yield piece

        def close(self) -> None:
            self.stream.close()

    class Transport(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            until = time.monotonic() + timeout
            response = super().handle_request(request)
            if response.headers.get("content-encoding", "identity") != "identity":
                response.close()
                raise httpx.ReadError("The reply is packed, which was not asked for.")
            response.stream = Bounded(response.stream, until)
            return response

    return httpx.Client(
        transport=Transport(), timeout=timeout, headers={"Accept-Encoding": "identity"}, follow_redirects=False
    )


def object_of(answer: Any) -> dict[str, Any]:
    """The JSON object in an answer, with or without a fence around it; LLMUnusable where there is none."""
    if not isinstance(answer, str) or not answer.strip():
        raise LLMUnusable("the language model's reply is empty")
    if len(answer) > MAX_ANSWER:
        raise LLMUnusable("the language model's reply is too long")
    body = answer.strip()
    if body.startswith("```"):
        body = body.strip("`").removeprefix("json").strip()
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise LLMUnusable("the language model's reply is not JSON") from None
    if not isinstance(found, dict):
        raise LLMUnusable("the language model's reply is not a JSON object")
    return found


@lru_cache(maxsize=4)
def _made(settings: LLMSettings) -> LanguageModel:
    return LanguageModel(settings)


def configured() -> LanguageModel | None:
    """The endpoint of LANEWISE_LLM (base_url, model, …); None where there is none."""
    from django.conf import settings

    return _made(LLMSettings(**settings.LANEWISE_LLM)) if settings.LANEWISE_LLM else None


def policy() -> Callable[[int, int], bool]:
    """The function (tenant_id, lane_id) → whether a lane's texts may be sent. Asked anew for every text."""
    from django.conf import settings
    from django.utils.module_loading import import_string

    return import_string(settings.LANEWISE_LLM_POLICY) if settings.LANEWISE_LLM_POLICY else denied


def allowed(tenant_id: int, lane_id: int) -> LanguageModel | None:
    """The language model where one is configured and the lane's policy allows it right now."""
    model = configured()
    return model if model is not None and policy()(tenant_id, lane_id) else None


def clean(value: Any, most: int) -> str | None:
    """A string of an answer, fit to be stored: white space folded, no U+0000 or lone surrogates, 1 to `most`
    characters; None for anything else."""
    if not isinstance(value, str) or len(value) > 4 * most:
        return None
    text = " ".join(value.encode("utf-8", "ignore").decode().replace("\x00", "").split())
    return text if 0 < len(text) <= most else None


class Places:
    """Where verbatim quotes stand in a text; the same quote again is the next place it stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._next: dict[str, int] = {}

    def find(self, quote: Any, most: int) -> tuple[int, int] | None:
        """(start, end) of a quote of at most `most` characters; None where it does not stand there, letter for
        letter."""
        if not isinstance(quote, str) or not 0 < len(quote.strip()) <= most:
            return None
        quote = quote.strip()
        start = self.text.find(quote, self._next.get(quote, 0))
        start = self.text.find(quote) if start < 0 else start
        if start < 0:
            return None
        self._next[quote] = start + len(quote)
        return start, start + len(quote)
