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
"""For each cost, the end with the most known plays is searched, less the cost of missing ones.

How much a missing reward hides depends on the means: about 1 play near one half, and as many as a
hundred where few plays earn anything.
"""
_PER_MISSING = 1.0 + np.array(COSTS).reshape(-1, 1)
"""A missing play is not a known one, and costs."""


class BlockEnds:
    """Plays, what they earned (from 0 to 1 each) and missing rewards up to the end of each block.

    End number 0 is the start, before the first block.
    """

    def __init__(self) -> None:
        self.last = 0
        """The number of the last end."""
        self._sums = np.zeros((3, 1))
        self._best = np.zeros((len(COSTS), 1), np.int64)

    @property
    def sums(self) -> Any:
        """Plays, earnings and missing rewards, each at all ends."""
        return self._sums[:, : self.last + 1]

    @property
    def best(self) -> Any:
        """For each cost and end: the last end up to it with the most plays less the cost."""
        return self._best[:, : self.last + 1]

    def replace_after(self, start: int, blocks: Any) -> None:
        """Replace all ends after `start` by those of further blocks, given as rows like `sums`."""
        end = start + blocks.shape[1]
        self._make_room(end)
        self.last = end
        here = slice(start, end + 1)
        added = np.concatenate((self._sums[:, start : start + 1], blocks), axis=1)
        plays, _, missing = np.cumsum(added, axis=1, out=self._sums[:, here])
        values = plays - _PER_MISSING * missing
        # The first column stands for all ends up to `start`, by the best of them.
        best = self._best[:, start]
        values[:, 0] = self._sums[PLAYS, best] - _PER_MISSING[:, 0] * self._sums[MISSING, best]
        is_best = values == np.maximum.accumulate(values, axis=1)
        numbers = np.where(is_best, np.arange(start, end + 1), 0)
        numbers[:, 0] = best
        np.maximum.accumulate(numbers, axis=1, out=self._best[:, here])

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
