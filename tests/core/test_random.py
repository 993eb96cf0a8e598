"""Random draws against scipy. KS tests at p = 1e-8 each: false alarms below 1 in 10^7."""

import numpy as np
import pytest
from scipy import stats

from floorline.core.random import SQUEEZE, beta, normal, uniform

N = 20_000


def p_value(draws, distribution):
    return stats.kstest(draws, distribution.cdf).pvalue


@pytest.mark.parametrize(
    ("a", "b"), [(1.0, 1.0), (1.0, 30.0), (2.5, 1.0), (300.5, 40.0), (9e4, 1e5)]
)
def test_beta(a, b):
    rng = np.random.default_rng(2)
    draws = np.array([beta(rng, a, b) for _ in range(N)])
    assert p_value(draws, stats.beta(a, b)) > 1e-8
    assert p_value(draws, stats.beta(a * 1.2, b)) < 1e-8


def test_a_draw_is_accepted_at_once_only_where_it_would_be_accepted():
    """Whatever x and d are; nine tenths of our squeeze would be wrong somewhere."""
    d = np.concatenate([np.linspace(2 / 3, 3, 200), np.geomspace(3, 1e6, 100)])[:, None]
    x = np.linspace(-8, 8, 20_001)
    v = np.maximum(1 + x / (3 * np.sqrt(d)), 1e-300)
    chance = np.exp(0.5 * x**2 + d * (1 - v**3 + 3 * np.log(v)))
    for squeeze, holds in ((SQUEEZE, True), (0.9 * SQUEEZE, False)):
        lower = 1 - squeeze * x**4 / d
        assert np.all((lower <= 0) | (lower <= chance + 1e-9)) == holds


def test_normal_and_uniform_are_the_generators_own():
    ours, numpys = np.random.default_rng(3), np.random.default_rng(3)
    assert normal(ours) == numpys.standard_normal()
    assert uniform(ours) == numpys.random()
