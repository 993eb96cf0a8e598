"""Power cuts at any moment lose nothing that was acknowledged, and no key gets two decisions."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from campaigns import new_campaign
from power_cuts import Disk, Operation, files_after

from floorline.live import Campaign, LedgerError, Ticket, snapshot_writer
from floorline.live.ledgers import sqlite, sqlite_files
from floorline.live.verify import verify


class Acknowledged(NamedTuple):
    """A decision or its reward that was returned to the caller."""

    after: int
    """Operations on the disk before that."""
    ticket: Ticket
    key: str
    rewarded: bool


class Recording(NamedTuple):
    """What was written to disk, and what was acknowledged."""

    operations: list[Operation]
    created: int
    """Operations before the file had its name for good."""
    acknowledged: list[Acknowledged]


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns a function that records a campaign with snapshots, checkpoints and a restart."""
    monkeypatch.setattr(snapshot_writer, "SNAPSHOT_EVERY", 40)
    monkeypatch.setattr(snapshot_writer, "LARGE", 10)
    write_mark = sqlite_files.write_mark

    def run(seed: int) -> Recording:
        rng = random.Random(seed)
        acknowledged: list[Acknowledged] = []
        folder = tmp_path / f"recorded{seed}"
        folder.mkdir()
        path = folder / "c"
        disk = Disk()

        def noted(path: str, mark: Any) -> None:
            write_mark(path, mark)
            disk.note_file(path)

        try:
            monkeypatch.setattr(sqlite_files, "write_mark", noted)
            sqlite.SqliteLedger(str(path)).close()
            # It is made under another name, which is in the folder until that is synced.
            disk.operations[:] = [
                operation._replace(file=operation.file.removesuffix("-new"))
                for operation in disk.operations
                if not operation.file.endswith("-journal")
            ]
            created = len(disk.operations)
            waiting: list[tuple[Ticket, str]] = []
            for _ in range(2):
                with new_campaign(path, max_loss=0.3, seed=seed) as campaign:
                    campaign._ledger._db.wal_autocheckpoint(rng.randrange(5, 40))
                    for _ in range(12):
                        done = group(campaign, rng, waiting)
                        after = len(disk.operations)
                        acknowledged += [Acknowledged(after, *one) for one in done]
            assert len(disk.operations) > 200
        finally:
            disk.unregister()
            monkeypatch.setattr(sqlite_files, "write_mark", write_mark)
        return Recording(disk.operations, created, acknowledged)

    return run


def group(
    campaign: Campaign, rng: random.Random, waiting: list[tuple[Ticket, str]]
) -> list[tuple[Ticket, str, bool]]:
    """Decisions and rewards of one transaction: tickets, keys, and whether it was a reward."""
    done = []
    with campaign.transaction():
        for _ in range(rng.choice([1, 1, 5, 20])):
            if waiting and rng.random() < 0.4:
                ticket, key = waiting.pop(rng.randrange(len(waiting)))
                campaign.observe(ticket, 0.5)
                done.append((ticket, key, True))
            else:
                key = f"key {rng.getrandbits(64)}"
                ticket = campaign.decide(key)
                waiting.append((ticket, key))
                done.append((ticket, key, False))
    return done


def is_lost_by_a_cut(recording: Recording, folder: Path, rng: random.Random, honest: bool) -> bool:
    """Return whether something acknowledged is missing or damaged after a power cut."""
    moment = rng.randint(recording.created, len(recording.operations))
    for file in folder.iterdir():
        file.unlink()
    left = files_after(recording.operations[:moment], rng, honest=honest)
    for name, content in left.items():
        (folder / name).write_bytes(content)
    known = [one for one in recording.acknowledged if one.after <= moment]
    path = folder / "c"
    try:
        with new_campaign(path, max_loss=0.3) as campaign:
            found = {record.ticket: record for record in campaign.history()}
            # The same decisions for the same keys, which writes nothing unless one is lost.
            lost = any(campaign.decide(one.key) != one.ticket for one in known[-3:])
        report = verify(str(path))
    except LedgerError:
        return True
    if report.problems or report.lowest_budget < 0:
        return True
    return lost or any(
        one.ticket.id not in found
        or found[one.ticket.id].arm != one.ticket.arm
        or (one.rewarded and found[one.ticket.id].outcome != "observed")
        for one in known
    )


def losses(record: Any, folder: Path, seeds: range, cuts: int, honest: bool = True) -> int:
    """Return how many of the simulated cuts lost something."""
    folder.mkdir()
    lost = 0
    for seed in seeds:
        recording, rng = record(seed), random.Random(seed)
        lost += sum(is_lost_by_a_cut(recording, folder, rng, honest) for _ in range(cuts))
    return lost


def test_nothing_acknowledged_is_lost_by_a_power_cut(record: Any, tmp_path: Path) -> None:
    assert losses(record, tmp_path / "cut", range(2), 40) == 0


def test_a_disk_that_lies_about_syncs_is_found_out(record: Any, tmp_path: Path) -> None:
    assert losses(record, tmp_path / "cut", range(1), 20, honest=False) > 5


@pytest.mark.soak
def test_ten_thousand_power_cuts(record: Any, tmp_path: Path) -> None:
    assert losses(record, tmp_path / "cut", range(100, 150), 200) == 0
