"""The paper's safe-playing strategy: a floor under the rewards actually received.

It assumes only that no reward is below 0 and that the default arm pays exactly its mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from floorline.boundaries import Boundary
from floorline.core.checks import number
from floorline.core.kernel import Function, kernel
from floorline.core.records import ROUNDING, Arms, Floats
from floorline.core.slots import credit, fallback_probability, guaranteed_budget
from floorline.floors.base import Floor

RECEIVED = 0
"""Where the floor keeps the sum of all rewards received."""


class RealisedRules(NamedTuple):
    """What must have been earned for each round played, and how exactly."""

    owed: float
    tolerance: float


@kernel
def realised_budget(
    rules: RealisedRules, arms: Arms, memory: Floats, round: int, arm: int
) -> float:
    """Return the budget if this round pays nothing (the paper's Z'); exactly 0 up to rounding."""
    budget = memory[RECEIVED] - rules.owed * round
    if abs(budget) <= rules.tolerance * round:
        return 0.0
    return budget  # type: ignore[no-any-return]


@kernel
def refuse_below_zero(
    rules: RealisedRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> float:
    """Return 0 if even a reward of 0 leaves the budget at or above zero, else 1."""
    return 0.0 if realised_budget(rules, arms, memory, round, candidate) >= 0.0 else 1.0


@kernel
def credit_reward(
    rules: RealisedRules,
    arms: Arms,
    memory: Floats,
    arm: int,
    probability: float,
    reward: float,
    lower_before: float,
) -> None:
    """Add the reward received."""
    memory[RECEIVED] += reward


@dataclass(frozen=True)
class RealisedFloor(Floor):
    """Keeps the reward received above (1 - max_loss) of the default's, in every run.

    The proposer acts while even a reward of 0 could not break the floor; otherwise the default
    arm is played, and the proposer does not see that round.

    Args:
        max_loss: the share of the default's reward that may be lost.
        default_mean: what the default arm pays, every time.
    """

    max_loss: float
    default_mean: float

    def __post_init__(self) -> None:
        number("max_loss", self.max_loss, 0, 1)
        number("default_mean", self.default_mean, 0, math.inf)

    private_clock = True
    unit_rewards = True  # a reward below 0 would break it
    shared_memory = 1

    def rules(self, n_arms: int, horizon: int, boundary: Boundary | None) -> RealisedRules:
        """Return the record for the kernels."""
        return RealisedRules((1 - self.max_loss) * self.default_mean, ROUNDING * self.default_mean)

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {
            **super().kernels(),
            fallback_probability: refuse_below_zero,
            guaranteed_budget: realised_budget,
            credit: credit_reward,
        }
