"""An embedder behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

BATCH = 96
MAX_CHARACTERS = 24_000  # of one text: endpoints refuse more than about 8,000 tokens


class EmbedderFailed(RuntimeError):
    """The endpoint did not give the vectors that were asked for."""


class OpenAIEmbedder:
    """Unit vectors from `POST {url}/embeddings`. Retries are the client's own; a wrong answer is an error."""

    def __init__(self, model: str, url: str, key: str, dimension: int, timeout: float = 20.0) -> None:
        self.name = f"openai:{model}"
        self.dimension = dimension
        self._model, self._url, self._key, self._timeout = model, url, key, timeout
        self._lock = threading.Lock()
        self._client: Any = None

    def _connect(self):
        with self._lock:
            if self._client is None:
                from openai import OpenAI

                self._client = OpenAI(
                    base_url=self._url, api_key=self._key or "none", timeout=self._timeout, max_retries=2
                )
        return self._client

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        """(len(texts), dimension) float32 unit rows; EmbedderFailed when the answer has another shape."""
        out = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), BATCH):
            batch = [text[:MAX_CHARACTERS] or " " for text in texts[start : start + BATCH]]
            out[start : start + len(batch)] = self._ask(batch)
        return out

    def _ask(self, batch: list[str]) -> np.ndarray:
        from openai import OpenAIError

        try:
            reply = self._connect().embeddings.create(model=self._model, input=batch, encoding_format="float")
            rows = sorted(reply.data, key=lambda item: item.index)
            vectors = [row.embedding for row in rows]
            found = np.asarray(vectors, dtype=np.float32)
        except (OpenAIError, TypeError, ValueError, AttributeError) as error:
            raise EmbedderFailed(f"{self.name} did not answer: {type(error).__name__}") from error
        if found.shape != (len(batch), self.dimension):
            raise EmbedderFailed(
                f"{self.name} gave vectors of shape {found.shape}, not ({len(batch)}, {self.dimension}): "
                "set EMBEDDER_DIMENSION to what the model gives, then run manage.py reembed."
            )
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        if not np.all(np.isfinite(found)) or not np.all(norms > 0):
            raise EmbedderFailed(f"{self.name} gave a vector without a direction.")
        return found / norms

    def query(self, text: str) -> np.ndarray:
        """(dimension,) float32 unit vector of a question."""
        return self.documents([text])[0]
