"""`union`: the paper's simple choice of psi, for comparison."""

from __future__ import annotations

import math

from floorline.boundaries.subgaussian import Subgaussian
from floorline.core.kernel import kernel


@kernel
def union(inverse_error: float, seen: int) -> float:
    """Return the unit radius of the paper's simple choice, psi = 2 log(K s^3 / delta)."""
    return math.sqrt(2.0 * (math.log(inverse_error) + 3.0 * math.log(seen)) / seen)


UNION = Subgaussian(
    "union",
    union,
    summary="sqrt(2 log(K s^3 / delta) / s), the paper's simple choice: for comparison",
    proved_for="nothing: the constant of its union bound is missing",
)
