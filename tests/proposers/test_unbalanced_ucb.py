import math

import numpy as np
import pytest

from floorline import Gaussian, Policy, PolicySetup, make_policy, summarize, unbalanced_ucb
from floorline.simulation.stepping import step_through


def test_it_plays_the_largest_index():
    environment, rates = Gaussian([0.5, 0.6, 0.4], 0.7), [0.5, 3.0, 8.0]
    arms = step_through(Policy(unbalanced_ucb(rates, 0.7)), environment, horizon=300).arm
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(1, spawn_key=(0,))))
    plays, totals = np.zeros(3), np.zeros(3)
    for t, arm in enumerate(arms, start=1):
        if t > 3:
            logs = np.log(np.maximum(1, t / np.square(rates)))
            assert arm == np.argmax(totals / plays + 0.7 * np.sqrt(4 * logs / plays))
        plays[arm] += 1
        totals[arm] += environment.means[arm] + 0.7 * rng.standard_normal()


def test_regret_grows_like_the_logarithm():
    """Ten times the rounds add no more than the proof's 16 log(10) / gap an arm, and some."""
    gaps = [0.3, 0.5]
    policy = Policy(unbalanced_ucb([0.5, 2.0, 2.0]))
    found = summarize(
        policy,
        Gaussian([0.3, 0.6, 0.1]),
        horizon=100_000,
        runs=200,
        max_loss=0.1,
        checkpoints=[1000, 10_000, 100_000],
    )
    added = np.diff(found.pseudo_regret.mean)
    limit = sum(16 * math.log(10) / gap for gap in gaps)
    assert (added < limit).all()
    assert added[1] < 2 * added[0]  # where a root would give a factor of 3.2


def test_it_costs_less_than_twice_ucb_where_the_default_is_best():
    """Beside Unbalanced MOSS on the paper's instance with the default arm made best."""
    arms = Gaussian([0.6, 0.5, 0.4, 0.4, 0.4])
    setting = PolicySetup(n_arms=5, horizon=10_000, default_mean=0.6, max_loss=0.1)
    regret = {
        name: summarize(
            make_policy(name, setting), arms, horizon=10_000, runs=400, max_loss=0.1
        ).pseudo_regret.mean[0]
        for name in ("ucb", "unbalanced-ucb", "unbalanced-moss")
    }
    assert regret["unbalanced-moss"] < regret["ucb"]
    assert regret["unbalanced-ucb"] < 2 * regret["ucb"]


@pytest.mark.parametrize("rates", [[1.0], [0.0, 1.0], [1.0, math.nan]])
def test_bad_rates_are_named(rates):
    with pytest.raises(ValueError, match="target_rates: must be"):
        unbalanced_ucb(rates)
