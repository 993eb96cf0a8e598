"""What an environment is: the arms' means, and kernels that draw rewards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from floorline.core.checks import require
from floorline.core.kernel import Function, kernel, slot
from floorline.core.records import Floats


@slot
def draw(rules: Any, arm: int, rng: Any) -> float:
    """A reward of `arm`."""
    raise NotImplementedError


@slot
def draw_sum(rules: Any, arm: int, count: int, rng: Any) -> float:
    """The sum of `count` rewards of `arm`."""
    raise NotImplementedError


@kernel
def draw_each(rules: Any, arm: int, count: int, rng: Any) -> float:
    """The sum of `count` rewards, drawn one by one."""
    total = 0.0
    for _ in range(count):
        total += draw(rules, arm, rng)
    return total


class Environment(Protocol):
    """Draws rewards. The first mean is the default arm's."""

    @property
    def means(self) -> Sequence[float]:
        """Each arm's mean reward."""

    @property
    def bounded(self) -> bool:
        """Whether every reward lies in [0, 1]."""

    @property
    def reward_range(self) -> tuple[float, float]:
        """The least and the most that a reward can be."""

    @property
    def noise_scale(self) -> float:
        """A subgaussian scale of every arm's rewards."""

    @property
    def adversarial(self) -> bool:
        """Whether rewards are set by an adversary instead of drawn."""

    def rules(self) -> Any:
        """The record for the kernels."""

    def kernels(self) -> dict[Function, Function]:
        """How this environment fills the slots."""


def checked_means(
    means: Sequence[float], lowest: float = -math.inf, highest: float = math.inf
) -> tuple[float, ...]:
    """`means` as a tuple, checked: two arms or more, each finite and within the limits."""
    try:
        given = tuple(float(mean) for mean in means)
    except (TypeError, ValueError):
        given = ()
    limits = f" from {lowest:g} to {highest:g}" if highest < math.inf else ""
    fits = len(given) >= 2 and all(math.isfinite(m) and lowest <= m <= highest for m in given)
    require(fits, "means", f"two or more finite numbers{limits}", means)
    return given


def as_array(values: Sequence[float]) -> Floats:
    """`values` as a float array."""
    return np.array(values, dtype=float)
