"""Connections to one service: kept open, and shared by any number of threads."""

from __future__ import annotations

import re
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from floorline.client.answers import ServiceError
from floorline.core.checks import require

TRIES = 3
PAUSE = 0.01
"""Seconds before the second try; twice that before the third."""

TRY_AGAIN = (502, 503, 504)
"""Statuses that may be gone at the next try."""

KEY = re.compile(r"[!-~]+")


class Wire:
    """Sends requests to one service, each in time or not at all.

    A request may arrive twice: it must be one that the service takes for the same.
    """

    def __init__(self, url: str, key: str | None) -> None:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname)
        require(fits, "url", "as http://127.0.0.1:8400", url)
        self._kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._host, self._port = str(parts.hostname), parts.port
        self._prefix = parts.path.rstrip("/")
        self._headers = {"Content-Type": "application/json"}
        if key is not None:
            if not (isinstance(key, str) and KEY.fullmatch(key)):  # `require` would show the secret
                raise ValueError("key: must be printable ASCII without spaces or line ends")
            self._headers["Authorization"] = f"Bearer {key}"
        self._idle: list[HTTPConnection] = []

    def post(self, path: str, body: bytes, timeout: float) -> tuple[int, bytes]:
        """The status and body of the answer, after up to three tries in `timeout` seconds.

        Raises:
            ServiceError: there was no answer. Its reason is `timeout` or `unreachable`.
        """
        ends = time.monotonic() + timeout
        for number in range(1, TRIES + 1):
            try:
                status, answer = self._try(path, body, ends)
                if status not in TRY_AGAIN or number == TRIES:
                    return status, answer
            except TimeoutError:
                raise ServiceError("timeout", f"no answer in {timeout:g} seconds") from None
            except (OSError, HTTPException) as error:
                if number == TRIES:
                    raise ServiceError("unreachable", str(error)) from None
            time.sleep(max(0.0, min(PAUSE * number, ends - time.monotonic())))
        raise AssertionError("the last try returns or raises")

    def _try(self, path: str, body: bytes, ends: float) -> tuple[int, bytes]:
        left = _left(ends)
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._kind(self._host, self._port)
        connection.timeout = left
        try:  # each step has the time that those before it left
            if connection.sock is None:
                connection.connect()
            connection.sock.settimeout(_left(ends))
            connection.request("POST", self._prefix + path, body, self._headers)
            connection.sock.settimeout(_left(ends))
            answer = connection.getresponse()
            found = answer.status, answer.read()
        except BaseException:
            connection.close()
            self.close()  # what cut this one off has cut off the others
            raise
        self._idle.append(connection)
        return found

    def close(self) -> None:
        """Close the connections that nobody uses."""
        while self._idle:
            self._idle.pop().close()


def _left(ends: float) -> float:
    """Seconds from now to then, of which there must be some."""
    left = ends - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
