"""A user's own proposer, one kernel in their own file, works under the floors as it is."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from floorline import Arms, Boundary, ConfidenceFloor, Gaussian, Policy, Proposer, kernel, simulate
from floorline.testing import check_policy


@kernel
def reckless(rules, arms: Arms, memory, round, rng):
    """The challenger with the worst average, always: as unsafe as a proposer can be."""
    worst, value = 1, math.inf
    for i in range(1, arms.plays.size):
        if arms.average[i] < value:
            worst, value = i, arms.average[i]
    return worst


ENVIRONMENT = Gaussian([0.5, 0.3, 0.0], 0.5)
BOUNDARY = Boundary(delta=0.05, noise_scale=0.5)


@pytest.mark.parametrize("default_mean", [0.5, None])
def test_it_passes_the_suite(default_mean):
    policy = Policy(Proposer(reckless), ConfidenceFloor(0.1, default_mean), BOUNDARY)
    check_policy(policy, ENVIRONMENT)


@pytest.mark.parametrize("default_mean", [0.5, None])
def test_the_floor_holds_under_the_worst_proposer(default_mean):
    """False alarm: below 1e-8 if breaches come with probability delta exactly."""
    policy = Policy(Proposer(reckless), ConfidenceFloor(0.1, default_mean), BOUNDARY)
    found = simulate(policy, ENVIRONMENT, horizon=3000, runs=1000)
    assert np.all(found.plays[:, -1, 1:].sum(axis=1) > 0), "it did explore"
    assert (found.first_breach > 0).sum() <= binom.isf(1e-8, 1000, 0.05)
