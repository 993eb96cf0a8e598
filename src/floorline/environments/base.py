"""The interface of environments: the arms' means, and kernels that draw rewards."""

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
    """Return a reward of `arm`."""
    raise NotImplementedError


@slot
def draw_sum(rules: Any, arm: int, count: int, rng: Any) -> float:
    """Return the sum of `count` rewards of `arm`."""
    raise NotImplementedError


@kernel
def draw_each(rules: Any, arm: int, count: int, rng: Any) -> float:
    """Return the sum of `count` rewards, drawn one by one."""
    total = 0.0
    for _ in range(count):
        total += draw(rules, arm, rng)
    return total


class Environment(Protocol):
    """Pays rewards. The first mean is the default arm's."""

    @property
    def means(self) -> Sequence[float]:
        """Each arm's mean reward."""

    @property
    def low(self) -> float:
        """The smallest possible reward; -infinity if there is none."""

    @property
    def high(self) -> float:
        """The largest possible reward; infinity if there is none."""

    @property
    def bounded(self) -> bool:
        """Whether every reward lies in [0, 1]."""

    @property
    def noise_scale(self) -> float:
        """A subgaussian scale of every arm's rewards."""

    @property
    def adversarial(self) -> bool:
        """Whether rewards are set by an adversary instead of drawn."""

    @property
    def late(self) -> bool:
        """Whether rewards become known late, or never."""

    @property
    def needs_coins(self) -> bool:
        """Whether it plays against a randomised floor's coins, and is pointless without them."""

    @property
    def skips_lost(self) -> bool:
        """Whether a reward that never comes is left out, as if its arm had not been played."""

    @property
    def rounds(self) -> int | None:
        """The largest number of rounds; None if there is no limit."""

    def rules(self) -> Any:
        """Return the record for the kernels."""

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""


class Ranged:
    """Base class of all environments."""

    needs_coins = False
    skips_lost = False

    @property
    def bounded(self: Environment) -> bool:
        """Whether every reward lies in [0, 1]."""
        return self.low >= 0 and self.high <= 1


class Drawn(Ranged):
    """Base class of environments that draw their rewards and pay at once."""

    adversarial = False
    late = False
    rounds: int | None = None


def checked_means(
    means: Sequence[float], low: float = -math.inf, high: float = math.inf, name: str = "means"
) -> tuple[float, ...]:
    """Return `means` as a tuple; raise unless there are two or more, finite and in range.

    `name` is what an error calls them.
    """
    try:
        given = tuple(float(mean) for mean in means)
    except (TypeError, ValueError):
        given = ()
    limits = f" from {low:g} to {high:g}" if high < math.inf else ""
    fits = len(given) >= 2 and all(math.isfinite(m) and low <= m <= high for m in given)
    require(fits, name, f"two or more finite numbers{limits}", means)
    return given


def as_array(values: Sequence[float]) -> Floats:
    """Return `values` as a float array."""
    return np.array(values, dtype=float)
