"""Bayes-UCB: its quantiles against SciPy's, and its choice against the formula."""

import math

import numpy as np
import pytest
from scipy import stats

from floorline.core.beta import incomplete_beta
from floorline.core.records import NoRules, new_arms
from floorline.proposers.bayes_ucb import (
    BayesUcbRules,
    bayes_ucb_arm,
    beta_bayes_ucb_arm,
    beta_quantile,
    normal_quantile,
)
from floorline.proposers.kl_ucb import kl_index


@pytest.mark.parametrize("rounds", [2, 10, 10_000, 10**12])
def test_normal_quantiles_are_scipys(rounds):
    assert normal_quantile(-math.log(rounds)) == pytest.approx(stats.norm.isf(1 / rounds), abs=1e-9)


@pytest.mark.parametrize("rounds", [2, 10, 10_000, 10**9])
@pytest.mark.parametrize("a", [1.0, 1.5, 4.0, 300.0, 20_000.0])
@pytest.mark.parametrize("b", [1.0, 7.0, 900.0, 50_000.0])
def test_beta_quantiles_are_scipys_and_start_above(a, b, rounds):
    exact = stats.beta.isf(1 / rounds, a, b)
    start = kl_index(a + b, a / (a + b), math.log(rounds))
    assert start >= exact * (1 - 1e-9)
    assert beta_quantile(a, b, start, -math.log(rounds)) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("x", [-1.0, 0.0, 1e-6, 0.3, 0.999, 1.0, 2.0])
@pytest.mark.parametrize("shape", [(1.0, 1.0), (0.5, 3.0), (80.0, 20.0)])
def test_the_incomplete_beta_function_is_scipys(x, shape):
    assert incomplete_beta(*shape, x) == pytest.approx(stats.beta.cdf(x, *shape), abs=1e-13)


def test_the_arm_with_the_largest_quantile_is_proposed():
    rng = np.random.default_rng(1)
    arms = new_arms(4)
    for round in range(10, 200):
        arms.seen[:] = arms.plays[:] = rng.integers(1, 500, 4)
        arms.total[:] = rng.binomial(arms.seen, [0.1, 0.12, 0.08, 0.9 if round % 3 == 0 else 0.1])
        arms.average[:] = arms.total / arms.seen
        clicks = stats.beta.isf(1 / round, 1 + arms.total, 1 + arms.seen - arms.total)
        found = beta_bayes_ucb_arm(NoRules(), arms, np.zeros(0), round, None)
        assert clicks[found] == pytest.approx(clicks.max(), abs=1e-9)
        normal = arms.average + 0.5 * stats.norm.isf(1 / round) / np.sqrt(arms.plays)
        found = bayes_ucb_arm(BayesUcbRules(0.5), arms, np.zeros(0), round, None)
        assert normal[found] == pytest.approx(normal.max(), abs=1e-9)
