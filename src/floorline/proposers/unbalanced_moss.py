"""Unbalanced MOSS (Lattimore 2015): a regret target for every arm, met at the horizon only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from floorline.core.checks import number, require, whole
from floorline.core.kernel import kernel
from floorline.core.records import TOLERANCE, Arms, Floats
from floorline.proposers.base import Proposer


class MossRules(NamedTuple):
    """Subgaussian scale, and each arm's (horizon / target)^2."""

    noise_scale: float
    patience: Floats


@kernel
def moss_index(rules: MossRules, arms: Arms, arm: int) -> float:
    """Return average + noise_scale sqrt((4 / T) log+(patience / T)), for an arm that was played."""
    plays = arms.plays[arm]
    share = rules.patience[arm] / plays
    if share <= 1.0:
        return arms.average[arm]  # type: ignore[no-any-return]
    bonus = math.sqrt(4.0 / plays * math.log(share))
    return arms.average[arm] + rules.noise_scale * bonus  # type: ignore[no-any-return]


@kernel
def remember_index(rules: MossRules, arms: Arms, memory: Floats, arm: int, reward: float) -> None:
    """Store the arm's index, which changes only when the arm is observed."""
    memory[arm] = moss_index(rules, arms, arm)


@kernel
def moss_arm(rules: MossRules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return the arm with the largest index; each arm once first, unless an index is infinite."""
    best = 0
    for i in range(len(arms.plays)):
        if arms.plays[i] == 0 or memory[i] == math.inf:
            return i
        if memory[i] > memory[best]:
            best = i
    return best


def unbalanced_moss(
    regret_targets: Sequence[float], horizon: int, noise_scale: float = 1.0
) -> Proposer:
    """Return a proposer whose regret, if arm i is best, is of the order of that arm's target.

    Args:
        regret_targets: each arm's target, the default arm's first.
        horizon: the number of rounds.
        noise_scale: subgaussian scale of the rewards; 1/2 covers rewards in [0, 1].

    Raises:
        ValueError: no algorithm can meet such targets (see `on_frontier`).
    """
    targets = np.asarray(regret_targets, dtype=float)
    horizon = whole("horizon", horizon, 1)
    number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    require(
        targets.ndim == 1 and len(targets) > 1 and bool(np.all(targets >= 0)),
        "regret_targets",
        "a number of at least 0 for each of two or more arms",
        regret_targets,
    )
    require(
        on_frontier(targets.tolist(), horizon),
        "regret_targets",
        "on or above the Pareto frontier (on_frontier)",
        regret_targets,
    )
    with np.errstate(divide="ignore"):
        patience = np.square(horizon / targets)
    return Proposer(
        moss_arm,
        learn=remember_index,
        rules=MossRules(float(noise_scale), patience),
        memory=1,
        n_arms=len(targets),
    )


def on_frontier(regret_targets: Sequence[float], horizon: int) -> bool:
    """Return whether an algorithm can have regrets of the order of these targets.

    The condition is B_i >= min(n, sum over j != i of n / B_j) for every arm i.
    Paper: Lattimore 2015, the Pareto regret frontier.

    >>> on_frontier([100.0, 100.0], horizon=10_000), on_frontier([10.0, 100.0], horizon=10_000)
    (True, False)
    """
    shares = [horizon / target if target > 0 else math.inf for target in regret_targets]
    for i, target in enumerate(regret_targets):
        others = sum(share for j, share in enumerate(shares) if j != i)
        if target < min(horizon, others) * (1 - TOLERANCE):
            return False
    return True


def paper_targets(
    n_arms: int, horizon: int, max_loss: float, default_mean: float, *, as_programmed: bool = False
) -> list[float]:
    """Return the regret targets of the paper's experiments, as printed or as in its program.

    The program counts all arms, not the challengers alone, in the challengers' target.
    """
    challengers = n_arms - 1
    count = n_arms if as_programmed else challengers
    slope = max_loss * default_mean
    target = math.sqrt(horizon * count) + (count / slope if slope > 0 else math.inf)
    return [horizon * challengers / target] + [target] * challengers
