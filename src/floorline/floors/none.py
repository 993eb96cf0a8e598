"""No floor: every candidate is played."""

from __future__ import annotations

import math
from dataclasses import dataclass

from floorline.core.boundaries import Boundary
from floorline.core.kernel import Function, kernel
from floorline.core.records import Arms, NoRules
from floorline.core.steps import charge, credit, default_rounds, fall_back, guaranteed_budget
from floorline.floors.base import Floor, charge_nothing, credit_nothing, one_round, play_default


@kernel
def no_limit(rules: NoRules, arms: Arms, round: int, arm: int) -> float:
    """Infinity: nothing is refused, and nothing is promised."""
    return math.inf


@dataclass(frozen=True)
class NoFloor(Floor):
    """Plays whatever is proposed. The default arm is an arm like the others, its mean learned."""

    def rules(self, n_arms: int, horizon: int, boundary: Boundary | None) -> NoRules:
        """The record for the kernels."""
        return NoRules()

    def kernels(self) -> dict[Function, Function]:
        """How this floor fills the slots."""
        return {
            guaranteed_budget: no_limit,
            default_rounds: one_round,
            fall_back: play_default,
            charge: charge_nothing,
            credit: credit_nothing,
        }
