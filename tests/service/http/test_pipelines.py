"""Requests that are sent at once over one connection, which may be cut off at any moment."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from serving import PAGE, Server

DECIDE = (
    b"POST /v1/campaigns/page/decisions HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
)
EXPORT = b"GET /v1/campaigns/page/export HTTP/1.1\r\nHost: localhost\r\n\r\n"


def connect(server: Server) -> socket.socket:
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), 10)


def test_a_pipeline_is_answered_in_order(start: Callable[..., Server], tmp_path: Path) -> None:
    server = start(tmp_path)
    server.client().post("/v1/campaigns", json=PAGE)
    with connect(server) as connection:
        connection.sendall(DECIDE * 20)
        received = b""
        while received.count(b'"ticket"') < 20:
            received += connection.recv(65536)
    assert received.count(b"HTTP/1.1 200") == 20


@pytest.mark.parametrize("pipeline", [DECIDE * 50, DECIDE * 50 + DECIDE[:-1], EXPORT * 20])
@pytest.mark.parametrize("reset", [False, True])
def test_a_pipeline_that_is_cut_off_is_no_internal_error(
    start: Callable[..., Server], tmp_path: Path, pipeline: bytes, reset: bool
) -> None:
    server = start(tmp_path)
    client = server.client()
    client.post("/v1/campaigns", json=PAGE)
    for _ in range(5):
        with connect(server) as connection:
            if reset:
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            connection.sendall(pipeline)
            connection.recv(1)  # the first answer is on its way
    assert client.get("/v1/campaigns").status_code == 200
    assert server.end() == 0
    assert [line for line in server.lines if line["level"] == "error"] == []
