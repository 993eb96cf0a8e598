"""SIGKILL during load, clients retrying: nothing acknowledged is lost, nothing counted twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from serving import PAGE, Server
from visiting import Traffic, Visitor, check

CLIENTS = 8


def kill_again_and_again(
    start_server: Callable[..., Server], data: Path, kills: int, visits: int
) -> None:
    server = start_server(data)
    server.client().post("/v1/campaigns", json=PAGE)
    traffic = Traffic(server.url)
    visitors = [Visitor(number, traffic) for number in range(CLIENTS)]
    for visitor in visitors:
        visitor.start()
    for _ in range(kills):
        traffic.wait_for(visits)
        server = traffic.restart(server, start_server, data)
    traffic.wait_for(visits)
    traffic.ended.set()
    for visitor in visitors:
        visitor.join(30)
    assert server.end() == 0
    check(data / "campaigns" / "page.ledger", visitors)


def test_three_kills(start: Callable[..., Server], tmp_path: Path) -> None:
    kill_again_and_again(start, tmp_path, kills=3, visits=200)


@pytest.mark.soak
def test_fifty_kills(start: Callable[..., Server], tmp_path: Path) -> None:
    kill_again_and_again(start, tmp_path, kills=50, visits=300)
