"""Visitors of a service, and whether its ledger holds all that they were told."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from serving import GONE, Server, post

from floorline.live import Campaign
from floorline.live.ledgers import read_ledger
from floorline.live.replay import load
from floorline.live.replay import start as before_all
from floorline.live.snapshot import to_json
from floorline.live.verify import verify


class Traffic:
    """What visitors and the one who kills servers know of each other."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.running = threading.Event()
        self.running.set()
        self.ended = threading.Event()
        self.visits = threading.Semaphore(0)

    def wait_for(self, visits: int) -> None:
        """Wait until so many more visits are complete, reward and all."""
        for _ in range(visits):
            assert self.visits.acquire(timeout=60), "the service does not get on"

    def restart(self, server: Server, start_server: Callable[..., Server], data: Path) -> Server:
        """Kill the server and start another."""
        server.process.send_signal(signal.SIGKILL)  # under full load
        self.running.clear()
        server.end(signal.SIGKILL)
        server = start_server(data)
        self.url = server.url
        self.running.set()
        return server


class Visitor(threading.Thread):
    """Asks for decisions and reports rewards, with the same key until there is an answer."""

    def __init__(self, number: int, traffic: Traffic) -> None:
        super().__init__(daemon=True)
        self.decisions: dict[str, dict[str, Any]] = {}
        self.rewards: dict[str, float] = {}
        self.contradictions: list[Any] = []
        self._number = number
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
            reward = float((visit * 7) % 3 == 0)
            if self._ask(f"/v1/decisions/{made['ticket']}/reward", {"reward": reward}) is None:
                return
            self.rewards[made["ticket"]] = reward
            self._traffic.visits.release()

    def _ask(self, path: str, body: object) -> dict[str, Any] | None:
        """The answer, however often it takes; None once all is over."""
        while not self._traffic.ended.is_set():
            self._traffic.running.wait(60)
            try:
                status, answer = post(self._traffic.url, path, body)
            except GONE:
                continue
            if status == 200:
                return answer
            if status != 503:
                self.contradictions.append(answer)
                return None
        return None


def check(path: Path, visitors: list[Visitor]) -> None:
    """Compare the ledger with what the visitors were told."""
    assert [visitor.contradictions for visitor in visitors] == [[]] * len(visitors)
    with Campaign.open(path) as campaign:
        records = {record.ticket: record for record in campaign.history()}
        state = campaign.state()
    by_key: dict[str | None, list[str]] = {}
    for ticket, record in records.items():
        by_key.setdefault(record.request_key, []).append(ticket)
    assert all(len(tickets) == 1 for tickets in by_key.values())  # none was counted twice
    acknowledged = 0
    for visitor in visitors:
        for key, made in visitor.decisions.items():
            record = records[made["ticket"]]
            told = (made["arm"], made["reason"], made["guaranteed_budget"])
            assert (record.request_key, record.arm, record.reason, record.guaranteed_budget) == (
                key,
                *told,
            )
            acknowledged += 1
        for ticket, reward in visitor.rewards.items():
            assert (records[ticket].outcome, records[ticket].reward) == ("observed", reward)
    unknown = len(records) - acknowledged
    assert 0 <= unknown <= len(visitors)  # at most the last request of each has no answer
    assert acknowledged > 20 * len(visitors)
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
