"""What the randomised floor's numbers say of the default in the very same rounds."""

import random
import statistics

import pytest
from campaigns import Clock, new_campaign, replayed

from floorline.live import snapshot
from floorline.live.series import point_of

COINS = {"floor": "randomised", "arms": ["now", "video"], "holdback": 0.05, "max_loss": 0.5}


def visits(campaign, rng, count, rates):
    """Let fans of the default come, who are shown the challenger, and others.

    Return what was received, by challengers too, and what the default would have received in all
    rounds and in the challengers'.
    """
    received = challengers = default = missed = 0.0
    for _ in range(count):
        fan = rng.random() < 0.5
        of_default = float(rng.random() < rates[fan])
        of_video = float(rng.random() < 0.8)
        ticket = campaign.decide(candidate="video" if fan else "now")
        reward = of_default if ticket.is_default else of_video
        campaign.observe(ticket, reward)
        received += reward
        default += of_default
        challengers += 0.0 if ticket.is_default else reward
        missed += 0.0 if ticket.is_default else of_default
    return received, challengers, default, missed


def test_sums_are_exact_and_the_default_is_bounded_and_estimated_without_bias():
    """The mean error of 40 campaigns is within 6 standard errors, where the default halves.

    That of all decisions times the default's average, which is of visitors of one kind, is not:
    the control.
    """
    errors, naive = [], []
    for seed in range(40):
        campaign, rng = new_campaign(**COINS, seed=seed), random.Random(seed)
        sums = [0.0] * 4
        for rates in ({True: 0.8, False: 0.4}, {True: 0.4, False: 0.2}):
            more = visits(campaign, rng, 150, rates)
            sums = [before + now for before, now in zip(sums, more, strict=True)]
        received, challengers, default, missed = sums
        status = campaign.status()
        same = status.same_rounds
        assert (same.received, same.challengers) == pytest.approx((received, challengers))
        assert same.default_lower <= same.default <= same.default_upper
        assert same.default_lower <= default
        assert same.missed <= same.missed_upper
        assert same.default_upper - same.missed_upper == pytest.approx(received - challengers)
        sure = same.received - status.promised_share * same.default_upper
        assert status.guaranteed_budget == pytest.approx(max(0.0, sure))
        assert status.gain.estimate == pytest.approx(same.received - same.default)
        assert missed > 0, "the case shows nothing"
        errors.append(same.default - default)
        naive.append(status.arms[0].average * status.decisions - default)
    assert abs(z_score(errors)) < 6
    assert abs(z_score(naive)) > 6


def z_score(errors):
    """Return the mean error in standard errors."""
    return statistics.mean(errors) / (statistics.stdev(errors) / len(errors) ** 0.5)


def test_a_page_says_what_the_coin_does():
    clock = Clock()
    campaign = new_campaign(**COINS, clock=clock, missing="zero", window=60.0)
    assert campaign.status().same_rounds.default_probability == 1.0
    assert "Too early to say what was won" in campaign.status().headline
    visits(campaign, random.Random(1), 300, {True: 0.4, False: 0.4})
    status = campaign.status()
    same = status.same_rounds
    assert 0.05 <= same.default_probability < 1
    assert same.default_probability == campaign._state.refusal_probability(1)
    assert "than now would have brought in the same rounds (between" in status.headline
    assert (status.price, status.over_equal_split, status.winner) == (None, None, None)
    point = point_of(1, 0.0, status, campaign.settings)
    assert (point.reward, point.default) == (same.received, same.default)
    assert point.floor_upper == pytest.approx(0.5 * same.default_upper)
    assert point.missed_upper == same.missed_upper
    campaign.pause()
    assert campaign.status().same_rounds.default_probability == 1.0


def test_what_a_winner_earns_is_not_compared():
    campaign = new_campaign(**COINS)
    visits(campaign, random.Random(1), 200, {True: 0.4, False: 0.4})
    before = campaign.status()
    pending = campaign.decide(candidate="now")
    campaign.finish("video")
    for _ in range(50):
        campaign.observe(campaign.decide(), 1.0)
    campaign.observe(pending, 1.0)  # of a decision that was promised something
    after = campaign.status()
    assert after.same_rounds.received == before.same_rounds.received + 1
    assert after.same_rounds.default == before.same_rounds.default + 1
    assert after.same_rounds.default_probability is None
    assert after.headline.startswith("Finished: everybody gets video. About")
    assert campaign.state() == replayed(campaign)
    plain = snapshot.plain(campaign._state)
    assert snapshot.plain(snapshot.from_json(plain)) == plain


def test_other_floors_compare_what_is_expected():
    campaign = new_campaign(arms=["now", "video"], max_loss=0.2)
    campaign.observe(campaign.decide(), 1.0)
    assert campaign.status().same_rounds is None
