"""Summarise runs, part by part, in memory that does not grow with their number."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floorline.core.records import Counts, Floats
from floorline.simulation.bins import keys_of
from floorline.simulation.loops.run import RunRecords
from floorline.simulation.summary import Spread, Summary

CHUNK = 8192
"""Runs summed at a time. Fixed, so that rounding does not depend on how runs are distributed."""

MEASURED = ("pseudo_regret", "regret", "lowest_budget", "rewards")
"""The quantities whose spread over the runs a summary has."""


Bins = tuple[NDArray[np.int32], Counts]
"""Keys of bins, and how many values each contains."""


class Moments(NamedTuple):
    """How the values of some runs are spread, at each checkpoint."""

    runs: int
    mean: Floats
    squares: Floats
    """Sum of the squared distances from the mean."""
    min: Floats
    max: Floats


class PartialSums(NamedTuple):
    """Sums over some runs, at each checkpoint."""

    runs: int
    breaches: Counts
    misses: Counts | None
    plays: Counts
    """Checkpoints x arms."""
    moments: dict[str, list[Moments]]
    """An entry for every CHUNK of runs, in order."""
    bins: dict[str, list[Bins]]
    """By checkpoint; empty where no quantiles are wanted."""

    def at(self, where: Counts) -> PartialSums:
        """Return the sums at some of the checkpoints, given by their indices."""
        return PartialSums(
            runs=self.runs,
            breaches=self.breaches[where],
            misses=None if self.misses is None else self.misses[where],
            plays=self.plays[where],
            moments={
                name: [Moments(one.runs, *(each[where] for each in one[1:])) for one in chunks]
                for name, chunks in self.moments.items()
            },
            bins={name: [bins[i] for i in where] for name, bins in self.bins.items() if bins},
        )


def sums_of(chunk: RunRecords, checkpoints: Counts, quantiles: bool = True) -> PartialSums:
    """Return the sums over at most CHUNK runs."""
    values = {name: getattr(chunk, name) for name in MEASURED if getattr(chunk, name).size}
    return PartialSums(
        runs=len(chunk.first_breach),
        breaches=_count_by(checkpoints, chunk.first_breach),
        misses=_count_by(checkpoints, chunk.first_miss) if chunk.first_miss.size else None,
        plays=chunk.plays.sum(axis=0),
        moments={name: [_moments(array)] for name, array in values.items()},
        bins={
            name: [np.unique(keys, return_counts=True) for keys in keys_of(array.T)]
            for name, array in values.items()
            if quantiles
        },
    )


def _count_by(checkpoints: Counts, first: Counts) -> Counts:
    """Return how many of the `first` rounds (0: none) are reached by each checkpoint."""
    counts: Counts = np.sum((first[:, None] > 0) & (first[:, None] <= checkpoints), axis=0)
    return counts


def _moments(values: Floats) -> Moments:
    mean = values.mean(axis=0)
    squares = np.square(values - mean).sum(axis=0)
    return Moments(len(values), mean, squares, values.min(axis=0), values.max(axis=0))


class Digest:
    """Accumulates partial sums and returns the summary of all their runs."""

    def __init__(self, checkpoints: Counts) -> None:
        self._checkpoints = checkpoints
        self._runs = 0
        self._sketches: dict[str, _Sketch] = {}
        self._breaches: Counts = np.zeros(len(checkpoints), np.int64)
        self._misses: Counts | None = None
        self._plays: Counts = np.zeros(1, np.int64)

    def add(self, part: PartialSums) -> None:
        """Add the sums of some more runs."""
        self._runs += part.runs
        self._breaches = self._breaches + part.breaches
        if part.misses is not None:
            self._misses = part.misses + (0 if self._misses is None else self._misses)
        self._plays = self._plays + part.plays
        for name, chunks in part.moments.items():
            bins = part.bins.get(name, [])
            if name not in self._sketches:
                self._sketches[name] = _Sketch(len(self._checkpoints), len(bins))
            sketch = self._sketches[name]
            for moments in chunks:
                sketch.add(moments)
            for histogram, new in zip(sketch.histograms, bins, strict=True):
                histogram.add(new)

    def summary(self, seconds: float) -> Summary:
        """Return the summary of all runs added."""
        spreads = {name: sketch.spread() for name, sketch in self._sketches.items()}
        return Summary(
            runs=self._runs,
            checkpoints=self._checkpoints,
            pseudo_regret=spreads["pseudo_regret"],
            regret=spreads.get("regret"),
            lowest_budget=spreads["lowest_budget"],
            breach_rate=self._breaches / self._runs,
            miss_rate=None if self._misses is None else self._misses / self._runs,
            plays=self._plays / self._runs,
            rewards=spreads.get("rewards"),
            seconds=seconds,
        )


class _Sketch:
    """Mean, standard error, range and, if wanted, a histogram, by checkpoint."""

    def __init__(self, points: int, histograms: int) -> None:
        self._all = Moments(
            0,
            np.zeros(points),
            np.zeros(points),
            np.full(points, math.inf),
            np.full(points, -math.inf),
        )
        self.histograms = [_Histogram() for _ in range(histograms)]

    def add(self, new: Moments) -> None:
        """Add the moments of some more runs (Chan's update of mean and squares)."""
        old = self._all
        both, gap = old.runs + new.runs, new.mean - old.mean
        self._all = Moments(
            both,
            old.mean + gap * (new.runs / both),
            old.squares + new.squares + np.square(gap) * (old.runs * new.runs / both),
            np.minimum(old.min, new.min),
            np.maximum(old.max, new.max),
        )

    def spread(self) -> Spread:
        """Return the spread over all runs added."""
        runs, mean, squares, lowest, highest = self._all
        tables = [histogram.table() for histogram in self.histograms]
        return Spread(
            mean=mean,
            standard_error=np.sqrt(squares / max(runs - 1, 1) / runs),
            min=lowest,
            max=highest,
            _keys=tuple(keys for keys, _ in tables),
            _counts=tuple(counts for _, counts in tables),
        )


class _Histogram:
    """Bins with the number of values in each; those of several parts are merged lazily."""

    def __init__(self) -> None:
        self._parts: list[Bins] = []

    def add(self, bins: Bins) -> None:
        """Add the bins of some more runs."""
        self._parts.append(bins)
        if len(self._parts) == 64:
            self._parts = [self.table()]

    def table(self) -> Bins:
        """Return the keys in use, increasing, and how many values each contains."""
        if len(self._parts) == 1:
            return self._parts[0]
        keys, index = np.unique(np.concatenate([k for k, _ in self._parts]), return_inverse=True)
        counts = np.zeros(len(keys), np.int64)
        np.add.at(counts, index, np.concatenate([c for _, c in self._parts]))
        return keys, counts
