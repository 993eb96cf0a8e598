"""HTTP/1.1 on a connection: uvicorn's protocol, with bounds before anything is parsed."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from floorline.service.http import limits
from floorline.service.http.connections import ConnectionCount
from floorline.service.http.problems import MEDIA_TYPE, Problem, unavailable

REFUSAL_SECONDS = 1.0
"""For a client to take the answer to a request that is refused unread."""


class Protocol(HttpToolsProtocol):
    """Bounds connections, headers and the time for them, and drops pipelines that are cut off.

    Uvicorn tells only the last request of a pipeline that the client has gone. The one being
    answered would fail on the closed connection, and be logged as an internal error.
    """

    _answering: RequestResponseCycle | None = None
    _is_counted = False
    _header_bytes: int | None = None
    """Received of headers that are not complete; None while no headers are being received."""
    _deadline: asyncio.TimerHandle | None = None
    """Closes the connection unless the headers of a request are complete by then."""

    def __init__(self, count: ConnectionCount, **options: Any) -> None:
        super().__init__(**options)
        self._count = count

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection, or close it if there are too many."""
        super().connection_made(transport)
        self._is_counted = self._count.open(self._address)
        if self._is_counted:
            self._set_deadline()
        else:
            self._refuse(unavailable("too many connections are open"))

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the request that is being answered, and forget those that wait for it."""
        if self._is_counted:
            self._count.close(self._address)
        self._cancel_deadline()
        self._unset_keepalive_if_required()
        self.pipeline.clear()
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what comes in pieces, since the parser's time grows with the square of a header."""
        for start in range(0, len(data), limits.MAX_HEADER_BYTES):
            piece = data[start : start + limits.MAX_HEADER_BYTES]
            super().data_received(piece)
            if self.transport.is_closing():
                return
            if self._header_bytes is not None:
                self._header_bytes += len(piece)
                if self._header_bytes > 2 * limits.MAX_HEADER_BYTES:
                    self._refuse(_too_large())
                    return
        if self.cycle is None or self.cycle.response_complete:  # no request is being answered
            self._set_deadline()

    def on_message_begin(self) -> None:
        """Count the bytes of the headers that begin here."""
        self._header_bytes = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header."""
        if len(self.headers) >= limits.MAX_HEADERS:
            raise _too_large()
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start to answer."""
        self._header_bytes = None
        self._cancel_deadline()
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """Count the bytes that follow: after the last chunk of a body there may be headers."""
        self._header_bytes = 0

    def on_body(self, body: bytes) -> None:
        """Add to the body."""
        self._header_bytes = None
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the body."""
        self._header_bytes = None
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what the parser refuses."""
        too_many = self.headers is not None and len(self.headers) >= limits.MAX_HEADERS
        self._refuse(_too_large() if too_many else Problem(400, "malformed", msg))

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, even one whose client does not take the last answer."""
        self.transport.abort()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def _set_deadline(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(limits.HEADER_TIMEOUT_SECONDS, self._time_out)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _time_out(self) -> None:
        if self._header_bytes is None:  # nothing was asked, or it was answered
            self.transport.abort()
        else:
            self._refuse(Problem(408, "too-slow", "the headers did not come in time"))

    def _refuse(self, problem: Problem) -> None:
        """Send a problem and close the connection, even if the client does not take it."""
        body = msgspec.json.encode(problem.document())
        headers = {
            "content-type": MEDIA_TYPE,
            "content-length": str(len(body)),
            "connection": "close",
        }
        headers.update(problem.headers)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(b"%b%b\r\n%b" % (STATUS_LINE[problem.status], lines.encode(), body))
        self.transport.close()
        self.loop.call_later(REFUSAL_SECONDS, self.transport.abort)


def _too_large() -> Problem:
    detail = (
        f"a request may have {limits.MAX_HEADERS} headers and {limits.MAX_HEADER_BYTES} bytes "
        "before its body"
    )
    return Problem(431, "too-large", detail)
