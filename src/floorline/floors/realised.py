"""The paper's safe-playing strategy: a floor under the rewards actually received.

It assumes nothing about how rewards come about, only that none is below 0 and that the
default arm pays exactly its mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from floorline.core.boundaries import Boundary
from floorline.core.checks import number
from floorline.core.kernel import Function, kernel
from floorline.core.records import ROUNDING, Arms
from floorline.core.steps import charge, credit, default_rounds, fall_back, guaranteed_budget
from floorline.floors.base import Floor, charge_nothing, one_round, play_default


class RealisedRules(NamedTuple):
    """What must have been earned for each round played, and how exactly."""

    owed: float
    tolerance: float


@kernel
def realised_budget(rules: RealisedRules, arms: Arms, round: int, arm: int) -> float:
    """The budget if this round pays nothing (the paper's Z'); exactly 0 up to rounding."""
    budget = arms.earned[0] - rules.owed * round
    if abs(budget) <= rules.tolerance * round:
        return 0.0
    return budget  # type: ignore[no-any-return]


@kernel
def credit_reward(
    rules: RealisedRules, arms: Arms, arm: int, reward: float, lower_before: float
) -> None:
    """What was received is what counts."""
    arms.earned[0] += reward


@dataclass(frozen=True)
class RealisedFloor(Floor):
    """Keeps the reward received above (1 - max_loss) of the default's, in every run.

    The proposer acts while even a reward of 0 could not break the floor; else the default
    arm is played, and the proposer learns nothing of it: it lives on its own rounds.

    Args:
        max_loss: the share of the default's reward that may be lost.
        default_mean: what the default arm pays, every time.
    """

    max_loss: float
    default_mean: float

    def __post_init__(self) -> None:
        number("max_loss", self.max_loss, 0, 1)
        number("default_mean", self.default_mean, 0, math.inf)

    @property
    def own_rounds(self) -> bool:
        """The proposer learns only on the rounds on which it acted."""
        return True

    @property
    def unit_rewards(self) -> bool:
        """A reward below 0 would break it."""
        return True

    def rules(self, n_arms: int, horizon: int, boundary: Boundary | None) -> RealisedRules:
        """The record for the kernels."""
        return RealisedRules((1 - self.max_loss) * self.default_mean, ROUNDING * self.default_mean)

    def kernels(self) -> dict[Function, Function]:
        """How this floor fills the slots."""
        return {
            guaranteed_budget: realised_budget,
            default_rounds: one_round,
            fall_back: play_default,
            charge: charge_nothing,
            credit: credit_reward,
        }
