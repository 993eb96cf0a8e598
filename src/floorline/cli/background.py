"""A service in a process of its own."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

TIMEOUT_SECONDS = 30.0
"""Time for the service to become ready, to answer, and to stop."""

direct = build_opener(ProxyHandler({}))
"""Opens URLs on this machine without a proxy."""

READY = re.compile(r'"address": "([^"]+)".*"Application startup complete', re.DOTALL)
"""Matches the log of a service that is ready. Polling the port could reach another service."""


class Background:
    """A running service on this machine. Its log is next to its data."""

    def __init__(self, data: Path, *ports: int) -> None:
        """Start on the first of these ports that is free (0: any), and wait until ready.

        Raises:
            ValueError: the service does not become ready.
        """
        self._log = data.with_name(data.name + ".log")
        command = [sys.executable, "-m", "floorline", "serve", "--create", "--data", str(data)]
        for port in ports:
            with self._log.open("wb") as log:
                self.process = subprocess.Popen([*command, "--port", str(port)], stderr=log)
            try:
                self.url = self._wait()
            except BaseException:
                self.end()
                raise
            if self.url:
                return
            self.end()
        last_line = self._log.read_text().strip().splitlines()[-1:]
        raise ValueError(f"the service did not start: {' '.join(last_line)}")

    def _wait(self) -> str:
        """Return the service's URL once it is ready, or an empty string if it never is."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            if ready := READY.search(self._log.read_text()):
                return ready[1]
            time.sleep(0.05)
        return ""

    def send(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the service's answer to a request: a POST if there is a body, else a GET."""
        sent = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}{path}", sent, {"Content-Type": "application/json"})
        with direct.open(request, timeout=TIMEOUT_SECONDS) as answer:
            return json.load(answer)

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal, and wait until the process has ended."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(TIMEOUT_SECONDS)

    def __enter__(self) -> Background:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
