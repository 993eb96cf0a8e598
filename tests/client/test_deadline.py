"""`decide` returns by its deadline, whatever the resolver, the network and the server do.

The deadline is the behaviour, so these tests look at the clock: 0.15 seconds are allowed, 1 second
is tolerated on a busy machine, and a client without one deadline needs 2 seconds and more.
"""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from floorline.client import Client, Decision

HOST = "localhost"
TIMEOUT = 0.15
TOLERATED = 1.0
LONG = 3.0
"""Seconds that the faults here last."""

Addresses = list[tuple[str, int]]


def timed_decision(url: str) -> tuple[Decision, float]:
    """A decision of a new client, and the seconds that it took."""
    with Client(url, defaults={"page": "now"}, timeout=TIMEOUT) as client:
        start = time.monotonic()
        decision = client.decide("page")
        return decision, time.monotonic() - start


@pytest.fixture
def resolve(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Addresses]], None]:
    """Sets what looking up `HOST` does."""
    real = socket.getaddrinfo

    def install(look_up: Callable[[], Addresses]) -> None:
        def fake(host: str, *arguments: Any, flags: int = 0, **options: Any) -> Any:
            if host != HOST or flags & socket.AI_NUMERICHOST:
                return real(host, *arguments, flags=flags, **options)
            kind = socket.AF_INET, socket.SOCK_STREAM, 6, ""
            return [(*kind, address) for address in look_up()]

        monkeypatch.setattr(socket, "getaddrinfo", fake)

    return install


@pytest.fixture
def dead() -> Iterator[Addresses]:
    """Eight addresses that do not respond to a connection: their queues are full."""
    held = []
    for _ in range(8):
        listening = socket.create_server(("127.0.0.1", 0), backlog=0)
        held.append(listening)
        for _ in range(4):
            waiting = socket.socket()
            waiting.setblocking(False)
            waiting.connect_ex(listening.getsockname())
            held.append(waiting)
    yield [one.getsockname() for one in held[::5]]
    for one in held:
        one.close()


def serve(response: Iterator[bytes], context: ssl.SSLContext | None = None) -> int:
    """The port of a server that sends these parts to its one client."""
    listening = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        with listening:
            connection, _ = listening.accept()
        try:
            if context is not None:
                connection = context.wrap_socket(connection, server_side=True)
            with connection:
                request = connection.recv(65536)
                while request and not request.endswith(b"}"):  # the end of its body
                    request += connection.recv(65536)
                for part in response:
                    connection.sendall(part)
        except OSError:
            pass  # the client has gone

    threading.Thread(target=run, daemon=True).start()
    return int(listening.getsockname()[1])


def drip(content: bytes) -> Iterator[bytes]:
    """The content, and then single bytes for a long time."""
    yield content
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        time.sleep(0.03)
        yield b"x"


def test_a_slow_resolver_is_not_waited_for(service: Any, campaign: str, resolve: Any) -> None:
    answer = threading.Event()
    lookups = []

    def look_up() -> Addresses:
        lookups.append(None)
        answer.wait(LONG)
        return [("127.0.0.1", service.port)]

    resolve(look_up)
    url = f"http://{HOST}:{service.port}"
    with Client(url, defaults={campaign: "now"}, timeout=TIMEOUT) as client:
        start = time.monotonic()
        decisions = [client.decide(campaign) for _ in range(3)]
        assert time.monotonic() - start < 3 * TOLERATED
        assert {decision.reason for decision in decisions} == {"timeout"}
        answer.set()
        client.timeout = 20
        assert client.decide(campaign).ticket, "what was looked up meanwhile is used"
    assert len(lookups) == 1


def test_a_host_without_address_is_unreachable(resolve: Any) -> None:
    def look_up() -> Addresses:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    resolve(look_up)
    decision, _ = timed_decision(f"http://{HOST}")
    assert decision.reason == "unreachable"


def test_dead_addresses_share_the_deadline(dead: Addresses, resolve: Any) -> None:
    resolve(lambda: dead)
    decision, seconds = timed_decision(f"http://{HOST}")
    assert decision.reason == "timeout"
    assert seconds < TOLERATED


def test_a_live_address_after_dead_ones_is_found_and_preferred(
    service: Any, campaign: str, dead: Addresses, resolve: Any
) -> None:
    live = ("127.0.0.1", service.port)
    resolve(lambda: [*dead[:2], live])
    with Client(f"http://{HOST}:{service.port}", timeout=1.5) as client:
        assert client.decide(campaign).ticket
        resolver = client._pool._resolver
        assert [address for _, address in resolver._addresses] == [live, *dead[:2]]


def test_addresses_are_looked_up_again_when_none_works(
    service: Any, campaign: str, resolve: Any
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = closed.getsockname()
    places = [address]
    resolve(lambda: [places[0]])
    with Client(f"http://{HOST}", timeout=10, defaults={campaign: "now"}) as client:
        assert client.decide(campaign).reason == "unreachable"
        places[0] = ("127.0.0.1", service.port)
        decisions = (client.decide(campaign) for _ in range(100))
        assert any(decision.ticket for decision in decisions)


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nX-Slow: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
    ],
    ids=["status", "header", "body", "endless body"],
)
def test_a_dripping_response_is_not_waited_for(start: bytes) -> None:
    decision, seconds = timed_decision(f"http://127.0.0.1:{serve(drip(start))}")
    assert decision.reason == "timeout"
    assert seconds < TOLERATED


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")
def test_encrypted_connections_keep_the_deadline_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    names = "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 1 {names}".split()
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    decision, seconds = timed_decision(f"https://127.0.0.1:{serve(drip(b''), context)}")
    assert decision.reason == "timeout"
    assert seconds < TOLERATED

    problem = b'{"type": "urn:floorline:problem:stopped", "detail": "", "status": 409}'
    response = b"HTTP/1.1 409 Conflict\r\nConnection: close\r\n\r\n" + problem
    port = serve(iter([response]), context)
    with Client(f"https://127.0.0.1:{port}", defaults={"page": "now"}, timeout=10) as client:
        assert client.decide("page").reason == "stopped"


def test_a_handshake_that_does_not_end_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        decision, seconds = timed_decision(f"https://127.0.0.1:{silent.getsockname()[1]}")
    assert decision.reason == "timeout"
    assert seconds < TOLERATED
