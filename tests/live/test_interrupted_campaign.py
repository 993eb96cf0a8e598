"""A campaign interrupted at any moment keeps what it has acknowledged, and its ledger is whole."""

import subprocess
import sys

import pytest

from floorline.live import Campaign
from floorline.live.verify import verify

PROGRAM = """
import random, signal, sys
from floorline.live import Campaign

def interrupt(number, frame):
    raise KeyboardInterrupt

path, interrupts = sys.argv[1], int(sys.argv[2])
signal.signal(signal.SIGALRM, interrupt)
rng, acknowledged, count = random.Random(1), [], 0
campaign = Campaign.open(path, arms=["now", "a"], max_loss=0.1, missing="zero", window=0.004)
while count < interrupts or len(acknowledged) <= interrupts:
    try:
        signal.setitimer(signal.ITIMER_REAL, rng.random() * rng.choice([3e-4, 3e-3, 3e-2]) + 1e-5)
        while True:
            ticket = campaign.decide(f"key {rng.random()}")
            acknowledged.append(f"decided {ticket.id}")
            if campaign.observe(ticket, 1.0) == "accepted":
                acknowledged.append(f"observed {ticket.id}")
            with campaign.transaction():
                made = [campaign.decide() for _ in range(3)]
            acknowledged += [f"decided {ticket.id}" for ticket in made]
    except KeyboardInterrupt:
        count += 1
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            count += 1
campaign.close()
print("\\n".join(acknowledged))
"""


def interrupt_often(path, interrupts):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), str(interrupts)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert verify(str(path)).problems == []
    with Campaign.open(path) as campaign:
        kept = [*campaign.history()]
    known = {f"decided {one.ticket}" for one in kept}
    known |= {f"observed {one.ticket}" for one in kept if one.outcome == "observed"}
    lines = done.stdout.splitlines()
    assert len(lines) > interrupts
    assert set(lines) <= known


def test_interrupts_lose_nothing(tmp_path):
    interrupt_often(tmp_path / "c", 150)


@pytest.mark.soak
def test_many_interrupts_lose_nothing(tmp_path):
    for part in range(20):
        interrupt_often(tmp_path / f"{part}", 500)
