"""A ledger keeps the drift watch that it was opened with, and its alarms stay where they were."""

import numpy as np
import pytest
from campaigns import new_campaign, replayed_file
from test_drift_missing import clicks, feed, new_watch

from floorline.live import Campaign, snapshot
from floorline.live.drift import DriftWatch
from floorline.live.drift_of_earlier_ledgers import EarlierDriftWatch
from floorline.live.settings import DRIFT_WATCHES, CampaignSettings
from floorline.live.verify import verify

RISEN = np.r_[np.full(3000, 0.3), np.full(9000, 0.4)]


@pytest.mark.parametrize(
    ("watch", "share", "delay", "plays"),
    [
        ("evidence", 0.0, 0, [6400, 4100, 4000]),
        ("evidence", 0.0, 500, [6900, 4600, 4500]),
        ("evidence", 0.005, 0, [8301, 4901, 4901]),
        ("intervals", 0.0, 0, [6800, 4600, 3700]),
        ("intervals", 0.0, 500, [7300, 5100, 4200]),
        ("intervals", 0.005, 0, [8301, 4901, 4301]),
    ],
)
def test_earlier_watches_raise_their_alarms_where_they_did(watch, share, delay, plays):
    """The numbers are those of the program that had only these two."""
    found = [
        feed(new_watch(drift_watch=watch), *clicks(RISEN, seed, share), delay) for seed in range(3)
    ]
    assert found == plays


@pytest.mark.parametrize("watch", DRIFT_WATCHES)
def test_a_campaign_with_late_and_missing_rewards_replays_to_its_alarm(tmp_path, watch):
    """Each ledger under its own watch; its decisions after the alarm are as they should be."""
    path = tmp_path / "c"
    rng = np.random.default_rng(3)
    with new_campaign(path, drift_watch=watch, max_loss=0.5) as campaign:
        waiting = []
        with campaign.transaction():
            for number in range(2500):
                waiting.append((campaign.decide(candidate="now"), rng.random()))
                if len(waiting) > 50:
                    ticket, luck = waiting.pop(int(rng.integers(0, 5)))
                    mean = 0.9 if number < 1200 else 0.1
                    if luck > 0.001:
                        campaign.observe(ticket, mean)
        assert campaign.status().state == "drift"
        assert campaign.decide(candidate="video").reason == "drift"
        state = snapshot.to_json(campaign._state)
        kind = DriftWatch if watch == "filled-evidence" else EarlierDriftWatch
        assert type(campaign._state.drift) is kind
    assert replayed_file(path) == state
    assert snapshot.to_json(snapshot.from_json(state)) == state
    assert verify(str(path)).problems == []
    with Campaign.open(path) as again:
        assert again.settings.drift_watch == watch
        assert again.decide(candidate="video").reason == "drift"


def test_new_campaigns_have_the_new_watch_and_ledgers_of_version_1_the_first():
    values = {"arms": ["now", "video"], "max_loss": 0.1}
    assert CampaignSettings.for_new(values).drift_watch == "filled-evidence"
    assert CampaignSettings.from_ledger(values).drift_watch == "intervals"


def test_alarms_of_one_watch_are_not_those_of_another():
    """Else a ledger could change its watch without being noticed."""
    found = {
        watch: feed(new_watch(drift_watch=watch), *clicks(RISEN, 0, 0.005), 0)
        for watch in ("filled-evidence", "evidence")
    }
    assert found["filled-evidence"] < found["evidence"]
