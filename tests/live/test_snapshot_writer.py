"""Snapshots of campaigns with many open decisions, which a thread encodes."""

import pytest
from campaigns import Clock, new_campaign, replayed

from floorline.live import LedgerError, snapshot, snapshot_writer
from floorline.live.verify import verify


@pytest.fixture(autouse=True)
def large(monkeypatch):
    monkeypatch.setattr(snapshot_writer, "SNAPSHOT_EVERY", 30)
    monkeypatch.setattr(snapshot_writer, "LARGE", 5)


def until_it_is_encoded(campaign):
    """Decide until a snapshot is due; return after which event that is, once it is encoded."""
    tickets = []
    while campaign._recorder.snapshots._encoding is None:
        if len(tickets) < 8:
            tickets.append(campaign.decide())
        else:
            campaign.observe(tickets.pop(0), 1.0)
    campaign._recorder.snapshots._encoding.result(timeout=60)
    return campaign.seq


def test_it_is_stored_with_a_later_transaction(tmp_path):
    with new_campaign(tmp_path / "c") as campaign:
        seq = until_it_is_encoded(campaign)
        assert campaign._ledger.snapshots() == []
        campaign.decide()
        assert campaign._ledger.snapshots() == [seq]
        second = until_it_is_encoded(campaign)
        assert second >= seq + 30
        campaign.decide()
        state = campaign.state()
    report = verify(str(tmp_path / "c"))
    assert (report.problems, report.snapshots) == ([], 2)
    with new_campaign(tmp_path / "c") as campaign:
        assert campaign.state() == state == replayed(campaign)


def test_what_happens_meanwhile_is_not_in_it():
    campaign = new_campaign(window=100.0, missing="zero")
    tickets = [campaign.decide() for _ in range(20)]
    for ticket in tickets[1::2]:
        campaign.observe(ticket, 1.0)
    before, finish = campaign.state(), snapshot.capture(campaign._state)
    for ticket in tickets[::2]:
        campaign.observe(ticket, 1.0)
        campaign.decide()
    campaign.pause()
    assert finish() == before != campaign.state()


def test_one_that_was_begun_in_a_transaction_rolled_back_is_dropped(monkeypatch):
    campaign = new_campaign()
    with monkeypatch.context() as patch, pytest.raises(LedgerError), campaign.transaction():
        for _ in range(5):
            campaign.decide()
        patch.setattr(campaign._ledger, "commit", failing)
        for _ in range(40):
            campaign.observe(campaign.decide(), 1.0)
    campaign.decide()
    assert campaign._recorder.snapshots._encoding is None
    assert campaign._ledger.snapshots() == []
    assert campaign.status().decisions == 1


def failing(*_):
    raise LedgerError("the ledger: broke, for a test")


def no_thread(self, call):
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize("what", ["thread", "encoding"])
def test_decisions_do_not_need_one_that_fails(monkeypatch, caplog, what):
    campaign = new_campaign()
    for _ in range(10):
        campaign.decide()
    with monkeypatch.context() as patch:
        if what == "thread":
            patch.setattr(snapshot_writer.ThreadPoolExecutor, "submit", no_thread)
        else:
            campaign.keep_points(object)  # cannot be encoded
        while not caplog.records:
            campaign.observe(campaign.decide(), 1.0)
    campaign.keep_points(lambda: None)
    failed_at = campaign.seq
    assert campaign.status().decisions == 10 + (failed_at - 11) // 2
    seq = until_it_is_encoded(campaign)
    assert failed_at + 30 - 2 < seq <= failed_at + 30
    campaign.decide()
    assert campaign._ledger.snapshots() == [seq]
    assert campaign.state() == replayed(campaign)
    assert [record.message for record in caplog.records] == ["a snapshot is missing"]


def test_a_disk_without_room_for_it_fails_one_transaction(monkeypatch):
    campaign = new_campaign()
    monkeypatch.setattr(campaign._ledger, "store_snapshot", failing)
    failed = []
    for number in range(25):
        try:
            campaign.observe(campaign.decide(), 1.0)
        except LedgerError:
            failed.append(number)
    assert len(failed) == 1
    until_it_is_encoded(campaign)
    with pytest.raises(LedgerError):
        campaign.decide()
    for _ in range(25):
        campaign.decide()


def test_one_taken_on_request_replaces_one_that_is_not_stored_yet():
    campaign = new_campaign()
    until_it_is_encoded(campaign)
    campaign.save_snapshot()
    campaign.decide()
    assert campaign._ledger.snapshots() == [campaign.seq - 1]


def test_points_that_come_after_the_last_event_are_stored():
    campaign = new_campaign()
    campaign.decide()
    campaign.save_snapshot()
    campaign.keep_points(lambda: ["a point"])
    campaign.save_snapshot()
    assert campaign.stored_points() == (campaign.seq, ["a point"])
    assert campaign._ledger.snapshots() == [campaign.seq]


def test_an_outage_is_kept(tmp_path):
    """The times from which windows run are stored only if they differ from those of decisions."""
    clock = Clock()
    settings = {"window": 100.0, "missing": "zero", "clock": clock}
    with new_campaign(tmp_path / "c", **settings) as campaign:
        campaign.decide()
        campaign.save_snapshot()
        assert campaign.state()["open"]["since"] == []
        clock.now += 50.0
        campaign._recorder.record_outage(None, clock.now)
        campaign.decide()
        campaign.save_snapshot()
        state = campaign.state()
        assert len(state["open"]["since"]) == 2
    with new_campaign(tmp_path / "c", **settings) as campaign:
        assert campaign.state() == state
    assert verify(str(tmp_path / "c")).problems == []
