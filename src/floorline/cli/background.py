"""A service in a process of its own."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from urllib.request import ProxyHandler, build_opener

PATIENCE = 30.0
"""Seconds in which it must be ready, and must have ended."""

direct = build_opener(ProxyHandler({}))
"""Opens addresses on this machine, which no proxy can reach."""

READY = re.compile(r'"address": "([^"]+)".*"Application startup complete', re.DOTALL)
"""What its log says when it is ready. To ask the port could be to ask another service."""


class Background:
    """A running service on this machine. Its log is next to its data."""

    def __init__(self, data: Path, *ports: int) -> None:
        """Start it on the first of these ports that it can use (0: any), and wait for it.

        Raises:
            ValueError: it does not get ready.
        """
        self._log = data.with_name(data.name + ".log")
        command = [sys.executable, "-m", "floorline", "serve", "--data", str(data)]
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
        said = self._log.read_text().strip().splitlines()[-1:]
        raise ValueError(f"the service did not start: {' '.join(said)}")

    def _wait(self) -> str:
        """Its address when it is ready; empty if it does not get ready."""
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends and self.process.poll() is None:
            if ready := READY.search(self._log.read_text()):
                return ready[1]
            time.sleep(0.05)
        return ""

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it by a signal, and wait until it has ended."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(PATIENCE)

    def __enter__(self) -> Background:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.end()
