"""Exact limits for a chance of which only a count of successes is known."""

from __future__ import annotations

from collections.abc import Callable

from floorline.core.beta import incomplete_beta
from floorline.core.checks import number, require, whole


def limits(count: int, trials: int, confidence: float) -> tuple[float, float]:
    """Limits between which the chance lies with this confidence (Clopper and Pearson 1934).

    Each side is wrong with at most half of what is missing to 1.

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
        low = _where(lambda p: at_least(count, trials, p) >= risk)
    if count < trials:
        high = _where(lambda p: 1 - at_least(count + 1, trials, p) <= risk)
    return low, high


def at_least(count: int, trials: int, chance: float) -> float:
    """The probability of `count` >= 1 successes or more: an incomplete beta function."""
    return incomplete_beta(count, trials - count + 1, chance)


def _where(passed: Callable[[float], bool]) -> float:
    """The chance at which `passed` turns true, by bisection."""
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if passed(middle) else (middle, high)
    return high
