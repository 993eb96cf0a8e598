"""`stitched`: polynomial stitching (Howard et al. 2021), the default boundary."""

from __future__ import annotations

import math

from floorline.boundaries.subgaussian import Subgaussian
from floorline.core.kernel import kernel

# Howard et al. 2021, polynomial stitching with eta = 2, s = 1.4, m = 1: the factor k1^2
# and 2 zeta(1.4) / log(2)^1.4, the 2 for the two sides.
STITCH_FACTOR = (2**0.25 + 2**-0.25) ** 2 / 2
STITCH_LEVEL = 2 * 3.105547277977581 / math.log(2) ** 1.4


@kernel
def stitched(inverse_error: float, seen: int) -> float:
    """Return the unit radius by polynomial stitching, proved for subgaussian noise."""
    level = 1.4 * math.log(math.log(2.0 * seen)) + math.log(STITCH_LEVEL * inverse_error)
    return math.sqrt(STITCH_FACTOR * level / seen)


STITCHED = Subgaussian(
    "stitched",
    stitched,
    summary="polynomial stitching (Howard et al. 2021), narrow from the start",
    proved_for="subgaussian noise of any noise_scale",
    live=True,
)
