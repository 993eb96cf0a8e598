"""The boundaries by name, one line each."""

from __future__ import annotations

from floorline.boundaries.as_printed import AS_PRINTED
from floorline.boundaries.authors import AUTHORS
from floorline.boundaries.base import BoundaryKind
from floorline.boundaries.beta_binomial import BETA_BINOMIAL
from floorline.boundaries.stitched import STITCHED
from floorline.boundaries.union import UNION
from floorline.boundaries.union_proved import UNION_PROVED

BOUNDARIES: dict[str, BoundaryKind] = {
    kind.name: kind
    for kind in (
        STITCHED,
        AUTHORS,
        AS_PRINTED,
        UNION,
        UNION_PROVED,
        BETA_BINOMIAL,
    )
}
"""The kinds of confidence intervals, by name; `Boundary` configures one of them."""
