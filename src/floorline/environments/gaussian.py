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
from floorline.environments.base import Drawn, as_array, checked_means, draw, draw_sum


class GaussianRules(NamedTuple):
    """Mean of each arm, and their common standard deviation."""

    means: Floats
    noise_scale: float


@kernel
def gaussian_reward(rules: GaussianRules, arm: int, rng: Any) -> float:
    """Return a Gaussian reward."""
    return rules.means[arm] + rules.noise_scale * normal(rng)  # type: ignore[no-any-return]


@kernel
def gaussian_sum(rules: GaussianRules, arm: int, count: int, rng: Any) -> float:
    """Return the sum of `count` Gaussian rewards, as one draw."""
    spread = math.sqrt(count) * rules.noise_scale
    return count * rules.means[arm] + spread * normal(rng)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Gaussian(Drawn):
    """Gaussian rewards: the paper's experiments have means 0.5, 0.6, 0.4, 0.4, 0.4 and scale 1.

    Args:
        means: each arm's mean, the default arm's first.
        noise_scale: the standard deviation of all arms' rewards.
    """

    means: Sequence[float]
    noise_scale: float = 1.0

    low = -math.inf
    high = math.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", checked_means(self.means))
        number("noise_scale", self.noise_scale, 0, math.inf, open_low=True)

    def rules(self) -> GaussianRules:
        """Return the record for the kernels."""
        return GaussianRules(as_array(self.means), float(self.noise_scale))

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {draw: gaussian_reward, draw_sum: gaussian_sum}
