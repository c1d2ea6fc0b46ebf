"""A local server that speaks as much of OpenAI's chat completions as the product asks of a language model."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class StandIn(ThreadingHTTPServer):
    """Answers every chat completion with what `answer` returns (a status, and the body as bytes or in pieces), and
    keeps what it was asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []
        self.headers = {}
        self.answer = lambda: reply("{}")
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, json.loads(body), self.headers["Authorization"]))
        status, content = self.server.answer()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if isinstance(content, bytes):
                self.send_header("Content-Length", str(len(content)))
            for name, value in self.server.headers.items():
                self.send_header(name, value)
            self.end_headers()
            for piece in [content] if isinstance(content, bytes) else content:
                self.wfile.write(piece)
                self.wfile.flush()
        except OSError:
            pass  # the client gave up waiting

    def log_message(self, *args):
        pass


def reply(content, status=200):
    body = {
        "id": "1", "object": "chat.completion", "created": 1, "model": "stand-in",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
    }  # fmt: skip
    return status, json.dumps(body).encode()


def settings_of(server: StandIn, **more: Any) -> dict[str, Any]:
    """LANEWISE_LLM for a stand-in."""
    return {"base_url": server.url, "model": "stand-in", "api_key": "sk-stand-in", "timeout": 2.0, "max_retries": 0,
            **more}  # fmt: skip
