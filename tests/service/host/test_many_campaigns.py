"""More campaigns than may be open at a time: opened when needed, closed when others need room."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from serving import PAGE, Server, problem
from starlette.testclient import TestClient

from floorline.live import Campaign
from floorline.live.events import Event, to_row
from floorline.live.ledgers import read_ledger
from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.host import folder as data_folder
from floorline.service.host.folder import Folder

resource = pytest.importorskip("resource", reason="there are no limits of resources here")

FEW = 3
NAMES = [f"page-{number}" for number in range(8)]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_folder, "open_campaigns_allowed", lambda: FEW)


def serve(data: Path) -> TestClient:
    return TestClient(Service(Config(data, create=True)), base_url="http://127.0.0.1")


def create(client: TestClient, names: list[str]) -> None:
    for name in names:
        assert client.post("/v1/campaigns", json={**PAGE, "name": name}).status_code == 201


def decide(client: Any, name: str, **body: str) -> dict[str, Any]:
    answer = client.post(f"/v1/campaigns/{name}/decisions", json=body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


@pytest.mark.usefixtures("few")
def test_all_campaigns_are_served(tmp_path: Path) -> None:
    service = Service(Config(tmp_path, create=True))
    with TestClient(service, base_url="http://127.0.0.1") as client:
        create(client, NAMES)
        first = {name: decide(client, name, request_key="a") for name in NAMES}
        for name, made in first.items():
            assert decide(client, name, request_key="a") == made
            assert len(service.host.registry.pool.all()) <= FEW
        batch = {"rewards": [{"ticket": made["ticket"], "reward": 1} for made in first.values()]}
        results = client.post("/v1/rewards", json=batch).json()["results"]
        assert [one["result"] for one in results] == ["accepted"] * len(NAMES)
        listed = client.get("/v1/campaigns").json()["campaigns"]
        assert [one["name"] for one in listed] == NAMES
        assert [one["available"] for one in listed] == [True] * len(NAMES)
        assert [one["status"]["arms"][0]["seen"] for one in listed] == [1] * len(NAMES)
        text = client.get("/metrics").text
        assert text.count("floorline_campaign_available{") == len(NAMES)
        assert len(service.host.registry.pool.all()) <= FEW


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("indexed", [True, False])
def test_after_a_restart_tickets_find_campaigns_that_are_not_open(
    tmp_path: Path, indexed: bool
) -> None:
    with serve(tmp_path) as client:
        create(client, NAMES)
        made = {name: decide(client, name) for name in NAMES}
    if not indexed:
        (tmp_path / "index.jsonl").unlink()
    service = Service(Config(tmp_path))
    with TestClient(service, base_url="http://127.0.0.1") as client:
        assert service.host.registry.pool.all() == [] or not indexed
        assert client.get("/readyz").json()["campaigns"] == len(NAMES)
        for one in made.values():
            path = f"/v1/decisions/{one['ticket']}/reward"
            while (answer := client.post(path, json={"reward": 1})).status_code == 503:
                assert not indexed  # while the ledgers are read in the background
            assert answer.json()["result"] == "accepted"
        unknown = client.post(f"/v1/decisions/{'0' * 10}-1-0/reward", json={"reward": 1})
        problem(unknown, 404, "unknown-ticket")


@pytest.mark.usefixtures("few")
def test_campaigns_in_use_are_not_closed(tmp_path: Path) -> None:
    async def run() -> None:
        service = Service(Config(tmp_path, create=True))
        registry = service.host.registry
        settings = {key: value for key, value in PAGE.items() if key != "name"}
        await service.host.start()
        streams = []
        for name in NAMES[:FEW]:
            hosted, _ = await registry.create(name, settings)
            streams.append(hosted.feed.listen())
            await anext(streams[-1])
        with pytest.raises(Exception, match=f"{FEW} campaigns are in use.*raise it"):
            await registry.create("other", settings)
        assert registry.catalogue.names() == NAMES[:FEW]
        await streams[1].aclose()
        await registry.create("other", settings)
        assert [one.name for one in registry.pool.all()] == [NAMES[0], NAMES[2], "other"]
        for stream in streams:
            await stream.aclose()
        await service.host.stop()

    asyncio.run(run())


@pytest.mark.usefixtures("few")
def test_requests_at_once_do_not_meet_a_campaign_that_is_being_closed(tmp_path: Path) -> None:
    async def run() -> None:
        service = Service(Config(tmp_path, create=True))
        registry = service.host.registry
        settings = {key: value for key, value in PAGE.items() if key != "name"}
        await service.host.start()
        for name in NAMES:
            await registry.create(name, settings)

        async def ask(name: str) -> None:
            for _ in range(10):
                await (await registry.get(name)).queue.submit(Campaign.decide)

        # Two visitors each of as many campaigns as may be open, and one of another in turn.
        await asyncio.gather(*(ask(name) for name in NAMES[:2] * 2))
        for name in NAMES:
            await asyncio.gather(ask(name), ask(name))
        await service.host.stop()

    asyncio.run(run())


def test_a_ledger_that_has_gone_is_unavailable(tmp_path: Path) -> None:
    """Its tickets are not refused for good: it may come back."""
    with serve(tmp_path) as client:
        create(client, ["page"])
        ticket = decide(client, "page")["ticket"]
    ledger = Path(Folder(tmp_path).store.locator("page"))
    ledger.rename(tmp_path / "away")
    with serve(tmp_path) as client:
        path = f"/v1/decisions/{ticket}/reward"
        problem(client.post(path, json={"reward": 1}), 503, "unavailable", "now")
        assert client.get("/readyz").json()["unavailable"] == ["page"]


def test_a_ledger_may_be_renamed(tmp_path: Path) -> None:
    with serve(tmp_path) as client:
        create(client, ["page"])
        ticket = decide(client, "page")["ticket"]
    store = Folder(tmp_path).store
    Path(store.locator("page")).rename(store.locator("front"))
    with serve(tmp_path) as client:
        answer = client.post(f"/v1/decisions/{ticket}/reward", json={"reward": 1})
        assert answer.json()["result"] == "accepted"
        assert [one["name"] for one in client.get("/v1/campaigns").json()["campaigns"]] == ["front"]


def test_an_index_that_is_damaged_does_no_harm(tmp_path: Path) -> None:
    with serve(tmp_path) as client:
        create(client, ["page", "other"])
        ticket = decide(client, "other")["ticket"]
    index = tmp_path / "index.jsonl"
    index.write_bytes(b"\xff{}\n" + index.read_bytes()[:-10])
    with serve(tmp_path) as client:
        answer = client.post(f"/v1/decisions/{ticket}/reward", json={"reward": 1})
        assert answer.json()["result"] == "accepted"


def test_few_descriptors(start: Callable[..., Server], tmp_path: Path) -> None:
    """With 96 of them, 60 campaigns would need 240."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 96))

    names = [f"page-{number}" for number in range(60)]
    server = start(tmp_path, before=limit)
    client = server.client()
    create(client, names)  # type: ignore[arg-type]
    tickets = [decide(client, name)["ticket"] for name in names]
    server.end(signal.SIGKILL)
    server = start(tmp_path, before=limit)
    client = server.client()
    assert client.get("/readyz").json() == {
        "status": "ready",
        "campaigns": 60,
        "unavailable_campaigns": 0,
        "unavailable": [],
    }
    for ticket in tickets:
        answer = client.post(f"/v1/decisions/{ticket}/reward", json={"reward": 1})
        assert answer.json()["result"] == "accepted"
    assert len(os.listdir(f"/proc/{server.process.pid}/fd")) < 96
    assert [line for line in server.lines if line["level"] == "error"] == []
    assert server.end() == 0


def many_ledgers(folder: Path, count: int) -> list[str]:
    """The names of new campaigns, made faster than by opening each of them."""
    store = Folder(folder, create=True).store
    template = folder / "template"
    Campaign.open(template, arms=["now", "video"], max_loss=0.1).close()
    with closing(read_ledger(str(template))) as ledger:
        first = ledger.opened()
    names = [f"page-{number}" for number in range(count)]
    for number, name in enumerate(names):
        shutil.copyfile(template, store.locator(name))
        body = {**first.body, "id": f"{number:010x}"}
        row = to_row(Event(1, first.time, first.kind, None, None, body), 0)
        db = apsw.Connection(store.locator(name))
        db.pragma("synchronous", "off")
        db.execute('UPDATE events SET body = ?, "check" = ?', row[-2:])
        db.close()
    return names


def serve_busy_ones(start: Callable[..., Server], folder: Path, names: list[str]) -> None:
    """Start a service with 1,024 descriptors, and let some of its campaigns decide."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))

    started = time.monotonic()
    server = start(folder, before=limit)
    assert time.monotonic() - started < 3
    client = server.client()
    for name in names * 3:
        ticket = decide(client, name)["ticket"]
        path = f"/v1/decisions/{ticket}/reward"
        assert client.post(path, json={"reward": 1}).json()["result"] == "accepted"
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    assert int(status.split("VmHWM:")[1].split()[0]) < 512 * 1024
    assert len(os.listdir(f"/proc/{server.process.pid}/fd")) < 1024
    assert [line for line in server.lines if line["level"] == "error"] == []
    assert server.end() == 0


def test_hundreds_of_campaigns(start: Callable[..., Server], tmp_path: Path) -> None:
    """The usual 1,024 descriptors once sufficed for 250."""
    names = many_ledgers(tmp_path, 400)
    serve_busy_ones(start, tmp_path, names[::8])


@pytest.mark.soak
def test_ten_thousand_campaigns(start: Callable[..., Server], tmp_path: Path) -> None:
    names = many_ledgers(tmp_path, 10_000)
    for _ in range(2):  # without an index, and with one
        serve_busy_ones(start, tmp_path, names[::100])
