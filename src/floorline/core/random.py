"""Random draws as kernels, so that each engine can bring its own generator."""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel


@kernel
def normal(rng: Any) -> float:
    """A standard normal draw."""
    return rng.standard_normal()  # type: ignore[no-any-return]


@kernel
def uniform(rng: Any) -> float:
    """A uniform draw from [0, 1)."""
    return rng.random()  # type: ignore[no-any-return]


@kernel
def gamma(rng: Any, shape: float) -> float:
    """A gamma draw of scale 1, for `shape` of at least 1 (Marsaglia and Tsang, 2000)."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(rng)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = 1.0 - uniform(rng)  # in (0, 1], so that its logarithm exists
        if u < 1.0 - 0.0331 * x * x * x * x:
            return d * v
        if math.log(u) < 0.5 * x * x + d * (1.0 - v + math.log(v)):
            return d * v


@kernel
def beta(rng: Any, a: float, b: float) -> float:
    """A beta draw, for `a` and `b` of at least 1."""
    x = gamma(rng, a)
    return x / (x + gamma(rng, b))
