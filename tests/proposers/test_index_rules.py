"""Index rules against formulas written out for the whole table of arms at once."""

import math

import numpy as np
import pytest

from floorline import (
    Boundary,
    Gaussian,
    Policy,
    Proposer,
    classical_ucb,
    gaussian_thompson,
    optimistic,
)
from floorline.core.records import new_arms
from floorline.proposers.base import learn_nothing
from floorline.proposers.thompson import ROWS, TABLE_SIZE, beta_sample, gaussian_sample, spread_of
from floorline.simulation.stepping import step_through


def test_classical_ucb_plays_each_arm_once_and_then_the_largest_index():
    environment = Gaussian([0.5, 0.6, 0.4], 0.7)
    arms = step_through(Policy(classical_ucb(0.7)), environment, horizon=200).arm
    assert list(arms[:3]) == [0, 1, 2]
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(1, spawn_key=(0,))))
    plays, totals = np.zeros(3), np.zeros(3)
    for t, arm in enumerate(arms, start=1):
        if t > 3:
            index = totals / plays + 0.7 * np.sqrt(2 * math.log(t) / plays)
            assert arm == np.argmax(index)
        plays[arm] += 1
        totals[arm] += environment.means[arm] + 0.7 * rng.standard_normal()


def test_optimistic_plays_the_largest_upper_end_and_the_lowest_index_of_several():
    environment = Gaussian([0.5, 0.6, 0.4, 0.45], 0.5)
    boundary = Boundary(delta=0.05, noise_scale=0.5)
    arms = step_through(Policy(optimistic(), boundary=boundary), environment, horizon=300).arm
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(1, spawn_key=(0,))))
    plays, totals = np.zeros(4), np.zeros(4)
    for arm in arms:
        upper = [
            totals[i] / plays[i] + boundary.radius(int(plays[i]), 4 / 0.05) if plays[i] else np.inf
            for i in range(4)
        ]
        assert arm == np.argmax(upper)
        plays[arm] += 1
        totals[arm] += environment.means[arm] + 0.5 * rng.standard_normal()


def test_gaussian_thompson_draws_from_the_posterior():
    """Means of 4,000 choices within 6 standard errors: false alarm below 1e-8."""
    arms = new_arms(2)
    arms.plays[:] = 4, 9
    arms.average[:] = 0.5, 0.6
    rng = np.random.default_rng(0)
    rules, memory = gaussian_thompson(2.0).rules, np.zeros(2)
    share = np.mean([gaussian_sample(rules, arms, memory, 1, rng) for _ in range(4000)])
    spread = 2.0 * math.sqrt(1 / 4 + 1 / 9)
    expected = 0.5 * (1 + math.erf(0.1 / spread / math.sqrt(2)))
    assert share == pytest.approx(expected, abs=6 * math.sqrt(0.25 / 4000))


def test_the_spread_of_a_posterior_is_the_same_number_inside_and_outside_the_table():
    rules = gaussian_thompson(0.7).rules
    without_table = rules._replace(spreads=np.zeros(0))
    for plays in (1, 2, 3, TABLE_SIZE - 1, TABLE_SIZE, 10 * TABLE_SIZE):
        assert spread_of(rules, plays) == spread_of(without_table, plays) == 0.7 / math.sqrt(plays)


def test_beta_thompson_prefers_the_arm_that_succeeds():
    arms = new_arms(2)
    arms.plays[:] = arms.seen[:] = 50, 50
    arms.total[:] = 10, 40
    rng = np.random.default_rng(0)
    picks = [beta_sample(None, arms, np.zeros(2 * ROWS + 1), 1, rng) for _ in range(500)]
    assert np.mean(picks) > 0.99


def test_a_proposer_must_be_a_kernel():
    with pytest.raises(ValueError, match="propose: must be a function marked with @kernel"):
        Proposer(lambda rules, arms, memory, round, rng: 1)
    with pytest.raises(ValueError, match="memory: must be a whole number"):
        Proposer(learn_nothing, memory=-1)
    with pytest.raises(ValueError, match="noise_scale: must be"):
        classical_ucb(0.0)
