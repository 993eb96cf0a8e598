"""Without the modules that Windows lacks, here and in child processes; all of it: make portable."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from floorline.core import file_locks
from floorline.live import Campaign, LedgerError

TESTS = Path(__file__).parent
SOME = (
    "client/test_refused_rewards.py",
    "live/test_campaign.py",
    "live/test_open.py",
    "service/api/test_ofrep.py",
)


def test_some_tests_of_client_campaigns_and_service() -> None:
    paths = os.pathsep.join([str(TESTS / "without_posix"), *sys.path])
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *(str(TESTS / name) for name in SOME)],
        cwd=TESTS.parent,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert "there are no locks of files here" in done.stdout  # the modules were really missing


def test_without_locks_a_second_writer_is_noticed_when_it_appends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each decision is made on all events before it, and none is recorded twice."""
    monkeypatch.setattr(file_locks, "fcntl", None)
    path = str(tmp_path / "page.ledger")
    with (
        Campaign.open(path, arms=["now", "video"], max_loss=0.1) as first,
        Campaign.open(path) as second,
    ):
        for behind, ahead in ((first, second), (second, first), (first, second)):
            made = ahead.decide()
            with pytest.raises(LedgerError, match=r"UNIQUE constraint failed: events\.seq"):
                behind.decide()
            assert behind.observe(made, 1.0) == "accepted"  # it has read what the other wrote
            with pytest.raises(LedgerError, match=r"UNIQUE constraint failed: events\.seq"):
                ahead.decide()
            assert ahead.status().decisions == behind.status().decisions
    with Campaign.open(path) as campaign:
        assert campaign.status().decisions == 3
