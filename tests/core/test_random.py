"""Random draws against scipy. KS tests at p = 1e-8 each: false alarms below 1 in 10^7."""

import numpy as np
import pytest
from scipy import stats

from floorline.core.random import beta, gamma, normal, uniform

N = 20_000


def p_value(draws, distribution):
    return stats.kstest(draws, distribution.cdf).pvalue


@pytest.mark.parametrize("shape", [1.0, 1.5, 7.0, 5000.0])
def test_gamma(shape):
    rng = np.random.default_rng(1)
    draws = [gamma(rng, shape) for _ in range(N)]
    assert p_value(draws, stats.gamma(shape)) > 1e-8
    assert p_value(draws, stats.gamma(shape * 1.1)) < 1e-8  # the control is caught


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (1.0, 30.0), (300.5, 40.0)])
def test_beta(a, b):
    rng = np.random.default_rng(2)
    draws = [beta(rng, a, b) for _ in range(N)]
    assert p_value(draws, stats.beta(a, b)) > 1e-8
    assert p_value(draws, stats.beta(a * 1.2, b)) < 1e-8


def test_normal_and_uniform_are_the_generators_own():
    ours, numpys = np.random.default_rng(3), np.random.default_rng(3)
    assert normal(ours) == numpys.standard_normal()
    assert uniform(ours) == numpys.random()
