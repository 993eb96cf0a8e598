"""A flipped bit anywhere in a ledger, its log or its mark is found, or it is harmless."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path

import pytest
from campaigns import new_campaign, play

from floorline.live import Campaign, LedgerError, snapshot_writer
from floorline.live.verify import verify

PAGE_BYTES = 4096
SUFFIXES = ("", "-wal", "-mark")


@pytest.fixture
def killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a killed campaign: half of its events are in its log, and two snapshots."""
    monkeypatch.setattr(snapshot_writer, "SNAPSHOT_EVERY", 40)
    (tmp_path / "killed").mkdir()
    with new_campaign(tmp_path / "c") as campaign:
        play(campaign, {"now": [0.5, 1], "video": [1], "quiz": [0]}, 40)
        campaign._ledger._db.wal_checkpoint()
        for _ in range(4):
            with campaign.transaction():
                play(campaign, {"now": [1], "video": [1], "quiz": [0]}, 10)
        for suffix in SUFFIXES:
            shutil.copyfile(tmp_path / f"c{suffix}", tmp_path / "killed" / f"c{suffix}")
    return tmp_path / "killed" / "c"


def contents(path: Path) -> list[object]:
    """Return everything that can be read from a campaign."""
    with Campaign.open(path) as campaign:
        return [campaign.state(), list(campaign.events()), list(campaign.history())]


def fate(path: Path, whole: list[object]) -> str:
    """Return how the damage is detected; fail if it goes undetected and changes a result."""
    problems = bool(verify_quietly(path))
    try:
        found = contents(path)
    except LedgerError as error:
        assert "\n" not in str(error)
        return "refused"
    if problems:
        return "verify"
    assert found == whole
    return "harmless"


def verify_quietly(path: Path) -> list[str]:
    try:
        return verify(str(path)).problems
    except LedgerError as error:
        return [str(error)]


def flip_bits(killed: Path, flips: int, every: int = 1) -> dict[str, Counter[str]]:
    """Return counts of how flips in every n-th page of each file were detected."""
    files = {suffix: Path(f"{killed}{suffix}").read_bytes() for suffix in SUFFIXES}
    whole = contents(killed)
    rng, fates = random.Random(8), {}
    for suffix, content in files.items():
        fates[suffix] = Counter[str]()
        for page in range(0, len(content), every * PAGE_BYTES):
            for _ in range(flips):
                at = rng.randrange(page, min(page + PAGE_BYTES, len(content)))
                flipped = bytearray(content)
                flipped[at] ^= 1 << rng.randrange(8)
                for file in killed.parent.iterdir():
                    file.unlink()
                for other, kept in files.items():
                    Path(f"{killed}{other}").write_bytes(flipped if other == suffix else kept)
                fates[suffix][fate(killed, whole)] += 1
    return fates


def test_a_flip_in_every_sixth_page(killed: Path) -> None:
    fates = flip_bits(killed, 1, every=6)
    assert fates[""]["refused"] + fates["-wal"]["refused"] > 0
    assert set(fates["-mark"]) == {"harmless"}  # a damaged mark is no mark


@pytest.mark.soak
def test_sixty_flips_in_every_page(killed: Path) -> None:
    fates = flip_bits(killed, 60)
    print(fates)
    assert all(fates[suffix]["refused"] for suffix in ("", "-wal"))
