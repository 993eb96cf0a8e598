"""Files that are not what they should be: one clear line, and not a byte is changed."""

import random
import sqlite3
from pathlib import Path

import apsw
import msgspec
import pytest
from campaigns import crash_copy, new_campaign, play, replayed_file

from floorline.live import Campaign, LedgerError, snapshot_writer
from floorline.live.ledgers import open_ledger
from floorline.live.verify import verify


@pytest.fixture
def good(tmp_path, monkeypatch):
    """A closed ledger of 121 events with two snapshots."""
    monkeypatch.setattr(snapshot_writer, "SNAPSHOT_EVERY", 40)
    path = tmp_path / "good"
    with new_campaign(path) as campaign:
        play(campaign, {"now": [0.5, 1], "video": [1], "quiz": [0]}, 60)
        assert campaign._ledger.snapshots() == [120, 80]
    return path


def change(path, statement, *values):
    db = apsw.Connection(str(path))
    db.execute(statement, values)
    db.close()


def forget_snapshots(path):
    change(path, "DELETE FROM snapshots")


def contents(path):
    files = [Path(f"{path}{suffix}") for suffix in ("", "-wal")]
    return [file.read_bytes() if file.exists() else b"" for file in files]


def refused(path, match):
    """Opening fails with one line, and leaves the file and its log as they are."""
    before = contents(path)
    with pytest.raises(LedgerError, match=match) as found:
        Campaign.open(path)
    assert "\n" not in str(found.value)
    assert str(path) in str(found.value)
    assert contents(path) == before


def test_a_good_file_is_good(good):
    report = verify(str(good))
    assert report.problems == []
    assert (report.events, report.decisions, report.rewards, report.snapshots) == (121, 60, 60, 2)
    assert report.lowest_budget >= 0


def test_what_is_not_a_ledger(tmp_path):
    for name, content in (("empty", b""), ("text", b"hello " * 500)):
        (tmp_path / name).write_bytes(content)
        refused(tmp_path / name, "is not a ledger")
    other = sqlite3.connect(tmp_path / "other")
    other.execute("CREATE TABLE mine (x)")
    other.close()
    refused(tmp_path / "other", "is not a ledger of Floorline; it was not changed")
    (tmp_path / "folder").mkdir()
    with pytest.raises(LedgerError):
        Campaign.open(tmp_path / "folder")


def test_a_newer_form(good):
    change(good, "PRAGMA user_version = 5")
    refused(good, "was written by a newer version of Floorline .form 5, and this one knows 4")
    with pytest.raises(LedgerError, match="newer version"):
        verify(str(good))


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95])
def test_a_truncated_file(good, share):
    content = good.read_bytes()
    good.write_bytes(content[: int(len(content) * share)])
    refused(good, "is damaged|is not a ledger")


@pytest.mark.parametrize("seq", [1, 2, 50, 121])
def test_a_changed_event(good, seq):
    forget_snapshots(good)
    change(good, "UPDATE events SET body = replace(body, 'a', 'b') WHERE seq = ?", seq)
    if seq == 121:
        change(good, "UPDATE events SET body = '{\"reward\":0.25}' WHERE seq = 121")
    refused(good, f"event {seq} is damaged or missing; it was not changed. Restore a backup")
    assert f"event {seq} is damaged" in " ".join(verify(str(good)).problems)


@pytest.mark.parametrize("column", ["time", "kind", "ticket", "key", '"check"'])
def test_every_column_is_covered_by_the_checksum(good, column):
    forget_snapshots(good)
    change(good, f"UPDATE events SET {column} = 17 WHERE seq = 51")
    refused(good, "event 51 is damaged or missing")


@pytest.mark.parametrize("seq", [1, 2, 50, 120])
def test_a_missing_event(good, seq):
    forget_snapshots(good)
    change(good, "DELETE FROM events WHERE seq = ?", seq)
    refused(good, f"event {seq} is damaged or missing")
    assert f"event {seq} is damaged" in " ".join(verify(str(good)).problems)


def test_the_opening_is_checked_even_when_there_is_a_snapshot(good):
    change(good, "UPDATE events SET body = replace(body, '\"id\"', '\"ie\"') WHERE seq = 1")
    refused(good, "event 1 is damaged")


def test_a_ledger_that_lost_its_opening_is_not_begun_again(good):
    forget_snapshots(good)
    change(good, "DELETE FROM events WHERE seq = 1")
    with pytest.raises(LedgerError, match="event 1 is damaged or missing"):
        new_campaign(good)


def test_damage_before_a_snapshot_is_found_by_verify(good):
    change(good, "UPDATE events SET body = '{}' WHERE seq = 3")
    assert "event 3 is damaged" in verify(str(good)).problems[0]


def test_text_that_is_no_text(good):
    change(good, "UPDATE events SET body = CAST(x'ff7b7d' AS TEXT) WHERE seq = 60")
    forget_snapshots(good)
    refused(good, "is damaged")


@pytest.mark.parametrize("damage", ["state = x'00'", "state = zeroblob(100)", "seq = 300"])
def test_a_damaged_snapshot_is_ignored_and_reported(good, damage):
    expected = replayed_file(good)
    change(good, f"UPDATE snapshots SET {damage} WHERE seq = 120")
    with Campaign.open(good) as campaign:
        assert campaign.state() == expected
    assert "snapshot after event" in verify(str(good)).problems[0]


def test_a_snapshot_that_says_something_else_is_reported(good):
    ledger = open_ledger(str(good))
    state = ledger.snapshot(120).state
    state["known"]["plays"][0] += 1
    ledger.save_snapshot(120, state)
    ledger.commit()
    ledger.close()
    assert verify(str(good)).problems == ["snapshot after event 120: differs from the replay"]


def test_snapshots_can_be_deleted(good):
    expected = replayed_file(good)
    forget_snapshots(good)
    with Campaign.open(good) as campaign:
        assert campaign.state() == expected
    assert verify(str(good)).problems == []


def test_a_decision_that_was_not_affordable_is_reported(good, monkeypatch):
    """Written with right checksums by a program that forgot the floor."""
    from floorline.live import campaign as live

    body = {
        "arm": "video",
        "candidate": "video",
        "reason": "holdback",
        "guaranteed_budget": 1.0,
        "probability": None,
    }
    monkeypatch.setattr(live, "choose", lambda *_: body)
    with Campaign.open(good) as campaign:
        for _ in range(30):
            campaign.decide()
    assert "decided at a guaranteed budget of 1;" in verify(str(good)).problems[0]


def test_an_event_about_a_decision_that_is_not_open_is_reported(good):
    with Campaign.open(good) as campaign, campaign.transaction():
        ticket = int(campaign.decide().id.split("-")[1])
        campaign._recorder.record("expired", decision_seq=ticket)
        twice = msgspec.structs.replace(next(campaign.events(after=ticket)), seq=ticket + 2)
        campaign._ledger.append(twice)
    problems = verify(str(good)).problems
    assert any("which was not open" in problem for problem in problems)
    with pytest.raises(LedgerError, match="is not open"):
        Campaign.open(good)


def test_a_damaged_file_keeps_its_log(tmp_path):
    """Not even the log of a crashed campaign is folded into a file that is damaged."""
    with new_campaign(tmp_path / "c") as campaign:
        play(campaign, {"now": [1], "video": [1], "quiz": [0]}, 400)
        campaign._ledger._db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        campaign.decide()
        copy = crash_copy(tmp_path / "c", tmp_path / "crashed")
    content = bytearray(copy.read_bytes())
    at = content.rindex(b'"reason"', 0, len(content) // 2)  # the log may hold the last page anew
    content[at + 1] ^= 1
    copy.write_bytes(content)
    assert Path(f"{copy}-wal").stat().st_size > 0
    refused(copy, "is damaged")


def test_any_flipped_byte_is_harmless_or_refused(good, tmp_path):
    """Whatever byte changes: the state is the same, or there is one clear line."""
    forget_snapshots(good)
    change(good, "VACUUM")
    expected, content = replayed_file(good), good.read_bytes()
    rng, opened = random.Random(5), 0
    path = tmp_path / "flipped"
    for _ in range(120):
        at = rng.randrange(len(content))
        flipped = bytearray(content)
        flipped[at] ^= 1 << rng.randrange(8)
        path.write_bytes(flipped)
        for leftover in ("-wal", "-shm"):
            Path(f"{path}{leftover}").unlink(missing_ok=True)
        try:
            with Campaign.open(path) as campaign:
                assert campaign.state() == expected, f"byte {at}"
                opened += 1
        except LedgerError as error:
            assert "\n" not in str(error), f"byte {at}"
            assert path.read_bytes() == flipped, f"byte {at}"
    assert 0 < opened < 120
