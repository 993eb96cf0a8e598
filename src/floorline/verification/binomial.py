"""Exact confidence limits for a probability, from a count of successes."""

from __future__ import annotations

from collections.abc import Callable

from floorline.core.beta import incomplete_beta
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
    return incomplete_beta(count, trials - count + 1, chance)


def _bisect(passed: Callable[[float], bool]) -> float:
    """Return the probability at which `passed` turns true."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if passed(middle) else (middle, high)
    return high
