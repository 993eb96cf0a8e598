"""The series: never too many points, and the same after a restart."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from serving import PAGE
from starlette.testclient import TestClient

from floorline.live import Campaign, LedgerError, series
from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.host import campaigns
from floorline.service.host.child_process import ARGUMENTS
from floorline.service.host.folder import Folder
from floorline.service.host.rebuild import replay_points


@pytest.fixture(autouse=True)
def _few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "MAX_POINTS", 16)


def fill(client: TestClient, decisions: int) -> None:
    made = client.post("/v1/campaigns/page/decisions", json={"requests": [{}] * decisions})
    rewards = [{"ticket": one["ticket"], "reward": 1} for one in made.json()["decisions"]]
    client.post("/v1/rewards", json={"rewards": rewards[::2]})


def columns(client: TestClient) -> dict[str, Any]:
    found = client.get("/v1/campaigns/page/series").json()
    del found["time"]  # of a decision in the ledger, and of the look at it before
    return dict(found)


def serve(folder: Path) -> TestClient:
    return TestClient(Service(Config(folder, create=True)), base_url="http://127.0.0.1")


def fill_and_stop(folder: Path, *batches: int) -> dict[str, Any]:
    """The series at the end of a service that has made these decisions."""
    with serve(folder) as client:
        client.post("/v1/campaigns", json=PAGE)
        for decisions in batches:
            fill(client, decisions)
        return columns(client)


def test_a_restart_changes_nothing(tmp_path: Path) -> None:
    before = fill_and_stop(tmp_path, 1, 7, 30, 200)
    with serve(tmp_path) as client:
        assert columns(client) == before
        fill(client, 100)
        after = columns(client)
    assert 8 <= len(before["decisions"]) <= 17
    assert len(after["decisions"]) <= 17
    assert after["decisions"][-1] == 338


def test_a_point_is_that_of_its_event_however_late_it_is_noted(tmp_path: Path) -> None:
    """Windows go on meanwhile, and with them what an average may count."""
    clock = [1_000_000.0]
    path = tmp_path / "page.ledger"
    settings = {**PAGE, "missing": "zero", "window": 100.0}
    del settings["name"]
    noted = series.SeriesRecorder(512)
    with Campaign.open(path, seed=1, clock=lambda: clock[0], **settings) as campaign:
        for number in range(150):
            clock[0] += 1
            with campaign.transaction():
                ticket = campaign.decide()
                clock[0] += 5  # as if the process had been halted
                noted.note(campaign)
                campaign.observe(ticket, float(number % 2))
        last = campaign.seq
        noted.settle(True)
    assert len({point.reward for point in noted.points}) > 20
    assert noted.points == replay_points(str(path), 0, last, 512)


def test_a_long_transaction_computes_few_points_that_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {name: value for name, value in PAGE.items() if name != "name"}
    path = tmp_path / "page.ledger"
    noted, computed = series.SeriesRecorder(16), []

    def fill(campaign: Campaign) -> None:
        with campaign.transaction():
            for _ in range(100):
                campaign.decide()
                noted.note(campaign)
            computed.append(len(noted._uncommitted))

    def fail() -> None:
        raise LedgerError("the disk is full")

    with Campaign.open(path, **settings) as campaign:
        with monkeypatch.context() as broken, pytest.raises(LedgerError):
            broken.setattr(campaign._ledger, "commit", fail)
            fill(campaign)
        noted.settle(False)
        fill(campaign)
        noted.settle(True)
        assert noted.points == replay_points(str(path), 0, campaign.seq, 16)
    assert len(noted.points) == 13  # of 101 events, the first in every 8
    assert computed == [35, 35]  # 14 up to event 15, then 8 in steps of 2, 8 of 4 and 5 of 8


def test_a_restart_does_not_replay_the_whole_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fill_and_stop(tmp_path, 500, 500, 1)  # a point for every 128 of 1,503 events
    replayed: list[int] = []

    def replay(locator: str, after: int, last: int, max_points: int) -> list[series.SeriesPoint]:
        replayed.append(last - after)
        return replay_points(locator, after, last, max_points)

    monkeypatch.setattr(campaigns, "replay_points", replay)
    with serve(tmp_path) as client:
        assert columns(client) == before
        fill(client, 10)
        before = columns(client)
    with serve(tmp_path) as client:
        assert columns(client) == before
        assert replayed == []  # the first 1,503 were stored, and the next point is at 1,536
        fill(client, 20)
        before = columns(client)
    with serve(tmp_path) as client:
        assert columns(client) == before
        assert replayed == [45]  # thirty decisions and fifteen rewards


def test_the_series_of_a_long_ledger_is_computed_in_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fill_and_stop(tmp_path, 200)
    monkeypatch.setattr(campaigns, "MAX_EVENTS_AT_OPENING", 10)
    service = Service(Config(tmp_path))
    with TestClient(service, base_url="http://127.0.0.1") as client:
        assert len(columns(client)["decisions"]) == 1  # only where it stands now
        until = time.monotonic() + 60
        while not service.host.registry.pool._open["page"].series_is_complete:
            assert time.monotonic() < until
        assert columns(client) == before


def test_an_incomplete_series_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fill_and_stop(tmp_path, 200)
    monkeypatch.setattr(campaigns, "MAX_EVENTS_AT_OPENING", 10)

    async def never(*_: object) -> list[series.SeriesPoint]:
        await asyncio.Event().wait()
        return []

    monkeypatch.setattr(campaigns, "replay_in_child", never)
    with serve(tmp_path) as client:
        fill(client, 1000)
    monkeypatch.undo()
    monkeypatch.setattr(series, "MAX_POINTS", 16)
    with serve(tmp_path) as client:
        after = columns(client)
    assert after["decisions"][0] == before["decisions"][0]


def test_what_the_columns_say(client: TestClient, page: str) -> None:
    fill(client, 10)
    found = client.get(f"{page}/series").json()
    length = len(found["decisions"])
    flat = [value for value in found.values() if isinstance(value, list)]
    nested = [
        column for value in found.values() if isinstance(value, dict) for column in value.values()
    ]
    assert {len(column) for column in [*flat, *nested]} == {length}
    assert found["decisions"] == sorted(found["decisions"])
    for at in range(length):
        assert sum(found["plays"][arm][at] for arm in PAGE["arms"]) == found["decisions"][at]  # type: ignore[attr-defined]
        assert sum(column[at] for column in found["reasons"].values()) == found["decisions"][at]
        if found["reward"][at] is None:  # no reward of the default is known yet
            assert (found["default"][at], found["floor"][at]) == (None, None)
            continue
        assert found["reward_lower"][at] <= found["reward"][at] <= found["reward_upper"][at]
        assert found["floor"][at] == pytest.approx(0.9 * found["default"][at])
    assert found["reward"][-1] is not None
    assert found["default"][-1] == pytest.approx(10.0)  # all rewards that are known are 1


def test_points_of_a_group_that_failed_are_forgotten() -> None:
    recorder = series.SeriesRecorder(16)
    with Campaign.open(
        ":memory:", arms=["now", "video"], max_loss=0.1, clock=lambda: 1e6
    ) as campaign:
        campaign.decide()
        recorder.note(campaign)
        recorder.settle(False)
        assert recorder.points == []
        recorder.note(campaign)
        recorder.settle(True)
    assert [(point.seq, point.time) for point in recorder.points] == [(2, 1e6)], "by its own clock"


def test_points_that_were_stored_before_arms_could_change() -> None:
    made = series.SeriesRecorder(16)
    with Campaign.open(":memory:", arms=["now", "video"], max_loss=0.1) as campaign:
        for _ in range(3):
            campaign.decide()
            made.note(campaign)
    made.settle(committed=True)
    stored = msgspec.to_builtins(made.to_store())
    old = [[list(x.values()) if i == series.PLAYS else x for i, x in enumerate(p)] for p in stored]
    assert old[-1][series.PLAYS] == [3, 0]
    for points in (stored, old):
        again = series.SeriesRecorder(16)
        again.restore(points, ["now", "video"])
        assert again.points == made.points


def test_a_decision_made_before_is_no_new_point(tmp_path: Path) -> None:
    with serve(tmp_path) as client:
        client.post("/v1/campaigns", json=PAGE)
        client.post("/v1/campaigns/page/decisions", json={"request_key": "first"})
        fill(client, 50)
        before = columns(client)
        client.post("/v1/campaigns/page/decisions", json={"request_key": "first"})
        assert columns(client) == before


def test_the_other_process(tmp_path: Path) -> None:
    fill_and_stop(tmp_path, 20)
    locator = Folder(tmp_path).store.locator("page")
    command = [sys.executable, "-m", "floorline.service.host.rebuild"]
    arguments = json.dumps([locator, "0", "31", "16"])
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, env={**os.environ, ARGUMENTS: arguments}) as process:
        assert process.stdout is not None
        assert len(msgspec.json.decode(process.stdout.read())) == 10  # every second decision
        assert process.wait(30) == 0


def test_the_other_process_ends_with_the_service() -> None:
    code = "from floorline.service.host.child_process import end_with_parent; end_with_parent()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.close()  # as happens when the service ends in any way
        assert process.wait(30) == 1
