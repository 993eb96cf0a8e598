"""Gaussian rewards of any scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from floorline.core.checks import number
from floorline.core.kernel import Function, kernel
from floorline.core.random import normal
from floorline.core.records import Floats
from floorline.environments.base import as_array, checked_means, draw, draw_sum


class GaussianEnvironment(NamedTuple):
    """Mean of each arm, and their common standard deviation."""

    means: Floats
    noise_scale: float


@kernel
def gaussian_reward(rules: GaussianEnvironment, arm: int, rng: Any) -> float:
    """A Gaussian reward."""
    return rules.means[arm] + rules.noise_scale * normal(rng)  # type: ignore[no-any-return]


@kernel
def gaussian_sum(rules: GaussianEnvironment, arm: int, count: int, rng: Any) -> float:
    """The sum of `count` Gaussian rewards, as one draw."""
    spread = math.sqrt(count) * rules.noise_scale
    return count * rules.means[arm] + spread * normal(rng)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Gaussian:
    """Gaussian rewards: the paper's experiments have means 0.5, 0.6, 0.4, 0.4, 0.4 and scale 1."""

    means: Sequence[float]
    noise_scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", checked_means(self.means))
        number("noise_scale", self.noise_scale, 0, math.inf, open_low=True)

    @property
    def bounded(self) -> bool:
        """A Gaussian reward can be any number."""
        return False

    @property
    def reward_range(self) -> tuple[float, float]:
        """The whole line."""
        return -math.inf, math.inf

    @property
    def adversarial(self) -> bool:
        """Rewards are drawn."""
        return False

    def rules(self) -> GaussianEnvironment:
        """The record for the kernels."""
        return GaussianEnvironment(as_array(self.means), float(self.noise_scale))

    def kernels(self) -> dict[Function, Function]:
        """How this environment fills the slots."""
        return {draw: gaussian_reward, draw_sum: gaussian_sum}
