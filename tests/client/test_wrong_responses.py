"""A server that sends what no service would: the default arm is played, and nothing is raised."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from floorline.client import Client, ServiceError, pool
from floorline.client.messages import parse_receipts

DECISION = {
    "ticket": "a-1-0",
    "arm": "video",
    "is_default": False,
    "candidate": "video",
    "reason": "explore",
    "guaranteed_budget": 1.0,
    "probability": 1.0,
}
PROBLEM = {"type": "urn:floorline:problem:stopped", "detail": "it is", "default_arm": "now"}
HEAD = b"HTTP/1.1 200 OK\r\n"


def response(content: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status, len(content), content)


def decision(**changed: Any) -> bytes:
    return response(json.dumps(DECISION | changed).encode())


def problem(**changed: Any) -> bytes:
    return response(json.dumps(PROBLEM | changed).encode(), b"409 Conflict")


Listen = Callable[[Callable[[socket.socket, int], None]], str]


@pytest.fixture
def listen() -> Iterator[Listen]:
    """Starts a server with what it does after each request: its connection and its number."""
    listening = socket.create_server(("127.0.0.1", 0))

    def start(answer: Callable[[socket.socket, int], None]) -> str:
        def run() -> None:
            for number in range(1000):
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return  # the test is over
                with connection:
                    request = b""
                    while not request.endswith(b"}"):  # the end of its body
                        request += connection.recv(65536)
                    answer(connection, number)

        threading.Thread(target=run, daemon=True).start()
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    yield start
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


@pytest.mark.parametrize(
    "sent",
    [
        *(HEAD + b"Content-Length: %d\r\n\r\n{}" % length for length in (3, 10**12, 2**63, 10**23)),
        *(
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n%b\r\n{}\r\n" % size
            for size in (b"-5", b"7" + b"f" * 15, b"f" * 20, b"e8d4a51000")
        ),
        HEAD + b"Content-Length: 2000\r\n\r\n" + b" " * 2000,
        HEAD + b"\r\n" + b" " * 2000,
        b"HTTP/1.1 103 Early Hints\r\n\r\n" + decision(),
        response(b"[" * 100_000),
        response(b"[" * 100_000, b"409 Conflict"),
        response(b"null"),
        decision(arm=None),
        decision(arm=["video"]),
        decision(arm=5, is_default=True),
        decision(ticket=5),
        decision(reason=[]),
        problem(default_arm={"a": 1}),
        problem(default_arm=5),
        problem(detail=None),
        problem(status="409"),
    ],
)
def test_the_default_arm_is_played(
    listen: Listen, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(pool, "MAX_RESPONSE_BYTES", 1000)
    url = listen(lambda connection, _: connection.sendall(sent))
    with Client(url, defaults={"page": "now"}, timeout=5.0) as client:
        found = client.decide("page")
    assert (found.arm, found.ticket, found.is_default) == ("now", None, True)


def test_control_the_right_response_is_taken(listen: Listen) -> None:
    with Client(listen(lambda connection, _: connection.sendall(decision()))) as client:
        assert client.decide("page").ticket == "a-1-0"


def test_what_comes_unasked_is_no_response_to_the_next_request(listen: Listen) -> None:
    """A proxy sends 408 to an idle connection, for instance, and then closes it."""
    answered, sent = threading.Event(), threading.Event()

    def answer(connection: socket.socket, number: int) -> None:
        connection.sendall(decision(ticket=f"a-{number}-0"))
        if number == 0:
            answered.wait(10)
            connection.sendall(decision(ticket="a-666-0"))
            sent.set()

    with Client(listen(answer), timeout=5.0) as client:
        assert client.decide("page").ticket == "a-0-0"
        answered.set()
        assert sent.wait(10)
        assert client.decide("page").ticket == "a-1-0"


@pytest.mark.parametrize(
    "results",
    [
        *(None, [], [{}], [None], [{"ticket": "a-1-0"}], [{"ticket": "a-1-0", "result": None}]),
        *([{"ticket": "a-1-0", "result": 1}], [{"ticket": "a-2-0", "result": "accepted"}]),
        [{"ticket": "a-1-0", "problem": {"type": 1}}],
        [{"ticket": "a-1-0", "problem": PROBLEM | {"status": "503"}}],
    ],
)
def test_a_reward_without_a_receipt_is_not_taken_for_accepted(results: Any) -> None:
    with pytest.raises(ServiceError, match="does not have 1 results"):
        parse_receipts(200, json.dumps({"results": results}).encode(), ["a-1-0"])
