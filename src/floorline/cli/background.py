"""A service in a process of its own."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

PATIENCE = 30.0
"""Seconds in which it must be ready, and must have ended."""

direct = build_opener(ProxyHandler({}))
"""Opens addresses on this machine, which no proxy can reach."""


class Background:
    """A running service on this machine. Its log is in `service.log` next to its data."""

    def __init__(self, data: Path, port: int) -> None:
        """Start it, and wait until it is ready.

        Raises:
            ValueError: it does not get ready.
        """
        self.url = f"http://127.0.0.1:{port}"
        self._log = data.with_name(data.name + ".log")
        command = [sys.executable, "-m", "floorline", "serve", "--data", str(data)]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen([*command, "--port", str(port)], stderr=log)
        try:
            self._wait()
        except BaseException:
            self.end()
            raise

    def _wait(self) -> None:
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends and self.process.poll() is None:
            try:
                with direct.open(f"{self.url}/readyz", timeout=PATIENCE):
                    return
            except (URLError, OSError):
                time.sleep(0.05)
        said = self._log.read_text().strip().splitlines()[-1:]
        raise ValueError(f"the service did not start: {' '.join(said)}")

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


def free_port(wanted: int) -> int:
    """The port that is wanted if nobody listens there, else any other."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            found: int = probe.getsockname()[1]
            return found
    raise ValueError("port: no free one was found")
