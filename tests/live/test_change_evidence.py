"""The drift watch as a product of evidences: false alarms, and how soon a change is found.

False alarms of a correct build: the first test allows what a rate of exactly LEVEL exceeds with
probability 1e-9; the medians below are far from their limits (standard error below 100 plays).
"""

import math

import numpy as np
import pytest
from scipy import optimize
from scipy.stats import betabinom, binom

from floorline.core.compiler import compiled
from floorline.core.kernel import kernel
from floorline.live.change_evidence import change_evidence, known_change_evidence, next_point

BLOCK = 100


@kernel
def plays_to_alarm(totals, level, bonus):
    """Blocks until an alarm, or 0: `totals` holds the sum of rewards up to each block."""
    for now in range(2, totals.size):
        point = 1
        number = 0
        while point < now:
            evidence = change_evidence(
                point * BLOCK, totals[point], (now - point) * BLOCK, totals[now] - totals[point]
            )
            if evidence + bonus >= math.log((number + 1) * (number + 2) / level):
                return now
            number += 1
            point = next_point(point)
    return 0


def alarms(means, runs, level, seed, bonus=0.0):
    rng = np.random.default_rng(seed)
    find = compiled(plays_to_alarm, {})
    totals = np.zeros((runs, len(means) + 1))
    totals[:, 1:] = rng.binomial(BLOCK, means, (runs, len(means))).cumsum(axis=1)
    return np.array([find(row, level, bonus) for row in totals])


LEVEL = 0.2


@pytest.mark.parametrize("mean", [0.01, 0.03, 0.5, 0.99])
def test_false_alarms_are_within_the_level(mean):
    found = alarms(np.full(200, mean), 1000, LEVEL, seed=1)
    assert (found > 0).sum() <= binom.isf(1e-9, 1000, LEVEL)


def test_evidence_without_the_price_of_the_mixture_is_caught():
    """Negative control: the mixtures cost about 7 after a few thousand plays."""
    found = alarms(np.full(200, 0.5), 1000, LEVEL, seed=1, bonus=7.0)
    assert (found > 0).sum() > binom.isf(1e-9, 1000, LEVEL)


@pytest.mark.parametrize(
    ("after", "limit", "missed"), [(0.06, 3500, 0.05), (0.09, 1700, 0.0), (0.015, 12_000, 0.35)]
)
@pytest.mark.parametrize("blocks", [46, 50, 56])
def test_changes_are_found_soon(after, limit, missed, blocks):
    """From 3%, after about 5,000 plays, at the level of 1%: median plays to the alarm."""
    found = alarms(np.r_[np.full(blocks, 0.03), np.full(200, after)], 400, 0.01, seed=2)
    assert ((found > 0) & (found <= blocks)).sum() == 0
    plays = np.where(found > 0, (found - blocks) * BLOCK, math.inf)
    assert np.median(plays) <= limit
    assert np.isinf(plays).mean() <= missed


@pytest.mark.parametrize("totals", [(3, 40), (0, 10), (50, 20), (100, 300), (0, 0)])
def test_no_mean_has_less_evidence(totals):
    before, since = totals
    mean = (before + 0.5) / 101
    strength = 2 / min(mean, 1 - mean)

    def evidence(m):
        first = betabinom.logpmf(before, 100, 0.5, 0.5) - binom.logpmf(before, 100, m)
        prior = strength * mean, strength * (1 - mean)
        return first + betabinom.logpmf(since, 300, *prior) - binom.logpmf(since, 300, m)

    search = optimize.minimize_scalar(
        evidence, bounds=(1e-9, 1 - 1e-9), method="bounded", options={"xatol": 1e-10}
    )
    found = change_evidence(100, float(before), 300, float(since))
    assert found == pytest.approx(search.fun, abs=1e-3)
    assert found <= search.fun + 1e-6


def test_a_known_mean():
    expected = betabinom.logpmf(20, 300, 2.0, 2.0 * 0.97 / 0.03) - binom.logpmf(20, 300, 0.03)
    assert known_change_evidence(0.03, 300, 20.0) == pytest.approx(expected)


def test_points_grow():
    points = [1]
    while points[-1] < 10**6:
        points.append(next_point(points[-1]))
    assert points[:8] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert len(points) < 70
