"""Connections, headers and the time for them are bounded before anything is parsed."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from serving import PAGE, Server

from floorline.service.host import descriptors
from floorline.service.http import connections, limits
from floorline.service.http.connections import ConnectionCount

DECIDE = (
    b"POST /v1/campaigns/page/decisions HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
)
START = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = b"POST /v1/rewards HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
SHORT_WAIT = (
    "import sys; from floorline.service.http import limits; "
    "limits.HEADER_TIMEOUT_SECONDS = 0.5; "
    "sys.argv = ['floorline', *sys.argv[1:]]; from floorline.cli.main import main; main()"
)

resource = pytest.importorskip("resource", reason="there are no limits of resources here")


def connect(server: Server) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), 20)


def answer(connection: socket.socket) -> bytes:
    """What comes until the connection is closed."""
    received = b""
    try:
        while part := connection.recv(65536):
            received += part
    except ConnectionResetError:  # what was sent has not been read
        pass
    return received


def memory(server: Server) -> int:
    """The most resident memory so far, in bytes."""
    return in_status(server, "VmHWM") * 1024


def in_status(server: Server, field: str) -> int:
    """What the system says of the server's process."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition(f"{field}:")[2].split()[0])


def flood(connection: socket.socket, part: bytes, most: int) -> int:
    """The bytes that could be sent before the connection was closed."""
    sent = 0
    try:
        while sent < most:
            connection.sendall(part)
            sent += len(part)
    except OSError:
        pass
    return sent


@pytest.mark.parametrize(
    ("start_line", "part"),
    [
        (START + b"A: ", b"a" * 65536),
        (START, b"a: b\r\n" * 10_000),
        (b"GET /", b"a" * 65536),
        (CHUNKED + b"0\r\nA: ", b"a" * 65536),
        (CHUNKED + b"0\r\n", b"a: b\r\n" * 10_000),
    ],
    ids=["one header", "many headers", "path", "one trailer", "many trailers"],
)
def test_endless_headers_are_cut_off(
    start: Callable[..., Server], tmp_path: Path, start_line: bytes, part: bytes
) -> None:
    server = start(tmp_path)
    before = memory(server)
    with connect(server) as connection:
        connection.sendall(start_line)
        assert flood(connection, part, 60_000_000) < 30_000_000  # what the sockets' buffers hold
        answer(connection)
    assert server.client().get("/livez").status_code == 200
    assert memory(server) - before < 20_000_000


@pytest.mark.parametrize("part", [b"A: %b\r\n" % (b"a" * 40_000), b"a: b\r\n" * 101])
def test_headers_that_are_too_large_get_431(
    start: Callable[..., Server], tmp_path: Path, part: bytes
) -> None:
    server = start(tmp_path)
    with connect(server) as connection:
        connection.sendall(START + part)
        received = answer(connection)
    assert received.startswith(b"HTTP/1.1 431 ")
    assert b"urn:floorline:problem:too-large" in received


def test_large_headers_and_long_pipelines_work(
    start: Callable[..., Server], tmp_path: Path
) -> None:
    server = start(tmp_path)
    client = server.client()
    client.post("/v1/campaigns", json=PAGE)
    value = "a" * (limits.MAX_HEADER_BYTES - 1000)
    for _ in range(3):
        assert client.get("/livez", headers={"A": value}).status_code == 200
    with connect(server) as connection:
        many = DECIDE * 1000  # 140 kB, whose pieces end anywhere in the headers
        for begin in range(0, len(many), 16_000):
            connection.sendall(many[begin : begin + 16_000])
        received = b""
        while received.count(b'"ticket"') < 1000:
            part = connection.recv(65536)
            assert part, received[-500:]
            received += part


@pytest.mark.parametrize(
    ("first", "then", "status"),
    [
        (b"", b"", b""),
        (START, b"A", b"HTTP/1.1 408 "),
        (b"", b"\r\n", b""),
        (START + b"\r\n", b"\r\n", b"HTTP/1.1 200 "),
        (CHUNKED.replace(b"chunked", b"chunked\r\nX: y"), b"1\r\na\r\n", b"HTTP/1.1 "),
    ],
    ids=["silence", "dripping header", "empty lines", "after an answer", "body after an answer"],
)
def test_connections_that_ask_nothing_are_closed(
    start: Callable[..., Server], tmp_path: Path, first: bytes, then: bytes, status: bytes
) -> None:
    server = start(tmp_path, program=("-c", SHORT_WAIT))
    with connect(server) as connection:
        connection.sendall(first)
        connection.settimeout(0.05)
        received = b""
        for _ in range(400):  # 20 seconds
            try:
                part = connection.recv(65536)
                if not part:
                    break
                received += part
            except TimeoutError:
                try:
                    connection.sendall(then)
                except OSError:
                    break
            except ConnectionResetError:
                break
        else:
            pytest.fail("the connection is still open")
    assert received.startswith(status)


def test_512_connections_from_one_address_work_and_more_are_refused(
    start: Callable[..., Server], tmp_path: Path
) -> None:
    """With 1,024 descriptors, which is what many systems allow."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 2048:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2048), hard))
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))  # noqa: E731
    server = start(tmp_path, before=few)
    client = server.client()
    client.post("/v1/campaigns", json=PAGE)
    client.close()
    assert in_status(server, "FDSize") == 1024  # for all of them, before they come
    with ExitStack() as stack:
        opened = [stack.enter_context(connect(server)) for _ in range(512)]
        for connection in opened:
            connection.sendall(DECIDE)
        assert all(connection.recv(1000).startswith(b"HTTP/1.1 200 ") for connection in opened)
        refused = []
        for _ in range(40):
            refused.append(stack.enter_context(connect(server)))
            refused[-1].sendall(DECIDE)
        answers = [connection.recv(1000) for connection in refused]
        assert answers[-1].startswith(b"HTTP/1.1 503 ")
        assert b"too many connections" in answers[-1]
        opened[0].sendall(DECIDE)
        assert opened[0].recv(1000).startswith(b"HTTP/1.1 200 ")
    # All are closed: there is room again, which takes the server a moment to notice.
    for _ in range(100):
        with connect(server) as connection:
            connection.sendall(START + b"\r\n")
            if connection.recv(1000).startswith(b"HTTP/1.1 200 "):
                break
    else:
        pytest.fail("no connection is possible any more")


def test_a_connection_that_is_closed_makes_room() -> None:
    count = ConnectionCount(total=3, per_address=2)
    assert [count.open("192.0.2.1") for _ in range(3)] == [True, True, False]
    count.close("192.0.2.1")
    assert count.open("192.0.2.1")
    assert [count.open("2001:db8::1"), count.open("192.0.2.2")] == [True, False]
    assert len(count._by_address) == 2
    for address in ("192.0.2.1", "192.0.2.1", "2001:db8::2"):  # the same network
        count.close(address)
    assert not count._by_address


@pytest.mark.parametrize(("limit", "least"), [(256, 80), (1024, 512), (1_000_000, 1024)])
def test_limits_leave_descriptors_for_campaigns(
    monkeypatch: pytest.MonkeyPatch, limit: int, least: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    count = connections.connection_count()
    campaigns = descriptors.PER_CAMPAIGN * descriptors.open_campaigns_allowed()
    assert least <= count._max_per_address < count._max_total
    assert count._max_total + campaigns + descriptors.RESERVED <= limit
