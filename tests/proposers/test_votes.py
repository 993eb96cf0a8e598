"""Thompson sampling by votes: exact chances, draws from the posterior, live propensities."""

import math
import random
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from floorline import thompson_votes
from floorline.core.records import new_arms
from floorline.live import Campaign
from floorline.live.choose import choose
from floorline.proposers.posterior import cube_root_of_gamma, pair_after, seed_of
from floorline.proposers.votes import VoteRules, count_votes
from floorline.testing.odds import too_often, too_seldom

DRAWS = 2000


def clicks(plays, successes):
    arms = new_arms(len(plays))
    arms.plays[:] = arms.seen[:] = plays
    arms.total[:] = successes
    arms.average[:] = np.divide(successes, np.maximum(plays, 1))
    return arms


def test_chances_follow_from_the_records_alone():
    arms, first, second = clicks([50, 40, 3], [10, 12, 1]), np.zeros(67), np.ones(67)
    rules = VoteRules(0.0, 32, 0.0)
    count_votes(rules, arms, first, 94)
    count_votes(rules, arms, second, 94)
    assert first.tolist() == second.tolist()
    assert math.fsum(first[:3]) == pytest.approx(1)
    assert np.allclose(first[:3] * 32, np.round(first[:3] * 32))
    count_votes(rules, arms, second, 95)
    assert first[:3].tolist() != second[:3].tolist()


@pytest.mark.parametrize("noise_scale", [0.0, 0.5])
def test_votes_are_those_of_the_posterior(noise_scale):
    """Shares over 60,000 voters within 0.01 of the posterior's: five standard errors and more."""
    arms = clicks([50, 40, 30], [10, 12, 5])
    memory = np.zeros(3 + 2 * 60_000)
    count_votes(VoteRules(noise_scale, 60_000, 0.0), arms, memory, 121)
    rng = np.random.default_rng(1)
    size = (200_000, 3)
    if noise_scale:
        draws = rng.normal(arms.average, noise_scale / np.sqrt(arms.plays), size)
    else:
        draws = rng.beta(1 + arms.total, 1 + arms.seen - arms.total, size)
    exact = np.bincount(draws.argmax(axis=1), minlength=3) / len(draws)
    assert memory[:3] == pytest.approx(exact, abs=0.012)


def test_normal_and_gamma_draws_have_their_distributions():
    """Kolmogorov's distance at 20,000 draws: above 0.02 has odds below 1e-6."""
    arms = clicks([1, 1], [0, 1])
    number, normals = seed_of(arms, 3), []
    for _ in range(10_000):
        number, x, y = pair_after(number)
        normals += [x, y]
    assert stats.kstest(normals, "norm").statistic < 0.02
    for shape in (1.0, 3.0, 100.0):
        root, spread = cube_root_of_gamma(shape)
        gammas = [(root + spread * z) ** 3 for z in normals]
        assert stats.kstest(gammas, "gamma", args=(shape,)).statistic < 0.03


def test_a_uniform_share_leaves_every_arm_a_chance():
    arms, memory = clicks([5000, 5000, 5000], [4000, 10, 10]), np.zeros(67)
    count_votes(VoteRules(0.0, 32, 0.06), arms, memory, 15_001)
    assert memory[:3] == pytest.approx([0.96, 0.02, 0.02])
    with pytest.raises(ValueError, match="uniform_share: must be"):
        thompson_votes(uniform_share=1.5)


def test_live_propensities_are_how_often_arms_are_played():
    """From one state again and again, coins of floor and holdback included; odds below 1e-6."""
    campaign = Campaign.open(
        ":memory:",
        arms=["now", "video", "text"],
        max_loss=0.5,
        policy="conservative-thompson-votes",
        holdback=0.1,
        seed=1,
    )
    rng = np.random.default_rng(2)
    for _ in range(50):
        ticket = campaign.decide()
        chance = {"now": 0.3, "video": 0.5, "text": 0.4}[ticket.arm]
        campaign.observe(ticket, rng.random() < chance)
    played, stated = Counter(), {}
    for seed in range(DRAWS):
        coin = random.Random(seed)
        body = choose(campaign._state, None, coin, np.random.default_rng(seed))
        played[body["arm"]] += 1
        assert stated.setdefault(body["arm"], body["propensity"]) == body["propensity"]
    assert set(stated) == {"now", "video", "text"}
    assert math.fsum(stated.values()) == pytest.approx(1)
    for arm, propensity in stated.items():
        assert not too_often(played[arm], DRAWS, propensity)
        assert not too_seldom(played[arm], DRAWS, propensity)
    assert too_often(played["now"], DRAWS, stated["now"] * 0.7)  # the control
