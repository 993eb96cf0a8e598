"""Random draws as kernels, so that each engine can bring its own generator."""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel

SQUEEZE = 0.0221
"""Constant of the squeeze test, which accepts most gamma draws without a logarithm."""


@kernel
def normal(rng: Any) -> float:
    """A standard normal draw."""
    return rng.standard_normal()  # type: ignore[no-any-return]


@kernel
def uniform(rng: Any) -> float:
    """A uniform draw from [0, 1)."""
    return rng.random()  # type: ignore[no-any-return]


@kernel
def beta(rng: Any, a: float, b: float) -> float:
    """A beta draw, for `a` and `b` of at least 1: the share of the first of two gamma draws.

    Both are drawn as by Marsaglia and Tsang (2000), d (1 + x / (3 sqrt(d)))^3 for normal x, and
    accepted together.
    """
    d, e = a - 1.0 / 3.0, b - 1.0 / 3.0
    root, other_root = 3.0 * math.sqrt(d), 3.0 * math.sqrt(e)
    while True:
        x, y = normal(rng), normal(rng)
        v, w = root + x, other_root + y
        if v <= 0.0 or w <= 0.0:
            continue
        u = uniform(rng)  # rejects if above the chance of acceptance
        first, second = v * v * v * other_root, w * w * w * root
        x, y = x * x, y * y
        # The chance is at least 1 - SQUEEZE (x^4 / d + y^4 / e), where that is positive.
        if u * d * e < d * e - SQUEEZE * (x * x * e + y * y * d):
            return first / (first + second)
        v, w = v / root, w / other_root
        logarithm = 0.5 * (x + y)
        logarithm += d * (1.0 - v * v * v + 3.0 * math.log(v))
        logarithm += e * (1.0 - w * w * w + 3.0 * math.log(w))
        if u < math.exp(logarithm):
            return first / (first + second)
