"""The addresses of a host, looked up in a thread: the system's resolver has no deadline."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

from .deadline import Deadline

Address = tuple[int, Any]
"""The family of a socket, and what it connects to."""

FRESH_SECONDS = 30.0
"""How long addresses are used before they are looked up again."""


class Resolver:
    """The addresses of one host and port.

    Known addresses stay in use while they are looked up again, so a slow resolver delays only the
    first requests.
    """

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._addresses: list[Address] = []
        self._error: OSError | None = None
        self._fresh_until = 0.0
        try:  # a number needs no resolver
            self._addresses = self._query(socket.AI_NUMERICHOST)
            self._fresh_until = float("inf")
        except OSError:
            pass

    def addresses(self, deadline: Deadline) -> list[Address]:
        """Return the host's addresses, the one that last worked first.

        Raises:
            TimeoutError: they are not known by the deadline.
            OSError: the host has none.
        """
        with self._lock:
            if time.monotonic() >= self._fresh_until and self._thread is None:
                self._start()
            if self._addresses:
                return list(self._addresses)
            thread = self._thread
        if thread is not None:
            thread.join(deadline.left())
            deadline.left()  # raises if that is why the wait ended
        with self._lock:
            if self._addresses:
                return list(self._addresses)
            raise self._error or OSError(f"{self._host} has no address")

    def _start(self) -> None:
        """Start to look up; the next request tries again if the system gives no thread now."""
        thread = threading.Thread(target=self._look_up, name="resolver", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            self._error = OSError(str(error))
        else:
            self._thread = thread

    def prefer(self, address: Address) -> None:
        """Return this address first from now on."""
        with self._lock:
            if address in self._addresses:
                self._addresses.remove(address)
                self._addresses.insert(0, address)

    def expire(self) -> None:
        """Look the addresses up again at the next request: none of them worked."""
        with self._lock:
            if self._fresh_until < float("inf"):
                self._fresh_until = 0.0

    def _query(self, flags: int = 0) -> list[Address]:
        found = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM, flags=flags)
        return [(family, address) for family, _, _, _, address in found]

    def _look_up(self) -> None:
        addresses: list[Address] = []
        error: OSError | None = None
        try:
            addresses = self._query()
        except OSError as failure:
            error = failure
        except UnicodeError as failure:  # a host name that cannot be written in a query
            error = OSError(str(failure))
        with self._lock:
            self._thread = None
            self._error = error
            if addresses:
                self._addresses = addresses
            if self._addresses:
                self._fresh_until = time.monotonic() + FRESH_SECONDS
