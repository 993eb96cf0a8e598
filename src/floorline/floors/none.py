"""No floor: every candidate is played."""

from __future__ import annotations

import math
from dataclasses import dataclass

from floorline.core.kernel import Function, kernel
from floorline.core.records import Arms, Floats, NoRules
from floorline.core.slots import fallback_probability, guaranteed_budget
from floorline.floors.base import Floor


@kernel
def allow_all(rules: NoRules, arms: Arms, memory: Floats, round: int, candidate: int) -> float:
    """Return 0: nothing is refused."""
    return 0.0


@kernel
def no_limit(rules: NoRules, arms: Arms, memory: Floats, round: int, arm: int) -> float:
    """Return infinity: nothing is promised."""
    return math.inf


@dataclass(frozen=True)
class NoFloor(Floor):
    """Plays whatever is proposed. The default arm is an arm like the others, its mean learned."""

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {
            **super().kernels(),
            fallback_probability: allow_all,
            guaranteed_budget: no_limit,
        }
