"""Sums of the default's plays from the start up to the end of each block.

A reward that comes late changes the sums at all ends after it, which can be thousands: they are
added up by NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floorline.live.filled_evidence import Counts

PLAYS, UP, MISSING = range(3)
COSTS = (1, 10, 100)
"""For each cost, the end with the most known plays, less the cost of missing rewards, is searched.

How much a missing reward hides depends on the means: about 1 play near one half, and as many as a
hundred where few plays earn anything.
"""
_PER_MISSING = 1.0 + np.array(COSTS).reshape(-1, 1)
"""What each missing reward takes off the plays: its own play, which is not known, and the cost."""


class BlockEnds:
    """Plays, what they earned (from 0 to 1 each) and missing rewards up to the end of each block.

    End number 0 is the start, before the first block.
    """

    def __init__(self) -> None:
        self.last = 0
        """The number of the last end."""
        self._sums = np.zeros((3, 1))
        self._best = np.zeros((len(COSTS), 1), np.int64)
        self._searched = 0  # up to this end, `_best` has the best end for each end

    @property
    def sums(self) -> Any:
        """Plays, earnings and missing rewards, each at all ends."""
        return self._sums[:, : self.last + 1]

    def best(self) -> Any:
        """Return, for each cost, the last of the ends with the most plays less the cost."""
        values = self._values_after(self._searched)
        places = values.shape[1] - 1 - np.argmax(values[:, ::-1], axis=1)
        return np.where(places > 0, self._searched + places, self._best[:, self._searched])

    def replace_after(self, start: int, blocks: Any) -> None:
        """Replace all ends after `start` by those of further blocks, given as rows like `sums`."""
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
        """Return plays less each cost: at the best end up to `first`, and at all ends after it."""
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
