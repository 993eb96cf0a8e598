"""Owners that are killed or stopped under load: others take over, and nothing is lost."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import pytest
from postgresql_server import PostgresPair
from serving import GONE, PAGE, Server, post
from tcp_proxy import TcpProxy

from floorline.live.history import records
from floorline.live.ledgers import read_ledger
from floorline.live.tickets import ticket_ids
from floorline.live.verify import verify

VISITORS = 4
TAKEOVER_SECONDS = 3.0


class Balancer:
    """Sends each request to the next server, as a load balancer would."""

    def __init__(self) -> None:
        self.servers: list[Server] = []
        self.ended = threading.Event()
        self.visits = threading.Semaphore(0)

    def wait_for(self, visits: int) -> None:
        for _ in range(visits):
            assert self.visits.acquire(timeout=60), "nobody gets an answer"


class Visitor(threading.Thread):
    """Asks for decisions and reports rewards, with the same key until there is an answer."""

    def __init__(self, number: int, balancer: Balancer) -> None:
        super().__init__(daemon=True)
        self.decisions: dict[str, dict[str, Any]] = {}
        self.rewards: dict[str, float] = {}
        self.contradictions: list[Any] = []
        self.answers = 0
        self._number = number
        self._turn = number
        self._balancer = balancer

    def run(self) -> None:
        visit = 0
        while not self._balancer.ended.is_set():
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
            self._balancer.visits.release()

    def _ask(self, path: str, body: object) -> dict[str, Any] | None:
        """The answer of some server, however often it takes; None once all is over."""
        while not self._balancer.ended.is_set():
            servers = self._balancer.servers
            self._turn += 1
            try:
                status, answer = post(servers[self._turn % len(servers)].url, path, body, 3.0)
            except GONE:
                continue
            self.answers += 1
            if status == 200:
                return answer
            if status != 503 or answer["default_arm"] != "now":
                self.contradictions.append(answer)
                return None
        return None


@pytest.fixture
def balancer(start: Callable[..., Server], database: str) -> Iterator[Balancer]:
    """Two servers with a campaign."""
    found = Balancer()
    found.servers = [start(database), start(database)]
    assert found.servers[0].client().post("/v1/campaigns", json=PAGE).status_code == 201
    yield found
    found.ended.set()


def owner_of(postgres: Any, database: str, balancer: Balancer) -> Server | None:
    rows = postgres.execute(
        database.rpartition("/")[2],
        "SELECT address FROM floorline.owners JOIN floorline.servers USING (server)",
    )
    return next((s for s in balancer.servers if rows and s.url == rows[0][0]), None)


def begin(balancer: Balancer) -> list[Visitor]:
    visitors = [Visitor(number, balancer) for number in range(VISITORS)]
    for visitor in visitors:
        visitor.start()
    return visitors


def seconds_until_served(url: str) -> float:
    """How long it takes until a server decides again, asked as often as possible."""
    started = time.monotonic()
    while time.monotonic() - started < 30:
        try:
            if post(url, "/v1/campaigns/page/decisions", {}, 3.0)[0] == 200:
                break
        except GONE:
            pass
    return time.monotonic() - started


def finish(balancer: Balancer, visitors: list[Visitor], locator: str) -> None:
    """End the traffic, and compare the ledger with what the visitors were told."""
    balancer.ended.set()
    for visitor in visitors:
        visitor.join(30)
    for server in balancer.servers:
        server.end()
    assert [visitor.contradictions for visitor in visitors] == [[]] * len(visitors)
    ledger = read_ledger(locator)
    try:
        found = {r.ticket: r for r in records(ledger, ticket_ids(ledger, ledger.opened()))}
    finally:
        ledger.close()
    keys = [record.request_key for record in found.values() if record.request_key is not None]
    assert len(keys) == len(set(keys)), "a request key has two decisions"
    for visitor in visitors:
        for key, made in visitor.decisions.items():
            record = found[made["ticket"]]
            told = (made["arm"], made["reason"], made["guaranteed_budget"])
            assert (record.request_key, record.arm, record.reason, record.guaranteed_budget) == (
                key,
                *told,
            )
        for ticket, reward in visitor.rewards.items():
            assert (found[ticket].outcome, found[ticket].reward) == ("observed", reward)
    report = verify(locator)
    assert report.problems == []
    assert report.lowest_budget >= 0


def kill_owners(
    start: Callable[..., Server], postgres: Any, database: str, balancer: Balancer, kills: int
) -> None:
    visitors = begin(balancer)
    took = []
    for _ in range(kills):
        balancer.wait_for(100)
        owner = owner_of(postgres, database, balancer)
        if owner is None:  # it is changing hands
            continue
        owner.process.send_signal(signal.SIGKILL)
        (other,) = (server for server in balancer.servers if server is not owner)
        took.append(seconds_until_served(other.url))
        balancer.servers = [other]
        owner.end(signal.SIGKILL)
        balancer.servers = [other, start(database)]
    balancer.wait_for(100)
    finish(balancer, visitors, f"{database}/page")
    assert median(took) <= TAKEOVER_SECONDS, took


def test_three_kills(
    start: Callable[..., Server], postgres: Any, database: str, balancer: Balancer
) -> None:
    kill_owners(start, postgres, database, balancer, 3)


@pytest.mark.soak
def test_fifty_kills(
    start: Callable[..., Server], postgres: Any, database: str, balancer: Balancer
) -> None:
    kill_owners(start, postgres, database, balancer, 50)


def test_a_stopped_owner_loses_its_campaign_and_comes_back(
    postgres: Any, database: str, balancer: Balancer, wait_until: Callable[..., None]
) -> None:
    visitors = begin(balancer)
    balancer.wait_for(50)
    wait_until(lambda: owner_of(postgres, database, balancer) is not None)
    zombie = owner_of(postgres, database, balancer)
    assert zombie is not None
    (other,) = (server for server in balancer.servers if server is not zombie)
    both, balancer.servers = balancer.servers, [other]
    zombie.process.send_signal(signal.SIGSTOP)
    try:
        took = seconds_until_served(other.url)
        balancer.wait_for(50)
    finally:
        zombie.process.send_signal(signal.SIGCONT)
    balancer.servers = [zombie]
    balancer.wait_for(50)  # through the one that woke up
    balancer.servers = both
    balancer.wait_for(50)
    finish(balancer, visitors, f"{database}/page")
    assert took <= 2 * TAKEOVER_SECONDS


def crash_database(postgres: Any, database: str, balancer: Balancer, crashes: int) -> None:
    visitors = begin(balancer)
    for _ in range(crashes):
        balancer.wait_for(100)
        postgres.kill()
        try:
            before = [visitor.answers for visitor in visitors]
            for visitor, answers in zip(visitors, before, strict=True):
                deadline = time.monotonic() + 30
                while visitor.answers < answers + 2:  # 503s, each with the default arm
                    assert time.monotonic() < deadline, "no answer while there is no database"
        finally:
            postgres.start()
        while balancer.visits.acquire(blocking=False):
            pass
    balancer.wait_for(100)
    finish(balancer, visitors, f"{database}/page")


def test_a_database_that_crashes_is_waited_for(
    postgres: Any, database: str, balancer: Balancer
) -> None:
    crash_database(postgres, database, balancer, 1)


@pytest.mark.soak
def test_a_database_that_crashes_ten_times(
    postgres: Any, database: str, balancer: Balancer
) -> None:
    crash_database(postgres, database, balancer, 10)


@pytest.mark.soak
def test_servers_follow_a_failover_to_a_synchronous_standby(
    start: Callable[..., Server], postgres: Any
) -> None:
    pair, balancer = PostgresPair(postgres.programs), Balancer()
    try:
        pair.wait_for_standby_at_each_commit()
        balancer.servers = [start(pair.locator()), start(pair.locator())]
        assert balancer.servers[0].client().post("/v1/campaigns", json=PAGE).status_code == 201
        visitors = begin(balancer)
        balancer.wait_for(200)
        pair.fail_over()
        took = seconds_until_served(balancer.servers[0].url)
        print(f"served again {took:.1f} s after the failover")
        balancer.wait_for(200)
        finish(balancer, visitors, pair.locator("page"))
    finally:
        balancer.ended.set()
        pair.delete()


@pytest.mark.soak
def test_a_server_without_its_network_loses_its_campaigns(
    start: Callable[..., Server], postgres: Any, database: str, wait_until: Callable[..., None]
) -> None:
    proxy = TcpProxy("127.0.0.1", postgres.port)
    try:
        cut_off = start(database.replace(str(postgres.port), str(proxy.port)))
        other = start(database)
        names = [f"page{number}" for number in range(6)]
        for name in names:
            other.client().post("/v1/campaigns", json={**PAGE, "name": name})
        owned = (
            "SELECT name FROM floorline.owners JOIN floorline.servers USING (server) "
            f"JOIN floorline.campaigns USING (campaign) WHERE address = '{cut_off.url}'"
        )

        def decide(server: Server, name: str) -> bool:
            path = f"/v1/campaigns/{name}/decisions"
            try:
                return post(server.url, path, {}, 3.0)[0] == 200
            except GONE:
                return False

        def mine() -> list[str]:
            for name in names:
                decide(other, name)
            return [name for (name,) in postgres.execute(database.rpartition("/")[2], owned)]

        wait_until(lambda: bool(mine()))
        victim = mine()[0]
        proxy.cut()
        wait_until(lambda: decide(other, victim))
        proxy.heal()
        wait_until(lambda: all(decide(cut_off, name) for name in names))
    finally:
        proxy.close()
    for name in names:
        assert verify(f"{database}/{name}").problems == []
