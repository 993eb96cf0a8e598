"""A service in this process, and one in a process of its own."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra [service] is not installed")

from serving import PAGE, Server
from starlette.testclient import TestClient

from floorline.service.app import Service
from floorline.service.config import Config


@pytest.fixture
def service(tmp_path: Path) -> Service:
    return Service(Config(tmp_path / "data", create=True))


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    """Asks a service in this process, as a program on this machine would."""
    with TestClient(service, base_url="http://127.0.0.1:8400") as found:
        yield found


@pytest.fixture
def page(client: TestClient) -> str:
    """The path of a campaign."""
    assert client.post("/v1/campaigns", json=PAGE).status_code == 201
    return "/v1/campaigns/page"


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    """Starts servers, and ends those that are left."""
    started: list[Server] = []

    def run(data: Path | str, *words: str, **options: Any) -> Server:
        started.append(Server(data, *words, **options))
        return started[-1]

    yield run
    for server in started:
        server.end(signal.SIGKILL)
