"""Posting to webhooks: to no other address, and with a deadline for each attempt."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from urllib.request import (
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
    build_opener,
)

TIMEOUT_SECONDS = 5.0
"""The limit for connecting, and again for everything after that in an attempt."""


class _Connection(HTTPConnection):
    """Ends at the deadline: a timeout restarts with every byte of a slow response."""

    def connect(self) -> None:
        super().connect()
        timer = threading.Timer(TIMEOUT_SECONDS, _end, [self.sock])
        timer.daemon = True  # it does not keep the service from ending
        timer.start()


class _TLSConnection(_Connection, HTTPSConnection):
    """The same, encrypted."""


def _end(connected: socket.socket) -> None:
    with suppress(OSError):  # it was closed in time
        socket.socket.shutdown(connected, socket.SHUT_RDWR)


class _HTTP(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_Connection, req)


class _HTTPS(HTTPSHandler):
    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_TLSConnection, req)


class _NoRedirects(HTTPRedirectHandler):
    """Treats a redirect as an error: alerts go only to the configured address."""

    def redirect_request(self, *_: object) -> None:
        return None


_opener: OpenerDirector = build_opener(_HTTP, _HTTPS, _NoRedirects)


def post(url: str, body: bytes, headers: dict[str, str]) -> None:
    """Post a body; the response's own is not read.

    Raises:
        OSError, HTTPException, ValueError: it was not accepted.
    """
    _opener.open(Request(url, body, headers), timeout=TIMEOUT_SECONDS).close()
