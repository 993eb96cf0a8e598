"""Clicks of visitors of several kinds, each with its own chances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from floorline.core.checks import require
from floorline.core.kernel import Function, kernel
from floorline.core.random import uniform
from floorline.core.records import Floats
from floorline.environments.base import as_array, checked_means
from floorline.environments.moments import Clicks, mean_now, visitor_kind


class SegmentsRules(NamedTuple):
    """The kinds' means, kind by kind and arm by arm, and their cumulative shares."""

    means: Floats
    cumulative: Floats
    n_arms: int


@kernel
def draw_kind(rules: SegmentsRules, rng: Any) -> int:
    """Return a kind, drawn by the shares."""
    level = uniform(rng)
    kind = 0
    while kind < len(rules.cumulative) - 1 and level >= rules.cumulative[kind]:
        kind += 1
    return kind


@kernel
def segment_mean(rules: SegmentsRules, arm: int, round: int, kind: int) -> float:
    """Return the arm's mean for the kind of visitor."""
    return rules.means[kind * rules.n_arms + arm]  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Segments(Clicks):
    """Clicks of visitors of several kinds.

    >>> Segments([[0.02, 0.04], [0.04, 0.02]]).means  # equal on average, but for no visitor
    (0.03, 0.03)

    Args:
        by_kind: for each kind of visitor, each arm's chance of a click.
        shares: the share of each kind among the visitors; equal by default.
    """

    by_kind: Sequence[Sequence[float]]
    shares: Sequence[float] | None = None

    def __post_init__(self) -> None:
        require(len(self.by_kind) >= 1, "by_kind", "one or more rows of means", self.by_kind)
        rows = tuple(checked_means(row, 0.0, 1.0, "by_kind") for row in self.by_kind)
        alike = all(len(row) == len(rows[0]) for row in rows)
        require(alike, "by_kind", "rows of the same length, a mean for each arm", self.by_kind)
        given = [1 / len(rows)] * len(rows) if self.shares is None else self.shares
        fits = len(given) == len(rows) and all(share >= 0 for share in given)
        require(
            fits and abs(math.fsum(given) - 1) < 1e-9,
            "shares",
            f"{len(rows)} numbers, one per kind, at least 0, with sum 1",
            self.shares,
        )
        object.__setattr__(self, "by_kind", rows)
        object.__setattr__(self, "shares", tuple(float(share) for share in given))

    @property
    def means(self) -> tuple[float, ...]:
        """Each arm's mean over all visitors."""
        return tuple(
            math.fsum(
                share * row[arm] for share, row in zip(self._shares, self.by_kind, strict=True)
            )
            for arm in range(len(self.by_kind[0]))
        )

    @property
    def kinds(self) -> int:
        """The number of kinds of visitors."""
        return len(self.by_kind)

    @property
    def _shares(self) -> tuple[float, ...]:
        return tuple(self.shares or ())

    def rules(self) -> SegmentsRules:
        """Return the record for the kernels."""
        return SegmentsRules(
            means=as_array([mean for row in self.by_kind for mean in row]),
            cumulative=np.cumsum(self._shares),
            n_arms=len(self.by_kind[0]),
        )

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {mean_now: segment_mean, visitor_kind: draw_kind}
