"""Rewards in the background: sent together, again after failures, and after crashes."""

from __future__ import annotations

import asyncio
import errno
import json
import math
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from floorline.client import AsyncClient, Client
from floorline.client import journal as journal_module
from floorline.client.journal import Journal
from floorline.client.reward import Reward
from floorline.client.reward_queue import RewardQueue

NOWHERE = "http://127.0.0.1:9"


def outcomes(service: Any, campaign: str) -> list[Any]:
    return [(one["outcome"], one["reward"]) for one in service.records(campaign)]


def run(program: str, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    command = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def disk_full(*arguments: Any, **options: Any) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_rewards_are_sent_when_the_client_closes(service: Any, campaign: str) -> None:
    with Client(service.url, timeout=10) as client:
        for value in (0.0, 0.25, 1.0):
            assert client.reward(client.decide(campaign).ticket, value)
    assert outcomes(service, campaign) == [("observed", 0), ("observed", 0.25), ("observed", 1)]


def test_one_may_wait_for_ever(service: Any, campaign: str) -> None:
    client = Client(service.url, timeout=10)
    client.reward(client.decide(campaign).ticket, 0.25)
    assert client.flush(math.inf)
    client.reward(client.decide(campaign).ticket, 1.0)
    client.close(math.inf)
    assert outcomes(service, campaign) == [("observed", 0.25), ("observed", 1)]


def test_rewards_are_sent_when_the_program_ends(service: Any, campaign: str) -> None:
    program = (
        "import sys; from floorline.client import Client; "
        "client = Client(sys.argv[1], timeout=10); "
        "client.reward(client.decide(sys.argv[2]).ticket, 1.0)"
    )
    done = run(program, service.url, campaign)
    assert (done.returncode, done.stderr) == (0, "")
    assert outcomes(service, campaign) == [("observed", 1)]


def test_rewards_wait_for_a_service_that_was_killed(service: Any, campaign: str) -> None:
    with Client(service.url, timeout=10) as client:
        tickets = [client.decide(campaign).ticket for _ in range(20)]
        client.reward(tickets[0], 1.0)
        assert client.flush(20)
        service.kill()
        for ticket in tickets[1:]:
            client.reward(ticket, 1.0)
        assert not client.flush(0.2)
        service.start()
        assert client.flush(30)
    assert [one["ticket"] for one in service.records(campaign)] == tickets
    assert outcomes(service, campaign) == [("observed", 1)] * 20


def test_rewards_in_a_file_survive_a_crash(service: Any, campaign: str, tmp_path: Path) -> None:
    path = tmp_path / "rewards"
    with Client(service.url, timeout=10) as client:
        tickets = [client.decide(campaign).ticket for _ in range(3)]
    program = (
        "import os, sys; from floorline.client import Client\n"
        "client = Client(sys.argv[1], queue_file=sys.argv[2])\n"
        "for ticket in sys.argv[3:]: client.reward(ticket, 1.0)\n"
        "os._exit(7)"
    )
    assert run(program, NOWHERE, path, *tickets).returncode == 7
    with path.open("a") as file:
        file.write(f'["{tickets[0]}", 0.')  # a line that a crash cut short
    with Client(service.url, queue_file=path) as client:
        assert client.flush(20)
    assert outcomes(service, campaign) == [("observed", 1)] * 3
    assert path.read_text() == ""


METRICS = [{"name": "latency_ms", "low": 0, "high": 1000}, {"name": "errors", "low": 0, "high": 1}]


def means(service: Any, campaign: str) -> dict[str, float]:
    """The mean of each metric over all arms."""
    found = {}
    for one in service.status(campaign)["guardrails"]:
        arms = [arm for arm in one["arms"] if arm["seen"]]
        total = sum(arm["seen"] * arm["average"] for arm in arms)
        found[one["name"]] = total / sum(arm["seen"] for arm in arms)
    return found


def test_metrics_are_sent_with_rewards(service: Any) -> None:
    campaign = service.open("metrics-now", guardrails=METRICS)
    with Client(service.url, timeout=10) as client:
        tickets = [client.decide(campaign).ticket for _ in range(4)]
        client.reward(tickets[0], 1.0, {"latency_ms": 100, "errors": 1})
        client.reward(tickets[1], 1.0, metrics={"latency_ms": 200})
        assert tickets[2] is not None and tickets[3] is not None
        client.reward_many([(tickets[2], 0.5, {"latency_ms": 600}), (tickets[3], 0.5)])

    async def report() -> None:
        async with AsyncClient(service.url, timeout=10) as client:
            client.reward((await client.decide(campaign)).ticket, 0.5, {"errors": 0})
            ticket = (await client.decide(campaign)).ticket
            assert ticket is not None
            await client.reward_many([(ticket, 0.5, {"errors": 0.5})])

    asyncio.run(report())
    assert means(service, campaign) == {"latency_ms": 300, "errors": 0.5}


def test_metrics_survive_a_crash_and_a_refusal(service: Any, tmp_path: Path) -> None:
    """Also with lines of a client that knew no metrics."""
    path = tmp_path / "rewards"
    campaign = service.open("metrics-file", guardrails=METRICS)
    with Client(service.url, timeout=10) as client:
        tickets = [client.decide(campaign).ticket for _ in range(4)]
    path.write_text(f'["{tickets[0]}", 0.25]\n["{tickets[1]}", 0.5, {time.time()}]\n')
    crashed = Client(NOWHERE, queue_file=path)
    crashed.reward(tickets[2], 1.0, {"latency_ms": 100, "errors": 1})
    crashed.reward(tickets[3], 1.0, {"misspelt": 1})
    crashed.close(0)
    assert path.read_text().splitlines()[2] == (
        f'["{tickets[2]}", 1.0, null, {{"latency_ms": 100.0, "errors": 1.0}}]'
    )
    with Client(service.url, queue_file=path) as client:
        assert client.flush(20)
    assert means(service, campaign) == {"latency_ms": 100, "errors": 1}
    assert [reward for _, reward in outcomes(service, campaign)] == [0.25, 0.5, 1, None]
    refused = json.loads((tmp_path / "rewards.refused").read_text())
    assert (refused["ticket"], refused["metrics"]) == (tickets[3], {"misspelt": 1})


def test_what_could_not_be_sent_stays_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "rewards"
    for ticket in ("a-1-0", "a-2-0"):
        client = Client(NOWHERE, queue_file=path)
        client.reward(ticket, 1.0)
        client.close(0.1)
    journal = Journal(path)
    assert journal.load() == [Reward("a-1-0", 1.0), Reward("a-2-0", 1.0)]
    journal.close()


@pytest.mark.locks
def test_a_file_is_for_one_client(tmp_path: Path) -> None:
    path = tmp_path / "rewards"
    with Client(NOWHERE, queue_file=path) as client:
        with pytest.raises(ValueError, match=r"queue_file: .*used by another client"):
            Client(NOWHERE, queue_file=path)
        client._rewards._journal.keep([])  # type: ignore[union-attr]
        with pytest.raises(ValueError, match=r"queue_file: .*used by another client"):
            Client(NOWHERE, queue_file=path)
    with pytest.raises(ValueError, match=r"queue_file: .*cannot be used"):
        Client(NOWHERE, queue_file=tmp_path)


def test_the_file_does_not_grow_for_ever(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "rewards")
    waiting = [Reward("a-1-0", 0.0)]
    for number in range(5000):
        journal.add(Reward(f"b-{number}", 1.0))
        journal.keep(waiting)
    journal.close()
    lines = (tmp_path / "rewards").read_text().splitlines()
    assert lines[0] == '["a-1-0", 0.0]'
    assert len(lines) < 1100


def test_a_full_disk_keeps_no_reward_from_being_sent(
    service: Any,
    campaign: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Client(service.url, timeout=10, queue_file=tmp_path / "rewards") as client:
        monkeypatch.setattr(journal_module, "open", disk_full, raising=False)
        assert client.reward(client.decide(campaign).ticket, 1.0)
    assert outcomes(service, campaign) == [("observed", 1)]
    assert f"cannot write {tmp_path}/rewards: No space left on device" in caplog.text


def test_a_line_that_a_full_disk_cut_short_harms_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rewards"
    journal = Journal(path)
    with monkeypatch.context() as full:
        full.setattr(journal_module, "open", disk_full, raising=False)
        journal.add(Reward("a-1-0", 1.0))
    path.write_text('["a-1-0", 1.')  # as far as there was room
    journal.add(Reward("a-2-0", 1.0))
    assert journal.load() == [Reward("a-2-0", 1.0)]
    journal.close()


ACCEPTED = b'{"results": [{"ticket": "a-1-0", "result": "accepted"}]}'


def test_an_answer_that_makes_no_sense_is_asked_for_again() -> None:
    answers = [b"{}", b"[" * 100_000, b"<html>", b'{"results": [{"ticket": "a-1-0"}]}', ACCEPTED]

    class Pool:
        def request(self, *arguments: Any) -> tuple[int, bytes]:
            return 200, answers.pop(0)

    rewards = RewardQueue(Pool(), 10, None)
    rewards.put("a-1-0", 1.0)
    rewards.close(30)
    assert answers == []


def test_the_thread_survives_what_nobody_foresaw(caplog: pytest.LogCaptureFixture) -> None:
    faults = [RuntimeError("a fault of our own")]

    class Pool:
        def request(self, *arguments: Any) -> tuple[int, bytes]:
            if faults:
                raise faults.pop()
            return 200, ACCEPTED

    rewards = RewardQueue(Pool(), 10, None)
    rewards.put("a-1-0", 1.0)
    assert rewards.flush(5)
    rewards.close()
    assert "rewards wait to be sent: a fault of our own" in caplog.text


def test_what_a_proxy_refuses_is_sent_again(tmp_path: Path) -> None:
    about = b'{"type": "about:blank", "detail": "no route"}'
    foreign = b'{"type": "invalid", "detail": "no route"}'
    refusals = [(404, b""), (404, about), (405, b""), (413, b"<html>"), (422, foreign)]
    answers = [*refusals, (200, ACCEPTED)]

    class Pool:
        def request(self, *arguments: Any) -> tuple[int, bytes]:
            assert "a-1-0" in (tmp_path / "rewards").read_text()
            return answers.pop(0)

    rewards = RewardQueue(Pool(), 10, tmp_path / "rewards")
    rewards.put("a-1-0", 1.0)
    rewards.close(30)
    assert answers == []
    assert (tmp_path / "rewards").read_text() == ""


def test_closing_takes_no_longer_than_told(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()

    class Pool:
        def request(self, *arguments: Any) -> tuple[int, bytes]:
            answered.wait(60)
            return 200, ACCEPTED

    rewards = RewardQueue(Pool(), 10, None)
    rewards.put("a-1-0", 1.0)
    assert rewards._thread is not None
    waits: list[float] = []
    monkeypatch.setattr(rewards._thread, "join", waits.append)
    rewards.close(0.2)
    assert waits == [0.0], "all of it was spent on sending"
    answered.set()


def test_a_full_queue_says_so(caplog: pytest.LogCaptureFixture) -> None:
    client = Client(NOWHERE, queue_size=2)
    assert [client.reward(f"a-{number}-0", 1.0) for number in range(3)] == [True, True, False]
    client.close(0.1)
    assert "2 rewards were not sent, and are lost" in caplog.text


def test_what_is_no_reward() -> None:
    with Client(NOWHERE) as client:
        assert client.reward(None, 1.0) is False
        with pytest.raises(ValueError, match="ticket: must be one that the service gave"):
            client.reward("'; drop table", 1.0)
        with pytest.raises(ValueError, match="reward: must be a finite number"):
            client.reward("a-1-0", float("nan"))
        for metrics in (7, [1], {1: 2}):
            with pytest.raises(ValueError, match="metrics: must be names with numbers"):
                client.reward("a-1-0", 1.0, metrics)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"metrics.load: must be a finite number, not 'low'"):
            client.reward("a-1-0", 1.0, {"load": "low"})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="client: is closed"):
        client.reward("a-1-0", 1.0)
