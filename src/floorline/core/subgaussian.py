"""Intervals for subgaussian noise: the average, plus and minus a radius.

Each unit radius is the half-width after `seen` rewards of noise scale 1, where
`inverse_error` is the number of arms whose mean is estimated over delta (the
paper's zeta). Each `psi` below is the squared radius times the count.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from floorline.core.compiler import compiled
from floorline.core.kernel import Function, bind, kernel, slot
from floorline.core.records import Floats

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
def subgaussian_lower(rules: SubgaussianRules, seen: int, total: float) -> float:
    """The average of the rewards less the radius."""
    return total / seen - radius(rules, seen)


@kernel
def subgaussian_upper(rules: SubgaussianRules, seen: int, total: float) -> float:
    """The average of the rewards plus the radius."""
    return total / seen + radius(rules, seen)


@kernel
def subgaussian_interval(rules: SubgaussianRules, seen: int, total: float) -> tuple[float, float]:
    """The average of the rewards, plus and minus the radius (Alg. 1, lines 5 to 7)."""
    average = total / seen
    width = radius(rules, seen)
    return average - width, average + width


RADII: dict[str, Function] = {
    "stitched": stitched,
    "authors": authors,
    "as-printed": as_printed,
    "union": union,
    "union-proved": union_proved,
}


@kernel
def fill_radii(table: Floats, inverse_error: float, scale: float) -> None:
    """Write the radius of every count into its place."""
    table[0] = math.inf
    for seen in range(1, table.size):
        table[seen] = scale * unit_radius(inverse_error, seen)


@lru_cache(maxsize=64)
def radius_table(name: str, zeta: float, scale: float, size: int) -> Floats:
    """The radii of small counts."""
    table = np.empty(size)
    fill = compiled if size > WORTH_COMPILING else bind
    fill(fill_radii, {unit_radius: RADII[name]})(table, zeta, scale)
    table.flags.writeable = False
    return table
