"""`as-printed`: the paper's equation for psi as it stands, for comparison."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

from floorline.boundaries.subgaussian import Subgaussian
from floorline.core.kernel import kernel

if TYPE_CHECKING:
    from floorline.boundaries.boundary import Boundary

LARGEST_PROVED = math.sqrt(0.5)
"""The largest noise scale for which its intervals hold."""


@kernel
def as_printed(inverse_error: float, seen: int) -> float:
    """Return the paper's unit radius as printed: sqrt(psi / s), too narrow by sqrt(2)."""
    x = math.log(inverse_error)
    slope = inverse_error * (1.0 + x) / ((inverse_error - 1.0) * x)
    psi = math.log(max(3.0, x)) + math.log(2.0 * inverse_error) + 2.0
    psi += slope * math.log(math.log(1.0 + seen))
    return math.sqrt(max(psi, 0.0) / seen)


class AsPrintedBoundary(Subgaussian):
    """The paper's equation, never scaled; warns where it is not proved."""

    def check(self, boundary: Boundary) -> None:
        """Warn if the noise is larger than its intervals allow."""
        if boundary.noise_scale > LARGEST_PROVED:
            warnings.warn(
                "boundary as-printed: its intervals fail more often than delta "
                "for a noise scale above 0.707; the floor is not guaranteed",
                stacklevel=5,
            )

    def inverse_error(self, n_arms: int, default_known: bool, delta: float) -> float:
        """Return the paper's zeta, which must be above 1."""
        zeta = super().inverse_error(n_arms, default_known, delta)
        if zeta <= 1:
            raise ValueError(
                f"delta: boundary as-printed needs estimated arms/delta above 1, not {zeta:g}"
            )
        return zeta


AS_PRINTED = AsPrintedBoundary(
    "as-printed",
    as_printed,
    summary="sqrt(psi / s), the paper's equation, never scaled: for comparison",
    proved_for="a noise_scale of at most sqrt(1/2)",
    scaled=False,
)
