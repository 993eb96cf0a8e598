"""Rewards that the service refuses: for good, or for a reason that may pass. None is lost."""

from __future__ import annotations

import json
import logging
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from floorline.client import Client, deferred
from floorline.client.reward import Reward
from floorline.client.reward_queue import RewardQueue

UNKNOWN = (404, "unknown-ticket")


class Service:
    """Takes rewards, and refuses tickets as told: each with a status and a reason."""

    def __init__(self, *, whole_batch: bool = False) -> None:
        self.refused: dict[str, tuple[int, str]] = {}
        self.whole_batch = whole_batch
        self.taken: list[str] = []
        self.requests: list[list[str]] = []
        self.changed = threading.Condition()

    def request(self, method: str, path: str, body: bytes, *_: Any) -> tuple[int, bytes]:
        tickets = [item["ticket"] for item in json.loads(body)["rewards"]]
        with self.changed:
            self.requests.append(tickets)
            self.changed.notify_all()
            for ticket in self.refused.keys() & tickets if self.whole_batch else ():
                status, _ = self.refused[ticket]
                return status, json.dumps(self.problem(ticket)).encode()
            return 200, json.dumps({"results": [self.result(one) for one in tickets]}).encode()

    def result(self, ticket: str) -> dict[str, Any]:
        if ticket in self.refused:
            return {"ticket": ticket, "problem": self.problem(ticket)}
        self.taken.append(ticket)
        return {"ticket": ticket, "result": "accepted"}

    def problem(self, ticket: str) -> dict[str, Any]:
        status, reason = self.refused[ticket]
        kind = f"urn:floorline:problem:{reason}"
        return {"type": kind, "status": status, "detail": "no", "default_arm": None}

    def wait(self, requests: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.requests) >= requests, 30)


def messages(caplog: pytest.LogCaptureFixture, *levels: int) -> list[str]:
    return [record.message for record in caplog.records if record.levelno in levels]


def set_aside(path: Path) -> list[Any]:
    lines = Path(f"{path}.refused").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture
def fast_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deferred, "BACKOFF", (0.01, 0.02))


def test_an_unknown_ticket_is_kept_until_it_is_known(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, fast_backoff: None
) -> None:
    service = Service()
    service.refused["a-1-0"] = UNKNOWN
    rewards = RewardQueue(service, 10, tmp_path / "rewards")
    rewards.put("a-1-0", 1.0)
    rewards.put("a-2-0", 1.0)
    assert not rewards.flush(0.2), "one reward is still kept"
    assert service.taken == ["a-2-0"]
    service.wait(5)
    assert "a-1-0" in (tmp_path / "rewards").read_text()
    assert "a-2-0" in (tmp_path / "rewards").read_text(), (
        "forgotten later: sending twice is harmless"
    )
    assert len(messages(caplog, logging.WARNING)) == 1
    assert "1 rewards kept for 24 hours" in caplog.text
    assert "a-1-0: unknown-ticket: no" in caplog.text

    del service.refused["a-1-0"]
    assert rewards.flush(30)
    assert service.taken == ["a-2-0", "a-1-0"]
    assert (tmp_path / "rewards").read_text() == ""
    rewards.close()


def test_an_unknown_ticket_is_set_aside_after_a_day(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "rewards"
    now = time.time()
    yesterday, today = now - 24 * 3600 - 1, now - 23 * 3600
    path.write_text(f'["a-1-0", 1.0, {yesterday}]\n["a-2-0", 0.5, {today}]\n["a-3-0", 0.5]\n')
    service = Service()
    service.refused = dict.fromkeys(("a-1-0", "a-2-0", "a-3-0"), UNKNOWN)
    rewards = RewardQueue(service, 10, path)
    assert not rewards.flush(0.5)
    rewards.close()
    (entry,) = set_aside(path)
    assert (entry["ticket"], entry["reward"]) == ("a-1-0", 1.0)
    assert entry["reason"] == "unknown-ticket: no"
    assert f"reward 1 of a-1-0 refused: unknown-ticket: no (kept in {path}.refused)" in caplog.text
    again = RewardQueue(service, 10, path)
    kept = {reward.ticket: reward.deferred_since for reward in again._waiting}
    again.close()
    assert kept["a-2-0"] == today, "a restart does not start the day anew"
    assert kept["a-3-0"] is not None and kept["a-3-0"] >= now


def test_waits_for_an_unknown_ticket_double(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr(deferred.time, "time", lambda: clock[0])
    monkeypatch.setattr(deferred.time, "monotonic", lambda: clock[0])
    rewards = deferred.DeferredRewards()
    waits = []
    reward = Reward("a-1-0", 1.0, clock[0])
    while rewards.add(reward):
        wait = rewards.seconds_to_next()
        assert wait is not None
        waits.append(wait)
        assert list(rewards.take_due()) == []
        clock[0] += wait
        assert list(rewards.take_due()) == [reward]
    assert waits[:11] == [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    assert set(waits[11:]) == {600}
    assert 24 * 3600 <= sum(waits) < 24 * 3600 + 600


def test_the_reward_deferred_longest_is_taken_whatever_was_taken_before() -> None:
    rng = random.Random(1)
    rewards = deferred.DeferredRewards()
    expected: list[Reward] = []
    start = time.time() - 3600
    for number in range(5000):
        reward = Reward(f"a-{number}-0", 1.0, start + rng.random())
        assert rewards.add(reward)
        expected.append(reward)
        if number % 2:
            expected.sort(key=lambda one: one.deferred_since or 0.0)
            assert rewards.take_oldest() == expected.pop(0)
        if number % 1000 == 999:
            assert sorted(rewards.take_all()) == sorted(expected)
            assert rewards.seconds_to_next() is None
            expected.clear()
        assert len(rewards) == len(expected)


def calls_to_make_room(n_rewards: int) -> int:
    """How many function calls, built-in ones included, it takes to give up one reward."""
    rewards = deferred.DeferredRewards()
    events: list[str] = []
    now = time.time()
    for number in range(n_rewards):
        rewards.add(Reward(f"a-{number}-0", 1.0, now + number))
    sys.setprofile(lambda frame, event, argument: events.append(event))
    rewards.take_oldest()
    sys.setprofile(None)
    return len([event for event in events if event in ("call", "c_call")])


def test_room_is_made_in_as_many_steps_however_many_rewards_are_deferred() -> None:
    assert calls_to_make_room(2000) == calls_to_make_room(100)


def test_rewards_that_are_deferred_again_and_again_take_no_more_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(deferred.time, "time", lambda: clock[0])
    monkeypatch.setattr(deferred.time, "monotonic", lambda: clock[0])
    rewards = deferred.DeferredRewards()
    for number in range(100):
        rewards.add(Reward(f"a-{number}-0", 1.0, clock[0] + number))
    for _ in range(100):
        clock[0] += 700
        for reward in list(rewards.take_due()):
            assert rewards.add(reward)
    assert len(rewards) == 100
    assert max(len(rewards._by_due), len(rewards._by_age)) <= 2 * 100 + deferred.SPARE_ITEMS


def test_closing_does_not_wait_for_unknown_tickets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = Service()
    service.refused["a-1-0"] = UNKNOWN
    for path in (tmp_path / "rewards", None):
        rewards = RewardQueue(service, 10, path)
        rewards.put("a-1-0", 1.0)
        timer = threading.Timer(30, lambda: None)
        timer.start()
        rewards.close(30)
        assert timer.is_alive(), "closed as soon as the reward was sent once more"
        timer.cancel()
    assert "a-1-0" in (tmp_path / "rewards").read_text()
    assert messages(caplog, logging.ERROR) == ["1 rewards were not sent, and are lost"]


def test_an_unavailable_service_keeps_everything(tmp_path: Path) -> None:
    service = Service()
    service.refused = {"a-1-0": (503, "unavailable"), "a-2-0": (500, "internal")}
    rewards = RewardQueue(service, 10, tmp_path / "rewards")
    for ticket in ("a-1-0", "a-2-0", "a-3-0"):
        rewards.put(ticket, 1.0)
    assert not rewards.flush(0.2)
    service.wait(3)
    assert service.taken == ["a-3-0"]
    service.refused.clear()
    assert rewards.flush(30)
    assert sorted(service.taken) == ["a-1-0", "a-2-0", "a-3-0"]
    rewards.close()


@pytest.mark.parametrize("reason", ["invalid", "conflict"])
def test_what_is_refused_for_good_is_set_aside(
    reason: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "rewards"
    service = Service()
    service.refused["a-1-0"] = (409, reason)
    rewards = RewardQueue(service, 10, path)
    rewards.put("a-1-0", 0.25)
    assert rewards.flush(30)
    rewards.close()
    assert len(service.requests) == 1
    (entry,) = set_aside(path)
    assert {**entry, "time": None} == {
        "time": None,
        "ticket": "a-1-0",
        "reward": 0.25,
        "reason": f"{reason}: no",
    }
    assert f"reward 0.25 of a-1-0 refused: {reason}: no" in caplog.text


@pytest.mark.parametrize("reason", ["malformed", "invalid", "too-large", "not-json"])
def test_a_refused_batch_is_split(
    reason: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "rewards"
    service = Service(whole_batch=True)
    service.refused["a-17-0"] = (422, reason)
    tickets = [f"a-{number}-0" for number in range(50)]
    path.write_text("".join(f'["{ticket}", 1.0]\n' for ticket in tickets))
    rewards = RewardQueue(service, 100, path)
    assert rewards.flush(30)
    rewards.close()
    assert sorted(service.taken) == sorted(set(tickets) - {"a-17-0"})
    assert [entry["ticket"] for entry in set_aside(path)] == ["a-17-0"]
    assert len(service.requests) <= 13, "halved, not sent one by one"
    assert messages(caplog, logging.WARNING) == [
        f"reward 1 of a-17-0 refused: {reason}: no (kept in {path}.refused)"
    ]


def test_an_outage_in_the_middle_of_a_split_loses_nothing() -> None:
    service = Service(whole_batch=True)
    service.refused["a-6-0"] = (422, "invalid")
    outage = [False, False, True, True]

    class Pool:
        def request(self, *arguments: Any) -> tuple[int, bytes]:
            if outage and outage.pop(0):
                raise OSError("cut off")
            return service.request(*arguments)

    rewards = RewardQueue(Pool(), 10, None)
    for number in range(8):
        rewards.put(f"a-{number}-0", 1.0)
    assert rewards.flush(30)
    rewards.close()
    assert outage == []
    assert sorted(service.taken) == [f"a-{number}-0" for number in range(8) if number != 6]


BAD_LINES = [
    b'["forged", 1.0]',
    b'["a-1-0", NaN]',
    b'["a-1-0", true]',
    b'["a-1-0", "1"]',
    b'["a-1-0"]',
    b'["a-1-0", 1.0, 5.0, 6.0]',
    b'["a-1-0", 1.0, null, {"errors": "1"}]',
    b'["a-1-0", 1.0, null, {}, 5.0]',
    b'["a-1-0", 1.0, "today"]',
    b'[["a-1-0"], 1.0]',
    b'{"ticket": "a-1-0", "reward": 1.0}',
    b"null",
    b"\xff\xfe",
    b"\0" * 40,
    b"[" * 100_000,
]


@pytest.mark.parametrize("line", BAD_LINES, ids=range(len(BAD_LINES)))
def test_a_bad_line_is_set_aside_and_harms_no_other(
    line: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "rewards"
    good = [f"b-{number}-0" for number in range(49)]
    lines = [f'["{ticket}", 1.0]'.encode() for ticket in good]
    path.write_bytes(b"\n".join([*lines[:20], line, *lines[20:], b""]))
    service = Service()
    rewards = RewardQueue(service, 100, path)
    assert rewards.flush(30)
    rewards.close()
    assert service.taken == good
    (entry,) = set_aside(path)
    assert entry["line"] == line.decode(errors="backslashreplace")
    assert f"1 lines of {path} are not rewards; moved to {path}.refused" in caplog.text


def test_bad_lines_stay_where_they_are_if_they_cannot_be_moved(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "rewards"
    path.write_text('["forged", 1.0]\n["a-1-0", 1.')
    Path(f"{path}.refused").mkdir()
    rewards = RewardQueue(Service(), 10, path)
    assert path.read_text() == '["forged", 1.0]\n["a-1-0", 1.'
    assert "Is a directory" in caplog.text
    rewards.close()


def test_a_full_queue_gives_up_the_oldest_unknown_ticket(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "rewards"
    now = time.time()
    path.write_text(f'["a-1-0", 1.0, {now - 50}]\n["a-2-0", 1.0, {now - 100}]\n')
    service = Service()
    service.refused = dict.fromkeys(("a-1-0", "a-2-0"), UNKNOWN)
    rewards = RewardQueue(service, 2, path)
    with rewards._changed:
        assert rewards._changed.wait_for(lambda: len(rewards._deferred) == 2, 30)
    assert rewards.put("a-3-0", 1.0)
    assert [entry["ticket"] for entry in set_aside(path)] == ["a-2-0"]
    rewards.close()
    assert service.taken == ["a-3-0"]


def test_the_real_service_and_its_unknown_tickets(
    service: Any,
    campaign: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    wait_until: Callable[[Callable[[], bool]], None],
) -> None:
    path = tmp_path / "rewards"
    with Client(service.url, timeout=10, queue_file=path) as client:
        ticket = client.decide(campaign).ticket
        client.reward(ticket, 1.0)
        client.reward(ticket, 0.5)
        client.reward(ticket, 9.0)
        client.reward("abc-1-0", 0.5)
        assert not client.flush(2)
        wait_until(lambda: len(set_aside(path)) == 2)
    assert [entry["reward"] for entry in set_aside(path)] == [0.5, 9.0]
    assert "abc-1-0" in path.read_text()
    assert [one["reward"] for one in service.records(campaign)] == [1]
