"""What a simulation gives back: every run, or a summary of any number of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from floorline.core.records import Counts, Floats
from floorline.simulate.loop import Outcome, rows

CHUNK = 8192
"""Runs summed up at a time. Fixed, so that sums are rounded alike on any number of threads."""


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
        found: list[float] = []
        for keys, counts in zip(self._keys, self._counts, strict=True):
            place = np.searchsorted(np.cumsum(counts), share * counts.sum())
            found.append(_value(keys[min(int(place), len(keys) - 1)]))
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
    plays: Floats
    """Mean plays: checkpoints x arms."""
    rewards: Spread | None
    seconds: float

    @property
    def rounds_per_second(self) -> float:
        """Simulated rounds over seconds of simulation, compilation excluded."""
        return self.runs * float(self.checkpoints[-1]) / max(self.seconds, 1e-9)


@dataclass(frozen=True)
class Results:
    """Every run, as arrays of runs x checkpoints."""

    checkpoints: Counts
    pseudo_regret: Floats
    """What was lost, in expectation, against always playing the best arm."""
    regret: Floats | None
    """What was lost against the best fixed arm in hindsight; against adversaries only."""
    lowest_budget: Floats
    """The lowest that the budget has been: expected, or received against adversaries."""
    plays: Counts
    """Plays of each arm: runs x checkpoints x arms."""
    first_breach: Counts
    """The first round with a budget below zero, by run; 0 if there was none."""
    rewards: Floats | None
    """Reward received, if it was asked for."""
    seconds: float

    def summary(self) -> Summary:
        """The same runs in a few numbers."""
        nothing = np.empty((0, 0))
        whole = Outcome(
            pseudo_regret=self.pseudo_regret,
            regret=nothing if self.regret is None else self.regret,
            lowest_budget=self.lowest_budget,
            plays=self.plays,
            rewards=nothing if self.rewards is None else self.rewards,
            first_breach=self.first_breach,
        )
        digest = Digest(self.checkpoints)
        digest.add(whole)
        return digest.summary(self.seconds)


class Digest:
    """Sums up chunks of runs, one after the other, in memory that does not grow with them."""

    def __init__(self, checkpoints: Counts) -> None:
        self._checkpoints = checkpoints
        self._runs = 0
        self._sketches = {
            name: _Sketch() for name in ("pseudo_regret", "regret", "lowest_budget", "rewards")
        }
        self._breaches = np.zeros(len(checkpoints))
        self._plays: Floats = np.zeros(1)

    def add(self, outcome: Outcome) -> None:
        """Take in some more runs: a multiple of CHUNK, but for the last."""
        for start in range(0, len(outcome.first_breach), CHUNK):
            self._add(rows(outcome, start, start + CHUNK))

    def _add(self, chunk: Outcome) -> None:
        breach = chunk.first_breach[:, None]
        self._breaches = self._breaches + np.sum((breach > 0) & (breach <= self._checkpoints), 0)
        self._plays = self._plays + chunk.plays.sum(axis=0, dtype=float)
        for name, sketch in self._sketches.items():
            values = getattr(chunk, name)
            if values.size:
                sketch.add(values)
        self._runs += len(chunk.first_breach)

    def summary(self, seconds: float) -> Summary:
        """All that was taken in."""
        return Summary(
            runs=self._runs,
            checkpoints=self._checkpoints,
            pseudo_regret=self._sketches["pseudo_regret"].spread(),
            regret=self._optional("regret"),
            lowest_budget=self._sketches["lowest_budget"].spread(),
            breach_rate=self._breaches / self._runs,
            plays=self._plays / self._runs,
            rewards=self._optional("rewards"),
            seconds=seconds,
        )

    def _optional(self, name: str) -> Spread | None:
        sketch = self._sketches[name]
        return sketch.spread() if sketch.runs else None


class _Sketch:
    """Mean, error, ends and a histogram with bins of equal relative width, by checkpoint."""

    def __init__(self) -> None:
        self.runs = 0
        self._mean: Floats = np.zeros(1)
        self._squares: Floats = np.zeros(1)
        self._min: Floats = np.array([math.inf])
        self._max: Floats = np.array([-math.inf])
        self._bins: list[dict[int, int]] = []

    def add(self, values: Floats) -> None:
        """Take in an array of runs x checkpoints (Chan's update of mean and squares)."""
        n, mean = len(values), values.mean(axis=0)
        both, gap = self.runs + n, mean - self._mean
        self._squares = (
            self._squares + np.square(values - mean).sum(axis=0)
            + np.square(gap) * (self.runs * n / both)
        )  # fmt: skip
        self._mean = self._mean + gap * (n / both)
        self._min = np.minimum(self._min, values.min(axis=0))
        self._max = np.maximum(self._max, values.max(axis=0))
        self._bins = self._bins or [{} for _ in range(values.shape[1])]
        for bins, keys in zip(self._bins, _keys(values), strict=True):
            for key, count in zip(*np.unique(keys, return_counts=True), strict=True):
                bins[int(key)] = bins.get(int(key), 0) + int(count)
        self.runs = both

    def spread(self) -> Spread:
        """All that was taken in."""
        variance = self._squares / max(self.runs - 1, 1)
        tables = [sorted(bins.items()) for bins in self._bins]
        return Spread(
            mean=self._mean,
            standard_error=np.sqrt(variance / self.runs),
            min=self._min,
            max=self._max,
            _keys=tuple(np.array([key for key, _ in table], np.int32) for table in tables),
            _counts=tuple(np.array([count for _, count in table]) for table in tables),
        )


# A bin is the sign, the exponent and ten bits of the mantissa of a single-precision number:
# its bits, shifted, with the order of the negative ones turned round.
_DROPPED_BITS = 13


def _keys(values: Floats) -> Iterator[NDArray[np.int32]]:
    bits = np.ascontiguousarray(values.T, np.float32).view(np.int32)
    yield from np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF)) >> _DROPPED_BITS


def _value(key: int) -> float:
    bits = (int(key) << _DROPPED_BITS) + (1 << _DROPPED_BITS >> 1)  # the middle of the bin
    magnitude = np.array([abs(bits)], np.int32).view(np.float32)[0]
    return float(magnitude if bits >= 0 else -magnitude)
