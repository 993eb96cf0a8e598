"""KL-UCB: its index, its regret, and how it is floored."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from floorline import Bernoulli, Gaussian, Policy, PolicySetup, classical_ucb, kl_ucb, simulate
from floorline.policies import make_policy
from floorline.proposers.kl_ucb import kl_index


def divergence(p, q):
    """Return the KL divergence of two coins."""
    parts = ((p, q), (1 - p, 1 - q))
    return sum(a * math.log(a / b) for a, b in parts if a > 0)


@pytest.mark.parametrize("plays", [1, 3, 50, 10_000])
@pytest.mark.parametrize("average", [0.0, 1e-4, 0.03, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("allowed", [math.log(2), math.log(10**6)])
def test_its_index_is_where_the_divergence_uses_up_the_allowance(plays, average, allowed):
    found = kl_index(plays, average, allowed)
    if average == 1.0:
        assert found == 1.0
        return
    nearly = 1 - 1e-15
    exact = 1.0
    if plays * divergence(average, nearly) > allowed:
        exact = brentq(
            lambda q: plays * divergence(average, q) - allowed, average, nearly, xtol=1e-14
        )
    assert average < found <= 1.0
    assert found == pytest.approx(exact, rel=1e-7)


def test_it_loses_much_less_than_ucb_where_clicks_are_rare():
    """On 200 runs of either the means differ by some 30 standard errors."""
    environment = Bernoulli([0.05, 0.08, 0.03, 0.02])
    regret = [
        simulate(Policy(proposer), environment, horizon=5000, runs=200, max_loss=0.1).pseudo_regret
        for proposer in (kl_ucb(), classical_ucb(0.5))
    ]
    kl, classical = (one.mean() for one in regret)
    error = math.hypot(*(one.std() / math.sqrt(200) for one in regret))
    assert kl < 0.7 * classical - 6 * error


def test_it_is_floored_by_name():
    setup = PolicySetup(
        n_arms=3,
        horizon=3000,
        default_mean=0.3,
        max_loss=0.1,
        boundary="beta-binomial",
        bounded=True,
    )
    found = simulate(
        make_policy("conservative-kl-ucb", setup), Bernoulli([0.3, 0.5, 0.1]), horizon=3000, runs=64
    )
    assert not np.any(found.first_breach > 0)
    assert found.plays[:, -1, 1].mean() > 1500


def test_it_takes_rewards_in_the_unit_range_alone():
    with pytest.raises(ValueError, match=r"rewards in \[0, 1\]"):
        simulate(Policy(kl_ucb()), Gaussian([0.5, 0.6]), horizon=10, runs=1, max_loss=0.1)
