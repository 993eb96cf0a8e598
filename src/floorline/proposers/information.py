"""Variance-based information-directed sampling (Russo and Van Roy 2018)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from floorline.core.checks import number, whole
from floorline.core.kernel import kernel
from floorline.core.random import uniform
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer
from floorline.proposers.posterior import pair_after, posterior_draw, posterior_of, seed_of

DRAWS = 32

# Rows of the memory, each with a number for every arm.
WINS = 0
MEAN = 1
INFORMATION = 2
DRAWN = 3
UP = 4
UP_SPREAD = 5
DOWN = 6
DOWN_SPREAD = 7
SUMS = 8
"""From here on, for each arm: the sums of all arms' draws in which that arm is best."""
FIRST = 0
SECOND = 1
SHARE = 2
CELLS = 3
"""After the rows: the two arms to draw from, and the chance of the first."""


class InformationRules(NamedTuple):
    """The posteriors, and the number of draws."""

    noise_scale: float
    """Standard deviation of the rewards; 0 for Beta posteriors."""
    draws: int


@kernel
def draw_means(rules: InformationRules, arms: Arms, memory: Floats, round: int) -> None:
    """Fill the rows of wins, means and sums from draws of all means."""
    n_arms = len(arms.plays)
    for cell in range((SUMS + n_arms) * n_arms):
        memory[cell] = 0.0
    for i in range(n_arms):
        up, up_spread, down, down_spread = posterior_of(rules.noise_scale, 0.0, 1.0, arms, i)
        memory[UP * n_arms + i] = up
        memory[UP_SPREAD * n_arms + i] = up_spread
        memory[DOWN * n_arms + i] = down
        memory[DOWN_SPREAD * n_arms + i] = down_spread
    number = seed_of(arms, round)
    for _ in range(rules.draws):
        best = 0
        best_mean = -math.inf
        for i in range(n_arms):
            number, x, y = pair_after(number)
            mean = posterior_draw(
                memory[UP * n_arms + i],
                memory[UP_SPREAD * n_arms + i],
                memory[DOWN * n_arms + i],
                memory[DOWN_SPREAD * n_arms + i],
                x,
                y,
            )
            memory[DRAWN * n_arms + i] = mean
            memory[MEAN * n_arms + i] += mean / rules.draws
            if mean > best_mean:
                best = i
                best_mean = mean
        memory[WINS * n_arms + best] += 1.0
        for i in range(n_arms):
            memory[(SUMS + best) * n_arms + i] += memory[DRAWN * n_arms + i]


@kernel
def best_on_average(rules: InformationRules, memory: Floats, n_arms: int) -> float:
    """Return the mean of the best arm over all draws, and fill the row of information.

    The information of an arm is the variance of its mean given which arm is best.
    """
    best = 0.0
    for k in range(n_arms):
        wins = memory[WINS * n_arms + k]
        if wins > 0.0:
            best += memory[(SUMS + k) * n_arms + k] / rules.draws
            for i in range(n_arms):
                off = memory[(SUMS + k) * n_arms + i] / wins - memory[MEAN * n_arms + i]
                memory[INFORMATION * n_arms + i] += wins / rules.draws * off * off
    return best


@kernel
def best_share(gap: float, other_gap: float, information: float, other: float) -> float:
    """Return the chance of one arm that makes (expected gap)^2 / information smallest.

    With gap D + q d and information V + q e, where q is that chance, the derivative is 0 at
    q = D / d - 2 V / e.
    """
    d = gap - other_gap
    e = information - other
    if d == 0.0 or e == 0.0:
        return 0.5
    return min(max(other_gap / d - 2.0 * other / e, 0.0), 1.0)


@kernel
def ratio_of(gap: float, information: float) -> float:
    """Return gap^2 / information, infinite where a gap yields no information."""
    if information > 0.0:
        return gap * gap / information
    return 0.0 if gap <= 0.0 else math.inf


@kernel
def informed_arm(rules: InformationRules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return one of the two arms that together have the least regret for what is learned."""
    n_arms = len(arms.plays)
    draw_means(rules, arms, memory, round)
    best = best_on_average(rules, memory, n_arms)
    first = 0
    second = 0
    share = 1.0
    smallest = math.inf
    for i in range(n_arms):
        gap = best - memory[MEAN * n_arms + i]
        information = memory[INFORMATION * n_arms + i]
        for j in range(i, n_arms):
            other_gap = best - memory[MEAN * n_arms + j]
            other = memory[INFORMATION * n_arms + j]
            inner = best_share(gap, other_gap, information, other)
            for step in range(3):
                q = inner if step == 2 else float(step)
                ratio = ratio_of(
                    other_gap + q * (gap - other_gap), other + q * (information - other)
                )
                if ratio < smallest:
                    smallest = ratio
                    first = i
                    second = j
                    share = q
    chosen = (SUMS + n_arms) * n_arms
    memory[chosen + FIRST] = first
    memory[chosen + SECOND] = second
    memory[chosen + SHARE] = share
    return first if uniform(rng) < share else second


@kernel
def informed_chance(
    rules: InformationRules, arms: Arms, memory: Floats, candidate: int, arm: int
) -> float:
    """Return the chance of the arm, which is 0 for all but two arms."""
    n_arms = len(arms.plays)
    chosen = (SUMS + n_arms) * n_arms
    share = memory[chosen + SHARE]
    chance = share if memory[chosen + FIRST] == arm else 0.0
    return chance + (1.0 - share if memory[chosen + SECOND] == arm else 0.0)


def information_directed(
    n_arms: int, noise_scale: float | None = None, draws: int = DRAWS
) -> Proposer:
    """Return a proposer with the least regret for what it learns about which arm is best.

    It draws between the two arms that minimise (expected regret)^2 over the variance of the arms'
    means given which arm is best, both estimated from a few draws of all means.

    Args:
        n_arms: how many arms there are.
        noise_scale: standard deviation of Gaussian rewards; None for rewards in [0, 1], whose
            posteriors are Beta with a uniform prior.
        draws: how many draws of all means.
    """
    n_arms = whole("n_arms", n_arms, 2)
    if noise_scale is not None:
        number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    return Proposer(
        informed_arm,
        rules=InformationRules(float(noise_scale or 0.0), whole("draws", draws, 2)),
        memory=SUMS + n_arms,
        shared_memory=CELLS,
        chance=informed_chance,
        unit_rewards=noise_scale is None,
        n_arms=n_arms,
        caches=True,
    )
