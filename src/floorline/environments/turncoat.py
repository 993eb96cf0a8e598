"""An adversary that knows everything but the coin of a randomised floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from floorline.core.kernel import Function, kernel
from floorline.core.records import Arms, Floats
from floorline.environments.adversary import Adversary, LevelRules, checked_levels, set_rewards
from floorline.environments.base import as_array


@kernel
def turncoat_rewards(
    rules: LevelRules, arms: Arms, chances: Floats, round: int, rng: Any, rewards: Floats
) -> None:
    """Set 1 or 0 so that averages stay at their levels; 1 for the default under a coin."""
    rewards[0] = 1.0
    if chances[0] >= 1.0 and arms.average[0] > rules.levels[0]:
        rewards[0] = 0.0
    for i in range(1, len(rewards)):
        rewards[i] = 1.0 if arms.average[i] < rules.levels[i] else 0.0


@dataclass(frozen=True)
class Turncoat(Adversary):
    """Pays challengers just enough to be trusted, and the default 1 wherever a coin may miss it.

    In a round in which a coin decides, the default would pay 1. In others it pays 1 or 0, so
    that its average stays at its level or above. A challenger pays 1 or 0 so that its average
    stays at its level: at 0 it pays nothing.

    Args:
        levels: the averages, the default arm's first.
    """

    levels: Sequence[float]

    needs_coins = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", checked_levels(self.levels))

    def rules(self) -> LevelRules:
        """Return the record for the kernels."""
        return LevelRules(as_array(self.levels), 0)

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {set_rewards: turncoat_rewards}
