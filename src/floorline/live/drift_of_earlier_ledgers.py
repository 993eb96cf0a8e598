"""The watches on the default arm that ledgers opened earlier keep, to be replayed as they were.

Where all rewards are known, an alarm is evidence against every unchanged mean, at one of many
change points (change_evidence.py). Missing rewards are filled in at the worst, and an alarm is
two intervals that do not overlap, at 1, 2, 4, ... blocks: while the mean does not change all
intervals contain it, except with the probability that they are given, one half of it for the plays
from the start, the other for the later starts, 1/((j+1)(j+2)) of it for number j.

Each of the two tests has half of `drift_level`: that is `evidence`, which one reward that never
comes leaves with intervals alone. A watch by `intervals`, as in version 0.1, gives all of the level
to the intervals, and compares known rewards with them as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from floorline.live.change_evidence import change_evidence, known_change_evidence, next_point
from floorline.live.default_blocks import DefaultBlocks
from floorline.live.intervals import MeanIntervals
from floorline.live.settings import CampaignSettings


class Stretch(NamedTuple):
    """Consecutive plays of the default, with the least and the most that they have earned."""

    plays: int
    least: float
    most: float

    def plus(self, other: Stretch) -> Stretch:
        """Return both stretches as one."""
        return Stretch(self.plays + other.plays, self.least + other.least, self.most + other.most)

    def since(self, start: Stretch) -> Stretch:
        """Return the part after `start`, which must be the beginning of this stretch."""
        return Stretch(self.plays - start.plays, self.least - start.least, self.most - start.most)


class EarlierDriftWatch(DefaultBlocks):
    """The default's rewards in blocks, and an alarm if their mean has changed."""

    def __init__(self, settings: CampaignSettings) -> None:
        super().__init__(settings)
        self._intervals = MeanIntervals(settings.to_boundary())
        by_evidence = settings.drift_watch == "evidence"
        self._level = settings.drift_level / 2 if by_evidence else settings.drift_level
        self._closed = [Stretch(0, 0.0, 0.0)]  # from the start up to the end of each closed block
        self._next_look = 2  # blocks at which missing rewards are filled in and compared

    @property
    def total(self) -> float:
        """The sum of the default's observed rewards, even if `default_mean` is given.

        Block by block, so that it is rounded in the same way after a snapshot.
        """
        return sum(self.totals[len(self._closed) - 1 :], self._closed[-1].least)

    def _begin_block(self) -> None:
        """While blocks stay open, compare all now and then, with missing rewards at the worst."""
        if len(self.plays) < self._next_look:
            return
        self._next_look += 1 + len(self.plays) // 8
        if len(self._closed) <= len(self.plays):
            filled = map(self._filled, self.plays, self.seen, self.totals)
            self._compare(list(accumulate(filled, Stretch.plus, initial=self._closed[0])))

    def _close_block(self) -> None:
        """Compare the blocks whose rewards are all known, if there is a new one."""
        before = len(self._closed)
        self._close_blocks()
        if len(self._closed) > before:
            if self._settings.drift_watch == "evidence":
                self._weigh_evidence()
            else:
                self._compare(self._closed)

    def _close_blocks(self) -> None:
        while len(self._closed) <= len(self.plays) and self._is_closed(len(self._closed) - 1):
            block = len(self._closed) - 1
            total = self.totals[block]
            self._closed.append(self._closed[-1].plus(Stretch(self.plays[block], total, total)))

    def _filled(self, plays: int, seen: int, total: float) -> Stretch:
        missing = plays - seen
        low, high = self._settings.low, self._settings.high
        return Stretch(plays, total + missing * low, total + missing * high)

    def _weigh_evidence(self) -> None:
        """Raise an alarm if the known rewards refute every unchanged mean at some point."""
        if self.alarm:
            return
        number, point = 0, 0 if self._settings.default_mean is not None else 1
        most, most_at = 0.0, -1
        while point < len(self._closed) - 1:
            before, since = self._closed[point], self._closed[-1].since(self._closed[point])
            chance = self._level / ((number + 1) * (number + 2))
            beyond = self._change_evidence(before, since) + math.log(chance)
            if beyond >= most:
                most, most_at = beyond, point
            number, point = number + 1, next_point(point)
        if most_at >= 0:
            before = self._closed[most_at]
            self.alarm = self._words(before, self._closed[-1].since(before))

    def _change_evidence(self, before: Stretch, since: Stretch) -> float:
        """Return the log evidence that the mean changed between two stretches."""
        known, total = self._settings.default_mean, self._in_unit(since.plays, since.least)
        if known is not None:
            return known_change_evidence(self._in_unit(1, known), since.plays, total)
        earlier = self._in_unit(before.plays, before.least)
        return change_evidence(before.plays, earlier, since.plays, total)

    def _in_unit(self, plays: int, total: float) -> float:
        """Return the sum of the rewards of some plays, each moved to [0, 1]."""
        low, high = self._settings.low, self._settings.high
        return min(max((total - plays * low) / (high - low), 0.0), float(plays))

    def _words(self, before: Stretch, since: Stretch) -> str:
        known = self._settings.default_mean
        now = f"{since.least / since.plays:.4g} a play in the {since.plays:,}"
        if known is not None:
            return f"the default's mean was given as {known:.4g}; it earned {now} last ones"
        was = f"{before.least / before.plays:.4g} a play in its first {before.plays:,} plays"
        return f"the default earned {was}, and {now} since"

    def _compare(self, ends: Sequence[Stretch]) -> None:
        """Raise an alarm if the plays up to some end and those since have different means."""
        known = self._settings.default_mean
        number, start = 0, 0 if known is not None else 1
        while start < len(ends) - 1 and not self.alarm:
            share = 2 * (number + 1) * (number + 2)
            low, high = self._ends(ends[-1].since(ends[start]), share)
            then_low, then_high = (
                (known, known) if known is not None else self._ends(ends[start], 2)
            )
            if low > then_high or high < then_low:
                self.alarm = (
                    f"the default's mean was within {then_low:.4g} and {then_high:.4g}, and since "
                    f"its play {ends[start].plays + 1} it is within {low:.4g} and {high:.4g}"
                )
            number, start = number + 1, max(1, 2 * start)

    def _ends(self, stretch: Stretch, share: int) -> tuple[float, float]:
        """Return the interval of a stretch's mean, at 1/share of the drift level."""
        return self._intervals.ends(share / self._level, *stretch)

    def to_json(self) -> dict[str, Any]:
        """Return everything that cannot be derived, as plain values."""
        return {**super().to_json(), "next_look": self._next_look}

    def restore(self, values: dict[str, Any]) -> None:
        """Restore what `to_json` returned."""
        super().restore(values)
        self._next_look = values["next_look"]
        self._close_blocks()
