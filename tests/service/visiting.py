"""Visitors of a service, and whether its ledger holds all that they were told."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from serving import GONE, post

from floorline.live import Campaign
from floorline.live.ledgers import read_ledger
from floorline.live.replay import load
from floorline.live.replay import start as before_all
from floorline.live.snapshot import to_json
from floorline.live.verify import verify


class Traffic:
    """What visitors and their test know of each other."""

    def __init__(self, *urls: str) -> None:
        self.urls = list(urls)
        """The servers; each request goes to the next, as a load balancer would send it."""
        self.running = threading.Event()
        self.running.set()
        self.ended = threading.Event()
        self.answered = threading.Semaphore(0)
        """Counts the answers of servers, whatever they say."""
        self._visits = threading.Semaphore(0)
        self.visitors: list[Visitor] = []

    def begin(self, visitors: int) -> None:
        """Start this many visitors."""
        self.visitors = [Visitor(number, self) for number in range(visitors)]
        for visitor in self.visitors:
            visitor.start()

    def visited(self) -> None:
        """Count a complete visit."""
        self._visits.release()

    def wait_for(self, visits: int) -> None:
        """Wait until so many more visits are complete, with their rewards."""
        for _ in range(visits):
            assert self._visits.acquire(timeout=60), "the service does not get on"

    def wait_for_answers(self, answers: int) -> None:
        """Wait until servers have answered so many times from now on."""
        drain(self.answered)
        for _ in range(answers):
            assert self.answered.acquire(timeout=30), "no server answers"

    def forget_visits(self) -> None:
        """Count visits from now on."""
        drain(self._visits)

    def end(self) -> None:
        """Let every visitor finish, and check that nobody was given a wrong answer."""
        self.ended.set()
        self.running.set()
        for visitor in self.visitors:
            visitor.join(30)
        assert [visitor.contradictions for visitor in self.visitors] == [[]] * len(self.visitors)

    def check(self, records: Mapping[str, Any]) -> int:
        """Compare the ledger's records, by ticket, with what the visitors were told.

        Returns how many decisions they were told.
        """
        keys = [record.request_key for record in records.values() if record.request_key is not None]
        assert len(keys) == len(set(keys)), "a request key has two decisions"
        for visitor in self.visitors:
            for key, made in visitor.decisions.items():
                record = records[made["ticket"]]
                kept = (record.request_key, record.arm, record.reason, record.guaranteed_budget)
                assert kept == (key, made["arm"], made["reason"], made["guaranteed_budget"])
            for ticket, reward in visitor.rewards.items():
                assert (records[ticket].outcome, records[ticket].reward) == ("observed", reward)
        return sum(len(visitor.decisions) for visitor in self.visitors)


def drain(semaphore: threading.Semaphore) -> None:
    """Take everything that was counted."""
    while semaphore.acquire(blocking=False):
        pass


class Visitor(threading.Thread):
    """Asks for decisions and reports rewards, with the same key until there is an answer."""

    def __init__(self, number: int, traffic: Traffic) -> None:
        super().__init__(daemon=True)
        self.decisions: dict[str, dict[str, Any]] = {}
        self.rewards: dict[str, float] = {}
        self.contradictions: list[Any] = []
        self._number = number
        self._turn = number
        self._traffic = traffic

    def run(self) -> None:
        visit = 0
        while not self._traffic.ended.is_set():
            visit += 1
            key = f"{self._number}-{visit}"
            made = self._ask("/v1/campaigns/page/decisions", {"request_key": key})
            if made is None:
                return
            self.decisions[key] = made
            reward = float(visit % 3 == 0)
            if self._ask(f"/v1/decisions/{made['ticket']}/reward", {"reward": reward}) is None:
                return
            self.rewards[made["ticket"]] = reward
            self._traffic.visited()

    def _ask(self, path: str, body: object) -> dict[str, Any] | None:
        """The answer of some server, however often it takes; None once all is over."""
        while not self._traffic.ended.is_set():
            self._traffic.running.wait(60)
            urls = self._traffic.urls
            self._turn += 1
            try:
                status, answer = post(urls[self._turn % len(urls)], path, body, 3.0)
            except GONE:
                continue
            self._traffic.answered.release()
            if status == 200:
                return answer
            if status != 503 or answer["default_arm"] != "now":
                self.contradictions.append(answer)
                return None
        return None


def check_ledger(path: Path, traffic: Traffic) -> None:
    """Compare a campaign's ledger with what the visitors were told."""
    with Campaign.open(path) as campaign:
        records = {record.ticket: record for record in campaign.history()}
        state = campaign.state()
    acknowledged = traffic.check(records)
    visitors = len(traffic.visitors)
    unknown = len(records) - acknowledged
    assert 0 <= unknown <= visitors  # at most the last request of each has no answer
    assert acknowledged > 20 * visitors
    report = verify(str(path))
    assert report.problems == []
    assert state == replayed(path)


def replayed(path: Path) -> dict[str, Any]:
    """The state after a replay of all events, without a snapshot."""
    ledger = read_ledger(str(path))
    try:
        state, events = before_all(ledger)
        for event, _ in events:
            state.apply(event)
        assert to_json(load(ledger)) == to_json(state)
        return to_json(state)
    finally:
        ledger.close()
