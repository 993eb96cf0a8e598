"""KL-UCB (Garivier and Cappé 2011): the largest mean that the rewards do not rule out."""

from __future__ import annotations

import math
from typing import Any

from floorline.boundaries.beta_binomial import log_shrinkage
from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer


@kernel
def kl_index(plays: int, average: float, allowed: float) -> float:
    """Return the largest q <= 1 with plays * KL(average, q) <= allowed, for rewards in [0, 1]."""
    failures = plays * (1.0 - average)
    return 1.0 - (1.0 - average) * math.exp(-log_shrinkage(failures, plays - failures, allowed))


@kernel
def kl_ucb_arm(rules: Any, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return the arm with the largest index at an allowance of log(t); each arm once first."""
    allowed = math.log(max(round, 2))
    best = 0
    best_index = -math.inf
    for i in range(len(arms.plays)):
        plays = arms.plays[i]
        if plays == 0:
            return i
        average = arms.average[i]
        # By Pinsker's inequality no index is larger than this, which rules out most arms.
        if average + math.sqrt(0.5 * allowed / plays) <= best_index:
            continue
        index = kl_index(plays, average, allowed)
        if index > best_index:
            best = i
            best_index = index
    return best


def kl_ucb() -> Proposer:
    """Return KL-UCB, whose index is the largest q with T KL(average, q) <= log t.

    For rewards in [0, 1]. Where means are near 0 or 1 its index is much smaller than that of UCB,
    and so is its regret.
    """
    return Proposer(kl_ucb_arm, unit_rewards=True)
