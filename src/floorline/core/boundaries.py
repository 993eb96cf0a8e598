"""Confidence boundaries: intervals that hold for all arms at all times together, up to delta.

Each unit radius is the half-width after `seen` rewards of noise scale 1, where
`inverse_error` is the number of arms whose mean is estimated over delta (the
paper's zeta). Each `psi` below is the squared radius times the count.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from floorline.core.checks import choice, number
from floorline.core.compiler import compiled
from floorline.core.kernel import Function, bind, kernel, slot
from floorline.core.records import Floats, NoRules
from floorline.core.steps import interval

# Howard et al. 2021, polynomial stitching with eta = 2, s = 1.4, m = 1: the factor k1^2
# and 2 zeta(1.4) / log(2)^1.4, the 2 for the two sides.
STITCH_FACTOR = (2**0.25 + 2**-0.25) ** 2 / 2
STITCH_LEVEL = 2 * 3.105547277977581 / math.log(2) ** 1.4

TABLE_SIZE = 2**17
WORTH_COMPILING = 20_000
"""A table of more radii than this is filled by compiled code, which gives the same numbers."""


@kernel
def stitched(inverse_error: float, seen: int) -> float:
    """Unit radius by polynomial stitching: proved for subgaussian noise, narrow from the start."""
    level = 1.4 * math.log(math.log(2.0 * seen)) + math.log(STITCH_LEVEL * inverse_error)
    return math.sqrt(STITCH_FACTOR * level / seen)


@kernel
def authors(inverse_error: float, seen: int) -> float:
    """Unit radius of the authors' program: sqrt(2 psi / s), with log(zeta) where zeta is printed.

    Differs: the program gives NaN where psi is negative (few arms, large delta); here 0.
    """
    x = math.log(inverse_error)
    slope = x * (1.0 + math.log(x)) / ((x - 1.0) * math.log(x))
    psi = math.log(max(3.0, x)) + math.log(2.0 * inverse_error) + 2.0
    psi += slope * math.log(math.log(1.0 + seen))
    return math.sqrt(2.0 * max(psi, 0.0) / seen)


@kernel
def as_printed(inverse_error: float, seen: int) -> float:
    """Unit radius by the paper's equation for psi: sqrt(psi / s), too narrow by sqrt(2)."""
    x = math.log(inverse_error)
    slope = inverse_error * (1.0 + x) / ((inverse_error - 1.0) * x)
    psi = math.log(max(3.0, x)) + math.log(2.0 * inverse_error) + 2.0
    psi += slope * math.log(math.log(1.0 + seen))
    return math.sqrt(max(psi, 0.0) / seen)


@kernel
def union(inverse_error: float, seen: int) -> float:
    """Unit radius by the paper's simple choice, psi = 2 log(K s^3 / delta)."""
    return math.sqrt(2.0 * (math.log(inverse_error) + 3.0 * math.log(seen)) / seen)


@kernel
def union_proved(inverse_error: float, seen: int) -> float:
    """Unit radius by the simple choice with 2 zeta(3), which its union bound leaves out."""
    return union(2.4042 * inverse_error, seen)


@slot
def unit_radius(inverse_error: float, seen: int) -> float:
    """Half-width of an interval after `seen` >= 1 rewards of noise scale 1."""
    raise NotImplementedError


@kernel
def beyond_table(inverse_error: float, seen: int) -> float:
    """Infinity: stands for the formula where the table reaches to the horizon."""
    return math.inf


class SubgaussianRules(NamedTuple):
    """What a radius depends on, and the radii of small counts worked out beforehand."""

    inverse_error: float
    scale: float
    table: Floats


@kernel
def radius(rules: SubgaussianRules, seen: int) -> float:
    """Half-width of an arm's interval after `seen` >= 1 rewards."""
    if seen < rules.table.size:
        return rules.table[seen]  # type: ignore[no-any-return]
    return rules.scale * unit_radius(rules.inverse_error, seen)


@kernel
def subgaussian_interval(rules: SubgaussianRules, seen: int, total: float) -> tuple[float, float]:
    """The average of the rewards, plus and minus the radius (Alg. 1, lines 5 to 7)."""
    average = total / seen
    width = radius(rules, seen)
    return average - width, average + width


@kernel
def no_interval(rules: NoRules, seen: int, total: float) -> tuple[float, float]:
    """The whole line: for policies that use no confidence interval."""
    return -math.inf, math.inf


RADII: dict[str, Function] = {
    "stitched": stitched,
    "authors": authors,
    "as-printed": as_printed,
    "union": union,
    "union-proved": union_proved,
}


@dataclass(frozen=True)
class Boundary:
    """A confidence boundary: which intervals, and how rarely any of them may fail.

    Args:
        name: `stitched` (proved, default), `union-proved`, `authors` (proved when the arms
            over delta are at least 6), `union` (its constant is missing) or `as-printed`
            (proved only for a noise scale up to sqrt(1/2), and never scaled).
        delta: chance that any interval of any arm ever misses its mean.
        noise_scale: subgaussian scale of the rewards; 1/2 covers rewards in [0, 1].
        lowest_reward: no arm's mean is below this; lower ends are clipped there.

    >>> round(Boundary("stitched", delta=0.05).radius(100, inverse_error=4 / 0.05), 4)
    0.432
    """

    name: str = "stitched"
    delta: float = 0.05
    noise_scale: float = 1.0
    lowest_reward: float = 0.0

    def __post_init__(self) -> None:
        choice("boundary", self.name, RADII)
        number("delta", self.delta, 0, 1, open_low=True)
        number("noise_scale", self.noise_scale, 0, math.inf, open_low=True)
        number("lowest_reward", self.lowest_reward, -math.inf, math.inf)
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
        """Half-width of an interval after `seen` >= 1 rewards."""
        return self._scale * float(RADII[self.name](inverse_error, seen))

    def rules(self, n_arms: int, default_known: bool, horizon: int) -> SubgaussianRules:
        """The record for kernels, its table reaching to the horizon if that is not too far."""
        zeta = self.inverse_error(n_arms, default_known)
        size = min(horizon + 1, TABLE_SIZE)
        return SubgaussianRules(zeta, self._scale, _table(self.name, zeta, self._scale, size))

    def kernels(self) -> dict[Function, Function]:
        """How this boundary fills the slots."""
        return {interval: subgaussian_interval, unit_radius: RADII[self.name]}

    @property
    def _scale(self) -> float:
        return 1.0 if self.name == "as-printed" else self.noise_scale


@kernel
def fill_radii(table: Floats, inverse_error: float, scale: float) -> None:
    """Write the radius of every count into its place."""
    table[0] = math.inf
    for seen in range(1, table.size):
        table[seen] = scale * unit_radius(inverse_error, seen)


@lru_cache(maxsize=64)
def _table(name: str, zeta: float, scale: float, size: int) -> Floats:
    table = np.empty(size)
    fill = compiled if size > WORTH_COMPILING else bind
    fill(fill_radii, {unit_radius: RADII[name]})(table, zeta, scale)
    table.flags.writeable = False
    return table
