"""Exact confidence limits for a probability, from a count of successes."""

from __future__ import annotations

import math
from collections.abc import Callable

from floorline.core.checks import number, require, whole


def limits(count: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return confidence limits for a probability (Clopper and Pearson 1934).

    Each side is wrong with a chance of at most (1 - confidence) / 2.

    >>> low, high = limits(0, 1000, confidence=0.95)
    >>> low, round(high, 6)
    (0.0, 0.003682)
    """
    trials = whole("trials", trials, 1)
    count = whole("count", count, 0)
    require(count <= trials, "count", f"at most the {trials} trials", count)
    risk = (1 - number("confidence", confidence, 0, 1)) / 2
    low, high = 0.0, 1.0
    if count > 0:
        low = _bisect(lambda p: at_least(count, trials, p) >= risk)
    if count < trials:
        high = _bisect(lambda p: 1 - at_least(count + 1, trials, p) <= risk)
    return low, high


def at_least(count: int, trials: int, chance: float) -> float:
    """Return the probability of at least `count` >= 1 successes: an incomplete beta function."""
    a, b, x = count, trials - count + 1, chance
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction below converges fast on the other side only
        return 1 - _beta(b, a, 1 - x)
    return _beta(a, b, x)


def _beta(a: float, b: float, x: float) -> float:
    """Return I_x(a, b) by its continued fraction, evaluated from the front (Lentz)."""
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front += a * math.log(x) + b * math.log1p(-x)
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    step, m = 0.0, 0
    while abs(step - 1) > 1e-15 and m < 1_000_000:
        m += 1
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            step = c * d
            value *= step
    return math.exp(front) * value / a


def _not_zero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300


def _bisect(passed: Callable[[float], bool]) -> float:
    """Return the probability at which `passed` turns true."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if passed(middle) else (middle, high)
    return high
