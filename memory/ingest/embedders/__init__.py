"""What turns text into vectors: one interface, chosen by the EMBEDDER setting.

* ``local`` (the default): a small model in this process; no text leaves the machine.
* ``openai:MODEL``: any endpoint that speaks OpenAI's embeddings API, at EMBEDDER_URL with EMBEDDER_KEY; its
  EMBEDDER_DIMENSION must be given.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


class Embedder(Protocol):
    """`name` tells vectors of different makers apart and is kept in the database; `dimension` is fixed.

    Both methods return unit vectors (float32) and may be called from several threads.
    """

    name: str
    dimension: int

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        """(len(texts), dimension), in the order given."""
        ...

    def query(self, text: str) -> np.ndarray:
        """(dimension,) of a question."""
        ...


@lru_cache(maxsize=8)
def build(spec: str, url: str = "", key: str = "", dimension: int = 0) -> Embedder:
    """The embedder a setting names; ImproperlyConfigured with what to do when it names none."""
    kind, _, model = spec.partition(":")
    if kind == "local" and not model:
        from memory.ingest.embedders.local import LocalEmbedder

        return LocalEmbedder()
    if kind == "openai" and model:
        if not url or not dimension:
            raise ImproperlyConfigured(
                f"EMBEDDER={spec} needs EMBEDDER_URL (the endpoint) and EMBEDDER_DIMENSION (numbers a vector)."
            )
        from memory.ingest.embedders.openai import OpenAIEmbedder

        return OpenAIEmbedder(model, url, key, dimension)
    raise ImproperlyConfigured(f"EMBEDDER={spec} is not known: use 'local' or 'openai:MODEL'.")


def configured() -> Embedder:
    """The embedder of this process."""
    return build(settings.EMBEDDER, settings.EMBEDDER_URL, settings.EMBEDDER_KEY, settings.EMBEDDER_DIMENSION)
