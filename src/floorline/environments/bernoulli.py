"""Rewards of 0 or 1: clicks and conversions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from floorline.core.kernel import Function, kernel
from floorline.core.random import uniform
from floorline.core.records import Floats
from floorline.environments.base import Drawn, as_array, checked_means, draw, draw_each, draw_sum


class BernoulliRules(NamedTuple):
    """Chance of a 1, for each arm."""

    means: Floats


@kernel
def bernoulli_reward(rules: BernoulliRules, arm: int, rng: Any) -> float:
    """Return 1 with the arm's chance, else 0."""
    if uniform(rng) < rules.means[arm]:
        return 1.0
    return 0.0


@dataclass(frozen=True)
class Bernoulli(Drawn):
    """Rewards of 0 or 1: clicks and conversions.

    >>> Bernoulli([0.03, 0.04]).bounded
    True

    Args:
        means: each arm's chance of a 1, the default arm's first.
    """

    means: Sequence[float]

    low = 0.0
    high = 1.0
    noise_scale = 0.5  # half the range

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", checked_means(self.means, 0.0, 1.0))

    def rules(self) -> BernoulliRules:
        """Return the record for the kernels."""
        return BernoulliRules(as_array(self.means))

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {draw: bernoulli_reward, draw_sum: draw_each}
