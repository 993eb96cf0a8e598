"""`authors`: the radius of the authors' program, for the paper's figures."""

from __future__ import annotations

import math
import warnings

from floorline.boundaries.subgaussian import Subgaussian
from floorline.core.kernel import kernel

LEAST_PROVED = 6.0
"""The smallest number of arms over delta for which the radius is proved."""


@kernel
def authors(inverse_error: float, seen: int) -> float:
    """Return the unit radius of the authors' program: sqrt(2 psi / s), with log(zeta) for zeta.

    Differs: where psi is negative (few arms, large delta) the program has NaN; here it is 0.
    """
    x = math.log(inverse_error)
    slope = x * (1.0 + math.log(x)) / ((x - 1.0) * math.log(x))
    psi = math.log(max(3.0, x)) + math.log(2.0 * inverse_error) + 2.0
    psi += slope * math.log(math.log(1.0 + seen))
    return math.sqrt(2.0 * max(psi, 0.0) / seen)


class AuthorsBoundary(Subgaussian):
    """The radius of the authors' program, which counts all arms in both settings."""

    def inverse_error(self, n_arms: int, default_known: bool, delta: float) -> float:
        """Return all arms over delta, also where the default's mean is known."""
        zeta = n_arms / delta
        if zeta <= math.e:
            raise ValueError(f"delta: boundary authors needs arms/delta above e, not {zeta:g}")
        if zeta < LEAST_PROVED:
            warnings.warn(
                f"boundary authors: not proved for arms/delta below 6 (here {zeta:g})",
                stacklevel=4,
            )
        return zeta


AUTHORS = AuthorsBoundary(
    "authors",
    authors,
    summary="sqrt(2 psi / s), as in the authors' program: for the paper's figures",
    proved_for="arms / delta of at least 6",
)
