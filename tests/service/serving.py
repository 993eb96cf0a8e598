"""What tests of the service share: a server in a process of its own, and problems."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2 as httpx

PAGE = {
    "name": "page",
    "arms": ["now", "video", "quiz"],
    "max_loss": 0.1,
    "missing": "unknown",
    "holdback": 0.0,
}
"""A campaign that leaves nothing to chance: without a holdback there is no coin."""


def problem(answer: Any, status: int, word: str, default_arm: str | None = None) -> str:
    """The detail of a problem document, which has the one shape and names this default arm.

    That is "now", the default of the campaigns of these tests, where the path tells one of them by
    its name or by a ticket; null to strangers, and everywhere else.
    """
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert list(document) == ["type", "title", "status", "detail", "default_arm", "request_id"]
    assert document["type"] == f"urn:floorline:problem:{word}"
    assert document["status"] == status
    assert document["default_arm"] == default_arm
    return str(document["detail"])


GONE = (OSError, http.client.HTTPException)
"""What is raised when a server does not answer."""


def post(url: str, path: str, body: object, seconds: float = 5.0) -> tuple[int, dict[str, Any]]:
    """The status and the answer, over a connection of its own, which is closed in any case."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=seconds)
    try:
        headers = {"Content-Type": "application/json"}
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


class Server:
    """A service in a process of its own, on a port that is free."""

    def __init__(
        self,
        data: Path | str,
        *words: str,
        before: Callable[[], None] | None = None,
        inside: tuple[str, ...] = (),
        program: tuple[str, ...] = ("-m", "floorline"),
    ) -> None:
        command = [sys.executable, *program, "serve", "--create", "--data", str(data)]
        self.process = subprocess.Popen(
            [*inside, *command, "--port", "0", *words],
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=before,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
        )
        self.lines: list[dict[str, Any]] = []
        self.url = ""
        self._clients: list[httpx.Client] = []
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(json.loads(line))
            if self.lines[-1]["message"] == "listening":
                self.url = self.lines[-1]["address"]
            if self.lines[-1]["message"] == "Application startup complete.":
                break
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.lines.extend(json.loads(line) for line in self.process.stderr)

    def client(self, **options: Any) -> httpx.Client:
        """A client that is closed when the server ends."""
        self._clients.append(httpx.Client(base_url=self.url, timeout=20, **options))
        return self._clients[-1]

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and give the exit code."""
        for client in self._clients:
            client.close()
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(30)
        self._reader.join(10)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code
