"""A service in a process of its own, which the clients ask."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("starlette", reason="the extra [service] is not installed")

from floorline.cli.background import Background

PAGE = {"name": "page", "arms": ["now", "video", "quiz"], "max_loss": 0.5, "missing": "unknown"}


class Service:
    """A service that can be killed and started again, in the same place."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.running = Background(data, 0)
        self.url = self.running.url
        self.port = int(self.url.rpartition(":")[2])

    def send(self, path: str, body: Any = None) -> Any:
        sent = None if body is None else json.dumps(body).encode()
        request = Request(self.url + path, sent, {"Content-Type": "application/json"})
        with urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def open(self, name: str, **settings: Any) -> str:
        """A new campaign."""
        self.send("/v1/campaigns", {**PAGE, "name": name, **settings})
        return name

    def status(self, campaign: str) -> Any:
        return self.send(f"/v1/campaigns/{campaign}")["status"]

    def records(self, campaign: str) -> list[Any]:
        found: list[Any] = self.send(f"/v1/campaigns/{campaign}/decisions?limit=1000")["decisions"]
        return found

    def kill(self) -> None:
        self.running.end(signal.SIGKILL)

    def start(self) -> None:
        self.running = Background(self.data, self.port)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    found = Service(tmp_path_factory.mktemp("service") / "data")
    yield found
    found.running.end()


@pytest.fixture
def campaign(service: Service, request: pytest.FixtureRequest) -> str:
    """A campaign for this test alone."""
    return service.open(f"c{abs(hash(request.node.nodeid)):x}")
