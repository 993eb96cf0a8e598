"""Clocks that are set, and services that were down: windows run as they should."""

from __future__ import annotations

import logging
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from floorline.cli.main import app
from floorline.live import Campaign
from floorline.live.clock import SteadyClock, boot_clock
from floorline.live.clock_repair import repair_clock
from floorline.live.errors import DamagedLedger, LedgerError
from floorline.live.ledgers import open_ledger, read_ledger
from floorline.live.verify import verify

YEAR = 365 * 86_400.0
WINDOW = 1800.0
CLICKS: dict[str, Any] = {
    "arms": ["now", "video"],
    "max_loss": 0.1,
    "missing": "zero",
    "window": WINDOW,
}


class Hands:
    """A wall clock that can be set, and the time since boot, which cannot."""

    def __init__(self) -> None:
        self.elapsed = 0.0
        self.set_by = 0.0
        self.clock = SteadyClock(self.wall, lambda: self.elapsed)

    def wall(self) -> float:
        return 1.7e9 + self.elapsed + self.set_by


@pytest.fixture
def hands() -> Hands:
    return Hands()


def test_a_clock_that_jumps_for_two_seconds_ends_no_window(
    hands: Hands, caplog: pytest.LogCaptureFixture
) -> None:
    campaign = Campaign.open(":memory:", clock=hands.clock, seed=1, **CLICKS)
    before = campaign.decide()
    hands.set_by = YEAR
    with caplog.at_level(logging.WARNING):
        during = campaign.decide()
    assert "the clock was set" in caplog.text
    (problem,) = campaign.status().problems
    assert "set 365.0 days ahead" in problem
    hands.elapsed, hands.set_by = 2.0, 0.0
    assert campaign.observe(before, 1.0) == campaign.observe(during, 1.0) == "accepted"
    assert campaign.status().problems == []
    after = campaign.decide()
    hands.elapsed += WINDOW + 1
    assert campaign.observe(after, 1.0) == "late"
    assert max(event.time for event in campaign.events()) == hands.wall()


def test_time_goes_on_while_a_clock_that_was_set_back_is_wrong(hands: Hands) -> None:
    campaign = Campaign.open(":memory:", clock=hands.clock, seed=1, **CLICKS)
    ticket = campaign.decide()
    hands.set_by = -YEAR
    hands.elapsed += WINDOW + 1
    assert campaign.observe(ticket, 1.0) == "late"
    assert "365.0 days back" in campaign.status().problems[0]


def test_small_steps_are_believed(hands: Hands) -> None:
    hands.set_by = 59.0
    assert hands.clock() == hands.wall()
    hands.set_by = 118.0
    assert hands.clock() == hands.wall()
    assert hands.clock.step == 0


def test_a_laptop_that_slept_has_not_set_its_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """On macOS, where `time.monotonic` stops during sleep."""
    monkeypatch.delattr(time, "CLOCK_BOOTTIME", raising=False)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(time, "clock_gettime", {time.CLOCK_MONOTONIC_RAW: 5000.0}.get)
    assert boot_clock()() == 5000


def test_elsewhere_the_time_since_boot_is_that_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(time, "CLOCK_BOOTTIME", raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(time, "monotonic", lambda: 5000.0)
    assert boot_clock()() == 5000


def harmed(path: Path, hands: Hands) -> None:
    """A ledger whose last event is a year ahead, as an unguarded clock left it."""
    with Campaign.open(path, clock=hands.wall, seed=1, **CLICKS) as campaign:
        campaign.decide()
        hands.set_by = YEAR
        campaign.decide()
        hands.set_by = 0.0


def test_windows_of_a_harmed_ledger_end_again(tmp_path: Path, hands: Hands) -> None:
    harmed(tmp_path / "page", hands)
    with Campaign.open(tmp_path / "page", clock=hands.clock) as campaign:
        assert "is 365.0 days ahead" in campaign.status().problems[0]
        ticket = campaign.decide()
        hands.elapsed += WINDOW + 1
        assert campaign.observe(ticket, 1.0) == "late"


def test_repair_sets_the_time_back_in_a_new_epoch(tmp_path: Path, hands: Hands) -> None:
    path = tmp_path / "page"
    harmed(path, hands)
    assert repair_clock(str(path), hands.clock) == pytest.approx(YEAR)
    assert repair_clock(str(path), hands.clock) == 0
    with Campaign.open(path, clock=hands.clock) as campaign:
        status = campaign.status()
        assert (status.epoch, status.decisions, status.problems) == (2, 0, [])
        ticket = campaign.decide()
        last = list(campaign.events())[-1]
        assert last.time == hands.wall()
        assert campaign.observe(ticket, 1.0) == "accepted"
    assert verify(str(path)).problems == []


def test_repair_of_a_finished_campaign_keeps_its_evidence(tmp_path: Path, hands: Hands) -> None:
    path = tmp_path / "page"
    harmed(path, hands)
    with Campaign.open(path, clock=hands.clock) as campaign:
        campaign.finish("video")
    assert repair_clock(str(path), hands.clock) > 0
    with Campaign.open(path, clock=hands.clock) as campaign:
        assert (campaign.status().epoch, campaign.status().decisions) == (1, 2)
        assert campaign.decide().arm == "video"
        hands.elapsed += WINDOW + 1
        assert campaign.status().pending == 0
    assert verify(str(path)).problems == []


def test_repair_takes_a_clock_of_whole_seconds(tmp_path: Path, hands: Hands) -> None:
    """A ledger stores times as floats, and 5.0 has another checksum than 5."""
    harmed(tmp_path / "page", hands)
    assert repair_clock(str(tmp_path / "page"), lambda: 1_700_000_000) > 0
    assert verify(str(tmp_path / "page")).problems == []


def test_where_there_is_no_campaign_there_is_nothing_to_repair(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="there is no such file"):
        repair_clock(str(tmp_path / "page"))
    open_ledger(str(tmp_path / "page")).close()
    with pytest.raises(LedgerError, match="holds no campaign yet"):
        repair_clock(str(tmp_path / "page"))


def test_the_command_says_when_there_is_nothing_to_repair(tmp_path: Path) -> None:
    Campaign.open(tmp_path / "page", **CLICKS).close()
    result = CliRunner().invoke(app, ["ledger", "repair-clock", str(tmp_path / "page")])
    assert result.exit_code == 0
    assert "nothing to repair" in result.output


def test_verify_finds_a_time_that_goes_back(tmp_path: Path, hands: Hands) -> None:
    path = tmp_path / "page"
    with Campaign.open(path, clock=hands.wall, **CLICKS) as campaign:
        campaign.decide()
        campaign._recorder.state.time = 0.0  # a recorder that has forgotten the last time
        hands.set_by = -100.0
        campaign.decide()
    assert ["seconds before that of the event before" in p for p in verify(str(path)).problems] == [
        True
    ]


# Outages.


def played(path: Path, hands: Hands, outage: float) -> dict[str, Any]:
    """The state after clicks that were sent again when a service was back."""
    with Campaign.open(path, clock=hands.wall, seed=3, **CLICKS) as campaign:
        tickets = [campaign.decide().id for _ in range(150)]
        hands.elapsed += WINDOW / 2
        for ticket in tickets[:50]:
            campaign.observe(ticket, 1.0)
    hands.elapsed += outage
    with Campaign.open(path, clock=hands.wall, seed=3, up_since=hands.wall()) as campaign:
        assert [campaign.observe(ticket, 1.0) for ticket in tickets[50:100]] == ["accepted"] * 50
        hands.elapsed += WINDOW / 2 + 1
        campaign.decide()
        return campaign.state()


def test_windows_do_not_run_while_the_service_is_down(tmp_path: Path, hands: Hands) -> None:
    """After an outage, all counts are as if it had not been."""
    after, without = (
        played(tmp_path / "after", hands, 10 * WINDOW),
        played(tmp_path / "without", hands, 0.0),
    )
    assert after["outage"] == pytest.approx(10 * WINDOW)
    for name in ("known", "book", "lost", "reasons", "drift", "decisions", "late"):
        assert after[name] == without[name], name
    assert sum(after["lost"]) == 50
    assert verify(str(tmp_path / "after")).problems == []


def test_outages_survive_snapshots(tmp_path: Path, hands: Hands) -> None:
    path = tmp_path / "page"
    with Campaign.open(path, clock=hands.wall, seed=3, **CLICKS) as campaign:
        campaign.decide()
    hands.elapsed += YEAR
    with Campaign.open(path, clock=hands.wall, up_since=hands.wall()) as campaign:
        campaign.decide()
        campaign.save_snapshot()
        state = campaign.state()
    with Campaign.open(path, clock=hands.wall) as campaign:
        assert campaign.state() == state
        hands.elapsed += WINDOW + 1
        assert campaign.status().pending == 0
    assert verify(str(path)).problems == []


def test_without_a_service_windows_run_between_processes(tmp_path: Path, hands: Hands) -> None:
    """As for a script that opens its campaign for each request."""
    with Campaign.open(tmp_path / "page", clock=hands.wall, **CLICKS) as campaign:
        ticket = campaign.decide().id
    hands.elapsed += WINDOW + 1
    with Campaign.open(tmp_path / "page", clock=hands.wall) as campaign:
        assert campaign.observe(ticket, 1.0) == "late"


def test_an_outage_is_never_longer_than_until_now(tmp_path: Path, hands: Hands) -> None:
    """The clock by which a service came up may be ahead of the ledger's."""
    path = tmp_path / "page"
    with Campaign.open(path, clock=hands.wall, **CLICKS) as campaign:
        ticket = campaign.decide().id
    hands.elapsed += 60.0
    with Campaign.open(path, clock=hands.wall, up_since=hands.wall() + YEAR) as campaign:
        assert campaign.state()["outage"] == 60
        hands.elapsed += WINDOW + 1
        assert campaign.observe(ticket, 1.0) == "late"
    assert verify(str(path)).problems == []


def test_a_ledger_that_is_refused_gets_no_outage(tmp_path: Path, hands: Hands) -> None:
    path = tmp_path / "page"
    with Campaign.open(path, clock=hands.wall, **CLICKS) as campaign:
        campaign.decide()
        seq = campaign.seq
        campaign._ledger.take_over_secret(b"of another ledger")
        campaign._ledger.commit()
    hands.elapsed += 60.0
    with pytest.raises(DamagedLedger, match="secret"):
        Campaign.open(path, clock=hands.wall, up_since=hands.wall())
    with closing(read_ledger(str(path))) as reader:
        assert reader.event(seq + 1) is None


class Disk:
    """Lets the commits of a campaign fail while it is full."""

    def __init__(self, campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full = False
        self.answers = True
        self._commit = campaign._ledger.commit
        monkeypatch.setattr(campaign._ledger, "commit", self.commit)

    def commit(self) -> None:
        if self.full:
            raise LedgerError("the disk is full")
        self._commit()
        if not self.answers:
            raise LedgerError("the answer to a commit was lost")


def test_windows_stand_still_while_commits_fail(
    tmp_path: Path, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clicks that are sent again after a full disk count; a window is as long as ever."""
    path = tmp_path / "page"
    with Campaign.open(path, clock=hands.wall, seed=3, **CLICKS) as campaign:
        disk = Disk(campaign, monkeypatch)
        tickets = [campaign.decide().id for _ in range(100)]
        hands.elapsed += WINDOW / 2
        disk.full = True
        for _ in range(5):
            with pytest.raises(LedgerError):
                campaign.observe(tickets[0], 1.0)
            hands.elapsed += 2 * WINDOW
        disk.full = False
        assert {campaign.observe(ticket, 1.0) for ticket in tickets[:50]} == {"accepted"}
        hands.elapsed += WINDOW / 2 + 1
        assert {campaign.observe(ticket, 1.0) for ticket in tickets[50:]} == {"late"}
        assert campaign.state()["outage"] == 10 * WINDOW
        hands.elapsed += WINDOW  # and windows run again
        assert campaign.state()["outage"] == 10 * WINDOW
    assert verify(str(path)).problems == []


def test_a_clock_that_is_corrected_little_by_little_is_trusted() -> None:
    wall, elapsed = [1e9], [0.0]
    clock = SteadyClock(lambda: wall[0], lambda: elapsed[0])
    for _ in range(10_000):  # by 100 seconds in all
        wall[0] += 0.51
        elapsed[0] += 0.5
        assert clock() == wall[0]
    for seconds in (1e6, 0.1):  # nobody asks for days
        wall[0] += seconds
        elapsed[0] += seconds
        assert (clock(), clock.step) == (wall[0], 0.0)
    wall[0] += 1e6  # right after it was compared
    assert (clock(), clock.step) == (wall[0] - 1e6, 1e6)


def test_an_outage_begins_after_what_was_committed_without_an_answer(
    tmp_path: Path, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "page"
    with Campaign.open(path, clock=hands.wall, seed=3, **CLICKS) as campaign:
        disk = Disk(campaign, monkeypatch)
        disk.answers = False
        with pytest.raises(LedgerError), campaign.transaction():
            campaign.decide("first")
            hands.elapsed += 20.0
            campaign.decide("second")
        disk.answers = True
        hands.elapsed += 30.0
        campaign.decide("second")
        assert campaign.status().decisions == 2
        assert campaign.state()["outage"] == 30
    assert verify(str(path)).problems == []
