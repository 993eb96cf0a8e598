"""UCB that learns the variance of each arm's rewards."""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer

FIRST_PLAYS = 8
"""Plays of each arm before its empirical variance is used."""


@kernel
def empirical_ucb_arm(rules: Any, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return the arm with the largest index; each arm FIRST_PLAYS times first."""
    best = 0
    best_index = -math.inf
    for i in range(len(arms.plays)):
        if arms.plays[i] < FIRST_PLAYS:
            return i
        average, variance = arms.average[i], 0.0
        if arms.seen[i] > 0:
            variance = max(memory[i] / arms.seen[i] - average * average, 0.0)
        index = average + math.sqrt(2.0 * variance * math.log(round) / arms.plays[i])
        if index > best_index:
            best = i
            best_index = index
    return best


@kernel
def add_square(rules: Any, arms: Arms, memory: Floats, arm: int, reward: float) -> None:
    """Add the square of a reward to its arm's sum."""
    memory[arm] += reward * reward


def empirical_ucb() -> Proposer:
    """Return UCB with the index average + sqrt(2 v log t / T), v the arm's empirical variance.

    For rewards well inside their range, such as order values, under a floor that also learns their
    variance (`joint-variance`). It promises nothing by itself: an arm whose first rewards are all
    equal may be abandoned for ever. The floor does not depend on it.
    """
    return Proposer(empirical_ucb_arm, learn=add_square, memory=1)
