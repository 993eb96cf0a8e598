"""Thompson sampling: draw a mean for each arm from its posterior, propose the largest."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from floorline.core.checks import number
from floorline.core.kernel import kernel
from floorline.core.random import normal, uniform
from floorline.core.records import Arms, Floats, NoRules
from floorline.proposers.base import Proposer, unknown_chance
from floorline.proposers.beta_draws import accepted, odds_at, proposal_of, rejection_bound

TABLE_SIZE = 2**12
"""Counts whose spread is looked up: computing it took a third of the time of a round."""

# Rows of the memory for Beta posteriors, each with a number for every arm: what `proposal_of`
# returns (a doubt of 0: not known yet), and the draws. After them: the arm proposed last.
LEFT = 0
RIGHT = 1
BEND = 2
FACTOR = 3
DOUBT = 4
DRAWN = 5
ROWS = 6


class GaussianThompsonRules(NamedTuple):
    """Standard deviation of the rewards, and of the average of few of them, by their number."""

    noise_scale: float
    spreads: Floats


@kernel
def spread_of(rules: GaussianThompsonRules, plays: int) -> float:
    """Return the standard deviation of the average of this many rewards."""
    if plays < len(rules.spreads):
        return rules.spreads[plays]  # type: ignore[no-any-return]
    return rules.noise_scale / math.sqrt(plays)


@kernel
def gaussian_sample(
    rules: GaussianThompsonRules, arms: Arms, memory: Floats, round: int, rng: Any
) -> int:
    """Return the arm with the largest draw from N(average, noise_scale^2 / T); each once first."""
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
def remember_posterior(rules: NoRules, arms: Arms, memory: Floats, arm: int, reward: float) -> None:
    """Store what draws from the arm's posterior need; it changes only when the arm is observed."""
    n_arms = len(arms.plays)
    successes = arms.total[arm]
    left, right, bend, factor, doubt = proposal_of(
        1.0 + successes, 1.0 + arms.seen[arm] - successes
    )
    memory[LEFT * n_arms + arm] = left
    memory[RIGHT * n_arms + arm] = right
    memory[BEND * n_arms + arm] = bend
    memory[FACTOR * n_arms + arm] = factor
    memory[DOUBT * n_arms + arm] = doubt


@kernel
def draw_odds(rules: NoRules, arms: Arms, memory: Floats, rng: Any) -> None:
    """Draw from every arm's Beta posterior; write each draw's odds x / (1 - x) to the row DRAWN.

    One uniform number accepts the draws of all arms: given what it has accepted so far, it is
    uniform below `limit`. It is drawn again after a draw that it did not accept at once.
    """
    n_arms = len(arms.plays)
    for i in range(n_arms):  # first, since these need not wait for the last reward
        memory[DRAWN * n_arms + i] = normal(rng)
    u, limit = uniform(rng), 1.0
    for i in range(n_arms):
        if memory[DOUBT * n_arms + i] == 0.0:
            remember_posterior(rules, arms, memory, i, 0.0)
        left, right = memory[LEFT * n_arms + i], memory[RIGHT * n_arms + i]
        bend = memory[BEND * n_arms + i]
        z = memory[DRAWN * n_arms + i]
        sure = limit - limit * rejection_bound(memory[DOUBT * n_arms + i], z)
        if u >= sure:
            a = 1.0 + arms.total[i]
            b = 1.0 + arms.seen[i] - arms.total[i]
            z = accepted(rng, a, b, left, right, bend, z, u / limit)
            u, sure = uniform(rng), 1.0
        limit = sure
        memory[DRAWN * n_arms + i] = odds_at(left, right, bend, memory[FACTOR * n_arms + i], z)


@kernel
def beta_sample(rules: NoRules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return the arm with the largest draw from Beta(1 + successes, 1 + failures).

    The search starts from the arm proposed last, so that its branch is seldom taken; a processor
    that predicts it need not wait for the draws. The assignment to the memory keeps the compiler
    from turning the branch into a conditional move.
    """
    n_arms = len(arms.plays)
    draw_odds(rules, arms, memory, rng)
    best = int(memory[ROWS * n_arms])
    largest = memory[DRAWN * n_arms + best]
    for i in range(n_arms):
        if memory[DRAWN * n_arms + i] > largest:
            best = i
            largest = memory[DRAWN * n_arms + i]
            memory[ROWS * n_arms] = i
    return best


def gaussian_thompson(noise_scale: float = 1.0) -> Proposer:
    """Return Thompson sampling for Gaussian rewards with a flat prior.

    Args:
        noise_scale: standard deviation of the rewards.
    """
    number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    with np.errstate(divide="ignore"):
        spreads = noise_scale / np.sqrt(np.arange(TABLE_SIZE))
    rules = GaussianThompsonRules(float(noise_scale), spreads)
    return Proposer(gaussian_sample, rules=rules, chance=unknown_chance)


def beta_thompson() -> Proposer:
    """Return Thompson sampling for rewards in [0, 1] with a uniform prior.

    A reward between 0 and 1 counts as a fraction of a success.
    """
    return Proposer(
        beta_sample,
        learn=remember_posterior,
        memory=ROWS,
        shared_memory=1,
        chance=unknown_chance,
        unit_rewards=True,
        caches=True,
    )
