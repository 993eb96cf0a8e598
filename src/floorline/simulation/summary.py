"""Any number of runs in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from floorline.core.records import Counts, Floats
from floorline.simulation.bins import middle_of


@dataclass(frozen=True)
class Spread:
    """How a number is spread over the runs, at each checkpoint."""

    mean: Floats
    standard_error: Floats
    min: Floats
    max: Floats
    _keys: tuple[NDArray[np.int32], ...] = field(repr=False)
    _counts: tuple[Counts, ...] = field(repr=False)

    def quantile(self, share: float) -> Floats:
        """The value below which this share of the runs lies, to within one part in a thousand."""
        if not 0 <= share <= 1:
            raise ValueError(f"share: must be a number at least 0 and at most 1, not {share!r}")
        if not self._keys:
            raise ValueError("quantiles: must be asked for when the runs are simulated")
        found: list[float] = []
        for keys, counts in zip(self._keys, self._counts, strict=True):
            place = np.searchsorted(np.cumsum(counts), share * counts.sum())
            found.append(middle_of(keys[min(int(place), len(keys) - 1)]))
        values: Floats = np.clip(np.array(found), self.min, self.max)
        return values


@dataclass(frozen=True)
class Summary:
    """Many runs in a few numbers, each an array with an entry for every checkpoint."""

    runs: int
    checkpoints: Counts
    pseudo_regret: Spread
    regret: Spread | None
    """Against the best fixed arm in hindsight; against adversaries only."""
    lowest_budget: Spread
    breach_rate: Floats
    """Share of runs whose budget was below zero by then."""
    miss_rate: Floats | None
    """Share of runs in which an interval missed its arm's mean by then, if that was watched."""
    plays: Floats
    """Mean plays: checkpoints x arms."""
    rewards: Spread | None
    seconds: float

    @property
    def rounds_per_second(self) -> float:
        """Simulated rounds over seconds; `summarize` leaves compilation out of them."""
        return self.runs * float(self.checkpoints[-1]) / max(self.seconds, 1e-9)
