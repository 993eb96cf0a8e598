"""Killed at random moments under load: nothing that was acknowledged is lost."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from campaigns import new_campaign, replayed

from floorline.live import Campaign
from floorline.live.verify import verify

BUSY = Path(__file__).with_name("busy.py")


def acknowledged(path, seed, rng, floor):
    """What a busy process acknowledged until it was killed, at a random moment."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(BUSY), str(path), str(seed), floor]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        output = b"".join(process.stdout.readline() for _ in range(rng.randint(1, 200)))
        for _ in range(rng.randrange(100_000)):  # so that it may be anywhere in a transaction
            pass
        process.send_signal(signal.SIGKILL)
        output += process.stdout.read()
    assert process.returncode == -signal.SIGKILL
    return output[: output.rindex(b"\n")].decode().splitlines()


def missing_from(path, lines):
    """The acknowledged lines that the ledger knows nothing of."""
    with Campaign.open(path) as campaign:
        found = {record.ticket: record for record in campaign.history()}
        assert campaign.state() == replayed(campaign)
        arms = {"added": campaign.settings.arms, "retired": campaign.status().retired}
    lost = []
    for line in lines:
        word, rest = line.split(" ", 1)
        if word in arms:
            lost += [] if rest in arms[word] else [line]
            continue
        ticket, value = rest.split(" ", 1)
        record = found.get(ticket)
        if record is None or (record.arm if word == "decided" else str(record.reward)) != value:
            lost.append(line)
    return lost


def next_decisions_keep_the_floor(path):
    with new_campaign(path, max_loss=0.3, holdback=0.05) as campaign:
        tickets = [campaign.decide(candidate="video") for _ in range(50)]
        assert all(t.guaranteed_budget >= 0 for t in tickets if not t.is_default)


def kill_often(path, kills, seed, floor="confidence"):
    rng, lines, cut_short = random.Random(seed), [], 0
    for number in range(kills):
        lines += acknowledged(path, seed + number, rng, floor)
        cut_short += Path(f"{path}-wal").exists()
        if number % 5 == 4:
            assert missing_from(path, lines) == []
            next_decisions_keep_the_floor(path)
            report = verify(str(path))
            assert report.problems == []
            assert report.lowest_budget >= 0
    assert cut_short == kills, "a process was not killed while it was at work"
    return lines


def test_nothing_acknowledged_is_lost_by_a_kill(tmp_path):
    lines = kill_often(tmp_path / "c", 5, seed=11)
    assert len(lines) > 50
    assert {line.split()[0] for line in lines} >= {"decided", "observed", "added", "retired"}
    # The test can fail: an acknowledgement that came too early is noticed.
    campaign, _, time = lines[0].split()[1].split("-")
    early = f"decided {campaign}-999999999-{time} now"
    assert missing_from(tmp_path / "c", [*lines, early]) == [early]


@pytest.mark.parametrize("floor", ["joint", "randomised"])
def test_nor_is_the_account_of_another_floor(tmp_path, floor):
    assert len(kill_often(tmp_path / "c", 5, seed=13, floor=floor)) > 50


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1_000, 6_000, 1_000))
def test_nothing_acknowledged_is_lost_by_200_kills(tmp_path, seed):
    """A thousand in all, in ledgers small enough to be read whole after every fifth kill."""
    kill_often(tmp_path / "c", 200, seed)
