"""Thompson sampling by votes: exact chances, draws from the posterior, live propensities."""

import math

import numpy as np
import pytest
from scipy import stats

from floorline import thompson_votes
from floorline.core.records import new_arms
from floorline.live import Campaign
from floorline.proposers.posterior import gamma_from, pair_after, seed_of
from floorline.proposers.votes import VoteRules, count_votes


def clicks(plays, successes):
    arms = new_arms(len(plays))
    arms.plays[:] = arms.seen[:] = plays
    arms.total[:] = successes
    arms.average[:] = np.divide(successes, np.maximum(plays, 1))
    return arms


def test_chances_follow_from_the_records_alone():
    arms, first, second = clicks([50, 40, 3], [10, 12, 1]), np.zeros(3), np.ones(3)
    rules = VoteRules(0.0, 32, 0.0)
    count_votes(rules, arms, first, 94)
    count_votes(rules, arms, second, 94)
    assert first.tolist() == second.tolist()
    assert math.fsum(first) == pytest.approx(1)
    assert np.allclose(first * 32, np.round(first * 32))
    count_votes(rules, arms, second, 95)
    assert first.tolist() != second.tolist()


@pytest.mark.parametrize("noise_scale", [0.0, 0.5])
def test_votes_are_those_of_the_posterior(noise_scale):
    """Shares over 60,000 voters within 0.01 of the posterior's: five standard errors and more."""
    arms = clicks([50, 40, 30], [10, 12, 5])
    memory = np.zeros(3)
    count_votes(VoteRules(noise_scale, 60_000, 0.0), arms, memory, 121)
    rng = np.random.default_rng(1)
    size = (200_000, 3)
    if noise_scale:
        draws = rng.normal(arms.average, noise_scale / np.sqrt(arms.plays), size)
    else:
        draws = rng.beta(1 + arms.total, 1 + arms.seen - arms.total, size)
    exact = np.bincount(draws.argmax(axis=1), minlength=3) / len(draws)
    assert memory == pytest.approx(exact, abs=0.012)


def test_normal_and_gamma_draws_have_their_distributions():
    """Kolmogorov's distance at 20,000 draws: above 0.02 has odds below 1e-6."""
    arms = clicks([1, 1], [0, 1])
    number, normals = seed_of(arms, 3), []
    for _ in range(10_000):
        number, x, y = pair_after(number)
        normals += [x, y]
    assert stats.kstest(normals, "norm").statistic < 0.02
    for shape in (1.0, 3.0, 100.0):
        gammas = [gamma_from(shape, z) for z in normals]
        assert stats.kstest(gammas, "gamma", args=(shape,)).statistic < 0.03


def test_a_uniform_share_leaves_every_arm_a_chance():
    arms, memory = clicks([5000, 5000, 5000], [4000, 10, 10]), np.zeros(3)
    count_votes(VoteRules(0.0, 32, 0.06), arms, memory, 15_001)
    assert memory == pytest.approx([0.96, 0.02, 0.02])
    with pytest.raises(ValueError, match="uniform_share: must be"):
        thompson_votes(uniform_share=1.5)


def test_a_live_campaign_logs_propensities_that_agree_with_what_it_plays():
    """The sum of (played - propensity) over 4,000 decisions: 6 standard errors at most."""
    campaign = Campaign.open(
        ":memory:",
        arms=["now", "video", "text"],
        max_loss=0.5,
        policy="conservative-thompson-votes",
        seed=1,
    )
    rng = np.random.default_rng(2)
    excess = variance = 0.0
    for _ in range(1500):
        ticket = campaign.decide()
        assert 0 < ticket.probability <= 1
        if ticket.arm == ticket.candidate:
            variance += (1 - ticket.probability) / ticket.probability
        # 1 / propensity of what was played adds up to the number of arms that could be played
        excess += 1 / ticket.probability
        campaign.observe(
            ticket, float(rng.random() < {"now": 0.3, "video": 0.5}.get(ticket.arm, 0.1))
        )
    assert 1500 < excess <= 3 * 1500 + 6 * math.sqrt(variance)
