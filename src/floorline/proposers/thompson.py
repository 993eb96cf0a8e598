"""Thompson sampling: draw a mean for each arm from what is believed, propose the largest."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from floorline.core.checks import number
from floorline.core.kernel import kernel
from floorline.core.random import beta, normal
from floorline.core.records import Arms, Floats, NoRules
from floorline.proposers.base import Proposer, unknown_chance

TABLE_SIZE = 2**12
"""Counts whose spread is looked up: roots and divisions took a third of the time of a round."""


class GaussianThompsonRules(NamedTuple):
    """Standard deviation of the rewards, and of the average of few of them, by their number."""

    noise_scale: float
    spreads: Floats


@kernel
def spread_of(rules: GaussianThompsonRules, plays: int) -> float:
    """Return the standard deviation of the average of so many rewards."""
    if plays < len(rules.spreads):
        return rules.spreads[plays]  # type: ignore[no-any-return]
    return rules.noise_scale / math.sqrt(plays)


@kernel
def gaussian_sample(
    rules: GaussianThompsonRules, arms: Arms, memory: Floats, round: int, rng: Any
) -> int:
    """The arm with the largest draw from N(average, noise_scale^2 / T); each arm once first."""
    best = 0
    best_mean = -math.inf
    for i in range(len(arms.plays)):
        if arms.plays[i] == 0:
            return i
        mean = arms.average[i] + spread_of(rules, arms.plays[i]) * normal(rng)
        if mean > best_mean:
            best = i
            best_mean = mean
    return best


@kernel
def beta_sample(rules: NoRules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """The arm with the largest draw from Beta(1 + successes, 1 + failures)."""
    best = 0
    best_mean = -math.inf
    for i in range(len(arms.plays)):
        successes = arms.total[i]
        mean = beta(rng, 1.0 + successes, 1.0 + arms.seen[i] - successes)
        if mean > best_mean:
            best = i
            best_mean = mean
    return best


def gaussian_thompson(noise_scale: float = 1.0) -> Proposer:
    """Thompson sampling for Gaussian rewards with a flat prior."""
    number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    with np.errstate(divide="ignore"):
        spreads = noise_scale / np.sqrt(np.arange(TABLE_SIZE))
    rules = GaussianThompsonRules(float(noise_scale), spreads)
    return Proposer(gaussian_sample, rules=rules, chance=unknown_chance)


def beta_thompson() -> Proposer:
    """Thompson sampling for rewards in [0, 1] with a uniform prior.

    A reward between 0 and 1 counts as that part of a success.
    """
    return Proposer(beta_sample, chance=unknown_chance, unit_rewards=True)
