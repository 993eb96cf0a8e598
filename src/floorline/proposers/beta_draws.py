"""Exact draws from Beta(a, b), for a and b of at least 1, each from one normal draw z.

With d = a - 1/3 and e = b - 1/3 a draw is the share of d v^3 in d v^3 + e w^3, two gamma variables
in the form of Marsaglia and Tsang (2000), on the line where d v + e w stays the same:
v = 1 + t / left and w = 1 - t / right for t = z + bend z^3. The density that z must have for that,
over its value at 0, is nowhere above the normal one: z is accepted with the ratio of the two. At
most 0.036 (1/d + 1/e) of the draws are rejected: 0.09 for a = b = 1, and few where both are large.
"""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel
from floorline.core.random import normal, uniform

# Found numerically: the ratio is at most 1 for every a, b and z (the tests check a grid).
BEND_BY_SUM = 2.0 / 27.0
BEND_BY_SPREAD = 0.001
WIDENING = 0.007

# The upper bound on the chance of rejection is (REJECTION + REJECTION_GROWTH s) s z^2
# (REJECTION_CENTRE + z^2), where s = 1/d + 1/e.
REJECTION = 0.0125
REJECTION_GROWTH = 0.007
REJECTION_CENTRE = 0.2


@kernel
def proposal_of(a: float, b: float) -> tuple[float, float, float, float, float]:
    """Return left, right, bend, and the factors of `odds_at` and of `rejection_bound`."""
    d, e = a - 1.0 / 3.0, b - 1.0 / 3.0
    of_d, of_e = 1.0 / d, 1.0 / e
    spread = of_d + of_e
    bend = BEND_BY_SUM / (d + e) + BEND_BY_SPREAD * spread
    width = 9.0 * (d + e) * (1.0 - WIDENING * spread)
    ratio = e * of_d
    left, right = math.sqrt(width * (d * of_e)), math.sqrt(width * ratio)
    return left, right, bend, ratio * ratio, spread * (REJECTION + REJECTION_GROWTH * spread)


@kernel
def odds_at(left: float, right: float, bend: float, factor: float, z: float) -> float:
    """Return the odds x / (1 - x) of the draw x that z makes."""
    t = z + bend * z * z * z
    ratio = (left + t) / (right - t)
    return factor * ratio * ratio * ratio


@kernel
def rejection_bound(factor: float, z: float) -> float:
    """Return an upper bound on the chance that z is rejected."""
    square = z * z
    return factor * square * (REJECTION_CENTRE + square)


@kernel
def acceptance(a: float, b: float, left: float, right: float, bend: float, z: float) -> float:
    """Return the chance with which z is accepted."""
    t = z + bend * z * z * z
    v, w = 1.0 + t / left, 1.0 - t / right
    if v <= 0.0 or w <= 0.0:
        return 0.0
    d, e = a - 1.0 / 3.0, b - 1.0 / 3.0
    cubes = (d * v * v * v + e * w * w * w) / (d + e)
    logarithm = 3.0 * (d * math.log(v) + e * math.log(w)) - (a + b) * math.log(cubes)
    return (1.0 + 3.0 * bend * z * z) * math.exp(logarithm + 0.5 * z * z)


@kernel
def accepted(
    rng: Any, a: float, b: float, left: float, right: float, bend: float, z: float, u: float
) -> float:
    """Return z if the uniform draw u accepts it, else the first accepted one of further draws."""
    while u >= acceptance(a, b, left, right, bend, z):
        z = normal(rng)
        u = uniform(rng)
    return z
