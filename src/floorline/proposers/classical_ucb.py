"""UCB as in the paper's figures: average plus sqrt(2 log t / T)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from floorline.core.checks import number
from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer
from floorline.proposers.growing_index import REMEMBERED, largest_index, watch_rivals


class UcbRules(NamedTuple):
    """Subgaussian scale of the rewards."""

    noise_scale: float


@kernel
def remember_spread(rules: Any, arms: Arms, memory: Floats, arm: int, reward: float) -> None:
    """Store 1 / sqrt(T), which changes only when the arm is observed."""
    memory[arm] = 1.0 / math.sqrt(arms.plays[arm])
    watch_rivals(memory, arm)


@kernel
def ucb_index(rules: UcbRules, arms: Arms, memory: Floats, log_round: float, arm: int) -> float:
    """Return average + noise_scale sqrt(2 log t / T)."""
    bonus = rules.noise_scale * math.sqrt(2.0 * log_round)
    return arms.average[arm] + bonus * memory[arm]  # type: ignore[no-any-return]


def classical_ucb(noise_scale: float = 1.0) -> Proposer:
    """Return UCB with the index average + noise_scale sqrt(2 log t / T), each arm once first.

    Args:
        noise_scale: subgaussian scale of the rewards; 1/2 covers rewards in [0, 1].
    """
    number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    return Proposer(
        largest_index,
        learn=remember_spread,
        index=ucb_index,
        memory=1,
        shared_memory=REMEMBERED,
        rules=UcbRules(float(noise_scale)),
    )
