"""The incomplete beta function, as a kernel."""

from __future__ import annotations

import math

from floorline.core.kernel import kernel

PRECISION = 1e-15
STEPS = 1_000_000
SMALLEST = 1e-300
"""Replaces a zero divisor."""


@kernel
def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return I_x(a, b), the chance that a Beta(a, b) draw is at most x."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    if x > (a + 1.0) / (a + b + 2.0):  # the fraction converges fast on the other side only
        return 1.0 - beta_fraction(b, a, 1.0 - x)
    return beta_fraction(a, b, x)


@kernel
def beta_fraction(a: float, b: float, x: float) -> float:
    """Return I_x(a, b) for x below about the mean, by its continued fraction (Lentz)."""
    front = log_inverse_beta(a, b) + (a * math.log(x) + b * math.log1p(-x))
    c = 1.0
    d = 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, STEPS):
        even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        d = 1.0 / not_zero(1.0 + even * d)
        c = not_zero(1.0 + even / c)
        value *= c * d
        odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        d = 1.0 / not_zero(1.0 + odd * d)
        c = not_zero(1.0 + odd / c)
        value *= c * d
        if abs(c * d - 1.0) <= PRECISION:
            break
    return math.exp(front) * value / a


@kernel
def log_inverse_beta(a: float, b: float) -> float:
    """Return log(1 / B(a, b)), the logarithm of the constant of a Beta(a, b) density."""
    return math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)


@kernel
def not_zero(value: float) -> float:
    """Return the value, or `SMALLEST` in place of 0."""
    return value if abs(value) > SMALLEST else SMALLEST
