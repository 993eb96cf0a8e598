"""A system that gives no more threads: the default arm is played, and no reward is lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from floorline.client import AsyncClient, Client


@contextmanager
def no_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        yield


def test_a_decision_waits_for_no_thread(
    service: Any, campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = service.url.replace("127.0.0.1", "localhost")  # a name, looked up in a thread
    with Client(url, defaults={campaign: "now"}, timeout=10) as client:
        with no_threads(monkeypatch):
            decision = client.decide(campaign)
        assert (decision.arm, decision.reason) == ("now", "unreachable")
        assert client.decide(campaign).ticket


def test_an_awaited_decision_waits_for_no_thread(
    service: Any, campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        defaults = {campaign: "now"}
        async with AsyncClient(service.url, defaults=defaults, timeout=10) as client:
            with no_threads(monkeypatch):
                one = await client.decide(campaign)
                many = await client.decide_many(campaign, ["visit-1", "visit-2"])
            reasons = [decision.reason for decision in (one, *many)]
            assert reasons == ["unreachable"] * 3
            assert (await client.decide(campaign)).ticket

    asyncio.run(play())


@pytest.mark.parametrize("sent_by", ["reward", "flush", "close"])
def test_a_reward_waits_for_a_thread(
    service: Any, campaign: str, monkeypatch: pytest.MonkeyPatch, sent_by: str
) -> None:
    client = Client(service.url, timeout=10)
    tickets = [client.decide(campaign).ticket for _ in range(2)]
    with no_threads(monkeypatch):
        assert client.reward(tickets[0], 0.25)
    if sent_by == "reward":
        assert client.reward(tickets[1], 0.25)
    if sent_by != "close":
        assert client.flush(20)
    client.close(20)
    assert service.records(campaign)[0]["reward"] == 0.25
