"""The watch on the default arm: few false alarms, and changes are found.

False alarms of a correct build: each comparison allows what a rate of exactly `drift_level`
exceeds with probability 1e-9; there are seven.
"""

import math
import random

import numpy as np
import pytest
from campaigns import Clock, new_campaign, replayed

from floorline.live import CampaignSettings
from floorline.live.change_search import ChangeSearch
from floorline.live.default_blocks import BLOCK
from floorline.live.drift import new_drift_watch
from floorline.live.drift_of_earlier_ledgers import EarlierDriftWatch, Stretch
from floorline.live.settings import DRIFT_WATCHES
from floorline.testing.odds import too_often

LEVEL = 0.2


def new_watch(**settings):
    given = {"arms": ("now", "video"), "max_loss": 0.1, "drift_level": LEVEL}
    return new_drift_watch(CampaignSettings(**given | settings))


def observe_block(watch, total):
    """A block of plays at once, as `decided` and `observed` would leave them."""
    watch.decided()
    watch.plays[-1], watch.seen[-1], watch.totals[-1] = BLOCK, BLOCK - 1, total
    watch.observed(len(watch.plays) - 1, 0.0)


def feed(watch, means, rng):
    """Plays of one block for each mean, until an alarm: its block, or None."""
    for number, total in enumerate(rng.binomial(BLOCK, means).tolist()):
        observe_block(watch, float(total))
        if watch.alarm:
            return number
    return None


def test_a_block_at_once_is_a_block_play_by_play():
    one, other = new_watch(), new_watch()
    for total in (30, 70, 10):
        observe_block(one, float(total))
        for number in range(BLOCK):
            other.observed(other.decided(), float(number < total))
    assert one.to_json() == other.to_json()
    assert np.array_equal(one._ends.sums, other._ends.sums)


def false_alarms(paths, blocks, seed, **settings):
    rng = np.random.default_rng(seed)
    means = rng.uniform(0.02, 0.6, paths) if "default_mean" not in settings else None
    found = 0
    for path in range(paths):
        mean = settings["default_mean"] if means is None else means[path]
        found += feed(new_watch(**settings), np.full(blocks, mean), rng) is not None
    return found


@pytest.mark.parametrize("watch", DRIFT_WATCHES)
def test_false_alarms_are_as_rare_as_the_level(watch):
    assert not too_often(false_alarms(300, 25, seed=1, drift_watch=watch), 300, LEVEL)
    found = false_alarms(300, 25, seed=2, drift_watch=watch, default_mean=0.05)
    assert not too_often(found, 300, LEVEL)


@pytest.mark.soak
def test_false_alarms_are_as_rare_as_the_level_at_length():
    assert not too_often(false_alarms(3000, 200, seed=3), 3000, LEVEL)


def test_intervals_that_are_too_narrow_are_caught(monkeypatch):
    """Negative control: the same test on a third of the width, that of nine times the plays."""
    real = EarlierDriftWatch._ends

    def too_narrow(self, stretch, share):
        return real(self, Stretch(*(9 * value for value in stretch)), share)

    monkeypatch.setattr(EarlierDriftWatch, "_ends", too_narrow)
    assert too_often(false_alarms(300, 25, seed=1, drift_watch="intervals"), 300, LEVEL)


def test_evidence_without_the_price_of_many_means_is_caught(monkeypatch):
    """Negative control: the mixtures over means cost about 8 after a few thousand plays."""
    real = EarlierDriftWatch._change_evidence

    def too_much(self, before, since):
        return real(self, before, since) + 8.0

    monkeypatch.setattr(EarlierDriftWatch, "_change_evidence", too_much)
    assert too_often(false_alarms(300, 25, seed=1, drift_watch="evidence"), 300, LEVEL)


def test_a_search_at_the_level_of_each_point_is_caught(monkeypatch):
    """Negative control: evidence 8 too large, and no quick bound in its way."""
    real = ChangeSearch._evidence

    def too_much(self, before, since):
        return real(self, before, since) + 8.0

    def every_point(self, sums, points, needed, end):
        return np.ones(len(points), bool)

    monkeypatch.setattr(ChangeSearch, "_evidence", too_much)
    monkeypatch.setattr(ChangeSearch, "_is_visible", every_point)
    assert too_often(false_alarms(300, 25, seed=1), 300, LEVEL)


def plays_to_alarm(seed, blocks, watch="filled-evidence"):
    """Plays after a change from 3% to 6%, after some blocks, until it is found."""
    means = np.r_[np.full(blocks, 0.03), np.full(200, 0.06)]
    rng = np.random.default_rng([seed, 8])
    found = feed(new_watch(drift_level=0.01, drift_watch=watch), means, rng)
    return math.inf if found is None else (found - blocks + 1) * BLOCK


@pytest.mark.parametrize(("blocks", "runs"), [(30, 400), (37, 300), (50, 100), (70, 100)])
def test_a_doubled_default_is_found_in_3500_plays_at_the_median(blocks, runs):
    """After 3,000 plays and more.

    Of 1,000 other runs each 35%, 31%, 15% and 10% take longer: for half of these to do so, the odds
    are below 1e-6.
    """
    assert np.median([plays_to_alarm(seed, blocks) for seed in range(runs)]) <= 3500


def test_intervals_take_longer():
    """Negative control of the test above."""
    assert np.median([plays_to_alarm(seed, 50, "intervals") for seed in range(60)]) > 5000


def test_a_rise_from_nothing_is_found_soon():
    """The prior of the plays since must not be stronger than the plays before."""
    for blocks in (5, 50, 500):
        means = np.r_[np.zeros(blocks), np.full(20, 0.3)]
        found = feed(new_watch(drift_level=0.01), means, np.random.default_rng(9))
        assert found is not None and found <= blocks + 1


@pytest.mark.parametrize(("before", "after"), [(0.03, 0.06), (0.06, 0.03), (0.5, 0.6)])
def test_a_change_is_found(before, after):
    """After 13,000 plays, within 8,000 more, at the usual level of 1%."""
    watch = new_watch(drift_level=0.01)
    means = np.r_[np.full(130, before), np.full(80, after)]
    found = feed(watch, means, np.random.default_rng(4))
    assert found is not None
    assert found >= 130, "it was found before it happened"
    assert watch.alarm.startswith("the default earned ")


def test_rounding_is_no_change_of_a_known_mean_at_an_end_of_the_range():
    """Sums of equal rewards are off by about 1e-13."""
    for low, high, mean in ((0.3, 5.0, 0.3), (0.0, 0.7, 0.7), (0.0, 1.1, 1.1), (2.3, 5.0, 2.3)):
        watch = new_watch(low=low, high=high, default_mean=mean)
        for _ in range(5 * BLOCK):
            watch.observed(watch.decided(), mean)
        assert watch.alarm is None, mean
        for _ in range(BLOCK):
            watch.observed(watch.decided(), (low + high) / 2)
        assert watch.alarm is not None, mean


def test_a_known_mean_that_is_not_so_is_found():
    watch = new_watch(default_mean=0.03, drift_level=0.01)
    assert feed(watch, np.full(100, 0.06), np.random.default_rng(5)) is not None
    watch = new_watch(default_mean=0.03, drift_level=0.01)
    assert feed(watch, np.full(100, 0.03), np.random.default_rng(5)) is None


@pytest.mark.parametrize("lost", ["random", "worst"])
def test_a_change_is_found_although_rewards_are_missing(lost):
    """Blocks that never close are filled in at the worst, now and then."""
    watch, rng = new_watch(drift_level=0.01), random.Random(6)
    for number in range(12_000):
        block = watch.decided()
        reward = float(rng.random() < (0.3 if number < 6000 else 0.6))
        hidden = rng.random() < 0.05 if lost == "random" else reward and number % 20 == 0
        if not hidden:
            watch.observed(block, reward)
        if watch.alarm:
            assert number > 6000
            return
    raise AssertionError("the change was not found")


def test_what_is_missing_is_no_change():
    """Rewards of 1 stop arriving, from half-way on: filled at the worst there is no alarm."""
    watch, rng = new_watch(drift_level=0.01), random.Random(7)
    for number in range(8000):
        block = watch.decided()
        reward = float(rng.random() < 0.3)
        if number < 4000 or not reward:
            watch.observed(block, reward)
    assert watch.alarm is None


def test_skipped_plays_are_no_plays():
    watch = new_watch()
    for _ in range(BLOCK):
        watch.skipped(watch.decided())
    assert watch.to_json()["blocks"] == [[0, 0, 0.0]]
    for _ in range(3 * BLOCK):
        watch.observed(watch.decided(), 1.0)
    assert watch.plays.tolist() == [BLOCK] * 3
    assert watch.alarm is None


def alarmed(**settings):
    """A campaign whose default fell from 0.9 to 0.1, after 1,500 of its plays."""
    campaign = new_campaign(max_loss=0.5, **settings)
    with campaign.transaction():
        for number in range(3000):
            ticket = campaign.decide(candidate="now")
            campaign.observe(ticket, 0.9 if number < 1500 else 0.1)
            if campaign.status().alarm:
                assert number > 1500
                return campaign
    raise AssertionError("no alarm")


def test_after_an_alarm_only_the_default_is_played_until_a_new_epoch():
    with alarmed() as campaign:
        for candidate in (None, "video", "quiz"):
            ticket = campaign.decide(candidate=candidate)
            assert (ticket.arm, ticket.reason, ticket.probability) == ("now", "drift", 1.0)
            assert ticket.candidate == candidate
        status = campaign.status()
        assert status.state == "drift"
        assert status.verdict.startswith("Exploration is off: the default seems to have changed")
        assert "the default earned 0.9 a play in its first 1,500 plays, and" in status.alarm
        campaign.pause()
        assert campaign.decide().reason == "paused"
        campaign.resume()
        assert campaign.decide().reason == "drift"
        assert replayed(campaign) == campaign.state()
        campaign.start_epoch()
        assert campaign.status().alarm is None
        tickets = [campaign.decide(candidate="video") for _ in range(30)]
        assert any(ticket.arm == "video" for ticket in tickets)


def test_an_alarm_outlives_the_process(tmp_path):
    with alarmed(path=tmp_path / "c") as campaign:
        words = campaign.status().alarm
    with new_campaign(tmp_path / "c", max_loss=0.5) as again:
        assert again.status().alarm == words
        assert again.decide(candidate="video").reason == "drift"


def test_a_known_mean_and_a_window_of_silence():
    """Silence is 0 here, and the default is said to earn 0.9."""
    clock = Clock()
    campaign = new_campaign(default_mean=0.9, missing="zero", window=5, clock=clock)
    for _ in range(3 * BLOCK):
        campaign.decide()
    assert campaign.status().alarm is None
    clock.now += 6
    assert campaign.status().state == "drift"
