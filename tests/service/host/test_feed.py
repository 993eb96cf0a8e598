"""The live stream: updates when something happens, a bound on listeners, a clean end."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
from serving import PAGE, Server, problem

from floorline.live import CampaignSettings
from floorline.service.api.feed import message_of
from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.host import feed as module
from floorline.service.host.feed import Feed, StatusUpdate

SETTINGS = CampaignSettings.from_json({name: PAGE[name] for name in PAGE if name != "name"})


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MIN_INTERVAL_SECONDS", 0.01)


def watch(folder: Path, follow: Callable[[Service, Feed], Any]) -> None:
    """Run `follow` on a service with one campaign."""

    async def run() -> None:
        service = Service(Config(folder, create=True))
        with service.host.data.locked():
            hosted, _ = await service.host.registry.create("page", SETTINGS.to_json())
            async with asyncio.timeout(30):
                await follow(service, hosted.feed)
            await service.host.registry.close()

    asyncio.run(run())


async def update(stream: AsyncGenerator[StatusUpdate, None]) -> dict[str, Any]:
    """The next message, decoded."""
    message = message_of(await anext(stream), SETTINGS)
    assert message.startswith(b"event: update\ndata: ")
    assert message.endswith(b"\n\n")
    found: dict[str, Any] = json.loads(message.split(b"data: ")[1])
    return found


def test_what_happens_is_told(tmp_path: Path) -> None:
    async def follow(service: Service, feed: Feed) -> None:
        stream = feed.listen()
        assert (await update(stream))["status"]["decisions"] == 0
        hosted = await service.host.registry.get("page")
        hosted._campaign._recorder._clock = lambda: 5e9  # the campaign's own, far ahead
        ticket = await hosted.queue.submit(lambda campaign: campaign.decide())
        told = await update(stream)
        assert told["status"]["decisions"] == 1
        assert (told["point"]["decisions"], told["point"]["time"]) == ([1], [5e9])
        await hosted.queue.submit(lambda campaign: campaign.observe(ticket, 1.0))
        assert (await update(stream))["status"]["arms"][0]["seen"] == 1
        await stream.aclose()
        assert feed.listeners == 0

    watch(tmp_path, follow)


def test_nothing_is_told_when_nothing_happens(tmp_path: Path) -> None:
    """And looking at the campaign is nothing that happens: else the feed would wake itself."""

    async def follow(service: Service, feed: Feed) -> None:
        stream = feed.listen()
        await update(stream)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(stream), 0.3)

    watch(tmp_path, follow)


def test_a_heartbeat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HEARTBEAT_SECONDS", 0.05)

    async def follow(service: Service, feed: Feed) -> None:
        stream = feed.listen()
        for _ in range(3):
            await update(stream)
        await stream.aclose()

    watch(tmp_path, follow)


def test_a_slow_listener_gets_the_latest(tmp_path: Path) -> None:
    async def follow(service: Service, feed: Feed) -> None:
        slow, quick = feed.listen(), feed.listen()
        reading = asyncio.create_task(update(slow))
        await update(quick)
        await reading
        hosted = await service.host.registry.get("page")
        for count in (1, 2, 3):
            await hosted.queue.submit(lambda campaign: campaign.decide())
            while (await update(quick))["status"]["decisions"] < count:
                pass
        assert (await update(slow))["status"]["decisions"] == 3
        await slow.aclose()
        await quick.aclose()

    watch(tmp_path, follow)


def test_a_failing_ledger_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def follow(service: Service, feed: Feed) -> None:
        stream = feed.listen()
        await update(stream)
        hosted = await service.host.registry.get("page")
        monkeypatch.setattr(hosted.queue, "failure", "disk full")
        monkeypatch.setattr(hosted.queue, "_paused_until", 1e18)
        feed.notice(-1)
        told = await update(stream)
        assert told["status"] is None
        assert "disk full" in told["problem"]
        monkeypatch.undo()
        await stream.aclose()

    watch(tmp_path, follow)


def test_the_end(tmp_path: Path) -> None:
    async def follow(service: Service, feed: Feed) -> None:
        stream = feed.listen()
        await update(stream)
        await service.host.registry.end_feeds()
        assert [part async for part in stream] == []
        assert feed.listeners == 0

    watch(tmp_path, follow)


def test_listeners_are_bounded(client: Any, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LISTENERS", 0)
    problem(client.get(f"{page}/live"), 503, "unavailable", "now")


def test_over_http(start: Callable[..., Server], tmp_path: Path) -> None:
    """One who goes away is noticed, and a listener does not hold up the end of the service."""
    server = start(tmp_path / "data")
    with server.client() as client:
        client.post("/v1/campaigns", json=PAGE)
        for _ in range(module.MAX_LISTENERS + 5):  # each leaves before the next comes
            with client.stream("GET", "/v1/campaigns/page/live") as answer:
                assert answer.status_code == 200, answer.read()
                assert answer.headers["content-type"] == "text/event-stream"
        with client.stream("GET", "/v1/campaigns/page/live") as answer:
            lines = answer.iter_lines()
            assert next(lines) == "event: update"
            server.process.send_signal(signal.SIGTERM)
            assert "data:" in "".join(lines)  # to its end, without an error
    assert server.end() == 0
    assert not any("graceful" in line["message"] for line in server.lines)
