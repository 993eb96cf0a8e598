"""Rewards of 0 or 1: clicks and conversions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from floorline.core.kernel import Function, kernel
from floorline.core.random import uniform
from floorline.core.records import Floats
from floorline.environments.base import as_array, checked_means, draw, draw_each, draw_sum


class BernoulliEnvironment(NamedTuple):
    """Chance of a 1, for each arm."""

    means: Floats


@kernel
def bernoulli_reward(rules: BernoulliEnvironment, arm: int, rng: Any) -> float:
    """1 with the arm's chance, else 0."""
    if uniform(rng) < rules.means[arm]:
        return 1.0
    return 0.0


@dataclass(frozen=True)
class Bernoulli:
    """Rewards of 0 or 1; each mean is the chance of a 1."""

    means: Sequence[float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", checked_means(self.means, 0.0, 1.0))

    @property
    def bounded(self) -> bool:
        """Every reward lies in [0, 1]."""
        return True

    @property
    def reward_range(self) -> tuple[float, float]:
        """0 and 1."""
        return 0.0, 1.0

    @property
    def noise_scale(self) -> float:
        """Half the range covers rewards of 0 and 1."""
        return 0.5

    @property
    def adversarial(self) -> bool:
        """Rewards are drawn."""
        return False

    def rules(self) -> BernoulliEnvironment:
        """The record for the kernels."""
        return BernoulliEnvironment(as_array(self.means))

    def kernels(self) -> dict[Function, Function]:
        """How this environment fills the slots."""
        return {draw: bernoulli_reward, draw_sum: draw_each}
