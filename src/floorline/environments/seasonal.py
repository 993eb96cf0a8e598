"""Clicks whose chances rise and fall with a season."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from floorline.core.checks import number, require, whole
from floorline.core.kernel import Function, kernel
from floorline.core.records import Floats
from floorline.environments.base import as_array, checked_means
from floorline.environments.moments import Clicks, mean_now, only_kind, visitor_kind


class SeasonalRules(NamedTuple):
    """Each arm's mean and its swing, and the rounds in a season."""

    means: Floats
    swings: Floats
    period: int


@kernel
def seasonal_mean(rules: SeasonalRules, arm: int, round: int, kind: int) -> float:
    """Return the arm's mean in this round of the season."""
    phase = 2.0 * math.pi * (round % rules.period) / rules.period
    return rules.means[arm] * (1.0 + rules.swings[arm] * math.sin(phase))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Seasonal(Clicks):
    """Clicks whose chances follow a sine wave around their means.

    Args:
        means: each arm's chance of a click over a whole season.
        period: the rounds in a season.
        swing: the share of its mean by which a chance rises and falls: one number, or one per
            arm; below 0 for an arm whose high season is the others' low one.

    >>> year = Seasonal([0.02, 0.03], period=365_000, swing=0.3)  # 1,000 decisions a day
    """

    means: Sequence[float]
    period: int
    swing: float | Sequence[float] = 0.5

    def __post_init__(self) -> None:
        means = checked_means(self.means, 0.0, 1.0)
        object.__setattr__(self, "period", whole("period", self.period, 2))
        given = [self.swing] * len(means) if isinstance(self.swing, (int, float)) else self.swing
        swings = tuple(number("swing", swing, -1, 1) for swing in given)
        require(
            len(swings) == len(means),
            "swing",
            f"one number, or {len(means)}, one per arm",
            self.swing,
        )
        for mean, swing in zip(means, swings, strict=True):
            require(
                mean * (1 + abs(swing)) <= 1,
                "swing",
                f"small enough that a chance of {mean:g} stays at most 1",
                swing,
            )
        object.__setattr__(self, "means", means)
        object.__setattr__(self, "swing", swings)

    def rules(self) -> SeasonalRules:
        """Return the record for the kernels."""
        return SeasonalRules(as_array(self.means), np.array(self.swing, float), self.period)

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {mean_now: seasonal_mean, visitor_kind: only_kind}
