"""The campaigns of a folder: those that cannot be opened, and those that can be later."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from serving import PAGE, Server, problem
from starlette.testclient import TestClient

from floorline.live import Campaign, LedgerError
from floorline.live.clock import machine_clock
from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.host import catalogue, registry
from floorline.service.host import folder as folders
from floorline.service.host.folder import Folder
from floorline.service.host.owners import SoleOwner

DECISIONS = "/v1/campaigns/page/decisions"
WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def data(tmp_path: Path) -> Folder:
    """A folder with one campaign and one decision."""
    folder = Folder(tmp_path / "data", create=True)
    with Campaign.open(
        Path(folder.store.locator("page")), arms=PAGE["arms"], max_loss=0.1
    ) as campaign:
        campaign.decide("first")
    return folder


def test_a_campaign_is_opened_that_its_owner_gives_up_meanwhile(data: Folder) -> None:
    """It is open elsewhere when this server tries, and closed when it looks for the owner."""
    owner = Campaign.open(data.store.locator("page"))

    class GivenUp(SoleOwner):
        async def refresh(self) -> None:
            owner.close()

    async def decide() -> str:
        campaigns = registry.Registry(data.store, data.index, lambda *_: None, 8, GivenUp())
        campaigns.catalogue.list_store()
        campaign = await campaigns.get("page")
        ticket = await campaign.queue.submit(Campaign.decide)
        await campaigns.close()
        return ticket.arm

    with owner:  # without locks, as on Windows, nobody asks for it
        assert asyncio.run(decide()) == "now"


def test_what_cannot_be_opened_is_tried_again(
    data: Folder, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    monkeypatch.setattr(registry, "RETRY_SECONDS", 0.01)
    full = True
    opening_of = catalogue.opening_of

    def open_if_there_is_room(locator: str) -> Any:
        if full:
            raise LedgerError("the disk is full")
        return opening_of(locator)

    monkeypatch.setattr(catalogue, "opening_of", open_if_there_is_room)
    service = Service(Config(data.path))
    with TestClient(service, base_url="http://127.0.0.1") as client:
        problem(client.post(DECISIONS), 503, "unavailable", "now")
        assert client.get("/readyz").json()["unavailable"] == ["page"]
        full = False
        first = {"request_key": "first"}
        wait_until(lambda: client.post(DECISIONS, json=first).status_code != 503)
        ticket = client.post(DECISIONS, json=first).json()["ticket"]
        assert client.get("/readyz").json()["unavailable"] == []
        answer = client.post(f"/v1/decisions/{ticket}/reward", json={"reward": 1})
        assert answer.json()["result"] == "accepted"


def test_a_copy_beside_a_ledger_is_not_served(data: Folder) -> None:
    shutil.copy(Path(data.store.locator("page")), Path(data.store.locator("page-old")))
    with TestClient(Service(Config(data.path)), base_url="http://127.0.0.1") as client:
        answer = client.post("/v1/campaigns/page-old/decisions")
        detail = problem(answer, 503, "unavailable", "now")
        assert "is a copy of that of campaign page" in detail
        ticket = client.post(DECISIONS).json()["ticket"]
        answer = client.post(f"/v1/decisions/{ticket}/reward", json={"reward": 1})
        assert answer.json()["result"] == "accepted"
        assert client.get("/v1/campaigns/page").json()["status"]["arms"][0]["seen"] == 1


def test_tickets_of_a_ledger_that_cannot_be_read_are_not_refused_for_good(
    data: Folder, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    """A client drops what is answered with 404, and the reward would be lost."""
    monkeypatch.setattr(registry, "RETRY_SECONDS", 0.01)
    ledger, other_ledger = (Path(data.store.locator(name)) for name in ("page", "other"))
    with Campaign.open(ledger) as campaign:
        ticket = campaign.decide("first").id
    with Campaign.open(other_ledger, arms=PAGE["arms"], max_loss=0.1) as campaign:
        other = campaign.decide().id
    intact = ledger.read_bytes()
    ledger.write_bytes(b"\0" * 4096 + intact[4096:])  # without its first page
    batch = {"rewards": [{"ticket": ticket, "reward": 1}, {"ticket": other, "reward": 1}]}
    with TestClient(Service(Config(data.path)), base_url="http://127.0.0.1") as client:
        for path, body in ((f"{ticket}/reward", {"reward": 1}), (f"{ticket}/void", None)):
            problem(client.post(f"/v1/decisions/{path}", json=body), 503, "unavailable")
        results = client.post("/v1/rewards", json=batch).json()["results"]
        assert results[0]["problem"]["status"] == 503
        assert results[1]["result"] == "accepted"

        ledger.write_bytes(intact)
        received: list[Any] = []

        def taken() -> bool:
            received[:] = client.post("/v1/rewards", json=batch).json()["results"]
            return "problem" not in received[0]

        wait_until(taken)
        assert [one["result"] for one in received] == ["accepted", "duplicate"]
        unknown = client.post(f"/v1/decisions/{'0' * 10}-1-0/reward", json={"reward": 1})
        problem(unknown, 404, "unknown-ticket")


def test_replays_wait_for_each_other(
    data: Folder, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    service = Service(Config(data.path))
    with TestClient(service, base_url="http://127.0.0.1") as client:
        ticket = client.post(DECISIONS, json={"request_key": "first"}).json()["ticket"]
        service.host.registry.replays = asyncio.Semaphore(1)
        entered: list[bool] = []
        acquire = service.host.registry.replays.acquire

        async def note() -> Any:
            entered.append(True)
            return await acquire()

        monkeypatch.setattr(service.host.registry.replays, "acquire", note)
        assert client.get(f"{DECISIONS}/{ticket}").status_code == 200
        assert entered == [True]
        problem(client.get(f"{DECISIONS}/{ticket}999999"), 404, "unknown-ticket", "now")


SMALL_DISK = 'mount -t tmpfs -o size=3m tmpfs "$0" && exec "$@"'


def test_started_on_a_full_disk(
    start: Callable[..., Server], tmp_path: Path, wait_until: WaitUntil
) -> None:
    words = ["unshare", "-rm", "sh", "-c", SMALL_DISK, str(tmp_path)]
    if subprocess.run([*words, "true"], capture_output=True).returncode != 0:
        pytest.skip("a small disk cannot be made here: unshare or mount is not allowed")
    wait = [sys.executable, "-c", "print(flush=True); input()"]
    holder = subprocess.Popen([*words, *wait], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None and holder.stdin is not None
    holder.stdout.readline()  # the disk is there
    try:
        disk = Path(f"/proc/{holder.pid}/root{tmp_path}")
        inside = ("nsenter", "-t", str(holder.pid), "-U", "-m", "--preserve-credentials")
        first = start(tmp_path / "data", inside=inside)
        client = first.client()
        window = {**PAGE, "missing": "zero", "window": 1.0}
        for settings in (PAGE, {**window, "name": "window"}):
            client.post("/v1/campaigns", json=settings)
            path = f"/v1/campaigns/{settings['name']}/decisions"
            client.post(path, json={"requests": [{}] * 500})
        assert first.end() == 0
        with open(disk / "fill", "wb", buffering=0) as fill, pytest.raises(OSError):
            while True:
                fill.write(b"0" * 4096)
        client = start(tmp_path / "data", inside=inside).client()
        for name in ("page", "window"):
            answer = client.post(f"/v1/campaigns/{name}/decisions")
            assert str(tmp_path) not in problem(answer, 503, "unavailable", "now")
        (disk / "fill").unlink()
        for path in ("/v1/campaigns/page/decisions", "/v1/campaigns/window/decisions"):
            wait_until(lambda path=path: client.post(path).status_code == 200)  # type: ignore[misc]
    finally:
        holder.communicate(b"\n")


def test_clicks_sent_again_after_an_outage_longer_than_the_window_count(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "data", create=True)
    an_hour_ago = machine_clock() - 3600
    with Campaign.open(
        Path(folder.store.locator("page")),
        clock=lambda: an_hour_ago,
        arms=PAGE["arms"],
        max_loss=0.1,
        missing="zero",
        window=60,
    ) as campaign:
        tickets = [campaign.decide().id for _ in range(150)]
    with TestClient(Service(Config(folder.path)), base_url="http://127.0.0.1") as client:
        for ticket in tickets:
            answer = client.post(f"/v1/decisions/{ticket}/reward", json={"reward": 1})
            assert answer.json()["result"] == "accepted"
        arms = client.get("/v1/campaigns/page").json()["status"]["arms"]
        assert [sum(arm[name] for arm in arms) for name in ("seen", "lost")] == [150, 0]


def test_windows_stand_still_while_a_failing_campaign_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another campaign took its place in the pool after its disk was full."""
    monkeypatch.setattr(folders, "open_campaigns_allowed", lambda: 1)
    wall, elapsed, later = machine_clock._wall, machine_clock._elapsed, 0.0
    monkeypatch.setattr(machine_clock, "_wall", lambda: wall() + later)
    monkeypatch.setattr(machine_clock, "_elapsed", lambda: elapsed() + later)

    def fail() -> None:
        raise LedgerError("the disk is full")

    service = Service(Config(tmp_path / "data", create=True))
    with TestClient(service, base_url="http://127.0.0.1") as client:
        for name in ("other", "page"):
            settings = {**PAGE, "name": name, "missing": "zero", "window": 60}
            assert client.post("/v1/campaigns", json=settings).status_code == 201
        ticket = client.post(DECISIONS).json()["ticket"]
        reward = f"/v1/decisions/{ticket}/reward"
        (hosted,) = service.host.registry.pool.all()
        monkeypatch.setattr(hosted._campaign._ledger, "commit", fail)
        problem(client.post(reward, json={"reward": 1}), 503, "unavailable", "now")
        assert client.post("/v1/campaigns/other/decisions").status_code == 200
        later = 3600.0
        assert client.post(reward, json={"reward": 1}).json()["result"] == "accepted"
