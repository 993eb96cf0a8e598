"""A ledger of the first form is replayed for ever: tests/data/ledger-v1.sqlite.

It was made once, by `python tests/live/test_first_form.py`, with the program that wrote form 1,
and holds every kind of event. It is never made again: a new form gets a new file beside it.
"""

import json
import shutil
from pathlib import Path

import pytest
from campaigns import Clock, new_campaign, replayed_file

from floorline.live import Campaign, snapshot, snapshot_writer
from floorline.live.events import KINDS
from floorline.live.ledgers import read_ledger
from floorline.live.verify import verify

DATA = Path(__file__).parents[1] / "data"
FILE = DATA / "ledger-v1.sqlite"
STATE = DATA / "ledger-v1.json"


@pytest.fixture
def copy(tmp_path):
    return Path(shutil.copyfile(FILE, tmp_path / "c"))


def test_it_holds_every_kind_of_event(copy):
    ledger = read_ledger(str(copy))
    assert set(ledger.counts()) == set(KINDS) - {"refused", "noted"}  # which came later
    assert len(ledger.snapshots()) == 2
    ledger.close()


def test_its_replay_is_what_it_was(copy):
    before = snapshot.plain(snapshot.from_json(json.loads(STATE.read_text())))
    replayed = json.loads(json.dumps(replayed_file(copy)))
    for name in ("early", "turned_away", "turned_to"):  # which that version did not store
        before[name] = replayed[name]
    for name in ("numbers", "probabilities"):
        before["open"][name] = replayed["open"][name]
    assert replayed == before


def test_it_is_clean_and_goes_on(copy):
    assert verify(str(copy)).problems == []
    later = Clock(2_000_000.0)
    with Campaign.open(copy, clock=later) as campaign:
        ticket = campaign.decide()
        assert campaign.observe(ticket, 2.0) == "accepted"
        kept = next(r for r in campaign.history() if r.request_key == "key 3")
        assert campaign.decide("key 3").id == kept.ticket
    assert verify(str(copy)).problems == []


def make():
    snapshot_writer.SNAPSHOT_EVERY = 60
    clock = Clock()
    settings = {"low": 0.0, "high": 4.0, "max_loss": 0.4, "missing": "random", "window": 600}
    with new_campaign(FILE, clock=clock, voids=True, holdback=0.1, **settings) as campaign:
        for epoch in range(2):
            for number in range(60):
                clock.now += 10
                key = f"key {number}" if epoch == 0 else None
                candidate = "quiz" if number % 4 == 0 else None
                ticket = campaign.decide(key, candidate)
                if number % 7 == 3:
                    campaign.void(ticket)
                elif number % 5:
                    campaign.observe(ticket, (number * 3 % 9) / 2)
            campaign.pause()
            campaign.decide()
            campaign.resume()
            campaign.change(holdback=0.05, policy="conservative-thompson")
            if epoch == 0:
                campaign.start_epoch()
        clock.now += 300
        late = next(r for r in campaign.history() if r.outcome == "expired")
        campaign.observe(late.ticket, 1.0)
        campaign.decide("last")
    STATE.write_text(json.dumps(replayed_file(FILE), indent=1) + "\n")
    for suffix in ("-lock", "-wal", "-shm"):
        Path(f"{FILE}{suffix}").unlink(missing_ok=True)


if __name__ == "__main__":
    make()
