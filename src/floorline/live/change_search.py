"""The search for a change of the default's mean: at which point, and up to which end.

For a change point fixed in advance, the evidence of the true rewards is a nonnegative
supermartingale in the order of decisions: all its ends are covered at once, so any may be chosen.
Those are taken up to which little is missing.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from floorline.live.filled_evidence import Counts, known_rise_evidence, rise_evidence

RATIO = 1.1
"""Each change point looked at comes after this many times the blocks of the one before."""
FIRST = 20
"""The larger it is, the less of the level the first change points get, and the more the later."""
COSTS = (1, 10, 100)
"""For each cost, the end with the most known plays is searched, less the cost of missing ones.

How much a missing reward hides depends on the means: about 1 play near one half, and as many as a
hundred where few plays earn anything.
"""


class End(NamedTuple):
    """The plays from the start up to the end of a block."""

    plays: int
    up: float
    """What they earned, from 0 to 1 for each."""
    missing: int
    best: tuple[int, ...]
    """For each of COSTS: the index of the end, up to this one, with the largest `value`."""

    def value(self, cost: int) -> int:
        """Return the known plays, less a cost for each missing one."""
        return self.plays - (1 + cost) * self.missing

    def counts(self, start: End) -> Counts:
        """Return the counts of the plays after `start`, an earlier end."""
        missing = self.missing - start.missing
        seen = self.plays - start.plays - missing
        up = min(max(self.up - start.up, 0.0), float(seen))
        return Counts(up, seen - up, missing)


START = End(0, 0.0, 0, (0,) * len(COSTS))


def add_blocks(ends: list[End], blocks: Iterable[tuple[int, float, int]]) -> None:
    """Append the ends of further blocks: their plays, what these earned, and missing rewards."""
    plays, up, missing, last_best = ends[-1]
    best = list(last_best)
    most = [ends[end].value(cost) for cost, end in zip(COSTS, best, strict=True)]
    for more, earned, unknown in blocks:
        plays, up, missing = plays + more, up + earned, missing + unknown
        for place, cost in enumerate(COSTS):
            value = plays - (1 + cost) * missing  # inlined: all blocks may have to be added again
            if value >= most[place]:
                best[place], most[place] = len(ends), value
        ends.append(End(plays, up, missing, tuple(best)))


class ChangeSearch:
    """The change points, and the log evidence that raises an alarm at each.

    Point number j = 0, 1, ... has FIRST / ((j + FIRST) (j + FIRST + 1)) of the level, which adds up
    to all of it.
    """

    def __init__(self, level: float, mean: float | None) -> None:
        self._level = level
        self._mean = mean  # if it is known, from 0 to 1
        self._points: list[tuple[int, float]] = []

    def find(self, ends: Sequence[End]) -> tuple[int, int] | None:
        """Return the point and the end with the most evidence beyond what an alarm takes, if any.

        The evidence is computed only where a bound on it allows an alarm.
        """
        found = []
        visible = self._visible_known if self._mean is not None else self._visible
        for end in set(ends[-1].best):
            for point, needed in visible(ends, end):
                start = ends[point]
                beyond = self._evidence(start.counts(START), ends[end].counts(start)) - needed
                found.append((beyond, point, end))
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

    def _points_before(self, end: int) -> list[tuple[int, float]]:
        points = self._points
        point = points[-1][0] if points else -1
        while point < end:
            first = 0 if self._mean is not None else 1
            point = max(first, point + 1, int(RATIO * point))
            number = len(points) + FIRST
            share = self._level * FIRST / (number * (number + 1))
            points.append((point, -math.log(share)))
        return points[: bisect_left(points, (end, 0.0))]

    def _visible(self, ends: Sequence[End], end: int) -> Iterator[tuple[int, float]]:
        """Yield the points at which the averages differ enough for an alarm.

        Mixtures are at most the largest likelihoods, so the evidence is at most n_1 KL(p_1, m) +
        n_2 KL(p_2, m), where p are the averages before and since and m that of both; and
        KL(p, m) <= (p - m)^2 / (m (1 - m)). No logarithm is taken: hardly any point is visible.
        """
        all_plays, all_up, all_missing, _ = ends[end]
        for point, needed in self._points_before(end):
            plays, up, missing, _ = ends[point]
            since_plays, since_up, since_missing = (
                all_plays - plays,
                all_up - up,
                all_missing - missing,
            )
            down, since_down = plays - up - missing, since_plays - since_up - since_missing
            if since_up * down >= up * since_down:
                gap = since_up * down - (up + missing) * (since_down + since_missing)
                highs = all_up + missing
            else:
                gap = since_down * up - (down + missing) * (since_up + since_missing)
                highs = all_up + since_missing
            if gap <= 0.0:
                continue
            spread = plays * since_plays * highs * (all_plays - highs)
            if gap * gap * all_plays >= needed * spread:
                yield point, needed

    def _visible_known(self, ends: Sequence[End], end: int) -> Iterator[tuple[int, float]]:
        """Yield the same for a known mean: n KL(p, m) bounds the evidence."""
        mean, last = self._mean, ends[end]
        assert mean is not None
        for point, needed in self._points_before(end):
            since = last.counts(ends[point])
            highest = since.up + since.missing
            plays = since.down + highest
            gap = max(since.up - mean * plays, mean * plays - highest)
            if gap > 0.0 and gap * gap >= needed * plays * mean * (1.0 - mean):
                yield point, needed
