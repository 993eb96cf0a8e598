"""A database that is gone for a while, and servers that cannot reach each other."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import PAGE, Server
from tcp_proxy import TcpProxy

from floorline.client import Client
from floorline.live.verify import verify
from floorline.service.host.cluster import Cluster

CLIENT_SECONDS = 0.5
"""The deadline of a client here; servers share the machine with other tests."""

SLACK_SECONDS = 0.5
"""For a thread that has to wait for the processor."""

DEFAULTS = {"page": "now"}
DECISIONS = "/v1/campaigns/page/decisions"


@pytest.fixture
def proxy(postgres: Any) -> Iterator[TcpProxy]:
    """The network between servers and the database."""
    found = TcpProxy("127.0.0.1", postgres.port)
    yield found
    found.close()


class Killed:
    """The database has crashed."""

    def __init__(self, postgres: Any, proxy: TcpProxy) -> None:
        self.begin, self.end = postgres.kill, postgres.start


class Cut:
    """The network to the database is silent."""

    def __init__(self, postgres: Any, proxy: TcpProxy) -> None:
        self.begin, self.end = proxy.cut, proxy.heal


def ticket_from(client: Client) -> str:
    """Return the ticket of the first decision that is not a fallback."""
    deadline = time.monotonic() + 60
    while (made := client.decide("page")).ticket is None:
        assert time.monotonic() < deadline, "the service makes no decisions"
    return made.ticket


def decide_through(
    start: Callable[..., Server], database: str, outage: Killed | Cut, folder: Path, seconds: float
) -> None:
    """Ask for decisions and report rewards before, during and after an outage of `seconds`."""
    servers = [start(database), start(database)]
    assert servers[0].client().post("/v1/campaigns", json=PAGE).status_code == 201
    clients = [
        Client(
            server.url,
            defaults=DEFAULTS,
            timeout=CLIENT_SECONDS,
            queue_file=folder / f"rewards{number}",
        )
        for number, server in enumerate(servers)
    ]
    try:
        tickets = [ticket_from(client) for client in clients for _ in range(10)]
        outage.begin()
        began = time.monotonic()
        slowest = 0.0
        rewarded = []
        try:
            while time.monotonic() - began < seconds:
                for client in clients:
                    asked = time.monotonic()
                    made = client.decide("page")
                    slowest = max(slowest, time.monotonic() - asked)
                    assert (made.arm, made.ticket) == ("now", None)
                    if len(rewarded) < len(tickets):
                        rewarded.append(tickets[len(rewarded)])
                        assert client.reward(rewarded[-1], 1.0)
            assert not any(client.flush(0.1) for client in clients)
        finally:
            outage.end()
        ended = time.monotonic()
        resumed = []
        for client in clients:
            ticket_from(client)
            resumed.append(time.monotonic() - ended)
        assert all(client.flush(60) for client in clients)
        delivered = time.monotonic() - ended
    finally:
        for client in clients:
            client.close()
    print(
        f"{seconds:g} s without a database: slowest decision {slowest:.3f} s, decisions again "
        f"after {max(resumed):.1f} s, rewards delivered after {delivered:.1f} s"
    )
    assert slowest < CLIENT_SECONDS + SLACK_SECONDS
    for ticket in rewarded:
        answer = servers[0].client().post(f"/v1/decisions/{ticket}/reward", json={"reward": 1})
        assert answer.json()["result"] == "duplicate"
    assert not list(folder.glob("*refused*"))


@pytest.fixture
def through_proxy(database: str, postgres: Any, proxy: TcpProxy) -> str:
    return database.replace(str(postgres.port), str(proxy.port))


@pytest.mark.parametrize("kind", [Killed, Cut])
def test_a_database_that_is_gone_for_seconds(
    kind: Any, start: Any, postgres: Any, proxy: TcpProxy, through_proxy: str, tmp_path: Path
) -> None:
    decide_through(start, through_proxy, kind(postgres, proxy), tmp_path, 2.0)


@pytest.mark.soak
@pytest.mark.parametrize("kind", [Killed, Cut])
def test_a_database_that_is_gone_for_a_minute(
    kind: Any, start: Any, postgres: Any, proxy: TcpProxy, through_proxy: str, tmp_path: Path
) -> None:
    decide_through(start, through_proxy, kind(postgres, proxy), tmp_path, 60.0)


class ReachedByProxy:
    """A server that the others reach through a proxy, and clients directly."""

    def __init__(self, start: Callable[..., Server], database: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.proxy = TcpProxy("127.0.0.1", port)
        self.address = f"http://127.0.0.1:{self.proxy.port}"
        words = ("--port", str(port), "--advertise", self.address)
        self.server = start(database, *words)

    def decide(self, key: str, seconds: float = 5.0) -> Any:
        """Return the response to a decision with a request key."""
        headers = {"X-Floorline-Deadline": str(seconds)}
        body = {"request_key": key}
        return self.server.client().post(DECISIONS, json=body, headers=headers)


def test_servers_that_cannot_reach_each_other(
    start: Callable[..., Server], postgres: Any, database: str, wait_until: Callable[..., None]
) -> None:
    def sql(statement: str) -> list[Any]:
        return postgres.execute(database.rpartition("/")[2], statement)

    def owner_address() -> str | None:
        """The address of the campaign's owner, once it is the one that is preferred."""
        cluster = Cluster(None)  # type: ignore[arg-type]
        cluster._servers = dict(sql("SELECT server, address FROM floorline.servers"))
        preferred = cluster._preferred("page")
        owned = sql("SELECT server FROM floorline.owners") == [(preferred,)]
        return cluster._servers[preferred] if owned and len(cluster._servers) == 2 else None

    first = ReachedByProxy(start, database)
    assert first.server.client().post("/v1/campaigns", json=PAGE).status_code == 201
    pair = [first, ReachedByProxy(start, database)]  # the second has never asked for the campaign
    try:
        wait_until(lambda: first.decide("first").status_code == 200 and bool(owner_address()))
        (owner,) = (one for one in pair if one.address == owner_address())
        (other,) = (one for one in pair if one is not owner)
        owner.proxy.cut()
        for number in range(3):
            asked = time.monotonic()
            answer = other.decide(f"cut {number}", CLIENT_SECONDS)
            assert time.monotonic() - asked < CLIENT_SECONDS + SLACK_SECONDS
            assert (answer.status_code, answer.json()["default_arm"]) == (503, "now")
            assert owner.decide(f"cut {number}").status_code == 200  # by its own clients
        owner.proxy.heal()
        healed = time.monotonic()
        wait_until(lambda: other.decide("healed", CLIENT_SECONDS).status_code == 200)
        print(f"healed after {time.monotonic() - healed:.1f} s")
        keys = ["first", *(f"cut {number}" for number in range(3)), "healed"]
        told = [{one.decide(key).json()["ticket"] for one in pair} for key in keys]
        assert [len(tickets) for tickets in told] == [1] * len(keys)
    finally:
        for one in pair:
            one.proxy.close()
            one.server.end()
    report = verify(f"{database}/page")
    assert (report.problems, report.decisions) == ([], len(keys))
