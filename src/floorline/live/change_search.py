"""The search for a change of the default's mean: at which point, and up to which end.

For a change point fixed in advance, the evidence of the true rewards is a nonnegative
supermartingale in the order of decisions: all its ends are covered at once, so any may be chosen.
Those are taken up to which little is missing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from floorline.live.block_ends import BlockEnds
from floorline.live.filled_evidence import Counts, known_rise_evidence, rise_evidence

RATIO = 1.1
"""Each change point looked at comes after this many times the blocks of the one before."""
FIRST = 20
"""The larger it is, the less of the level the first change points get, and the more the later."""


class ChangeSearch:
    """The change points, and the log evidence that raises an alarm at each.

    Point number j = 0, 1, ... has FIRST / ((j + FIRST) (j + FIRST + 1)) of the level, which adds up
    to all of it.
    """

    def __init__(self, level: float, mean: float | None) -> None:
        self._level = level
        self._mean = mean  # if it is known, from 0 to 1
        self._points = np.array([1 if mean is None else 0])
        self._needed = np.array([self._price(0)])

    def find(self, ends: BlockEnds) -> tuple[int, int] | None:
        """Return the point and the end with the most evidence beyond what an alarm takes, if any.

        The evidence is computed only where a bound on it allows an alarm.
        """
        found = []
        is_visible = self._is_visible if self._mean is None else self._is_visible_if_known
        for end in set(ends.best().tolist()):
            points, needed = self._points_before(end)
            for number in np.flatnonzero(is_visible(ends.sums, points, needed, end)).tolist():
                point = int(points[number])
                evidence = self._evidence(ends.counts(0, point), ends.counts(point, end))
                found.append((evidence - float(needed[number]), point, end))
        beyond, point, end = max(found, default=(-math.inf, 0, 0))
        return (point, end) if beyond >= 0.0 else None

    def has_fallen(self, before: Counts, since: Counts) -> bool:
        """Return whether the known rewards were higher before."""
        if self._mean is None:
            return since.up * before.down < before.up * since.down
        return since.up * (1.0 - self._mean) < self._mean * since.down

    def _evidence(self, before: Counts, since: Counts) -> float:
        fallen = self.has_fallen(before, since)
        if fallen:
            before, since = before.swapped(), since.swapped()
        if self._mean is not None:
            return known_rise_evidence(1.0 - self._mean if fallen else self._mean, since)
        return rise_evidence(before, since)

    def _points_before(self, end: int) -> tuple[Any, Any]:
        """Return the points before an end, and the log evidence that raises an alarm at each."""
        if self._points[-1] < end:
            self._add_points(end)
        count = np.searchsorted(self._points, end)
        return self._points[:count], self._needed[:count]

    def _add_points(self, end: int) -> None:
        """Add points up to the first that is not before `end`."""
        points, needed = self._points.tolist(), self._needed.tolist()
        while points[-1] < end:
            points.append(max(points[-1] + 1, int(RATIO * points[-1])))
            needed.append(self._price(len(needed)))
        self._points, self._needed = np.array(points), np.array(needed)

    def _price(self, number: int) -> float:
        """Return the log evidence that raises an alarm at the point with this number."""
        place = number + FIRST
        return -math.log(self._level * FIRST / (place * (place + 1)))

    def _is_visible(self, sums: Any, points: Any, needed: Any, end: int) -> Any:
        """Return at which points the averages differ enough for an alarm.

        Mixtures are at most the largest likelihoods, so the evidence is at most n_1 KL(p_1, m) +
        n_2 KL(p_2, m), where p are the averages before and since and m that of both; and
        KL(p, m) <= (p - m)^2 / (m (1 - m)). No logarithm is taken: hardly any point is visible.
        """
        all_plays, all_up, _ = whole = sums[:, end]
        plays, up, missing = before = sums[:, points]
        since_plays, since_up, since_missing = whole.reshape(3, 1) - before
        down, since_down = plays - up - missing, since_plays - since_up - since_missing
        rise = since_up * down - (up + missing) * (since_down + since_missing)
        fall = since_down * up - (down + missing) * (since_up + since_missing)
        has_risen = since_up * down >= up * since_down
        gap = np.where(has_risen, rise, fall)
        highs = all_up + np.where(has_risen, missing, since_missing)
        spread = plays * since_plays * highs * (all_plays - highs)
        return (gap > 0.0) & (gap * gap * all_plays >= needed * spread)

    def _is_visible_if_known(self, sums: Any, points: Any, needed: Any, end: int) -> Any:
        """Return the same for a known mean: n KL(p, m) bounds the evidence."""
        mean = self._mean
        assert mean is not None
        plays, up, missing = sums[:, [end]] - sums[:, points]
        gap = np.maximum(up - mean * plays, mean * plays - (up + missing))
        return (gap > 0.0) & (gap * gap >= needed * plays * mean * (1.0 - mean))
