"""Intervals for subgaussian noise: the average, plus and minus a radius.

Each unit radius is the half-width after `seen` rewards of noise scale 1, where
`inverse_error` is the number of arms whose mean is estimated over delta (the
paper's zeta). Each `psi` is the squared radius times the count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from floorline.boundaries.base import BoundaryKind
from floorline.boundaries.radius_table import radius_table
from floorline.core.kernel import Function, kernel, slot
from floorline.core.records import Floats
from floorline.core.slots import interval, lower_end, upper_end

if TYPE_CHECKING:
    from floorline.boundaries.boundary import Boundary

TABLE_SIZE = 2**17


@slot
def unit_radius(inverse_error: float, seen: int) -> float:
    """Return the half-width of an interval after `seen` >= 1 rewards of noise scale 1."""
    raise NotImplementedError


@kernel
def beyond_table(inverse_error: float, seen: int) -> float:
    """Return infinity, in place of the formula where the table reaches to the horizon."""
    return math.inf


class SubgaussianRules(NamedTuple):
    """What a radius depends on, and the precomputed radii of small counts."""

    inverse_error: float
    scale: float
    table: Floats


@kernel
def radius(rules: SubgaussianRules, seen: int) -> float:
    """Return the half-width of an arm's interval after `seen` >= 1 rewards."""
    if seen < len(rules.table):
        return rules.table[seen]  # type: ignore[no-any-return]
    return rules.scale * unit_radius(rules.inverse_error, seen)


@kernel
def subgaussian_lower(
    rules: SubgaussianRules, memory: Floats, arm: int, seen: int, total: float
) -> float:
    """Return the average of the rewards less the radius."""
    return total / seen - radius(rules, seen)


@kernel
def subgaussian_upper(
    rules: SubgaussianRules, memory: Floats, arm: int, seen: int, total: float
) -> float:
    """Return the average of the rewards plus the radius."""
    return total / seen + radius(rules, seen)


@kernel
def subgaussian_interval(
    rules: SubgaussianRules, memory: Floats, arm: int, seen: int, total: float
) -> tuple[float, float]:
    """Return the average of the rewards, minus and plus the radius (Alg. 1, lines 5 to 7)."""
    average = total / seen
    width = radius(rules, seen)
    return average - width, average + width


@dataclass(frozen=True)
class Subgaussian(BoundaryKind):
    """Intervals of the average plus and minus a radius, for subgaussian noise."""

    name: str
    unit_radius: Function
    summary: str
    proved_for: str
    live: bool = False
    scaled: bool = True
    """Whether the radius is multiplied by the noise scale."""

    has_radius = True

    def radius(self, scale: float, inverse_error: float, seen: int) -> float:
        """Return the half-width of an interval after `seen` >= 1 rewards of a noise scale."""
        return self._scale(scale) * float(self.unit_radius(inverse_error, seen))

    def rules(self, boundary: Boundary, inverse_error: float, horizon: int) -> SubgaussianRules:
        """Return the record for kernels, with a table up to the horizon or `TABLE_SIZE`."""
        scale = self._scale(boundary.noise_scale)
        size = min(horizon + 1, TABLE_SIZE)
        table = radius_table(self.unit_radius, inverse_error, scale, size)
        return SubgaussianRules(inverse_error, scale, table)

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {
            **super().kernels(),
            interval: subgaussian_interval,
            lower_end: subgaussian_lower,
            upper_end: subgaussian_upper,
            unit_radius: self.unit_radius,
        }

    def kernels_up_to(self, horizon: int) -> dict[Function, Function]:
        """Return the kernels, without the formula if the table holds every radius.

        The latter are compiled once for all subgaussian boundaries.
        """
        if horizon < TABLE_SIZE:
            return {**self.kernels(), unit_radius: beyond_table}
        return self.kernels()

    def _scale(self, scale: float) -> float:
        return float(scale) if self.scaled else 1.0
