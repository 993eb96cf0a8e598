"""UCB as in the paper's figures: average plus sqrt(2 log t / T)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from floorline.core.checks import number
from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer


class UcbRules(NamedTuple):
    """Subgaussian scale of the rewards."""

    noise_scale: float


@kernel
def remember_spread(rules: UcbRules, arms: Arms, memory: Floats, arm: int, reward: float) -> None:
    """Keep 1 / sqrt(T): it changes only when the arm is observed."""
    memory[arm] = 1.0 / math.sqrt(arms.plays[arm])


@kernel
def ucb_arm(rules: UcbRules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """The arm with the largest average plus bonus; each arm once before that."""
    bonus = rules.noise_scale * math.sqrt(2.0 * math.log(round))
    best = 0
    best_index = -math.inf
    for i in range(len(arms.plays)):
        if arms.plays[i] == 0:
            return i
        index = arms.average[i] + bonus * memory[i]
        if index > best_index:
            best = i
            best_index = index
    return best


def classical_ucb(noise_scale: float = 1.0) -> Proposer:
    """Proposes by the index average + noise_scale sqrt(2 log t / T), each arm once first."""
    number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    return Proposer(ucb_arm, learn=remember_spread, memory=1, rules=UcbRules(float(noise_scale)))
