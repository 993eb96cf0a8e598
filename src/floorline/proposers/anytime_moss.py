"""MOSS without a horizon (Degenne and Perchet 2016)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from floorline.core.checks import number
from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer

EXPLORATION = 1.35
"""The paper's alpha, at the value that minimises its regret bound."""


class AnytimeMossRules(NamedTuple):
    """Subgaussian scale of the rewards."""

    noise_scale: float


@kernel
def anytime_moss_arm(
    rules: AnytimeMossRules, arms: Arms, memory: Floats, round: int, rng: Any
) -> int:
    """Return the arm with the largest index; each arm once first."""
    n_arms = len(arms.plays)
    best = 0
    best_index = -math.inf
    for i in range(n_arms):
        plays = arms.plays[i]
        if plays == 0:
            return i
        index = arms.average[i]
        share = round / (n_arms * plays)
        if share > 1.0:
            bonus = 2.0 * (1.0 + EXPLORATION) * math.log(share) / plays
            index += rules.noise_scale * math.sqrt(bonus)
        if index > best_index:
            best = i
            best_index = index
    return best


def anytime_moss(noise_scale: float = 1.0) -> Proposer:
    """Return MOSS with the index average + noise_scale sqrt(2 (1 + 1.35) log+(t / (N T)) / T).

    There are N arms. An arm played more often than its share t / N gets no bonus: MOSS explores
    less than UCB, and its worst-case regret is of order sqrt(N t) without a factor log t. The paper
    states it for rewards in [0, 1], whose noise scale is 1/2.

    Args:
        noise_scale: subgaussian scale of the rewards; 1/2 covers rewards in [0, 1].
    """
    number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    return Proposer(anytime_moss_arm, rules=AnytimeMossRules(float(noise_scale)))
