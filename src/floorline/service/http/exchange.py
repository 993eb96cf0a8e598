"""One request on a connection and its response, as an ASGI application sees them."""

from __future__ import annotations

import asyncio
import http
import logging
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Scope
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT, FlowControl
from uvicorn.server import ServerState

log = logging.getLogger("floorline.service")

STATUS_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode()
    for status in http.HTTPStatus
}
STATUSES_WITHOUT_BODY = (204, 304)
FAILURE = STATUS_LINES[500] + b"content-length: 0\r\nconnection: close\r\n\r\n"


class Outbox:
    """Writes the responses of one turn of the event loop together.

    A group of decisions is answered in one turn. A client with many connections, such as a proxy,
    is then woken once for all of them instead of once for each.
    """

    def __init__(self) -> None:
        self._responses: list[tuple[asyncio.Transport, bytes]] = []

    def add(self, transport: asyncio.Transport, response: bytes) -> None:
        """Write to a connection at the end of this turn of the event loop."""
        if not self._responses:
            asyncio.get_running_loop().call_soon(self.flush)
        self._responses.append((transport, response))

    def flush(self) -> None:
        """Write everything now."""
        responses, self._responses = self._responses, []
        for transport, response in responses:
            if not transport.is_closing():
                transport.write(response)


class Exchange:
    """A request, whose body may still be coming, and the response to it."""

    __slots__ = (
        "_body",
        "_expects_continue",
        "_flow",
        "_has_news",
        "_head",
        "_is_chunked",
        "_is_written",
        "_on_end",
        "_outbox",
        "_scope",
        "_state",
        "_task",
        "_transport",
        "_waiter",
        "is_cut_off",
        "is_ended",
        "is_received",
        "keep_alive",
    )

    def __init__(
        self,
        scope: Scope,
        transport: asyncio.Transport,
        flow: FlowControl,
        outbox: Outbox,
        state: ServerState,
        keep_alive: bool,
        expects_continue: bool,
        on_end: Callable[[], None],
    ) -> None:
        """Begin when the request's headers have arrived; `on_end` is called after the response.

        Args:
            scope: the ASGI scope of the request.
            transport: the connection.
            flow: pauses it in both directions.
            outbox: collects what is written to it.
            state: has the headers of every response.
            keep_alive: whether the connection stays open after the response.
            expects_continue: whether the client sends its body only when it is told to.
            on_end: what to do after the response.
        """
        self._scope = scope
        self._transport = transport
        self._flow = flow
        self._outbox = outbox
        self._state = state
        self._on_end = on_end
        self._expects_continue = expects_continue
        self._body = b""
        self._has_news = True  # so that the first call of `receive` never waits
        self._waiter: asyncio.Future[None] | None = None
        self._head: bytes | None = None  # not written yet
        self._is_chunked = False
        self._is_written = False  # whether anything of the response is
        self.keep_alive = keep_alive
        self.is_received = False
        """Whether the body of the request is complete."""
        self.is_cut_off = False
        """Whether the client disconnected before the response had ended."""
        self.is_ended = False
        """Whether the response is complete."""

    def add(self, body: bytes) -> None:
        """Add to the body of the request."""
        if self.is_ended:
            return
        self._body += body
        if len(self._body) > HIGH_WATER_LIMIT:
            self._flow.pause_reading()
        self._notify()

    def end_body(self) -> None:
        """Note that the body of the request is complete."""
        self.is_received = True
        self._notify()

    def cut_off(self) -> None:
        """Note that the client has disconnected."""
        self.is_cut_off = not self.is_ended
        self._notify()

    def _notify(self) -> None:
        self._has_news = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def start(self, app: ASGIApp) -> None:
        """Have the application respond; if it fails, send an error and close the connection."""
        self._task = asyncio.get_running_loop().create_task(self._run(app))
        self._state.tasks.add(self._task)  # which is waited for when the server stops

    async def _run(self, app: ASGIApp) -> None:
        try:
            await app(self._scope, self.receive, self.send)
        except Exception:
            log.exception("request failed", extra={"path": self._scope["path"]})
        finally:
            self._state.tasks.discard(self._task)
            if not self.is_ended and not self.is_cut_off:
                if not self._is_written:
                    self._outbox.add(self._transport, FAILURE)
                self._close()

    async def receive(self) -> Message:
        """Return what has arrived of the body; only the first call never waits."""
        if self._expects_continue and not self._transport.is_closing():
            self._expects_continue = False
            self._outbox.add(self._transport, b"HTTP/1.1 100 Continue\r\n\r\n")
        if not self._has_news:
            self._flow.resume_reading()
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        self._has_news = False
        if self.is_cut_off or self.is_ended:
            return {"type": "http.disconnect"}
        body, self._body = self._body, b""
        return {"type": "http.request", "body": body, "more_body": not self.is_received}

    async def send(self, message: Message) -> None:
        """Send a part of the response; the headers go with the first part of the body."""
        if self._flow.write_paused and not self.is_cut_off:
            await self._flow.drain()
        if self.is_cut_off:
            return
        if message["type"] == "http.response.start":
            self._begin(message["status"], message.get("headers", ()))
            return
        body, more = message.get("body", b""), message.get("more_body", False)
        if self._scope["method"] == "HEAD":
            body = b""
        elif self._is_chunked:
            body = (b"%x\r\n%b\r\n" % (len(body), body) if body else b"") + (
                b"" if more else b"0\r\n\r\n"
            )
        if self._head is not None:
            body, self._head = self._head + body, None
            self._is_written = True
        self._outbox.add(self._transport, body)
        if more:
            self._outbox.flush()  # at once, so that a stream waits for a slow client
        else:
            self._end()

    def _begin(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """Make the status line and the headers."""
        self._expects_continue = False
        lines = [STATUS_LINES[status]]
        has_length = False
        for name, value in (*self._state.default_headers, *headers):
            if name == b"content-length":
                has_length = True
            elif name == b"connection" and value == b"close":
                self.keep_alive = False
                continue
            lines.append(b"%b: %b\r\n" % (name, value))
        if not self.keep_alive:
            lines.append(b"connection: close\r\n")
        self._is_chunked = not has_length and status not in STATUSES_WITHOUT_BODY
        if self._is_chunked and self._scope["method"] != "HEAD":
            lines.append(b"transfer-encoding: chunked\r\n")
        head = b"".join(lines)
        if not head.count(b"\r") == head.count(b"\n") == len(lines):
            raise ValueError("headers: must not contain line breaks")
        self._head = head + b"\r\n"

    def _end(self) -> None:
        self.is_ended = True
        self._notify()
        if not self.keep_alive:
            self._close()
        self._on_end()

    def _close(self) -> None:
        self._outbox.flush()
        self._transport.close()
