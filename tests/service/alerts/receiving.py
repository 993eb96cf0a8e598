"""A receiver of webhooks: a real HTTP server on this machine."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from types import TracebackType
from typing import Any, NamedTuple


class Received(NamedTuple):
    """One message."""

    alert: dict[str, Any]
    body: bytes
    signature: str


class Receiver:
    """Takes messages; the first ones are answered with the given statuses, all others with 204."""

    def __init__(self, *statuses: int) -> None:
        self.messages: Queue[Received] = Queue()
        answers = list(statuses)
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                signed = self.headers["Floorline-Signature"]
                status = answers.pop(0) if answers else 204
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "http://127.0.0.1:9/")
                self.end_headers()
                receiver.messages.put(Received(json.loads(body), body, signed))

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/alerts"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def next(self) -> Received:
        """The next message; fails if none comes in time."""
        return self.messages.get(timeout=30)

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
