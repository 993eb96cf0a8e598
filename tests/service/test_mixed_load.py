"""Everything that clients ask for at once, for long: memory stays flat, and nothing is lost."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from serving import PAGE, Server
from visiting import Traffic, check_ledger

VISITORS = 4
SAMPLES = 60
"""How often memory is looked at."""

GROWTH = 1.1
"""What the last sixth of the samples may use, beside the second sixth."""


class Onlooker(threading.Thread):
    """Asks for one thing after another, and keeps every answer that is not 200."""

    def __init__(self, client: httpx.Client, traffic: Traffic, ask: Callable[..., Any]) -> None:
        super().__init__(daemon=True)
        self.answers = 0
        self.refusals: list[str] = []
        self._client = client
        self._ended = traffic.ended
        self._ask = ask

    def run(self) -> None:
        rng = random.Random(1)
        while not self._ended.wait(0.01):
            for answer in self._ask(self._client, rng):
                self.answers += 1
                if answer.status_code != 200:
                    self.refusals.append(answer.text)


def batches(client: httpx.Client, rng: random.Random) -> Iterator[httpx.Response]:
    """Decide in batches for the other campaigns, and report the rewards in random order."""
    requests = [{"request_key": f"{rng.getrandbits(64)}"} for _ in range(rng.randrange(1, 60))]
    made = client.post(
        f"/v1/campaigns/other{rng.randrange(3)}/decisions", json={"requests": requests}
    )
    yield made
    tickets = [one["ticket"] for one in made.json()["decisions"]]
    rng.shuffle(tickets)
    rewards = [{"ticket": ticket, "reward": rng.random()} for ticket in tickets]
    yield client.post("/v1/rewards", json={"rewards": rewards})


def reads(client: httpx.Client, rng: random.Random) -> Iterator[httpx.Response]:
    """What dashboards and monitoring look at."""
    campaign = f"/v1/campaigns/{rng.choice(['page', 'other0', 'other1', 'other2'])}"
    for path in ("", "/decisions?limit=50", "/series", "/events?limit=50"):
        yield client.get(campaign + path)
    for path in ("/v1/campaigns", "/metrics", "/readyz", "/livez"):
        yield client.get(path)


def memory(server: Server) -> int:
    """The resident memory of a server, in KiB."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def mixed_load(start: Callable[..., Server], data: Path, seconds: float) -> list[int]:
    """Samples of the server's memory under load."""
    server = start(data)
    client = server.client()
    for name in ("page", "other0", "other1", "other2"):
        assert client.post("/v1/campaigns", json={**PAGE, "name": name}).status_code == 201
    traffic = Traffic(server.url)
    onlookers = [Onlooker(server.client(), traffic, ask) for ask in (batches, reads)]
    samples = []
    traffic.begin(VISITORS)
    for onlooker in onlookers:
        onlooker.start()
    for _ in range(SAMPLES):
        time.sleep(seconds / SAMPLES)
        samples.append(memory(server))
    traffic.end()
    for onlooker in onlookers:
        onlooker.join(60)
    assert [onlooker.refusals for onlooker in onlookers] == [[], []]
    assert all(onlooker.answers for onlooker in onlookers)
    print(f"{sum(len(visitor.rewards) for visitor in traffic.visitors)} visits, {samples} KiB")
    assert server.end() == 0
    assert [line for line in server.lines if line["level"] == "error"] == []
    check_ledger(data / "campaigns" / "page.ledger", traffic)
    return samples


def test_three_seconds(start: Callable[..., Server], tmp_path: Path) -> None:
    mixed_load(start, tmp_path, 3.0)


@pytest.mark.soak
def test_an_hour_with_flat_memory(start: Callable[..., Server], tmp_path: Path) -> None:
    samples = mixed_load(start, tmp_path, 3600.0)
    sixth = SAMPLES // 6
    assert max(samples[-sixth:]) < GROWTH * max(samples[sixth : 2 * sixth])
