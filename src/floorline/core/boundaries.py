"""Confidence boundaries: intervals that hold for all arms at all times together, up to delta."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

from floorline.core.beta_binomial import (
    BetaBinomialRules,
    beta_binomial_interval,
    beta_binomial_lower,
    beta_binomial_rules,
    beta_binomial_upper,
)
from floorline.core.checks import choice, number, require
from floorline.core.kernel import Function, kernel
from floorline.core.records import NoRules
from floorline.core.steps import interval, lower_end, upper_end
from floorline.core.subgaussian import (
    RADII,
    TABLE_SIZE,
    SubgaussianRules,
    radius_table,
    subgaussian_interval,
    subgaussian_lower,
    subgaussian_upper,
    unit_radius,
)

BETA_BINOMIAL = "beta-binomial"

LARGEST_PRIOR = 1000.0
"""Beyond this the logarithms of the mixture lose digits."""


@kernel
def no_interval(rules: NoRules, seen: int, total: float) -> tuple[float, float]:
    """The whole line: for policies that use no confidence interval."""
    return -math.inf, math.inf


@dataclass(frozen=True)
class Boundary:
    """A confidence boundary: which intervals, and how rarely any of them may fail.

    Args:
        name: `stitched` (proved, default), `beta-binomial` (proved for rewards in a known
            range, and much narrower for rare clicks), `union-proved`, `authors` (proved when
            the arms over delta are at least 6), `union` (its constant is missing) or
            `as-printed` (proved only for a noise scale up to sqrt(1/2), and never scaled).
        delta: chance that any interval of any arm ever misses its mean.
        noise_scale: subgaussian scale of the rewards; 1/2 covers rewards in [0, 1]. Not used
            by `beta-binomial`.
        lowest_reward: no arm's mean is below this; lower ends are clipped there. For
            `beta-binomial` no reward is.
        highest_reward: no reward is above this. Used by `beta-binomial` alone.
        prior: the two numbers of the Beta prior of `beta-binomial`, on the range moved to
            [0, 1]. It must not come from the rewards. The intervals hold whatever it is.

    >>> round(Boundary("stitched", delta=0.05).radius(100, inverse_error=4 / 0.05), 4)
    0.432
    """

    name: str = "stitched"
    delta: float = 0.05
    noise_scale: float = 1.0
    lowest_reward: float = 0.0
    highest_reward: float = 1.0
    prior: tuple[float, float] = (0.5, 0.5)

    def __post_init__(self) -> None:
        choice("boundary", self.name, (*RADII, BETA_BINOMIAL))
        number("delta", self.delta, 0, 1, open_low=True)
        number("noise_scale", self.noise_scale, 0, math.inf, open_low=True)
        number("lowest_reward", self.lowest_reward, -math.inf, math.inf)
        lowest = self.lowest_reward if self.name == BETA_BINOMIAL else -math.inf
        number("highest_reward", self.highest_reward, lowest, math.inf, open_low=True)
        pair = isinstance(self.prior, tuple) and len(self.prior) == 2
        require(pair, "prior", "a tuple of two numbers", self.prior)
        for count in self.prior:
            number("prior", count, 0, LARGEST_PRIOR, open_low=True)
        if self.name == "as-printed" and self.noise_scale > math.sqrt(0.5):
            warnings.warn(
                "boundary as-printed: its intervals fail more often than delta "
                "for a noise scale above 0.707; the floor is not guaranteed",
                stacklevel=3,
            )

    def inverse_error(self, n_arms: int, default_known: bool) -> float:
        """The paper's zeta: how many means are estimated, over delta."""
        # The authors' program counts all arms in both settings.
        known = default_known and self.name != "authors"
        zeta = (n_arms - 1 if known else n_arms) / self.delta
        if self.name == "authors":
            if zeta <= math.e:
                raise ValueError(f"delta: boundary authors needs arms/delta above e, not {zeta:g}")
            if zeta < 6:
                warnings.warn(
                    f"boundary authors: not proved for arms/delta below 6 (here {zeta:g})",
                    stacklevel=3,
                )
        elif self.name == "as-printed" and zeta <= 1:
            raise ValueError("delta: boundary as-printed needs it below the number of challengers")
        return zeta

    def radius(self, seen: int, inverse_error: float) -> float:
        """Half-width of an interval after `seen` >= 1 rewards, the same whatever they are."""
        if self.name == BETA_BINOMIAL:
            raise ValueError(
                "boundary: must be one with a radius for a warm-up or a bound on regret, "
                f"not {self.name!r}: {', '.join(RADII)}"
            )
        return self._scale * float(RADII[self.name](inverse_error, seen))

    def rules(
        self, n_arms: int, default_known: bool, horizon: int
    ) -> SubgaussianRules | BetaBinomialRules:
        """The record for kernels, its table reaching to the horizon if that is not too far."""
        return self.rules_at(self.inverse_error(n_arms, default_known), horizon)

    def rules_at(self, zeta: float, horizon: int = 0) -> SubgaussianRules | BetaBinomialRules:
        """The same where the number of means estimated, over their error, is `zeta`."""
        if self.name == BETA_BINOMIAL:
            return beta_binomial_rules(zeta, self.prior, self.lowest_reward, self.highest_reward)
        size = min(horizon + 1, TABLE_SIZE)
        return SubgaussianRules(zeta, self._scale, radius_table(self.name, zeta, self._scale, size))

    def kernels(self) -> dict[Function, Function]:
        """How this boundary fills the slots."""
        if self.name == BETA_BINOMIAL:
            return {
                interval: beta_binomial_interval,
                lower_end: beta_binomial_lower,
                upper_end: beta_binomial_upper,
            }
        return {
            interval: subgaussian_interval,
            lower_end: subgaussian_lower,
            upper_end: subgaussian_upper,
            unit_radius: RADII[self.name],
        }

    @property
    def _scale(self) -> float:
        return 1.0 if self.name == "as-printed" else float(self.noise_scale)
