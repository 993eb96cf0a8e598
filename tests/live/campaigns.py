"""What the tests of live campaigns share."""

import itertools
import shutil
from pathlib import Path

from floorline.live import Campaign
from floorline.live import snapshot as snapshots
from floorline.live.ledgers import read_ledger
from floorline.live.replay import start


class Clock:
    """A clock that goes where it is told."""

    def __init__(self, now=1_000_000.0):
        self.now = now

    def __call__(self):
        return self.now


def new_campaign(path=":memory:", **settings):
    """A campaign of two challengers, UCB and no holdback, so that nothing is left to a coin."""
    given = {"arms": ["now", "video", "quiz"], "max_loss": 0.1, "holdback": 0.0, "seed": 1}
    given["policy"] = "conservative-ucb"
    return Campaign.open(path, **given | settings)


def replayed(campaign):
    """The state that all events lead to, from the first."""
    return replayed_from(campaign._ledger)


def replayed_from(ledger):
    state, events = start(ledger)
    for event, _ in events:
        state.apply(event)
    return snapshots.to_json(state)


def replayed_file(path):
    ledger = read_ledger(str(path))
    try:
        return replayed_from(ledger)
    finally:
        ledger.close()


def play(campaign, rewards, rounds):
    """Decisions whose rewards come at once, from an endless list for each arm."""
    tickets = []
    streams = {arm: itertools.cycle(values) for arm, values in rewards.items()}
    for _ in range(rounds):
        ticket = campaign.decide()
        campaign.observe(ticket, next(streams[ticket.arm]))
        tickets.append(ticket)
    return tickets


def crash_copy(path, folder):
    """The file and its log as a crash at this moment would leave them, elsewhere."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for suffix in ("", "-wal"):
        source = Path(f"{path}{suffix}")
        if source.exists():
            shutil.copyfile(source, folder / source.name)
    return folder / Path(path).name


def outcomes(campaign):
    return [record.outcome for record in campaign.history()]


def arm(campaign, name):
    return next(found for found in campaign.status().arms if found.name == name)


def challenger(campaign):
    """The first decision for a challenger."""
    for _ in range(1000):
        ticket = campaign.decide()
        if not ticket.is_default:
            return ticket
    raise AssertionError("no challenger was ever played")
