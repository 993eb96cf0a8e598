"""SIGKILL during load, clients retrying: nothing acknowledged is lost, nothing counted twice."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from serving import PAGE, Server
from visiting import Traffic, check_ledger

CLIENTS = 8


def kill_again_and_again(
    start_server: Callable[..., Server], data: Path, kills: int, visits: int
) -> None:
    server = start_server(data)
    server.client().post("/v1/campaigns", json=PAGE)
    traffic = Traffic(server.url)
    traffic.begin(CLIENTS)
    for _ in range(kills):
        traffic.wait_for(visits)
        server.process.send_signal(signal.SIGKILL)  # under full load
        traffic.running.clear()
        server.end(signal.SIGKILL)
        server = start_server(data)
        traffic.urls = [server.url]
        traffic.running.set()
    traffic.wait_for(visits)
    traffic.end()
    assert server.end() == 0
    check_ledger(data / "campaigns" / "page.ledger", traffic)


def test_three_kills(start: Callable[..., Server], tmp_path: Path) -> None:
    kill_again_and_again(start, tmp_path, kills=3, visits=200)


@pytest.mark.soak
def test_fifty_kills(start: Callable[..., Server], tmp_path: Path) -> None:
    kill_again_and_again(start, tmp_path, kills=50, visits=300)
