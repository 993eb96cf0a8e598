"""HTTP/1.1 on a connection, with bounds before anything is parsed."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any
from urllib.parse import unquote

import httptools
import msgspec
import uvicorn
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.server import ServerState

from floorline.service.http import limits
from floorline.service.http.closing_timer import ClosingTimer
from floorline.service.http.connections import ConnectionCount
from floorline.service.http.exchange import STATUS_LINES, Exchange, Outbox
from floorline.service.http.problems import MEDIA_TYPE, Problem, unavailable

REFUSAL_SECONDS = 1.0
"""For a client to read the response to a request that is refused unread."""

ASGI = {"version": "3.0", "spec_version": "2.3"}


class Protocol(asyncio.Protocol):
    """Bounds connections, headers and the time for them; answers pipelined requests in order.

    It does what uvicorn's protocol does in less time: each response is written as a whole, and the
    timer of a connection is seldom set.
    """

    _transport: asyncio.Transport
    _flow: FlowControl

    def __init__(
        self,
        count: ConnectionCount,
        outbox: Outbox,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        """Serve the application of `config`; the other parameters are those of uvicorn."""
        self._count = count
        self._outbox = outbox
        self._is_counted = False
        self._app = config.loaded_app
        self._keep_alive_seconds = config.timeout_keep_alive
        self._state = server_state
        self._loop = _loop or asyncio.get_running_loop()
        self._parser = self._new_parser()
        self._address = ""
        self._about_connection: dict[str, Any] = {}
        self._header_bytes: int | None = None
        """Bytes received of incomplete headers; None while no headers are being received."""
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._expects_continue = False
        self._is_parsed_again = False
        """Whether these headers are parsed again, without the one that names a protocol."""
        self._received: Exchange | None = None
        """The last request whose headers have come."""
        self._answered: Exchange | None = None
        """The request that is being answered, or was last."""
        self._pipeline: deque[Exchange] = deque()
        self._refusal: Problem | None = None
        """What is wrong with what came after the pipeline, until those before are answered."""
        self._timer = ClosingTimer(self._loop, self._end_wait)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection, or close it if there are too many."""
        self._state.connections.add(self)  # type: ignore[arg-type]
        self._transport = transport
        self._flow = FlowControl(transport)
        client = transport.get_extra_info("peername")
        self._address = client[0] if client else ""
        self._about_connection = {
            "type": "http",
            "asgi": ASGI,
            "scheme": "https" if transport.get_extra_info("sslcontext") else "http",
            "server": transport.get_extra_info("sockname"),
            "client": client,
            "root_path": "",
        }
        self._is_counted = self._count.open(self._address)
        if self._is_counted:
            self._timer.expect_headers()
        else:
            self._refuse(unavailable("too many connections are open"))

    def connection_lost(self, exc: Exception | None) -> None:
        """Notify the requests that are being received and answered, and forget the others."""
        self._state.connections.discard(self)
        if self._is_counted:
            self._count.close(self._address)
        self._timer.cancel()
        self._pipeline.clear()
        for exchange in (self._received, self._answered):
            if exchange is not None:
                exchange.cut_off()
        self._flow.resume_writing()

    def pause_writing(self) -> None:
        """Make responses wait until the client has read what was sent."""
        self._flow.pause_writing()

    def resume_writing(self) -> None:
        """Resume responses."""
        self._flow.resume_writing()

    def shutdown(self) -> None:
        """Close the connection, after the response if there is one under way."""
        if self._answered is None or self._answered.is_ended:
            self._outbox.flush()
            self._transport.close()
        else:
            self._answered.keep_alive = False

    def data_received(self, data: bytes) -> None:
        """Parse in small pieces, since the parser's time grows with the square of a header."""
        if self._refusal is not None:
            return
        for start in range(0, len(data), limits.MAX_HEADER_BYTES):
            piece = data[start : start + limits.MAX_HEADER_BYTES]
            try:
                self._parse(piece)
            except httptools.HttpParserError:
                too_many = len(self._headers) >= limits.MAX_HEADERS
                self._refuse_in_turn(_too_large() if too_many else _malformed())
            if self._refusal is not None or self._transport.is_closing():
                return
            if self._header_bytes is not None:
                self._header_bytes += len(piece)
                if self._header_bytes > 2 * limits.MAX_HEADER_BYTES:
                    self._refuse_in_turn(_too_large())
                    return
        if self._answered is None or self._answered.is_ended:
            self._timer.expect_headers()

    def _parse(self, piece: bytes) -> None:
        """Parse a piece. A request for another protocol is parsed again as one for HTTP/1.1.

        For the parser, that protocol begins after the headers: it would take a body for a request.
        """
        while piece:
            try:
                self._parser.feed_data(piece)
                return
            except httptools.HttpParserUpgrade as upgrade:
                if not self._is_parsed_again:  # CONNECT, which is refused: nothing follows
                    return
                piece = self._head_without_upgrade() + piece[upgrade.args[0] :]
                self._parser = self._new_parser()

    def _new_parser(self) -> httptools.HttpRequestParser:
        parser = httptools.HttpRequestParser(self)
        # What follows the last request must not keep it from being answered.
        parser.set_dangerous_leniencies(lenient_data_after_close=True)
        return parser

    def _head_without_upgrade(self) -> bytes:
        """Return the headers that were just parsed, without the one that names a protocol."""
        parser = self._parser
        version = parser.get_http_version().encode()
        lines = [b"%b %b HTTP/%b\r\n" % (parser.get_method(), self._url, version)]
        lines += [b"%b: %b\r\n" % header for header in self._headers if header[0] != b"upgrade"]
        return b"".join(lines) + b"\r\n"

    # Called by the parser.

    def on_message_begin(self) -> None:
        """Count the bytes of the headers that begin here."""
        self._header_bytes = 0
        self._url = b""
        self._headers = []
        self._expects_continue = False

    def on_url(self, url: bytes) -> None:
        """Add to the URL."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header."""
        if len(self._headers) >= limits.MAX_HEADERS:
            raise _too_large()
        name, value = name.lower(), value.rstrip(b" \t")  # the parser leaves what follows it
        self._headers.append((name, value))
        if name == b"expect":
            self._expects_continue = value.lower() == b"100-continue"

    def on_headers_complete(self) -> None:
        """Start to answer, once earlier requests are answered."""
        self._header_bytes = None
        parser = self._parser
        version = parser.get_http_version()
        if is_ambiguous(version, self._headers):
            raise _malformed()
        upgrades = parser.should_upgrade()
        self._is_parsed_again = upgrades and parser.get_method() != b"CONNECT"
        if self._is_parsed_again:
            return
        url = httptools.parse_url(self._url)
        path = url.path.decode("ascii")
        exchange = self._received = Exchange(
            {
                **self._about_connection,
                "http_version": version,
                "method": parser.get_method().decode("ascii"),
                "path": unquote(path) if "%" in path else path,
                "raw_path": url.path,
                "query_string": url.query or b"",
                "headers": self._headers,
            },
            self._transport,
            self._flow,
            self._outbox,
            self._state,
            keep_alive=version != "1.0" and parser.should_keep_alive() and not upgrades,
            expects_continue=self._expects_continue and version != "1.0",
            on_end=self._after_response,
        )
        self._headers = []  # what comes after the body is no part of them
        if self._answered is None or self._answered.is_ended:
            self._answer(exchange)
        else:
            self._flow.pause_reading()
            self._pipeline.append(exchange)

    def on_chunk_header(self) -> None:
        """Count the bytes that follow: after the last chunk of a body there may be headers."""
        self._header_bytes = 0

    def on_body(self, body: bytes) -> None:
        """Add to the body."""
        self._header_bytes = None
        assert self._received is not None
        self._received.add(body)

    def on_message_complete(self) -> None:
        """End the body."""
        self._header_bytes = None
        if not self._is_parsed_again:
            assert self._received is not None
            self._received.end_body()

    def _answer(self, exchange: Exchange) -> None:
        self._answered = exchange
        timer = self._timer
        timer.closes_at, timer.is_for_headers = None, False
        exchange.start(self._app)

    def _after_response(self) -> None:
        """Answer the next request, if it has already arrived."""
        if self._transport.is_closing():
            return
        self._flow.resume_reading()
        if self._pipeline:
            self._answer(self._pipeline.popleft())
        elif self._refusal is not None:
            self._refuse(self._refusal)
        else:
            self._timer.close_in(self._keep_alive_seconds)

    # Closing connections.

    def _end_wait(self) -> None:
        """Close a connection that has waited long enough."""
        if self._header_bytes is None:  # nothing was asked, or it was answered
            self._transport.abort()
        else:
            self._refuse(Problem(408, "too-slow", "the headers did not come in time"))

    def _refuse_in_turn(self, problem: Problem) -> None:
        """Refuse what was just received, once the requests before it are answered."""
        last, answered = self._received, self._answered
        if last is None or answered is None or answered.is_ended:
            self._refuse(problem)
        elif last.is_received:
            self._refusal = problem
        elif last is answered:
            self._refuse(problem)
        else:
            self._pipeline.remove(last)
            self._refusal = problem

    def _refuse(self, problem: Problem) -> None:
        """Send a problem and close the connection, even if the client does not read it."""
        body = msgspec.json.encode(problem.document())
        headers = {
            "content-type": MEDIA_TYPE,
            "content-length": str(len(body)),
            "connection": "close",
        }
        headers.update(problem.headers)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._outbox.flush()  # the responses before
        self._transport.write(b"%b%b\r\n%b" % (STATUS_LINES[problem.status], lines.encode(), body))
        self._transport.close()
        self._loop.call_later(REFUSAL_SECONDS, self._transport.abort)


def is_ambiguous(version: str, headers: list[tuple[bytes, bytes]]) -> bool:
    """Return whether a proxy could take these headers for another request (RFC 9112).

    >>> is_ambiguous("1.1", [(b"host", b"a"), (b"host", b"b")])
    True
    """
    hosts, codings = 0, []
    for name, value in headers:
        if name == b"host":
            hosts += 1
        elif name == b"transfer-encoding":
            codings.append(value.lower())
    return hosts > 1 or (hosts == 0 and version == "1.1") or codings not in ([], [b"chunked"])


def _malformed() -> Problem:
    return Problem(400, "malformed", "Invalid HTTP request received.")


def _too_large() -> Problem:
    detail = (
        f"a request may have {limits.MAX_HEADERS} headers and {limits.MAX_HEADER_BYTES} bytes "
        "before its body"
    )
    return Problem(431, "too-large", detail)
