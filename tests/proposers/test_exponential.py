"""Exp3-IX and prior-weighted Exp3 against their formulas and their bounds."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from floorline import Adaptive, Lure, Policy, Scripted, Switching, exp3_ix, prior_exp3, simulate
from floorline.core.records import new_arms

LEVELS = [0.5, 0.9, 0.2, 0.7]


def test_exp3_ix_keeps_the_chances_and_losses_of_its_definition():
    """Against a plain calculation with all losses written down."""
    proposer, arms, memory = exp3_ix(3), new_arms(3), np.zeros(9)
    rng, losses = np.random.default_rng(1), np.zeros(3)
    for t in range(1, 200):
        arm = proposer.propose(proposer.rules, arms, memory, t, rng)
        eta = math.sqrt(math.log(3) / (3 * t))
        weights = np.exp(-eta * (losses - losses.min()))
        chances = weights / weights.sum()
        found = [proposer.chance(proposer.rules, arms, memory, arm, i) for i in range(3)]
        assert found == pytest.approx(chances)
        reward = float(rng.random())
        losses[arm] += (1 - reward) / (chances[arm] + eta / 2)
        arms.plays[arm] += 1
        proposer.learn(proposer.rules, arms, memory, arm, reward)
        assert memory[:3] == pytest.approx(losses)


def test_arms_are_drawn_by_their_chances():
    """20,000 draws, chi-square style bound of 6 standard errors an arm: below 1e-8."""
    proposer, arms, memory = exp3_ix(4), new_arms(4), np.zeros(12)
    memory[:4] = [0.0, 1.0, 3.0, 0.5]
    rng = np.random.default_rng(3)
    draws = [proposer.propose(proposer.rules, arms, memory, 5, rng) for _ in range(20_000)]
    for i in range(4):
        share = proposer.chance(proposer.rules, arms, memory, 0, i)
        error = math.sqrt(share * (1 - share) / 20_000)
        assert np.mean(np.array(draws) == i) == pytest.approx(share, abs=6 * error)


def bound(t, n_arms, delta):
    root = math.sqrt(t * n_arms * math.log(n_arms))
    return 4 * root + (root / math.log(n_arms) + 1) * math.log(2 / delta)


@pytest.mark.parametrize(
    "adversary", [Switching(LEVELS, span=300), Lure(LEVELS, span=200), Adaptive(LEVELS)]
)
def test_exp3_ix_stays_under_its_bound_at_several_horizons(adversary):
    """Breaks of the bound no more often than delta; false alarm below 1e-8."""
    points = [10, 100, 1000, 5000]
    found = simulate(
        Policy(exp3_ix(4)), adversary, horizon=5000, runs=500, max_loss=0.1, checkpoints=points
    )
    for c, t in enumerate(points):
        broken = (found.regret[:, c] > bound(t, 4, 0.05)).sum()
        assert broken <= binom.isf(1e-8, 500, 0.05)


def test_a_learner_that_does_not_learn_is_caught_by_the_bound():
    """Negative control: exponential weights that never change exceed it."""
    idle = prior_exp3(2, 10**9, 1e-3)  # a learning rate of nothing, all weight on the default
    script = Scripted([[0.0, 1.0]] * 5000)
    found = simulate(Policy(idle), script, horizon=5000, runs=20, max_loss=0.1)
    assert (found.regret[:, -1] > bound(5000, 2, 0.05)).all()


@pytest.mark.parametrize("target", [20.0, 200.0])
def test_prior_exp3_keeps_its_expected_regret_against_the_default(target):
    """Mean over 2,000 runs at most B plus 6 standard errors: false alarm below 1e-8."""
    horizon, n_arms = 2000, 3
    policy = Policy(prior_exp3(n_arms, horizon, target))
    for table in ([[0.6, 0.5, 0.0]] * horizon, [[0.6, 1.0 * (t % 2), 0.1] for t in range(horizon)]):
        found = simulate(
            policy, Scripted(table), horizon=horizon, runs=2000, max_loss=0.1, rewards=True
        )
        lost = 0.6 * horizon - found.rewards[:, -1]
        assert lost.mean() <= target + 6 * lost.std() / math.sqrt(2000)


def test_prior_exp3_keeps_its_expected_regret_against_the_others():
    horizon, n_arms, target = 3000, 3, 300.0
    other = horizon * n_arms / target
    other *= math.log((n_arms - 1) / -math.expm1(-(target**2) / (2 * horizon * n_arms)))
    other += target / 2
    policy, script = Policy(prior_exp3(n_arms, horizon, target)), Scripted([[0.2, 0.9, 0.1]] * 3000)
    found = simulate(policy, script, horizon=horizon, runs=2000, max_loss=0.1)
    regret = found.regret[:, -1]
    assert regret.mean() <= other + 6 * regret.std() / math.sqrt(2000)
    assert regret.mean() < 0.5 * 0.7 * horizon  # and it does learn


@pytest.mark.parametrize("target", [0.0, -1.0, math.nan])
def test_bad_targets_are_named(target):
    with pytest.raises(ValueError, match="default_target: must be"):
        prior_exp3(3, 100, target)
