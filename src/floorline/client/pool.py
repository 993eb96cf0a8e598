"""HTTP connections to one service: kept open, and shared by any number of threads."""

from __future__ import annotations

import re
import selectors
import socket
import ssl
import time
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import urlsplit

from .deadline import Deadline
from .forks import start_over_after_fork
from .messages import ServiceError
from .resolver import Resolver
from .sockets import DeadlineSocket, DeadlineTLSSocket

ATTEMPTS = 3
RETRY_PAUSE = 0.01
"""Seconds before the second attempt; twice that before the third."""

RETRIED_STATUSES = (502, 503, 504)

MAX_RESPONSE_BYTES = 64 * 1024 * 1024
"""In a body; far above what the service sends, and little enough for the program's memory."""

KEY = re.compile(r"[!-~]+")


class ConnectionPool:
    """Sends requests to one service, each with one deadline for everything it takes.

    A request may arrive more than once, so it must be idempotent.
    """

    def __init__(self, url: str, key: str | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url: must be like http://127.0.0.1:8400, not {url!r}")
        self._host = parts.hostname
        self._tls = _tls_context() if parts.scheme == "https" else None
        self._default_port = 443 if self._tls else 80
        self._port = parts.port or self._default_port
        self._prefix = parts.path.rstrip("/")
        self._headers = {"Content-Type": "application/json"}
        if key is not None:
            if not (isinstance(key, str) and KEY.fullmatch(key)):  # the error must not show it
                raise ValueError("key: must be printable ASCII without spaces or line ends")
            self._headers["Authorization"] = f"Bearer {key}"
        self.start_over()
        start_over_after_fork(self)

    def start_over(self) -> None:
        """Drop all connections."""
        self._resolver = Resolver(self._host, self._port)
        self._idle: list[HTTPConnection] = []

    def request(
        self, method: str, path: str, body: bytes | None, deadline: Deadline
    ) -> tuple[int, bytes]:
        """Return status and body of the response, after up to three attempts.

        Raises:
            ServiceError: there was none. Its reason is `timeout` or `unreachable`.
        """
        try:
            for attempt in range(1, ATTEMPTS):
                try:
                    status, content = self._attempt(method, path, body, deadline)
                    if status not in RETRIED_STATUSES:
                        return status, content
                except TimeoutError:
                    raise
                except (OSError, HTTPException):
                    pass
                time.sleep(min(RETRY_PAUSE * attempt, deadline.left()))
            return self._attempt(method, path, body, deadline)
        except TimeoutError:
            detail = f"no response within {deadline.seconds:g} seconds"
            raise ServiceError("timeout", detail) from None
        except (OSError, HTTPException) as error:
            raise ServiceError("unreachable", str(error)) from None

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()

    def _attempt(
        self, method: str, path: str, body: bytes | None, deadline: Deadline
    ) -> tuple[int, bytes]:
        deadline.left()
        connection = self._idle_connection()
        if connection is None:
            connection = HTTPConnection(self._host, self._port)
            connection.default_port = self._default_port  # decides what the Host header says
        try:
            if connection.sock is None:
                connection.sock = self._connect(deadline)
            assert isinstance(connection.sock, DeadlineSocket)
            connection.sock.deadline = deadline
            # For servers that forward requests: a later response is of no use.
            headers = {**self._headers, "X-Floorline-Deadline": f"{deadline.left():.3f}"}
            connection.request(method, self._prefix + path, body, headers)
            response = connection.getresponse()
            result = response.status, _body(response)
        except BaseException:
            connection.close()
            self.close()  # what broke this connection has probably broken the idle ones
            raise
        self._idle.append(connection)
        return result

    def _idle_connection(self) -> HTTPConnection | None:
        """Return an idle connection that can be used; None if there is none."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return None
            if connection.sock is None or _is_silent(connection.sock):
                return connection
            connection.close()

    def _connect(self, deadline: Deadline) -> DeadlineSocket:
        """Return a connection to the first address that accepts; each gets an equal time share."""
        addresses = self._resolver.addresses(deadline)
        failure = OSError(f"{self._host} has no address")
        for position, address in enumerate(addresses):
            family, endpoint = address
            share = Deadline(deadline.left() / (len(addresses) - position))
            connected = DeadlineSocket(family, socket.SOCK_STREAM)
            try:
                connected.settimeout(share.left())
                connected.connect(endpoint)
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                encrypted = self._encrypt(connected, share)
            except OSError as error:
                connected.close()
                failure = error
                continue
            if position > 0:
                self._resolver.prefer(address)
            return encrypted
        self._resolver.expire()
        raise failure

    def _encrypt(self, connected: DeadlineSocket, deadline: Deadline) -> DeadlineSocket:
        """Return the socket itself for http, an encrypted one for https."""
        if self._tls is None:
            return connected
        connected.settimeout(deadline.left())  # for the whole handshake
        encrypted = self._tls.wrap_socket(connected, server_hostname=self._host)
        assert isinstance(encrypted, DeadlineTLSSocket)
        return encrypted


def _is_silent(idle: socket.socket) -> bool:
    """Return whether nothing has arrived since the last response.

    Otherwise the server has closed the connection, or has sent something that would be taken for
    the next response: proxies send 408 to connections that are idle for long.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(idle, selectors.EVENT_READ)
        return not selector.select(0)


def _body(response: HTTPResponse) -> bytes:
    """Return the body of a response, whatever it says about its length.

    Raises:
        HTTPException: it is not complete, too large, or belongs to no final response.
    """
    if response.status < 200:  # the final one follows, and must not answer the next request
        raise HTTPException(f"a response with status {response.status}")
    length = response.length
    try:
        body = response.read(MAX_RESPONSE_BYTES + 1)
    except (ValueError, OverflowError) as error:  # a chunk with an impossible length
        raise HTTPException(f"a malformed response: {error}") from None
    if len(body) > MAX_RESPONSE_BYTES:
        raise HTTPException(f"a response of more than {MAX_RESPONSE_BYTES} bytes")
    if length is not None and len(body) < length:
        raise HTTPException(f"a response of {len(body)} instead of {length} bytes")
    return body


def _tls_context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.sslsocket_class = DeadlineTLSSocket
    return context
