"""Do the beta-binomial intervals of many arms ever miss a mean more often than delta?

The ends rise with the total (docs/guarantee.md), so that for each count the totals whose
interval holds the mean are a stretch; paths are compared with it. False alarms: each
comparison allows the failures that a failure rate of exactly delta exceeds with probability
1e-9; there are fewer than 50 comparisons, so a correct build fails with probability below 1e-6.
"""

import math

import numpy as np
import pytest

from floorline.boundaries.beta_binomial import (
    beta_binomial_interval,
    beta_binomial_rules,
    log_shrinkage,
)
from floorline.core.compiler import compiled
from floorline.core.kernel import kernel
from floorline.testing.odds import too_often

PATHS = 40_000
STEPS = 2048
LEVELS = (2.0, 40.0)
PRIOR = (0.5, 0.5)

REWARDS = {
    "coin": (0.5, lambda rng, shape: rng.integers(0, 2, shape).astype(float)),
    "rare click": (0.03, lambda rng, shape: (rng.random(shape) < 0.03).astype(float)),
    "rare miss": (0.99, lambda rng, shape: (rng.random(shape) < 0.99).astype(float)),
    "three-point": (0.35, lambda rng, shape: rng.choice([0, 0.5, 1], shape, p=[0.5, 0.3, 0.2])),
    "uniform": (0.5, lambda rng, shape: rng.random(shape)),
}


@kernel
def fixed_time_interval(rules, memory, arm, seen, total):
    """Broken: Chernoff's bound with a union over the two sides, right at one count alone."""
    up = min(max(total, 0.0), float(seen))
    allowed = math.log(2.0) + rules.start
    lower = up * math.exp(-log_shrinkage(up, seen - up, allowed)) / seen
    upper = (up - (seen - up) * math.expm1(-log_shrinkage(seen - up, up, allowed))) / seen
    return lower, upper


NO_MEMORY = np.zeros(0)
INTERVALS = {
    "mixture": compiled(beta_binomial_interval, {}),
    "fixed time": compiled(fixed_time_interval, {}),
}


def totals_that_hold(interval, rules, mean):
    """For each count, the least and the largest total whose interval holds the mean."""
    least, largest = np.empty(STEPS), np.empty(STEPS)
    for seen in range(1, STEPS + 1):
        below, above = mean * seen, float(seen)
        start, stop = 0.0, mean * seen
        for _ in range(45):
            middle = (below + above) / 2
            if interval(rules, NO_MEMORY, 0, seen, middle)[0] <= mean:
                below = middle
            else:
                above = middle
            middle = (start + stop) / 2
            if interval(rules, NO_MEMORY, 0, seen, middle)[1] >= mean:
                stop = middle
            else:
                start = middle
        least[seen - 1], largest[seen - 1] = start, above
    return least, largest


def failing_paths(rewards, name, level):
    """Which paths ever leave the interval, at 1 / level an arm."""
    mean, draw = REWARDS[rewards]
    rules = beta_binomial_rules(level, PRIOR if name == "mixture" else (1.0, 1.0), 0.0, 1.0)
    least, largest = totals_that_hold(INTERVALS[name], rules, mean)
    rng = np.random.default_rng(7)
    failed = []
    for _ in range(PATHS // 2000):
        totals = np.cumsum(draw(rng, (2000, STEPS)), axis=1)
        failed.append(((totals < least) | (totals > largest)).any(axis=1))
    return np.concatenate(failed)


def too_many(failed, delta):
    return too_often(int(failed.sum()), failed.size, delta)


@pytest.mark.parametrize("rewards", REWARDS)
def test_intervals_fail_no_more_often_than_delta(rewards):
    for level in LEVELS:
        failed = failing_paths(rewards, "mixture", level)
        assert not too_many(failed, 1 / level), level


def test_the_intervals_of_ten_arms_share_delta():
    """And without the 10 in inverse_error, which is caught."""
    shared = failing_paths("coin", "mixture", 10 / 0.1).reshape(-1, 10).any(axis=1)
    assert not too_many(shared, 0.1)
    alone = failing_paths("coin", "mixture", 1 / 0.1).reshape(-1, 10).any(axis=1)
    assert too_many(alone, 0.1)


@pytest.mark.parametrize("rewards", ["coin", "rare click"])
def test_an_interval_for_one_count_is_caught(rewards):
    """Negative control: intervals that hold at each count are not enough for all counts."""
    failed = failing_paths(rewards, "fixed time", 20.0)
    assert too_many(failed, 1 / 20)
