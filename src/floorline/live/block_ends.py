"""Cumulative sums of the default's plays at the end of each block.

A late reward changes the sums at all later ends, which can be thousands, so NumPy adds them up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floorline.live.filled_evidence import Counts

PLAYS, UP, MISSING = range(3)
COSTS = (1, 10, 100)
"""For each cost, one end is searched: that with the most known plays less cost x missing rewards.

How much a missing reward hides depends on the means: about 1 play near one half, and as many as a
hundred where few plays earn anything.
"""
_PER_MISSING = 1.0 + np.array(COSTS).reshape(-1, 1)
"""How much a missing reward lowers that value: its play is not a known one, and it has a cost."""


class BlockEnds:
    """Cumulative plays, earnings (from 0 to 1 each) and missing rewards at the end of each block.

    End number 0 is the start, before the first block.
    """

    def __init__(self) -> None:
        self.last = 0
        """The number of the last end."""
        self._sums = np.zeros((3, 1))
        self._best = np.zeros((len(COSTS), 1), np.int64)
        self._searched = 0  # `_best` is up to date up to this end

    @property
    def sums(self) -> Any:
        """Rows of cumulative plays, earnings and missing rewards, with a column for each end."""
        return self._sums[:, : self.last + 1]

    def best(self) -> Any:
        """Return the end to search for each cost; of several that are as good, the last."""
        values = self._values_after(self._searched)
        places = values.shape[1] - 1 - np.argmax(values[:, ::-1], axis=1)
        return np.where(places > 0, self._searched + places, self._best[:, self._searched])

    def replace_after(self, start: int, blocks: Any) -> None:
        """Replace all ends after `start` by those of `blocks`.

        These have a column each, with the rows of `sums`, not cumulative.
        """
        end = start + blocks.shape[1]
        self._make_room(end)
        self.last = end
        added = np.concatenate((self._sums[:, start : start + 1], blocks), axis=1)
        np.cumsum(added, axis=1, out=self._sums[:, start : end + 1])
        first = min(start, self._searched)
        values = self._values_after(first)
        is_best = values == np.maximum.accumulate(values, axis=1)
        numbers = np.where(is_best, np.arange(first, end + 1), 0)
        numbers[:, 0] = self._best[:, first]
        np.maximum.accumulate(numbers, axis=1, out=self._best[:, first : end + 1])
        self._searched = end

    def remove_missing(self, block: int) -> None:
        """Remove a play of a block, numbered from 0, whose reward is missing."""
        for row in (PLAYS, MISSING):
            self._sums[row, block + 1 : self.last + 1] -= 1.0
        self._searched = min(self._searched, block)

    def _values_after(self, first: int) -> Any:
        """Return, for each cost, the best value up to `first` and then that of each later end."""
        plays, _, missing = self.sums
        best = self._best[:, first]
        values = plays[first:] - _PER_MISSING * missing[first:]
        values[:, 0] = plays[best] - _PER_MISSING[:, 0] * missing[best]
        return values

    def _make_room(self, end: int) -> None:
        size = self._sums.shape[1]
        if end >= size:
            more = ((0, 0), (0, max(size, end + 1 - size)))
            self._sums, self._best = np.pad(self._sums, more), np.pad(self._best, more)

    def counts(self, start: int, end: int) -> Counts:
        """Return the counts of the plays between two ends."""
        plays, up, missing = (self._sums[:, end] - self._sums[:, start]).tolist()
        seen = plays - missing
        up = min(max(up, 0.0), seen)
        return Counts(up, seen - up, missing)
