"""Group commits: together or not at all, and what a failing ledger leaves behind."""

import os
import subprocess
import sys

import pytest
from campaigns import Clock, new_campaign, replayed, replayed_file

from floorline.live import Conflict, LedgerError, snapshot_writer
from floorline.live.ledgers import read_ledger
from floorline.live.verify import verify


def durable(path):
    """Events that another process would find."""
    ledger = read_ledger(str(path))
    try:
        return sum(ledger.counts().values())
    finally:
        ledger.close()


def test_a_group_is_durable_at_its_end_and_not_before(tmp_path):
    with new_campaign(tmp_path / "c") as campaign:
        with campaign.transaction():
            tickets = [campaign.decide() for _ in range(5)]
            with campaign.transaction():  # a group in a group is part of it
                campaign.observe(tickets[0], 1.0)
            assert durable(tmp_path / "c") == 1
        assert durable(tmp_path / "c") == 7
        assert replayed_file(tmp_path / "c") == campaign.state()


def test_what_is_refused_in_a_group_costs_the_others_nothing():
    campaign = new_campaign()
    with campaign.transaction():
        first = campaign.decide("a")
        with pytest.raises(ValueError, match="reward"):
            campaign.observe(first, 2.0)
        with pytest.raises(ValueError, match="candidate"):
            campaign.decide(candidate="radio")
        with pytest.raises(ValueError, match="request_key"):
            campaign.decide("\ud800")
        with pytest.raises(Conflict):
            campaign.void(first)
        assert campaign.decide("a") == first
        campaign.observe(first, 1.0)
    with pytest.raises(RuntimeError, match="mine"), campaign.transaction():
        second = campaign.decide()
        raise RuntimeError("mine")
    assert campaign.observe(second, 0.0) == "accepted"
    assert campaign.status().decisions == 2
    assert replayed(campaign) == campaign.state()


class Failing:
    """A method of a campaign's ledger that fails when it is called for the n-th time from now."""

    def __init__(self, monkeypatch, campaign, name, number=1, error=None):
        real, self.calls = getattr(campaign._ledger, name), 0

        def method(*arguments):
            self.calls += 1
            if self.calls == number:
                raise error or LedgerError("the ledger: broke, for a test")
            return real(*arguments)

        monkeypatch.setattr(campaign._ledger, name, method)


@pytest.mark.parametrize("path", [":memory:", "file"])
@pytest.mark.parametrize(("name", "number"), [("append", 1), ("append", 4), ("commit", 1)])
def test_when_the_ledger_fails_nothing_in_the_group_happened(
    tmp_path, monkeypatch, path, name, number
):
    path = path if path == ":memory:" else tmp_path / "c"
    with new_campaign(path) as campaign:
        ticket = campaign.decide("first")
        before = campaign.state()
        Failing(monkeypatch, campaign, name, number)
        with pytest.raises(LedgerError), campaign.transaction():
            for number in range(6):
                campaign.decide(f"key {number}")
            campaign.observe(ticket, 1.0)
        assert campaign.state() == before == replayed(campaign)
        again = campaign.decide("key 0")  # and it works again
        assert campaign.observe(again, 1.0) == "accepted"
        assert campaign.observe(ticket, 0.5) == "accepted"
        assert [record.request_key for record in campaign.history()] == ["first", "key 0"]
        assert replayed(campaign) == campaign.state()


def test_a_group_that_broke_stays_broken_whoever_catches_the_error(monkeypatch):
    """A full disk may have taken back what came before in the group."""
    campaign = new_campaign()
    before = campaign.state()
    Failing(monkeypatch, campaign, "append", 2)
    with pytest.raises(LedgerError, match="was rolled back"), campaign.transaction():
        campaign.decide()
        for _ in range(3):
            with pytest.raises(LedgerError):
                campaign.decide()
    assert campaign.state() == before == replayed(campaign)


def test_one_decision_on_a_failing_ledger_did_not_happen(monkeypatch):
    campaign = new_campaign()
    for name in ("append", "commit"):
        Failing(monkeypatch, campaign, name)
        with pytest.raises(LedgerError):
            campaign.decide("again")
        assert campaign.status().decisions == 0
    assert campaign.decide("again").arm == "now"


def test_a_fault_in_the_middle_of_an_event_takes_the_group_back(monkeypatch):
    campaign = new_campaign()
    before = campaign.state()
    real = campaign._state._decided

    def half(event):
        real(event)
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr(campaign._state, "_decided", half)
    with pytest.raises(LedgerError, match="was rolled back"):
        campaign.decide()
    assert campaign.state() == before == replayed(campaign)
    assert campaign.decide().arm == "now"


def test_a_clock_that_fails_leaves_a_working_campaign():
    clock = Clock()
    campaign = new_campaign(clock=lambda: clock.now + 0, missing="zero", window=10)
    campaign.decide()
    clock.now = None
    with pytest.raises(TypeError):
        campaign.decide()
    clock.now = 2_000_000.0
    assert campaign.decide().arm == "now"
    assert campaign.status().pending == 1
    assert replayed(campaign) == campaign.state()


def test_snapshots_come_now_and_then_also_when_often_reopened(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshot_writer, "SNAPSHOT_EVERY", 20)
    for _ in range(30):
        with new_campaign(tmp_path / "c") as campaign:
            campaign.observe(campaign.decide(), 1.0)
    with new_campaign(tmp_path / "c") as campaign:
        latest, older = campaign._ledger.snapshots()
        assert 61 - latest < 20
        assert latest - older == 20
    report = verify(str(tmp_path / "c"))
    assert (report.problems, report.snapshots) == ([], 2)


FULL_DISK = """
import resource, sys
from campaigns import new_campaign, replayed
from floorline.live import LedgerError

path = sys.argv[1]
campaign = new_campaign(path)
kept = [campaign.decide(f"kept {n}") for n in range(20)]
before = campaign.state()
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, hard))
failures = 0
for _ in range(3):
    try:
        with campaign.transaction():
            for n in range(2000):
                campaign.decide()
    except LedgerError as error:
        failures += 1
        assert "Traceback" not in str(error) and "\\n" not in str(error)
assert failures == 3
assert campaign.state() == before == replayed(campaign)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
with campaign.transaction():
    for ticket in kept:
        assert campaign.observe(ticket, 1.0) == "accepted"
assert replayed(campaign) == campaign.state()
campaign.close()
print("held")
"""


def test_a_full_disk(tmp_path):
    pytest.importorskip("resource", reason="there are no limits of resources here")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "c")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "held", done.stderr
    assert verify(str(tmp_path / "c")).problems == []


def test_a_disk_that_fills_up_in_the_middle_of_a_group_takes_it_back(tmp_path):
    """Looking up a key writes what came before; SQLite then takes back the whole transaction."""
    with new_campaign(tmp_path / "c") as campaign:
        campaign.decide("first")
        before = campaign.state()
        db = campaign._ledger._db
        pages = db.pragma("page_count")
        db.pragma("max_page_count", pages)  # a disk that is full
        refused = 0
        with pytest.raises(LedgerError), campaign.transaction():
            for number in range(300):
                try:
                    campaign.decide(f"key {number}" if number % 50 == 49 else None)
                except LedgerError:
                    refused += 1
                    db.pragma("max_page_count", 10**6)  # there is room again: too late for it
        assert refused > 0
        assert campaign.state() == before
        assert campaign.decide("key 0").arm == "now"
    assert verify(str(tmp_path / "c")).problems == []


def test_what_cannot_be_written_takes_the_group_back():
    """Looking up a key writes what came before, up to the event that breaks it."""
    campaign = new_campaign()
    before = campaign.state()
    with pytest.raises(LedgerError, match="was rolled back"), campaign.transaction():
        campaign.decide()
        campaign._recorder.record("resumed", body={"no": object()})
        with pytest.raises(TypeError):
            campaign.decide("key")
        with pytest.raises(LedgerError):
            campaign.decide("key")
    assert campaign.state() == before == replayed(campaign)
    assert campaign.decide("key").arm == "now"
    assert replayed(campaign) == campaign.state()


def test_what_breaks_at_the_end_of_a_group_leaves_a_working_campaign(monkeypatch):
    campaign = new_campaign()
    campaign.observe(campaign.decide(), 1.0)
    Failing(monkeypatch, campaign, "commit", error=MemoryError())
    with pytest.raises(MemoryError):
        campaign.decide()
    assert campaign.decide().arm == "now"
    assert campaign.status().decisions == 2


def test_a_snapshot_that_was_rolled_back_is_taken_again(monkeypatch):
    campaign = new_campaign()
    Failing(monkeypatch, campaign, "commit")
    with pytest.raises(LedgerError), campaign.transaction():
        for _ in range(5):
            campaign.decide()
        campaign.save_snapshot()
    campaign.decide()
    campaign.save_snapshot()
    assert campaign._ledger.snapshots() == [campaign.seq]
