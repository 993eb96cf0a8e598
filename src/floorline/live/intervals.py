"""Intervals of means outside the policy, from the sums of what was seen."""

from __future__ import annotations

from functools import lru_cache

from floorline.boundaries import Boundary
from floorline.core.kernel import bind
from floorline.core.slots import lower_end, upper_end

NO_MEMORY: list[float] = []

RULES_CACHED = 256
"""Error probabilities whose rules are cached."""


class MeanIntervals:
    """The intervals of a boundary, at any error probability."""

    def __init__(self, boundary: Boundary) -> None:
        self._boundary = boundary
        self._rules_at = lru_cache(RULES_CACHED)(boundary.rules_at)
        kernels = boundary.kernels()
        self._lower, self._upper = (bind(kernels[end], kernels) for end in (lower_end, upper_end))

    def ends(
        self, inverse_error: float, seen: int, least: float, most: float
    ) -> tuple[float, float]:
        """Return both ends of the interval of a mean; the whole range before the first value.

        Args:
            inverse_error: 1 over the probability that the interval does not hold, at any time.
            seen: how many values there are.
            least: what they sum to at least.
            most: what they sum to at most.
        """
        if seen == 0:
            return self._boundary.low, self._boundary.high
        rules = self._rules_at(inverse_error)
        lower = float(self._lower(rules, NO_MEMORY, 0, seen, least))
        return lower, float(self._upper(rules, NO_MEMORY, 0, seen, most))
