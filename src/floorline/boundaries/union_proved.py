"""`union-proved`: the paper's simple choice of psi with the constant that its proof needs."""

from __future__ import annotations

from floorline.boundaries.subgaussian import Subgaussian
from floorline.boundaries.union import union
from floorline.core.kernel import kernel


@kernel
def union_proved(inverse_error: float, seen: int) -> float:
    """Return the unit radius of the simple choice with 2 zeta(3), which its union bound needs."""
    return union(2.4042 * inverse_error, seen)


UNION_PROVED = Subgaussian(
    "union-proved",
    union_proved,
    summary="the simple choice with the missing constant 2.4042",
    proved_for="subgaussian noise of any noise_scale",
    live=True,
)
