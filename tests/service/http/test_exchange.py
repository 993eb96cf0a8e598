"""What our HTTP protocol writes, and when, on a connection that only remembers it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from floorline.service.http.connections import ConnectionCount
from floorline.service.http.exchange import Outbox
from floorline.service.http.limits import HEADER_TIMEOUT_SECONDS
from floorline.service.http.protocol import Protocol

GET = b"GET /%b HTTP/1.1\r\nHost: localhost\r\n\r\n"
START = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
BODY = {"type": "http.response.body", "body": b"{}"}
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"


class Connection(asyncio.Transport):
    """Remembers what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.closed = asyncio.Event()

    def is_closing(self) -> bool:
        return self.closed.is_set()

    def write(self, data: Any) -> None:
        self.written.append(data)

    def close(self) -> None:
        self.closed.set()

    def abort(self) -> None:
        self.closed.set()

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


def serve(app: Any) -> Callable[..., tuple[Protocol, Connection]]:
    """What makes connections to an application."""
    config = uvicorn.Config(app, log_config=None, lifespan="off", timeout_keep_alive=30)
    config.load()
    config.loaded_app = app  # without what uvicorn puts around it
    outbox, state = Outbox(), ServerState()

    def connect(loop: Any = None) -> tuple[Protocol, Connection]:
        connection = Connection()
        protocol = Protocol(ConnectionCount(9, 9), outbox, config, state, {}, loop)
        protocol.connection_made(connection)
        return protocol, connection

    return connect


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def hello(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
    await send(START)
    await send(BODY)


def test_a_response_is_one_write_and_those_of_a_turn_come_together() -> None:
    answered: list[list[int]] = []
    connections: list[Connection] = []

    async def app(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        await hello(scope, receive, send)
        answered.append([len(connection.written) for connection in connections])

    async def ask() -> None:
        connect = serve(app)
        for _ in range(3):
            protocol, connection = connect()
            connections.append(connection)
            protocol.data_received(GET % b"")
        await turns()

    asyncio.run(ask())
    assert answered == [[0, 0, 0]] * 3  # nothing was written before all had answered
    assert [connection.written for connection in connections] == [[OK]] * 3


def test_a_refusal_comes_after_the_responses_before() -> None:
    async def ask() -> list[bytes]:
        protocol, connection = serve(hello)()
        protocol.data_received(GET % b"")
        await asyncio.sleep(0)  # it is answered, and not written yet
        assert connection.written == []
        protocol.data_received(b"NONSENSE\r\n\r\n")
        return connection.written

    written = asyncio.run(ask())
    assert written[0] == OK
    assert written[1].startswith(b"HTTP/1.1 400 ")


CHUNKED = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("wrong", [b"NONSENSE\r\n\r\n", CHUNKED + b"x", b"GET /" + b"a" * 40_000])
@pytest.mark.parametrize("requests", [1, 2])
def test_a_refusal_waits_for_responses_that_are_not_ready(wrong: bytes, requests: int) -> None:
    """A client that sends several requests at once takes the first response for the first one's."""

    async def ask() -> list[bytes]:
        ready = asyncio.Event()

        async def app(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
            await ready.wait()
            await hello(scope, receive, send)

        protocol, connection = serve(app)()
        protocol.data_received(GET % b"" * requests + wrong)
        protocol.data_received(GET % b"ignored")
        await turns()
        assert connection.written == [] and not connection.is_closing()
        ready.set()
        await turns()
        assert connection.is_closing()
        return connection.written

    written = asyncio.run(ask())
    assert written[:requests] == [OK] * requests
    assert written[requests].startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 431 "))
    assert len(written) == requests + 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (b"Host: a\r\n", b"200"),
        (b"", b"400"),
        (b"Host: a\r\nHost: a\r\n", b"400"),
        (b"Host: a\r\nTransfer-Encoding: chunked\r\n", b"200"),
        (b"Host: a\r\nTransfer-Encoding: Chunked\r\n", b"200"),
        (b"Host: a\r\nTransfer-Encoding: gzip, chunked\r\n", b"400"),
        (b"Host: a\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", b"400"),
        (b"Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", b"400"),
    ],
)
def test_requests_that_a_proxy_could_read_otherwise_are_refused(
    headers: bytes, status: bytes
) -> None:
    async def ask() -> list[bytes]:
        protocol, connection = serve(hello)()
        protocol.data_received(b"POST / HTTP/1.1\r\n" + headers + b"\r\n0\r\n\r\n")
        await turns()
        return connection.written

    assert asyncio.run(ask())[0].startswith(b"HTTP/1.1 " + status)


def test_http_1_0_needs_no_host() -> None:
    async def ask() -> list[bytes]:
        protocol, connection = serve(hello)()
        protocol.data_received(b"GET / HTTP/1.0\r\n\r\n")
        await turns()
        return connection.written

    assert asyncio.run(ask())[0].startswith(b"HTTP/1.1 200")


def test_a_body_that_is_malformed_is_refused_at_once() -> None:
    async def app(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    async def ask() -> list[bytes]:
        protocol, connection = serve(app)()
        protocol.data_received(CHUNKED)
        await turns()
        protocol.data_received(b"x")
        protocol.connection_lost(None)
        await turns()
        return connection.written

    assert [one[:13] for one in asyncio.run(ask())] == [b"HTTP/1.1 400 "]


UPGRADE = b"POST /%b HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
UPGRADES = [
    UPGRADE % b"1" + b"Content-Length: 2\r\n\r\n{}",
    GET % b"2",
    UPGRADE % b"3" + b"\r\n",
    UPGRADE % b"4" + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
    GET % b"5",
]


@pytest.mark.parametrize("size", [1000, *range(1, 60)])
def test_a_request_for_another_protocol_keeps_its_body(size: int) -> None:
    """Java's and curl's clients ask for HTTP/2. A body must never be read as a request."""
    asked: list[Any] = []

    async def app(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        asked.append((scope["path"], body))
        await hello(scope, receive, send)

    async def ask() -> list[bytes]:
        protocol, connection = serve(app)()
        sent = b"".join(UPGRADES)
        for start in range(0, len(sent), size):
            protocol.data_received(sent[start : start + size])
            await turns(1)
        await turns(20)
        return connection.written

    assert asyncio.run(ask()) == [OK] * 5
    assert asked == [("/1", b"{}"), ("/2", b""), ("/3", b""), ("/4", b"{}"), ("/5", b"")]


@pytest.mark.parametrize(("where", "status"), [(b"localhost:80", b"400"), (b"/", b"200")])
def test_a_tunnel_is_not_opened(where: bytes, status: bytes) -> None:
    """What follows a CONNECT is not read, and the connection is closed."""

    async def ask() -> list[bytes]:
        protocol, connection = serve(hello)()
        protocol.data_received(b"CONNECT " + where + b" HTTP/1.1\r\nHost: a\r\n\r\n" + GET % b"")
        await turns()
        assert connection.is_closing()
        return connection.written

    assert [one[9:12] for one in asyncio.run(ask())] == [status]


def test_spaces_around_a_value_are_no_part_of_it() -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        seen.extend(scope["headers"])
        await hello(scope, receive, send)

    async def ask() -> None:
        protocol, _ = serve(app)()
        protocol.data_received(b"GET / HTTP/1.1\r\nHost: \ta \r\nContent-Length: 0 \t\r\n\r\n")
        await turns()

    asyncio.run(ask())
    assert seen == [(b"host", b"a"), (b"content-length", b"0")]


def test_headers_after_a_body_are_no_headers_of_the_request() -> None:
    """Not even where they are read before the application looks: in a pipeline."""
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        seen.append(dict(scope["headers"]))
        await hello(scope, receive, send)

    async def ask() -> list[bytes]:
        protocol, connection = serve(app)()
        late = b"0\r\nHost: evil\r\nAuthorization: Bearer evil\r\n\r\n"
        protocol.data_received(GET % b"" + CHUNKED + late)
        await turns(10)
        return connection.written

    assert asyncio.run(ask()) == [OK, OK]
    assert seen[1] == {b"host": b"localhost", b"transfer-encoding": b"chunked"}


@pytest.mark.parametrize(("version", "told"), [(b"1.0", []), (b"1.1", [b"100"])])
def test_only_clients_that_know_it_are_told_to_continue(version: bytes, told: list[bytes]) -> None:
    async def app(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        await receive()
        await hello(scope, receive, send)

    async def ask() -> list[bytes]:
        protocol, connection = serve(app)()
        expecting = b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        protocol.data_received(b"POST / HTTP/" + version + b"\r\nHost: localhost\r\n" + expecting)
        await turns()
        return connection.written

    assert [one[9:12] for one in asyncio.run(ask())] == [*told, b"200"]


@pytest.mark.parametrize("sent", [[], [START], [START, BODY | {"more_body": True}]])
def test_an_application_that_fails_closes_the_connection(sent: list[Any]) -> None:
    async def app(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        for message in sent:
            await send(message)
        raise KeyError("broken")

    async def ask() -> tuple[bytes, bool]:
        protocol, connection = serve(app)()
        protocol.data_received(GET % b"")
        await turns()
        return b"".join(connection.written), connection.is_closing()

    written, closed = asyncio.run(ask())
    assert closed
    assert written == OK if len(sent) == 2 else written.startswith(b"HTTP/1.1 500 ")


def test_headers_have_no_line_breaks() -> None:
    async def app(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        with pytest.raises(ValueError, match="line breaks"):
            await send(START | {"headers": [(b"a", b"b\r\nset-cookie: c")]})
        await hello(scope, receive, send)

    async def ask() -> list[bytes]:
        protocol, connection = serve(app)()
        protocol.data_received(GET % b"")
        await turns()
        return connection.written

    assert asyncio.run(ask()) == [OK]


class Clock:
    """The time and the timers of an event loop."""

    def __init__(self) -> None:
        self.now = 0.0
        self._timers: list[tuple[float, Callable[[], None], asyncio.Event]] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, call: Callable[[], None]) -> Any:
        cancelled = asyncio.Event()
        self._timers.append((when, call, cancelled))
        return SimpleNamespace(cancel=cancelled.set)

    def call_later(self, seconds: float, call: Callable[[], None]) -> Any:
        return self.call_at(self.now + seconds, call)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        end = self.now + seconds
        while due := [timer for timer in self._timers if timer[0] <= end]:
            timer = min(due, key=lambda timer: timer[0])
            self._timers.remove(timer)
            self.now = max(self.now, timer[0])
            if not timer[2].is_set():
                timer[1]()
        self.now = end


def test_an_idle_connection_is_closed_and_a_used_one_is_not() -> None:
    """One timer serves all requests of a connection: it must not close it by an old deadline."""

    async def ask() -> list[bytes]:
        clock = Clock()
        protocol, connection = serve(hello)(clock)
        for _ in range(10):
            protocol.data_received(GET % b"")
            await turns()
            clock.advance(29)
            assert not connection.is_closing()
        clock.advance(2)
        assert connection.is_closing()
        return connection.written

    assert asyncio.run(ask()) == [OK] * 10


@pytest.mark.parametrize("first", [b"", GET % b""])
def test_headers_that_have_begun_must_be_complete_soon(first: bytes) -> None:
    """Whether they are the first ones or come after a request, while the timer is set for later."""

    async def ask() -> None:
        clock = Clock()
        protocol, connection = serve(hello)(clock)
        protocol.data_received(first)
        await turns()
        clock.advance(15 if first else 9)
        for byte in b"GET /":  # a byte now and then gains no time
            protocol.data_received(bytes([byte]))
            clock.advance(0.1)
        assert not connection.is_closing()
        clock.advance(HEADER_TIMEOUT_SECONDS if first else 1)
        assert connection.is_closing()

    asyncio.run(ask())


def test_a_body_that_nobody_reads_does_not_hide_that_the_client_left() -> None:
    messages: list[Any] = []

    async def app(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        while not messages or messages[-1]["type"] != "http.disconnect":
            messages.append(await receive())

    async def ask() -> None:
        protocol, _ = serve(app)()
        protocol.data_received(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\na")
        await turns()
        protocol.data_received(b"bcd")
        await turns()
        protocol.connection_lost(None)
        await turns()

    asyncio.run(ask())
    assert [message.get("body") for message in messages] == [b"a", b"bcd", None]
    assert [message.get("more_body") for message in messages] == [True, False, None]
