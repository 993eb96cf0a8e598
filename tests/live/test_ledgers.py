"""Every ledger passes the suite, the suite notices broken ledgers, and locators find ledgers."""

import shutil
from pathlib import Path

import apsw
import pytest
from campaigns import new_campaign, play

from floorline.core import file_locks
from floorline.live import Campaign, Conflict, LedgerError, ledgers, snapshot_writer
from floorline.live.deletion import delete
from floorline.live.ledgers import open_ledger, read_ledger
from floorline.live.ledgers.memory import MemoryLedger
from floorline.live.ledgers.reader import PAGE_SIZE, Mark
from floorline.live.verify import verify
from floorline.testing.ledgers import LEDGER_CHECKS, check_ledger, check_reader

REWARDS = {"now": [1], "video": [0], "quiz": [0]}
FIRST_FORM = Path(__file__).parents[1] / "data" / "ledger-v1.sqlite"


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def new_ledger(request, tmp_path):
    if request.param == "memory":
        return MemoryLedger
    folder = tmp_path if request.param == "sqlite" else request.getfixturevalue("database")
    numbers = iter(range(100))
    return lambda: open_ledger(f"{folder}/{next(numbers)}")


@pytest.mark.parametrize("check", LEDGER_CHECKS, ids=lambda check: check.__name__)
def test_the_suite(new_ledger, check):
    check(new_ledger)


def test_a_reader_beside_the_writer(tmp_path):
    check_reader(
        lambda: open_ledger(str(tmp_path / "c")), lambda ledger: read_ledger(ledger.locator)
    )


class KeepsKeys(MemoryLedger):
    """Forgets to roll back the request keys."""

    def roll_back(self):
        keys = dict(self._by_key)
        super().roll_back()
        self._by_key = keys


class EagerMark(MemoryLedger):
    """Marks events before they are committed."""

    def mark(self):
        if not self._rows:
            return None
        return Mark(self._rows[-1][0], self._rows[-1][6])


class OneSecret(MemoryLedger):
    """Has the secret of every other ledger."""

    secret = b"s" * 32


class LongPages(MemoryLedger):
    """Returns one row too many."""

    def page(self, start, limit=PAGE_SIZE, **how):
        return super().page(start, limit + 1, **how)


class HastyLedger(MemoryLedger):
    """Commits snapshots at once."""

    def store_snapshot(self, seq, snapshot):
        self._snapshots[seq] = snapshot


class TakesAnyKey(MemoryLedger):
    """Gives a request key to two decisions."""

    def append(self, event):
        self._by_key.pop(event.key, None)
        super().append(event)


@pytest.mark.parametrize(
    "broken", [KeepsKeys, EagerMark, OneSecret, LongPages, HastyLedger, TakesAnyKey]
)
def test_the_suite_notices_a_broken_ledger(broken):
    with pytest.raises(AssertionError):
        check_ledger(broken)


# Locators.


def test_locators_find_their_ledgers(tmp_path):
    path = str(tmp_path / "c")
    assert isinstance(open_ledger(":memory:"), MemoryLedger)
    assert not ledgers.exists(":memory:") and not ledgers.exists(path)
    open_ledger(path).close()
    assert ledgers.exists(path)
    with pytest.raises(LedgerError, match="can be read only through its campaign"):
        read_ledger(":memory:")
    with pytest.raises(LedgerError, match=r"no ledger is known for redis://, only for :memory:"):
        Campaign.open("redis://host/page", arms=["a", "b"], max_loss=0.1)


def test_a_backend_is_a_module_and_a_line(monkeypatch):
    monkeypatch.setitem(ledgers.BACKENDS, "list://", "memory")
    with Campaign.open("list://anything", arms=["a", "b"], max_loss=0.1) as campaign:
        assert campaign.decide().arm == "a"
        assert campaign._ledger.locator == "list://anything"


def test_what_a_damaged_campaign_was_opened_with(tmp_path):
    path = tmp_path / "c"
    with new_campaign(path) as campaign:
        campaign.decide()
    db = apsw.Connection(str(path))
    db.execute("UPDATE events SET time = 0 WHERE seq = 1")
    db.close()
    with pytest.raises(LedgerError):
        Campaign.open(path)
    opened = ledgers.salvage_opening(str(path))
    assert opened["settings"]["arms"] == ["now", "video", "quiz"]
    path.write_bytes(b"nothing of it is left")
    assert ledgers.salvage_opening(str(path)) is None


# Reads.


def test_reads_open_no_write_transaction(tmp_path):
    """They work while another connection holds SQLite's write lock."""
    path = tmp_path / "c"
    with new_campaign(path) as campaign:
        ticket = campaign.decide("key")
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        with campaign.transaction():
            assert campaign.status().decisions == 1
        assert campaign.state()["decisions"] == 1
        assert [record.ticket for record in campaign.history()] == [ticket.id]
        assert len(list(campaign.events())) == 2
        assert campaign.decide("key") == ticket
        campaign._ledger._db.set_busy_timeout(0)
        with pytest.raises(LedgerError, match="locked"):  # the lock is real
            campaign.decide()
        other.execute("ROLLBACK")
        other.close()
        assert campaign.decide().arm == "now"
        assert campaign.status().decisions == 2


# Secret, mark and points.


def test_the_secret_is_in_the_file_and_in_no_event(tmp_path):
    path = tmp_path / "c"
    with new_campaign(path) as campaign:
        campaign.decide()
        secret = campaign._ledger.secret
        campaign._ledger.back_up(str(tmp_path / "copy"))
        assert not any(secret.hex() in str(event) for event in campaign.events())
    for file in (path, tmp_path / "copy"):
        reader = read_ledger(str(file))
        assert reader.secret == secret
        reader.close()


def test_a_file_of_the_first_form_has_neither_secret_nor_mark(tmp_path):
    path = Path(shutil.copyfile(FIRST_FORM, tmp_path / "c"))
    ledger = read_ledger(str(path))
    assert (ledger.secret, ledger.mark()) == (None, None)
    ledger.close()
    before = path.read_bytes()
    Campaign.open(path).close()
    assert path.read_bytes() == before, "opening rewrote the file"


@pytest.mark.parametrize("content", [b"", b"hello", b"3 4 5\n", b"\xff" * 43])
def test_a_damaged_mark_is_no_mark(tmp_path, content):
    path = tmp_path / "c"
    new_campaign(path).close()
    (tmp_path / "c-mark").write_bytes(content)
    assert verify(str(path)).problems == []
    with Campaign.open(path) as campaign:
        assert campaign._ledger.mark() is None
        campaign.decide()
        assert campaign._ledger.mark().seq == 2


def test_a_new_ledger_does_not_inherit_the_mark_of_an_old_one(tmp_path):
    with new_campaign(tmp_path / "c") as campaign:
        campaign.decide()
    (tmp_path / "c").unlink()
    ledger = open_ledger(str(tmp_path / "c"))
    assert ledger.mark() is None
    ledger.close()


def test_points_are_stored_with_snapshots(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshot_writer, "SNAPSHOT_EVERY", 10)
    with new_campaign(tmp_path / "c") as campaign:
        play(campaign, REWARDS, 6)
        assert campaign._ledger.snapshots() and campaign.stored_points() is None
        campaign.keep_points(lambda: {"points": campaign.seq})
        play(campaign, REWARDS, 20)
    with Campaign.open(tmp_path / "c") as campaign:
        seq, points = campaign.stored_points()
        assert points == {"points": seq}
        assert seq == campaign._ledger.snapshots()[0]
    assert verify(str(tmp_path / "c")).problems == []


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_campaign_that_has_ended_is_deleted_with_all_that_it_held(request, tmp_path, kind):
    folder = tmp_path if kind == "sqlite" else request.getfixturevalue("database")
    locator, other = f"{folder}/page", f"{folder}/other"
    for path in (locator, other):
        with new_campaign(path) as campaign:
            play(campaign, REWARDS, 5)
            campaign.save_snapshot()
    with pytest.raises(Conflict, match="finished or stopped"):
        delete(locator)
    with Campaign.open(locator) as campaign:
        campaign.finish("video")
        if kind == "postgresql" or file_locks.fcntl is not None:
            with pytest.raises(LedgerError, match="open"):
                delete(locator)
    delete(locator)
    assert not ledgers.exists(locator)
    with pytest.raises(LedgerError, match="no such"):
        delete(locator)
    assert verify(other).problems == []
    with new_campaign(locator) as campaign:
        assert campaign.status().decisions == 0
