"""A configured confidence boundary: the kind of intervals, and how often any may fail."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from floorline.boundaries.base import BoundaryKind, note_nothing
from floorline.boundaries.numbered import NumberedRules, inverse_share, numbered_kernels
from floorline.boundaries.registry import BOUNDARIES
from floorline.core.checks import choice, number, require, whole
from floorline.core.deprecation import renamed_arguments
from floorline.core.kernel import Function, kernel
from floorline.core.records import FOREVER, Floats, NoRules
from floorline.core.slots import interval, lower_end, note, upper_end

LARGEST_PRIOR = 1000.0
"""Beyond this the logarithms of the mixture lose digits."""


@kernel
def no_interval(
    rules: NoRules, memory: Floats, arm: int, seen: int, total: float
) -> tuple[float, float]:
    """Return the whole real line, for policies that use no confidence interval."""
    return -math.inf, math.inf


@kernel
def no_lower_end(rules: Any, memory: Floats, arm: int, seen: int, total: float) -> float:
    """Return minus infinity."""
    return -math.inf


@kernel
def no_upper_end(rules: Any, memory: Floats, arm: int, seen: int, total: float) -> float:
    """Return infinity."""
    return math.inf


NO_BOUNDARY: dict[Function, Function] = {
    interval: no_interval,
    lower_end: no_lower_end,
    upper_end: no_upper_end,
    note: note_nothing,
}
"""The kernels of a policy without confidence intervals."""


@renamed_arguments(lowest_reward="low", highest_reward="high")
@dataclass(frozen=True)
class Boundary:
    """A confidence boundary: the kind of intervals, and how often any of them may fail.

    Args:
        name: one of `BOUNDARIES`: `stitched` (proved, default), `beta-binomial` (proved for
            rewards in a known range, and much narrower for rare clicks), `union-proved`,
            `authors` (proved when the arms over delta are at least 6), `union` (its constant is
            missing) or `as-printed` (proved only for a noise scale up to sqrt(1/2), and never
            scaled).
        delta: chance that any interval of any arm ever misses its mean.
        noise_scale: subgaussian scale of the rewards; 1/2 covers rewards in [0, 1]. Not used
            by `beta-binomial`.
        low: no arm's mean is below this; lower ends are clipped there. For `beta-binomial`, no
            reward is below it either.
        high: no reward is above this. Used only by `beta-binomial`.
        prior: the two parameters of the Beta prior of `beta-binomial`, on the range scaled to
            [0, 1]. It must not be chosen from the rewards. The intervals hold for any prior.
        numbers: where arms may be added later, the number of each arm in the order in which they
            were added: number i has the share 1/((i + 1)(i + 2)) of delta. By default, all arms
            have the same share.

    >>> round(Boundary("stitched", delta=0.05).radius(100, inverse_error=4 / 0.05), 4)
    0.432
    """

    name: str = "stitched"
    delta: float = 0.05
    noise_scale: float = 1.0
    low: float = 0.0
    high: float = 1.0
    prior: tuple[float, float] = (0.5, 0.5)
    numbers: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        choice("boundary", self.name, BOUNDARIES)
        own = self.kind.name
        if own != self.name:
            raise ValueError(f"boundary: {own!r} must be registered as that, not as {self.name!r}")
        number("delta", self.delta, 0, 1, open_low=True)
        number("noise_scale", self.noise_scale, 0, math.inf, open_low=True)
        number("low", self.low, -math.inf, math.inf)
        least = self.low if self.kind.needs_range else -math.inf
        number("high", self.high, least, math.inf, open_low=True)
        pair = isinstance(self.prior, tuple) and len(self.prior) == 2
        require(pair, "prior", "a tuple of two numbers", self.prior)
        for count in self.prior:
            number("prior", count, 0, LARGEST_PRIOR, open_low=True)
        if self.numbers is not None:
            for one in self.numbers:
                whole("numbers", one, 0)
            distinct = len(set(self.numbers)) == len(self.numbers)
            require(distinct, "numbers", "different for each arm", self.numbers)
        self.kind.check(self)

    @property
    def kind(self) -> BoundaryKind:
        """How the intervals are computed, and what they are proved for."""
        return BOUNDARIES[self.name]

    def inverse_error(self, n_arms: int, default_known: bool) -> float:
        """Return the paper's zeta: how many means are estimated, over delta."""
        return self.kind.inverse_error(n_arms, default_known, self.delta)

    def radius(self, seen: int, inverse_error: float) -> float:
        """Return the half-width of an interval after `seen` >= 1 rewards, whatever they are."""
        return self.kind.radius(self.noise_scale, inverse_error, seen)

    def rules(self, n_arms: int, default_known: bool, horizon: int) -> Any:
        """Return the record for kernels; no arm has more than `horizon` rewards."""
        if self.numbers is None:
            return self.rules_at(self.inverse_error(n_arms, default_known), horizon)
        require(len(self.numbers) == n_arms, "numbers", f"{n_arms}, one for each arm", self.numbers)
        return NumberedRules(
            tuple(self.rules_at(inverse_share(number) / self.delta) for number in self.numbers)
        )

    def rules_at(self, inverse_error: float, horizon: int = 0) -> Any:
        """Return the record for kernels at a given inverse error."""
        return self.kind.rules(self, inverse_error, horizon)

    def kernels(self, horizon: int = FOREVER) -> dict[Function, Function]:
        """Return the kernel for each slot; no arm has more than `horizon` rewards."""
        if self.numbers is None:
            return self.kind.kernels_up_to(horizon)
        return numbered_kernels(self.kind.kernels())
