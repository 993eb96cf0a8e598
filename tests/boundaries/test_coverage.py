"""Do the intervals of each proved boundary fail as rarely as promised, at their worst noise?

One arm, so that delta is 1 / inverse_error. False alarms: each comparison allows the
failures that a failure rate of exactly delta exceeds with probability 1e-8; there are
fewer than 50 comparisons, so a correct build fails with probability below 1e-6.
"""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from floorline.boundaries import BOUNDARIES

PATHS = 40_000
STEPS = 2048
LEVELS = (6.0, 20.0, 80.0, 400.0)
PROVED = ("stitched", "authors", "union-proved")

RADII = {name: kind.unit_radius for name, kind in BOUNDARIES.items() if kind.has_radius}


def three_point_noise(rng, shape, level):
    """Noise on {-a, 0, a} that is 1-subgaussian and as likely as can be to leave `union` at once.

    E exp(x X) = 1 + p (cosh(x a) - 1) must stay below exp(x^2 / 2) for all x.
    """
    a = RADII["union"](level, 1) * (1 + 1e-9)
    limit = minimize_scalar(
        lambda x: math.expm1(x * x / 2) / (math.cosh(x * a) - 1), bounds=(0.1, 3 * a)
    )
    p = limit.fun * (1 - 1e-6)
    assert all(
        1 + p * (math.cosh(x * a) - 1) <= math.exp(x * x / 2) for x in np.arange(0.01, 9, 0.01)
    )
    u = rng.random(shape)
    return np.where(u < p / 2, a, np.where(u < p, -a, 0.0))


NOISES = {
    "gaussian": lambda rng, shape, level: rng.standard_normal(shape),
    "coin": lambda rng, shape, level: rng.choice(np.array([-1.0, 1.0]), shape),
    "three-point": three_point_noise,
}


def failure_counts(noise, levels, names, steps=STEPS):
    """For each level and boundary, the paths on which its interval ever misses the mean.

    The same paths serve all levels; noise that depends on the level is that of the first.
    """
    rng = np.random.default_rng(7)
    count = np.arange(1, steps + 1)
    radii = {
        (level, name): np.array([RADII[name](level, int(s)) for s in count]) * count
        for level in levels
        for name in names
    }
    failed = dict.fromkeys(radii, 0)
    for _ in range(PATHS // 2000):
        sums = np.abs(np.cumsum(NOISES[noise](rng, (2000, steps), levels[0]), axis=1))
        for case, radius in radii.items():
            failed[case] += int((sums > radius).any(axis=1).sum())
    return failed


def too_often(failed):
    return {
        (level, name): count
        for (level, name), count in failed.items()
        if count > binom.isf(1e-8, PATHS, 1 / level)
    }


@pytest.mark.parametrize("noise", ["gaussian", "coin"])
def test_proved_boundaries_fail_no_more_often_than_delta(noise):
    assert not too_often(failure_counts(noise, LEVELS, PROVED))


@pytest.mark.parametrize("level", LEVELS)
def test_proved_boundaries_fail_no_more_often_than_delta_at_three_points(level):
    assert not too_often(failure_counts("three-point", [level], PROVED, steps=64))


def test_the_printed_boundary_is_caught_failing():
    """Negative control: the same test on the paper's printed psi at noise scale 1 (E1)."""
    assert too_often(failure_counts("gaussian", [80.0], ["as-printed"]))


def test_the_union_bound_without_its_constant_is_caught_failing():
    """Negative control: the simple psi misses a factor, and the noise above shows it (E3)."""
    assert too_often(failure_counts("three-point", [80.0], ["union"], steps=1))
